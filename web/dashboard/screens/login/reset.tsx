// Forgotten password: mails a link to a page that takes a new one, once.

import { useState } from 'preact/hooks'
import { call } from '../../api.ts'
import { Field } from '../../parts/form/field.tsx'
import { Form } from '../../parts/form/form.tsx'
import { LinkButton } from '../../parts/page/button.tsx'
import { Gate } from './gate.tsx'

export function Forgotten() {
  const [request, setRequest] = useState<{ address: string; sendsMail: boolean } | null>(null)
  if (request !== null && !request.sendsMail)
    return (
      <Gate title="This server sends no mail">
        <p>So no link can reach you. Whoever runs the server can set a new password on its machine, with</p>
        <p>
          <code>cartwright account reset-password {request.address}</code>
        </p>
        <p class="gate-foot">
          <a href="/dashboard">Back to the login</a>
        </p>
      </Gate>
    )
  if (request !== null)
    return (
      <Gate title="Look into your mail">
        <p>
          If <strong>{request.address}</strong> has an account, a link to choose a new password is on its way. It works
          once, for 30 minutes.
        </p>
        <p class="hint">
          Nothing came? Look among unwanted mail, or ask an owner of the shop whether the address is right.
        </p>
        <p class="gate-foot">
          <a href="/dashboard">Back to the login</a>
        </p>
      </Gate>
    )
  return (
    <Gate title="Forgotten password">
      <p>Tell us your address; we mail you a link to choose a new password.</p>
      <Form
        submit="Mail the link"
        run={async (values) => {
          const answer = await call<{ sends_mail: boolean }>('POST', '/password-reset', { body: values })
          return { address: String(values.email), sendsMail: answer.sends_mail }
        }}
        onDone={setRequest}
      >
        <Field name="email" label="E-mail" type="email" autocomplete="username" isFocused />
      </Form>
      <p class="gate-foot">
        <a href="/dashboard">Back to the login</a>
      </p>
    </Gate>
  )
}

export function NewPassword({ id: token }: { id: string }) {
  const [isDone, setDone] = useState(false)
  if (isDone)
    return (
      <Gate title="Your password is changed">
        <p>Log in with the new one. Everywhere else you have been logged out.</p>
        <LinkButton kind="primary" href="/dashboard">
          Log in
        </LinkButton>
      </Gate>
    )
  return (
    <Gate title="Choose a new password">
      <Form
        submit="Change the password"
        run={(values) => call('POST', `/password-reset/${encodeURIComponent(token)}`, { body: values })}
        onDone={() => setDone(true)}
      >
        <Field
          name="password"
          label="New password"
          type="password"
          autocomplete="new-password"
          hint="At least 10 characters. Long is better than complicated."
          isFocused
        />
      </Form>
      <p class="gate-foot">
        <a href="/dashboard/forgotten">Ask for another link</a>
      </p>
    </Gate>
  )
}
