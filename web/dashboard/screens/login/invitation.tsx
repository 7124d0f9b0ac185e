// Accepts an invitation: shows the shop and the role, and takes a name and a password. If the address already has an account, that account
// confirms first.

import { useState } from 'preact/hooks'
import { useLocation } from 'preact-iso/router'
import type { OpenInvitation } from '../../../../src/dashboard/views.ts'
import { ApiProblem, call } from '../../api.ts'
import { Field } from '../../parts/form/field.tsx'
import { Form } from '../../parts/form/form.tsx'
import { LinkButton } from '../../parts/page/button.tsx'
import { Loaded } from '../../parts/page/page.tsx'
import { type Role, useSessionState } from '../../session.tsx'
import { useQuery } from '../../use-query.ts'
import { Gate, NewPasswordField } from './gate.tsx'
import { confirmSession } from './login.tsx'

const ROLE_TEXTS: Readonly<Record<Role, string>> = {
  owner: 'You may do everything, also invite others.',
  manager: 'You may do everything but team, API keys and secrets of payment providers.',
  packer: 'You see orders and ship them.',
  developer: 'You may do everything in the sandbox, and read what is live.',
}

export function Invitation({ id: token }: { id: string }) {
  const path = `/invitations/${encodeURIComponent(token)}`
  const query = useQuery<OpenInvitation>(path)
  const { take } = useSessionState()
  const { route } = useLocation()
  const [asksCode, setAsksCode] = useState(false)
  const status = query.problem?.status
  if (status === 404 || status === 410)
    return (
      <Gate title="This invitation is over">
        <p>It was used, taken back, or is too old. Ask whoever sent it for another one.</p>
        <LinkButton words="Go to the login" href="/dashboard" />
      </Gate>
    )
  return (
    <Gate title={query.data === undefined ? 'Invitation' : `Join ${query.data.merchant.name}`}>
      <Loaded of={query} lines={3}>
        {({ email, name, role, has_account: hasAccount }) => (
          <>
            <p>
              You were invited as <strong>{role}</strong>. {ROLE_TEXTS[role]}
            </p>
            <Form
              submit="Join"
              run={async ({ email: _, ...body }) => {
                try {
                  await call('POST', path, { body })
                } catch (error) {
                  if (!(error instanceof ApiProblem) || error.type !== 'second_factor' || asksCode) throw error
                  setAsksCode(true)
                  return null
                }
                return confirmSession()
              }}
              onDone={(session) => {
                if (session === null) return
                take(session)
                route('/dashboard')
              }}
            >
              <Field name="email" label="E-mail" type="email" autocomplete="username" value={email} isFixed />
              {hasAccount && <AccountFields asksCode={asksCode} />}
              <Field name="name" label="Your name" autocomplete="name" value={name} isFocused={!hasAccount} />
              <NewPasswordField label={hasAccount ? 'Password for this shop' : 'Password'} />
            </Form>
          </>
        )}
      </Loaded>
    </Gate>
  )
}

function AccountFields({ asksCode }: { asksCode: boolean }) {
  return (
    <>
      <p>
        This e-mail address already has an account here, in another shop. Enter the password of that account to show
        that it is yours. <a href="/dashboard/forgotten">Forgotten it?</a>
      </p>
      <Field
        name="account_password"
        label="Password of your account"
        type="password"
        autocomplete="current-password"
        isFocused
      />
      {asksCode && (
        <Field
          name="code"
          label="Code"
          hint="The six digits that your app shows now for that account, or one of its spare codes."
          autocomplete="one-time-code"
          isFocused
        />
      )}
    </>
  )
}
