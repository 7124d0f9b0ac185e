// A field with a structured value, such as a list of images, categories or options. The part that shows the field keeps the value. A hidden
// control in the form holds the value as text. So changes, conflicts and leaving work as for every other field.

import type { VNode } from 'preact'
import { useContext, useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { PUT_EVENT } from './controls.ts'
import { FormContext } from './form.tsx'

type HeldOptions<T> = {
  /** Path in the API. */
  readonly name: string
  /** Label in the note about other people's changes. */
  readonly label: string
  /** Reads the value from the form's object; `{}` for a new object. */
  readonly from: (object: never) => T
  /** Converts the value for the API; undefined sends nothing. By default the value itself is sent. */
  readonly sent?: (value: T) => unknown
  /** The value in words, for the note about other people's changes. */
  readonly say?: (value: T) => string
}

type Held<T> = {
  readonly value: T
  readonly set: (next: T) => void
  /** Hidden control; place it anywhere inside the form. */
  readonly control: VNode
  /** Errors of the API by the rest of the path; '' is the whole value. */
  readonly errors: ReadonlyMap<string, string>
}

export function useHeldValue<T>({ name, label, from, sent = (value) => value, say }: HeldOptions<T>): Held<T> {
  const { errors, initial } = useContext(FormContext)
  const first = useMemo(() => from((initial ?? {}) as never), [initial])
  const [own, setOwn] = useState<{ readonly value: T } | null>(null)
  const replacedValue = useRef(own)
  const element = useRef<HTMLInputElement>(null)
  useEffect(() => {
    const listen = (event: Event) => {
      const isBack = (event as CustomEvent<string | null>).detail !== null
      setOwn((current) => {
        if (isBack) return replacedValue.current
        replacedValue.current = current ?? replacedValue.current
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
  const errorsByPath = new Map<string, string>()
  for (const [path, sentences] of Object.entries(errors))
    if (path === name || path.startsWith(`${name}.`)) errorsByPath.set(path.slice(name.length + 1), sentences.join(' '))
  return errorsByPath
}

/** Shows all errors, for parts that cannot show them at their inputs. */
export function WrongText({ errors }: { errors: ReadonlyMap<string, string> }) {
  if (errors.size === 0) return null
  return <p class="wrong-text">{[...new Set(errors.values())].join(' ')}</p>
}
