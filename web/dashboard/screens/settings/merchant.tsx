// Shared by the settings screens: the merchant as the API returns it, and the form that changes it.

import type { ComponentChildren } from 'preact'
import { call } from '../../api.ts'
import { Form } from '../../parts/form/form.tsx'
import { Facts, Note } from '../../parts/page/page.tsx'
import { Loaded } from '../../parts/page/states.tsx'
import { showToast } from '../../parts/page/toast.tsx'
import { useIsSandboxOnly, useMay, useSessionState } from '../../session.tsx'
import { invalidateQueries, useQuery } from '../../use-query.ts'

export type MerchantPicture = { readonly id: string; readonly url: string }

export type Merchant = {
  readonly name: string
  readonly description: string | null
  readonly support_email: string
  readonly currency: { readonly code: string; readonly symbol: string }
  readonly images: { readonly logo: MerchantPicture | null; readonly cover: MerchantPicture | null }
  readonly logo_shape: string | null
  readonly colors: { readonly accent: string | null; readonly background: string | null }
  readonly address: Readonly<Record<'street' | 'city' | 'region' | 'country' | 'postal_zip_code', string | null>>
  readonly time_zone: string
  readonly allowed_origins: readonly string[]
  readonly orders: { readonly unpaid_expire_after_hours: number | null }
  readonly checkout: {
    readonly languages: readonly string[]
    readonly terms_url: string | null
    readonly privacy_url: string | null
    readonly return_url: string | null
  }
  readonly notifications: {
    readonly customer: Readonly<Record<string, boolean>>
    readonly merchant: { readonly orders: boolean; readonly email: string | null }
  }
}

type SettingsProps = {
  readonly children: (merchant: Merchant) => ComponentChildren
  /** Shown to roles that may not change the settings. */
  readonly facts: (merchant: Merchant) => Parameters<typeof Facts>[0]['facts']
}

/** Tells roles that may change settings in the sandbox but not in live. */
export function SandboxOnly() {
  if (!useIsSandboxOnly()) return null
  return (
    <Note>
      <p>Changes here apply to the sandbox only: your live shop keeps its own settings.</p>
    </Note>
  )
}

/** Saves everything at once. Only changed fields are sent. */
export function MerchantForm({ children, facts }: SettingsProps) {
  const query = useQuery<Merchant>('/v1/merchants')
  const { reload } = useSessionState()
  const may = useMay()
  return (
    <Loaded query={query}>
      {(merchant) =>
        may('merchants.update') ? (
          <>
            <SandboxOnly />
            <Form
              initial={merchant}
              etag={query.etag}
              submit="Save"
              run={(body, { ifMatch }) => call('PUT', '/v1/merchants', { body, ifMatch })}
              onDone={() => {
                invalidateQueries('/v1/merchants', '/v1/developer/mail')
                // The frame of the page shows the shop's name and logo, and times are in its time zone.
                reload()
                showToast('Saved')
              }}
            >
              {children(merchant)}
            </Form>
          </>
        ) : (
          <>
            <Note>
              <p>Your role may look at this and not change it here.</p>
            </Note>
            <div class="section">
              <Facts facts={facts(merchant)} />
            </div>
          </>
        )
      }
    </Loaded>
  )
}
