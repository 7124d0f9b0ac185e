// A field whose value is no single text: a list of pictures, of categories, of options. The part that shows it keeps the value; the form sees a
// control without a look, whose text is what is sent, so that what was changed, what others changed and leaving work as for every field.

import type { VNode } from 'preact'
import { useContext, useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { PUT_EVENT } from './controls.ts'
import { FormContext } from './form.tsx'

type HeldOptions<T> = {
  /** The API's path. */
  readonly name: string
  /** In the note about what others have changed. */
  readonly label: string
  /** What the form's object says; `{}` for a new one. */
  readonly from: (object: never) => T
  /** What goes to the API, where it is not the value itself. Undefined: nothing. */
  readonly sent?: (value: T) => unknown
  /** The value in words, for the note about what others have changed. */
  readonly say?: (value: T) => string
}

type Held<T> = {
  readonly value: T
  readonly set: (next: T) => void
  /** To be put anywhere inside of the form. */
  readonly control: VNode
  /** What the API refuses of it, by the rest of the path: '' is the whole. */
  readonly errors: ReadonlyMap<string, string>
}

export function useHeld<T>({ name, label, from, sent = (value) => value, say }: HeldOptions<T>): Held<T> {
  const { errors, initial } = useContext(FormContext)
  const first = useMemo(() => from((initial ?? {}) as never), [initial])
  const [own, setOwn] = useState<{ readonly value: T } | null>(null)
  const given = useRef(own)
  const element = useRef<HTMLInputElement>(null)
  useEffect(() => {
    const listen = (event: Event) => {
      const isBack = (event as CustomEvent<string | null>).detail !== null
      setOwn((current) => {
        if (isBack) return given.current
        given.current = current ?? given.current
        return null
      })
    }
    element.current?.addEventListener(PUT_EVENT, listen)
    return () => element.current?.removeEventListener(PUT_EVENT, listen)
  }, [])
  const value = own === null ? first : own.value
  const control = (
    <input
      ref={element}
      type="text"
      hidden
      name={name}
      data-as="json"
      data-label={label}
      data-shown={say?.(first) ?? 'something else'}
      defaultValue={JSON.stringify(sent(first)) ?? ''}
      value={JSON.stringify(sent(value)) ?? ''}
    />
  )
  return { value, set: (next) => setOwn({ value: next }), control, errors: errorsBelow(errors, name) }
}

function errorsBelow(errors: Readonly<Record<string, readonly string[]>>, name: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  for (const [path, sentences] of Object.entries(errors))
    if (path === name || path.startsWith(`${name}.`)) found.set(path.slice(name.length + 1), sentences.join(' '))
  return found
}

/** All of them, for parts that cannot say at which of their inputs it is. */
export function WrongText({ errors }: { errors: ReadonlyMap<string, string> }) {
  if (errors.size === 0) return null
  return <p class="wrong-text">{[...new Set(errors.values())].join(' ')}</p>
}
