// Forgotten password: mails a link to a page that takes a new one, once.

import { useState } from 'preact/hooks'
import type { PasswordResetRequest } from '../../../../src/dashboard/views.ts'
import { call } from '../../api.ts'
import { post } from '../../parts/form/change.ts'
import { Field } from '../../parts/form/field.tsx'
import { Form } from '../../parts/form/form.tsx'
import { LinkButton } from '../../parts/page/button.tsx'
import { Gate, NewPasswordField } from './gate.tsx'

export function Forgotten() {
  const [request, setRequest] = useState<(PasswordResetRequest & { readonly address: string }) | null>(null)
  if (request === null)
    return (
      <Gate title="Forgotten password">
        <p>Tell us your address; we mail you a link to choose a new password.</p>
        <Form
          submit="Mail the link"
          run={async (body) => ({
            ...(await call<PasswordResetRequest>('POST', '/password-reset', { body })),
            address: String(body.email),
          })}
          onDone={setRequest}
        >
          <Field name="email" label="E-mail" type="email" autocomplete="username" isFocused />
        </Form>
        <BackToLogin />
      </Gate>
    )
  if (!request.sends_mail)
    return (
      <Gate title="This server sends no mail">
        <p>So no link can reach you. Whoever runs the server can set a new password on its machine, with</p>
        <p>
          <code>cartwright account reset-password {request.address}</code>
        </p>
        <BackToLogin />
      </Gate>
    )
  return (
    <Gate title="Look into your mail">
      <p>
        If <strong>{request.address}</strong> has an account, a link to choose a new password is on its way. It works
        once, for 30 minutes.
      </p>
      <p class="hint">
        Nothing came? Look among unwanted mail, or ask an owner of the shop whether the address is right.
      </p>
      <BackToLogin />
    </Gate>
  )
}

const BackToLogin = () => (
  <p class="hint">
    <a href="/dashboard">Back to the login</a>
  </p>
)

export function NewPassword({ id: token }: { id: string }) {
  const [isDone, setDone] = useState(false)
  if (isDone)
    return (
      <Gate title="Your password is changed">
        <p>Log in with the new one. Everywhere else you have been logged out.</p>
        <LinkButton words="Log in" kind="primary" href="/dashboard" />
      </Gate>
    )
  return (
    <Gate title="Choose a new password">
      <Form
        submit="Change the password"
        request={post(`/password-reset/${encodeURIComponent(token)}`)}
        onDone={() => setDone(true)}
      >
        <NewPasswordField label="New password" isFocused />
      </Form>
      <p class="hint">
        <a href="/dashboard/forgotten">Ask for another link</a>
      </p>
    </Gate>
  )
}
