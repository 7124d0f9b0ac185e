// Shared by the settings screens: the form that changes the merchant.

import limits from 'limits:merchants.update'
import type { ComponentChildren } from 'preact'
import type { Merchant } from '../../../../src/api/merchants/schema.ts'
import { put } from '../../parts/form/change.ts'
import { Form } from '../../parts/form/form.tsx'
import { Facts, Loaded, Note, Section } from '../../parts/page/page.tsx'
import { useIsSandboxOnly, useMay, useSessionState } from '../../session.tsx'

/** The team of a shop sees all fields. Only shoppers do not. */
type MerchantSettings = Required<Merchant>

type SettingsProps = {
  readonly children: (merchant: MerchantSettings) => ComponentChildren
  /** Shown to roles that may not change the settings. */
  readonly facts: (merchant: MerchantSettings) => Parameters<typeof Facts>[0]['facts']
}

/** Tells roles that may change settings in the sandbox but not in live. */
export function SandboxOnly() {
  if (!useIsSandboxOnly()) return null
  return <Note says="Changes here apply to the sandbox only: your live shop keeps its own settings." />
}

/** Saves everything at once. Only changed fields are sent. */
export function MerchantForm({ children, facts }: SettingsProps) {
  const { reload } = useSessionState()
  const may = useMay()
  return (
    <Loaded<MerchantSettings> of="/v1/merchants">
      {(merchant, etag) =>
        may('merchants.update') ? (
          <>
            <SandboxOnly />
            <Form
              initial={merchant}
              etag={etag}
              limits={limits}
              submit="Save"
              request={put('/v1/merchants')}
              done="Saved"
              // The frame of the page shows the shop's name and logo, and times are in its time zone.
              onDone={reload}
            >
              {children(merchant)}
            </Form>
          </>
        ) : (
          <>
            <Note says="Your role may look at this and not change it here." />
            <div class="section">
              <Facts facts={facts(merchant)} />
            </div>
          </>
        )
      }
    </Loaded>
  )
}

/** Fields below each other, with a heading. */
export function FieldSection({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <Section title={title}>
      <div class="form">{children}</div>
    </Section>
  )
}
