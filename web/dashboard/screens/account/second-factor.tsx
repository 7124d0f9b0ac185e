// The second factor: a code from an app besides the password. It is switched on only after a first code has shown that the app knows the
// secret.

import { useState } from 'preact/hooks'
import type { ConfirmedSecondFactor, PendingSecondFactor } from '../../../../src/dashboard/views.ts'
import { del, post } from '../../parts/form/change.ts'
import { Field } from '../../parts/form/field.tsx'
import { CopyButton, LinkButton } from '../../parts/page/button.tsx'
import { ActionDialog, DialogButton } from '../../parts/page/dialog.tsx'
import { OnceDialog } from '../../parts/page/once-dialog.tsx'
import { Section } from '../../parts/page/page.tsx'
import { Badge } from '../../parts/show/values.tsx'
import { useSession, useSessionState } from '../../session.tsx'

export function SecondFactor() {
  const { account } = useSession()
  /** Kept here, because the dialog that receives them closes. They are shown once. */
  const [codes, setCodes] = useState<readonly string[] | null>(null)
  const isOn = account.has_second_factor
  return (
    <Section title="Second factor" actions={<Badge tone={isOn ? 'good' : 'open'}>{isOn ? 'On' : 'Off'}</Badge>}>
      <div class="stack">
        <p>
          {isOn
            ? 'At each login you are asked for a code of your app, or for one of your spare codes.'
            : 'A password can be guessed or stolen. With a second factor, whoever has it still needs a code that only your phone shows.'}
        </p>
        <p>
          {isOn ? (
            <DialogButton words="Switch off" dialog={(close) => <OffDialog onClose={close} />} />
          ) : (
            <DialogButton words="Switch on" dialog={(close) => <OnDialog onCodes={setCodes} onClose={close} />} />
          )}
        </p>
      </div>
      {codes !== null && (
        <OnceDialog
          title="Ten spare codes"
          what="Spare codes"
          text={codes.join('\n')}
          isMany
          intro="The second factor is on. Without your phone each of these codes opens your account once: print them, or keep them where your passwords are."
          onClose={() => setCodes(null)}
        />
      )}
    </Section>
  )
}

type OnProps = { readonly onCodes: (codes: readonly string[]) => void; readonly onClose: () => void }

function OnDialog({ onCodes, onClose }: OnProps) {
  const { take } = useSessionState()
  const [pending, setPending] = useState<PendingSecondFactor | null>(null)
  if (pending === null)
    return (
      <ActionDialog
        title="Switch the second factor on"
        verb="Show the secret"
        says={[
          'You need an app for codes on your phone, such as Aegis, 2FAS or Google Authenticator.',
          'Nothing changes before a first code of it was right.',
        ]}
        request={post('/second-factor')}
        staysOpen
        onDone={setPending}
        onClose={onClose}
      />
    )
  return (
    <ActionDialog
      key="confirm"
      title="Switch the second factor on"
      verb="Switch on"
      says={[
        'From now on each login asks for a code.',
        'You are logged out everywhere else.',
        'You get ten spare codes, shown once.',
      ]}
      request={post('/second-factor/confirm')}
      onDone={({ spare_codes, session }: ConfirmedSecondFactor) => {
        take(session)
        onCodes(spare_codes)
      }}
      onClose={onClose}
    >
      <ol class="steps">
        <li>
          <p>Add an account in the app. On this device:</p>
          <p>
            <LinkButton words="Open in the app" href={pending.uri} />
          </p>
          <p>On another one, type this secret:</p>
          <p class="key-line">
            <code class="factor-secret">{groupInFours(pending.secret)}</code>
            <CopyButton text={pending.secret} what="Secret" />
          </p>
        </li>
        <li>
          <Field
            name="code"
            label="The six digits that the app shows"
            autocomplete="one-time-code"
            inputMode="numeric"
            maxLength={10}
            isFocused
          />
        </li>
        <li>
          <Field
            name="password"
            label="Your password"
            type="password"
            autocomplete="current-password"
            hint="It shows that it is you, and not somebody who found this page open."
          />
        </li>
      </ol>
    </ActionDialog>
  )
}

/** In groups of four, because it is typed by hand. */
const groupInFours = (secret: string): string => secret.replace(/(.{4})(?=.)/g, '$1 ')

function OffDialog({ onClose }: { onClose: () => void }) {
  const { reload } = useSessionState()
  return (
    <ActionDialog
      title="Switch the second factor off"
      verb="Switch off"
      says={['The password alone opens your account then.', 'The spare codes open nothing any more.']}
      request={del('/second-factor')}
      done="The second factor is off"
      onDone={reload}
      onClose={onClose}
    >
      <Field name="password" label="Your password" type="password" autocomplete="current-password" isFocused />
    </ActionDialog>
  )
}
