// A form of native controls whose names are the API's dotted paths. What is sent are the fields that were changed; what the API refuses stands at
// its field, and above in a summary that takes the focus. Nothing typed is lost whatever is answered: leaving asks, and when somebody else has
// saved the same object meanwhile, a note says what differs and each field's own value can be kept or given up.

import { type ComponentChildren, createContext } from 'preact'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { type ApiProblem, type FieldErrors, problemOf } from '../api.ts'
import { Button } from './button.tsx'
import { Conflict, type Difference } from './conflict.tsx'
import {
  type Control,
  controlsOf,
  defaultOf,
  isChanged,
  settle,
  shownDefaultOf,
  typedIn,
  type Values,
  valuesOf,
} from './controls.ts'
import { useLeaveGuard } from './leaving.ts'

export type { Values }

type FormState = {
  readonly errors: FieldErrors
  readonly isBusy: boolean
  /** What fields show at first, by their paths. */
  readonly initial: unknown
}

export const FormContext = createContext<FormState>({ errors: {}, isBusy: false, initial: undefined })

type FormProps<T> = {
  /** The object that is changed: fields show its values, and only what differs is sent. With it, leaving with changes asks. */
  readonly initial?: object
  /** That `initial` was read with (`useQuery` gives both): `onSubmit` is handed it, for `ifMatch`. */
  readonly etag?: string | null
  /** Also what was not changed: for what is made anew. Without `initial` it is always so. */
  readonly sendsAll?: boolean
  readonly onSubmit: (values: Values, etag: string | null) => Promise<T>
  readonly onDone?: (result: T) => void
  readonly onProblem?: (problem: ApiProblem) => void
  readonly onBusy?: (isBusy: boolean) => void
  /** The words of its button; none: the form has its own. */
  readonly submit?: string
  /** While nothing can be sent. */
  readonly isHeld?: boolean
  readonly children?: ComponentChildren
}

/** What the fields are compared with. It stays while somebody edits, also when the page has read something newer meanwhile. */
type Base = { readonly initial: object | undefined; readonly etag: string | null }

type Before = {
  readonly control: Control
  readonly former: string
  readonly typed: string
  readonly isMine: boolean
}

const isSame = (one: Base, other: Base): boolean =>
  one.initial === other.initial ||
  (one.etag === null ? JSON.stringify(one.initial) === JSON.stringify(other.initial) : one.etag === other.etag)

/** What was typed into each when it was sent. */
type Sent = ReadonlyMap<Control, string>

export function Form<T>(props: FormProps<T>) {
  const {
    initial,
    etag = null,
    sendsAll = initial === undefined,
    onSubmit,
    onDone,
    onProblem,
    onBusy,
    submit,
    isHeld = false,
    children,
  } = props
  const form = useRef<HTMLFormElement>(null)
  const summary = useRef<HTMLDivElement>(null)
  const [isBusy, setBusy] = useState(false)
  const [problem, setProblem] = useState<ApiProblem | null>(null)
  const [base, setBase] = useState<Base>({ initial, etag })
  const [differences, setDifferences] = useState<readonly Difference[]>([])
  /** Two presses can come before the first has drawn the button anew. */
  const isSending = useRef(false)
  /** What was saved, by control, until the object is read anew. */
  const saved = useRef<Sent | null>(null)
  const before = useRef<{ readonly fields: readonly Before[]; readonly isConflict: boolean } | null>(null)
  const errors = problem?.errors ?? {}
  const state = useMemo(() => ({ errors, isBusy, initial: base.initial }), [errors, isBusy, base])

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

  /** Fields that nobody has touched show what is new; the others keep what was typed. */
  const rebase = (next: Base, isConflict: boolean) => {
    const kept = saved.current
    before.current = {
      isConflict,
      fields: controlsOf(form.current).map((control) => ({
        control,
        former: defaultOf(control),
        typed: typedIn(control),
        isMine: isUnsaved(control, kept),
      })),
    }
    saved.current = null
    setBase(next)
  }

  // What was read anew is taken where nothing would be lost by it.
  const read = useRef(base)
  useEffect(() => {
    const next = { initial, etag }
    if (isSame(read.current, next) || form.current === null || isSending.current) return
    read.current = next
    if (saved.current !== null || !hasUnsaved(form.current, null)) rebase(next, false)
  }, [initial, etag])

  // Not in the layout phase: fields hear of a new base by their context, and are drawn after the form itself.
  useEffect(() => {
    if (before.current === null) return
    const { fields, isConflict } = before.current
    before.current = null
    const found: Difference[] = []
    for (const { control, former, typed, isMine: wasMine } of fields) {
      if (!control.isConnected) continue
      // Somebody may have typed while the page was drawn.
      const isMine = wasMine || (typedIn(control) !== typed && isChanged(control))
      if (!isMine) settle(control)
      // Where both wrote the same there is nothing to choose.
      if (isConflict && defaultOf(control) !== former && !(isMine && !isChanged(control)))
        found.push({ control, isMine, theirs: shownDefaultOf(control) })
    }
    setDifferences(found)
    // What others have changed stands nowhere in this form: nobody has to choose.
    if (isConflict && found.length === 0) form.current?.requestSubmit()
  }, [base])

  const busy = (value: boolean) => {
    isSending.current = value
    setBusy(value)
    onBusy?.(value)
  }

  const send = async (event: Event) => {
    event.preventDefault()
    if (form.current === null || isSending.current) return
    const kept = saved.current
    const values = valuesOf(form.current, (control) => sendsAll || isUnsaved(control, kept))
    const sent = new Map(controlsOf(form.current).map((control) => [control, typedIn(control)]))
    busy(true)
    setProblem(null)
    try {
      // The tag is older than what was saved here: the object has not been read anew yet.
      const result = await onSubmit(values, kept === null ? base.etag : null)
      if (initial !== undefined) saved.current = withoutSecrets(sent)
      busy(false)
      setDifferences([])
      onDone?.(result)
    } catch (error) {
      busy(false)
      const found = problemOf(error)
      onProblem?.(found)
      if (found.status === 409 && found.current !== null && base.etag !== null)
        rebase({ initial: found.current, etag: found.etag }, true)
      else setProblem(found)
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
        {children}
        {submit !== undefined && (
          <div class="form-foot">
            <Button type="submit" kind="primary" isBusy={isBusy} disabled={isHeld}>
              {submit}
            </Button>
          </div>
        )}
      </form>
    </FormContext.Provider>
  )
}

/** Compared with what was saved, also before the object has been read anew. */
function isUnsaved(control: Control, saved: Sent | null): boolean {
  const typed = saved?.get(control)
  return typed === undefined ? isChanged(control) : typed !== typedIn(control)
}

const hasUnsaved = (form: HTMLFormElement, saved: Sent | null): boolean =>
  controlsOf(form).some((control) => isUnsaved(control, saved))

/** What is secret does not stay in the page once it is saved. */
function withoutSecrets(sent: Sent): Sent {
  return new Map(
    [...sent].map(([control, typed]) => {
      if (control.type !== 'password' || typedIn(control) !== typed) return [control, typed]
      settle(control)
      return [control, typedIn(control)]
    }),
  )
}

/** Each leads to its field; what belongs to none is said here alone. */
function FieldList({ form, errors, message }: { form: HTMLFormElement | null; errors: FieldErrors; message: string }) {
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

/** What an object has under a dotted path. */
export const pick = (object: unknown, path: string): unknown =>
  path.split('.').reduce<unknown>((inner, name) => (inner as Values | null | undefined)?.[name], object)
