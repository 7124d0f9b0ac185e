// Login: e-mail and password, the shop if the address has several, a code if a second factor is set up. The same form is shown above the
// page when a session has ended.

import { useEffect, useRef, useState } from 'preact/hooks'
import type { ShopChoice } from '../../../../src/dashboard/views.ts'
import { ApiProblem, call } from '../../api.ts'
import { Field } from '../../parts/form/field.tsx'
import { Form, type FormValues } from '../../parts/form/form.tsx'
import { Button } from '../../parts/page/button.tsx'
import { type Session, useSessionState } from '../../session.tsx'
import { Gate } from './gate.tsx'

type LoginFormProps = {
  /** Set when a session has ended: the same person must log in. */
  readonly email?: string
  readonly merchantId?: number
  readonly onDone: (session: Session) => void
}

type Step =
  | { readonly name: 'password' }
  | { readonly name: 'shop'; readonly shops: ShopChoice['choose'] }
  | { readonly name: 'code' }

const NO_COOKIE = `Your browser did not keep the cookie that says who you are, so you are not logged in. Allow cookies for this site, and open
 the dashboard under the very address that is set up for it, by HTTPS.`

export function LoginForm({ email, merchantId, onDone }: LoginFormProps) {
  const [step, setStep] = useState<Step>({ name: 'password' })
  /** Kept in memory only, until the last step. */
  const typedValues = useRef<FormValues>({})

  const send = async (values: FormValues): Promise<Session | null> => {
    typedValues.current = { ...typedValues.current, ...values }
    const shopChoice = merchantId === undefined ? {} : { merchant_id: merchantId }
    try {
      const answer = await call<Session | ShopChoice>('POST', '/session', {
        body: { ...shopChoice, ...typedValues.current },
      })
      if ('choose' in answer) {
        setStep({ name: 'shop', shops: answer.choose })
        return null
      }
      return await confirmSession()
    } catch (error) {
      if (!(error instanceof ApiProblem) || error.type !== 'second_factor' || step.name === 'code') throw error
      setStep({ name: 'code' })
      return null
    }
  }

  const finish = (session: Session | null) => {
    if (session === null) return
    typedValues.current = {}
    onDone(session)
  }

  if (step.name === 'shop')
    return (
      <Form key="shop" run={send} onDone={finish}>
        <p>This address has several shops. Which one do you want to open?</p>
        <ul class="stack tight">
          {step.shops.map(({ merchant_id, name }) => (
            <li key={merchant_id}>
              <Button words={name} type="submit" onClick={() => (typedValues.current.merchant_id = merchant_id)} />
            </li>
          ))}
        </ul>
      </Form>
    )
  if (step.name === 'code')
    return (
      <Form key="code" run={send} onDone={finish} submit="Log in">
        <Field
          name="code"
          label="Code"
          hint="The six digits that your app shows now, or one of your spare codes."
          autocomplete="one-time-code"
          isFocused
        />
      </Form>
    )
  return <PasswordForm email={email} onSubmit={send} onDone={finish} />
}

type PasswordFormProps = {
  readonly email: string | undefined
  readonly onSubmit: (values: FormValues) => Promise<Session | null>
  readonly onDone: (session: Session | null) => void
}

function PasswordForm({ email, onSubmit, onDone }: PasswordFormProps) {
  const [wait, setWait] = useWait()
  return (
    <Form
      key="password"
      run={onSubmit}
      onDone={onDone}
      onProblem={({ retryAfter }) => setWait(retryAfter ?? 0)}
      submit={wait > 0 ? `Wait ${wait} s` : 'Log in'}
      isHeld={wait > 0}
    >
      <Field
        name="email"
        label="E-mail"
        type="email"
        autocomplete="username"
        isFocused={email === undefined}
        {...(email === undefined ? {} : { value: email, isFixed: true })}
      />
      <Field
        name="password"
        label="Password"
        type="password"
        autocomplete="current-password"
        isFocused={email !== undefined}
      />
    </Form>
  )
}

/** Counts seconds down to 0. */
function useWait() {
  const [wait, setWait] = useState(0)
  useEffect(() => {
    if (wait <= 0) return
    const timer = setTimeout(() => setWait(wait - 1), 1_000)
    return () => clearTimeout(timer)
  }, [wait])
  return [wait, setWait] as const
}

/** Reads the session again: only a second request shows whether the browser kept the cookie. */
export async function confirmSession(): Promise<Session> {
  try {
    return await call<Session>('GET', '/session')
  } catch (error) {
    if (error instanceof ApiProblem && error.status === 401)
      throw new ApiProblem(NO_COOKIE, { status: 401, type: 'no_cookie' })
    throw error
  }
}

export function Login() {
  const { take } = useSessionState()
  return (
    <Gate title="Log in">
      <LoginForm onDone={take} />
      <p class="hint">
        <a href="/dashboard/forgotten">Forgotten your password?</a>
      </p>
    </Gate>
  )
}
