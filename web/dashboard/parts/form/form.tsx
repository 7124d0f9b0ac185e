// A form of native controls with the API's dotted paths as names. It sends only changed fields. Errors of the API appear at their fields
// and in a summary, which takes the focus. Input is never lost. Leaving with changes asks first. If somebody else has saved the object
// meanwhile, a note shows the differences, and the user chooses a value for each.

import { type ComponentChildren, createContext } from 'preact'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { type ApiFieldErrors, type ApiProblem, newIdempotencyKey, problemOf } from '../../api.ts'
import { useMay } from '../../session.tsx'
import { Button } from '../page/button.tsx'
import { type Change, sendChange, useFinish } from './change.ts'
import { Conflict, type Difference } from './conflict.tsx'
import {
  type Control,
  controlsOf,
  controlText,
  defaultOf,
  defaultTextOf,
  type FormValues,
  isChanged,
  resetControl,
  valuesOf,
} from './controls.ts'
import { useLeaveGuard } from './leaving.ts'

export type { FormValues }

type FormState = {
  readonly errors: ApiFieldErrors
  readonly isBusy: boolean
  /** Object with the initial values of the fields, by path. */
  readonly initial: unknown
  readonly limits: FieldLimits
}

type FieldLimit = { readonly maxLength?: number; readonly isNullable?: true; readonly isOptional?: true }

/** What the schema of an operation says about each field, by its path. The build reads it from openapi.json: `limits:customers.create`. */
export type FieldLimits = Readonly<Record<string, FieldLimit>>

export const FormContext = createContext<FormState>({ errors: {}, isBusy: false, initial: undefined, limits: {} })

export type FormProps<T> = Change<T> & {
  /** The object to edit. Fields show its values, and only differences are sent. Leaving with changes then asks first. */
  readonly initial?: object
  /** ETag of `initial` (`useQuery` returns both), for `ifMatch`. */
  readonly etag?: string | null
  /** Also send unchanged fields, for a new object. This is the default without `initial` and for a POST. */
  readonly sendsAll?: boolean
  /** Of the operation that creates such an object: `import limits from 'limits:customers.create'`. */
  readonly limits?: FieldLimits
  /** Created when an action's dialog opens. */
  readonly idempotencyKey?: () => string
  readonly onProblem?: (problem: ApiProblem) => void
  readonly onBusy?: (isBusy: boolean) => void
  /** Words of the submit button; without them the form brings its own. */
  readonly submit?: string
  /** Operation that the user must be allowed to do; otherwise the form can only be read. */
  readonly permission?: string
  /** True while the form cannot be sent. */
  readonly isHeld?: boolean
  readonly children?: ComponentChildren
}

/** The object that the fields are compared with. It stays during editing, even if the page reads a newer one. */
type Base = { readonly initial: object | undefined; readonly etag: string | null }

type FieldState = {
  readonly control: Control
  readonly former: string
  readonly typed: string
  readonly isMine: boolean
}

const NO_LIMITS: FieldLimits = {}

const isSame = (one: Base, other: Base): boolean =>
  one.initial === other.initial ||
  (one.etag === null ? JSON.stringify(one.initial) === JSON.stringify(other.initial) : one.etag === other.etag)

/** The text of each control when the form was sent. */
type SentTexts = ReadonlyMap<Control, string>

export function Form<T>(props: FormProps<T>) {
  const {
    initial,
    etag = null,
    sendsAll = initial === undefined || props.request?.method === 'POST',
    limits = NO_LIMITS,
    idempotencyKey = newIdempotencyKey,
    onProblem,
    onBusy,
    submit,
    permission,
    isHeld = false,
    children,
  } = props
  const finish = useFinish()
  const may = useMay()
  const form = useRef<HTMLFormElement>(null)
  const summary = useRef<HTMLDivElement>(null)
  const [isBusy, setBusy] = useState(false)
  const [problem, setProblem] = useState<ApiProblem | null>(null)
  const [base, setBase] = useState<Base>({ initial, etag })
  const [differences, setDifferences] = useState<readonly Difference[]>([])
  /** A second press can arrive before the button is drawn as busy. */
  const isSending = useRef(false)
  /** Saved texts by control, until the object is read again. */
  const saved = useRef<SentTexts | null>(null)
  const pendingRebase = useRef<{ readonly fields: readonly FieldState[]; readonly isConflict: boolean } | null>(null)
  const canChange = permission === undefined || may(permission)
  const errors = problem?.errors ?? {}
  const state = useMemo(() => ({ errors, isBusy, initial: base.initial, limits }), [errors, isBusy, base, limits])

  useLeaveGuard(
    () =>
      initial !== undefined &&
      form.current !== null &&
      form.current.closest('dialog') === null &&
      hasUnsaved(form.current, saved.current),
  )

  useEffect(() => {
    if (problem !== null) summary.current?.focus()
  }, [problem])

  /** Shows new values in unchanged fields; changed fields keep their input. */
  const rebase = (next: Base, isConflict: boolean) => {
    const savedTexts = saved.current
    pendingRebase.current = {
      isConflict,
      fields: controlsOf(form.current).map((control) => ({
        control,
        former: defaultOf(control),
        typed: controlText(control),
        isMine: isUnsaved(control, savedTexts),
      })),
    }
    saved.current = null
    setBase(next)
  }

  // Take a newly read object if no input would be lost.
  const lastBase = useRef(base)
  useEffect(() => {
    const next = { initial, etag }
    if (isSame(lastBase.current, next) || form.current === null || isSending.current) return
    lastBase.current = next
    if (saved.current !== null || !hasUnsaved(form.current, null)) rebase(next, false)
  }, [initial, etag])

  // Not a layout effect: fields receive a new base through the context, and are drawn after the form.
  useEffect(() => {
    if (pendingRebase.current === null) return
    const { fields, isConflict } = pendingRebase.current
    pendingRebase.current = null
    const newDifferences: Difference[] = []
    for (const { control, former, typed, isMine: wasMine } of fields) {
      if (!control.isConnected) continue
      // The user may have typed while the page was drawn.
      const isMine = wasMine || (controlText(control) !== typed && isChanged(control))
      if (!isMine) resetControl(control)
      // If both wrote the same value, there is nothing to choose.
      if (isConflict && defaultOf(control) !== former && !(isMine && !isChanged(control)))
        newDifferences.push({ control, isMine, theirs: defaultTextOf(control) })
    }
    setDifferences(newDifferences)
    // The other change affects no field of this form, so send again without asking.
    if (isConflict && newDifferences.length === 0) form.current?.requestSubmit()
  }, [base])

  const setSending = (value: boolean) => {
    isSending.current = value
    setBusy(value)
    onBusy?.(value)
  }

  const send = async (event: Event) => {
    event.preventDefault()
    if (form.current === null || isSending.current) return
    const savedTexts = saved.current
    const values = valuesOf(form.current, (control) => sendsAll || isUnsaved(control, savedTexts))
    const sentTexts = new Map(controlsOf(form.current).map((control) => [control, controlText(control)]))
    setSending(true)
    setProblem(null)
    try {
      // The ETag is older than the last save: the object has not been read again yet.
      const result = await sendChange(props, values, {
        idempotencyKey: idempotencyKey(),
        ifMatch: savedTexts === null ? base.etag : null,
      })
      if (initial !== undefined) saved.current = withoutSecrets(sentTexts)
      setSending(false)
      setDifferences([])
      finish(props, result)
    } catch (error) {
      setSending(false)
      const apiProblem = problemOf(error)
      onProblem?.(apiProblem)
      if (apiProblem.status === 409 && apiProblem.current !== null && base.etag !== null)
        rebase({ initial: apiProblem.current, etag: apiProblem.etag }, true)
      else setProblem(apiProblem)
    }
  }

  return (
    <FormContext.Provider value={state}>
      <form
        ref={form}
        class="form"
        noValidate
        onSubmit={send}
        aria-busy={isBusy || undefined}
        data-guards={initial !== undefined || undefined}
      >
        {problem !== null && (
          <div class="message bad" role="alert" tabIndex={-1} ref={summary}>
            <p>{problem.message}</p>
            <FieldList form={form.current} errors={errors} message={problem.message} />
            {problem.requestId !== null && problem.status >= 500 && <p class="hint">Request {problem.requestId}</p>}
          </div>
        )}
        {differences.length > 0 && <Conflict differences={differences} />}
        {permission === undefined ? (
          children
        ) : (
          <fieldset class="form" disabled={!canChange}>
            {children}
          </fieldset>
        )}
        {submit !== undefined && canChange && (
          <div class="form-foot">
            <Button words={submit} type="submit" kind="primary" isBusy={isBusy} disabled={isHeld} />
          </div>
        )}
      </form>
    </FormContext.Provider>
  )
}

/** Compares with the saved text, even before the object is read again. */
function isUnsaved(control: Control, saved: SentTexts | null): boolean {
  const typed = saved?.get(control)
  return typed === undefined ? isChanged(control) : typed !== controlText(control)
}

const hasUnsaved = (form: HTMLFormElement, saved: SentTexts | null): boolean =>
  controlsOf(form).some((control) => isUnsaved(control, saved))

/** Removes saved secrets from the page. */
function withoutSecrets(sentTexts: SentTexts): SentTexts {
  return new Map(
    [...sentTexts].map(([control, typed]) => {
      if (control.type !== 'password' || controlText(control) !== typed) return [control, typed]
      resetControl(control)
      return [control, controlText(control)]
    }),
  )
}

/** Links to the fields with errors. An error without a field is shown as text. */
function FieldList({
  form,
  errors,
  message,
}: {
  form: HTMLFormElement | null
  errors: ApiFieldErrors
  message: string
}) {
  const lines = Object.entries(errors).filter(([, sentences]) => sentences.join(' ') !== message)
  if (lines.length === 0) return null
  return (
    <ul>
      {lines.map(([name, sentences]) => {
        const control = form?.elements.namedItem(name)
        const id = control instanceof HTMLElement ? control.id : ''
        const text = sentences.join(' ')
        if (id === '') return <li key={name}>{text}</li>
        return (
          <li key={name}>
            <a
              href={`#${id}`}
              onClick={(event) => {
                event.preventDefault()
                ;(control as HTMLElement).focus()
              }}
            >
              {text}
            </a>
          </li>
        )
      })}
    </ul>
  )
}

/** The value at a dotted path of an object. */
export const valueAtPath = (object: unknown, path: string): unknown =>
  path.split('.').reduce<unknown>((inner, name) => (inner as FormValues | null | undefined)?.[name], object)
