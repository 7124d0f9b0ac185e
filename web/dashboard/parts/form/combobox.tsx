// biome-ignore-all lint/a11y/noNoninteractiveElementToInteractiveRole: a list that is a listbox is what the ARIA pattern shows.
// A search field with a list of results, for example of categories or products. It follows the ARIA pattern: arrows move, Enter chooses,
// Esc closes. `MultiPick` is a form field made of it; the chosen items appear below as a list and can be removed.

import { useEffect, useId, useRef, useState } from 'preact/hooks'
import { Icon } from '../../icons.tsx'
import { useHeldValue, WrongText } from './held-value.tsx'

export type PickItem = { readonly id: string; readonly label: string; readonly detail?: string }

/**
 * Returns the matches of a text; for an empty text all items or the first ones. `size`: number of items loaded so far; a change repeats
 * the search.
 */
export type Find = ((text: string, signal: AbortSignal) => Promise<readonly PickItem[]> | readonly PickItem[]) & {
  readonly size?: number
}

type ComboboxProps = {
  readonly label: string
  readonly hidesLabel?: boolean
  readonly placeholder?: string
  readonly find: Find
  /** Ids that are not offered, because they are already chosen. */
  readonly without?: readonly string[]
  readonly onPick: (picked: PickItem) => void
  readonly describedBy?: string
}

const TYPING_MS = 150

/** Searches in a list that is already loaded. */
export function findAmong(all: readonly PickItem[]): Find {
  const find = (text: string) =>
    all.filter(({ label, detail = '' }) => `${label} ${detail}`.toLowerCase().includes(text.toLowerCase()))
  return Object.assign(find, { size: all.length })
}

export function Combobox(props: ComboboxProps) {
  const { label, hidesLabel = false, placeholder, find, without = [], onPick, describedBy } = props
  const id = useId()
  const input = useRef<HTMLInputElement>(null)
  const box = useRef<HTMLUListElement>(null)
  const [text, setText] = useState('')
  const [isOpen, setOpen] = useState(false)
  const [results, setResults] = useState<readonly PickItem[] | null>(null)
  const [at, setAt] = useState(0)

  useEffect(() => {
    if (!isOpen) return
    const controller = new AbortController()
    const timer = setTimeout(
      async () => {
        const hits = await Promise.resolve(find(text.trim(), controller.signal)).catch(() => null)
        if (controller.signal.aborted) return
        setResults(hits ?? [])
        setAt(0)
      },
      text === '' ? 0 : TYPING_MS,
    )
    return () => {
      clearTimeout(timer)
      controller.abort()
    }
  }, [text, isOpen, find.size])

  const hits = (results ?? []).filter((hit) => !without.includes(hit.id))
  const active = hits[Math.min(at, hits.length - 1)]
  useEffect(() => {
    box.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' })
  }, [active?.id])

  const pickHit = (hit: PickItem) => {
    onPick(hit)
    setText('')
    setAt(0)
    // An open list would cover the content below.
    setOpen(false)
    input.current?.focus()
  }

  const handleKey = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined) {
      event.preventDefault()
      if (!isOpen) setOpen(true)
      else if (hits.length > 0) setAt((Math.min(at, hits.length - 1) + step + hits.length) % hits.length)
    }
    // Enter never submits the form from here.
    if (event.key === 'Enter' && !event.isComposing) {
      event.preventDefault()
      if (isOpen && active !== undefined) pickHit(active)
    }
    if (event.key === 'Escape' && isOpen) {
      event.preventDefault()
      event.stopPropagation()
      setOpen(false)
    }
  }

  return (
    <div class="field">
      <label for={id} class={hidesLabel ? 'unseen' : undefined}>
        {label}
      </label>
      <input
        ref={input}
        id={id}
        type="text"
        role="combobox"
        autocomplete="off"
        placeholder={placeholder}
        value={text}
        aria-expanded={isOpen}
        aria-controls={`${id}-list`}
        aria-autocomplete="list"
        aria-describedby={describedBy}
        aria-activedescendant={isOpen && active !== undefined ? `${id}-${active.id}` : undefined}
        onInput={(event) => {
          setText(event.currentTarget.value)
          setOpen(true)
        }}
        onClick={() => setOpen(true)}
        onBlur={() => setOpen(false)}
        onKeyDown={handleKey}
      />
      <ul ref={box} id={`${id}-list`} role="listbox" aria-label={label} class="combobox-list" hidden={!isOpen}>
        {hits.map((hit) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are the input's, as the pattern has it.
          <li
            key={hit.id}
            id={`${id}-${hit.id}`}
            role="option"
            tabIndex={-1}
            aria-selected={hit.id === active?.id}
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => pickHit(hit)}
          >
            <span>{hit.label}</span>
            {hit.detail !== undefined && <span class="hint">{hit.detail}</span>}
          </li>
        ))}
        {isOpen && results !== null && hits.length === 0 && (
          <li role="option" aria-selected="false" aria-disabled="true" tabIndex={-1} class="hint">
            {text === '' ? 'Nothing more to choose' : 'Nothing matches'}
          </li>
        )}
      </ul>
    </div>
  )
}

type MultiPickProps = {
  /** Path in the API; the value is the list of ids. */
  readonly name: string
  readonly label: string
  readonly hint?: string
  readonly placeholder?: string
  readonly find: Find
  /** Reads the chosen items from the form's object: `(product) => product.categories.map(…)`. */
  readonly from: (object: never) => readonly PickItem[]
  /** Value that is sent if nothing is chosen; undefined sends nothing. */
  readonly none?: readonly [] | null | undefined
}

export function MultiPick(props: MultiPickProps) {
  const { name, label, hint, placeholder, find, from } = props
  const none = 'none' in props ? props.none : []
  const id = useId()
  const { value, set, control, errors } = useHeldValue<readonly PickItem[]>({
    name,
    label,
    from: (object) => from(object) ?? [],
    sent: (picked) => (picked.length === 0 ? none : picked.map((each) => each.id)),
    say: (picked) => picked.map((each) => each.label).join(', '),
  })
  return (
    <div class={`stack tight${errors.size > 0 ? ' wrong' : ''}`}>
      {control}
      <Combobox
        label={label}
        {...(placeholder === undefined ? {} : { placeholder })}
        {...(hint === undefined ? {} : { describedBy: `${id}-hint` })}
        find={find}
        without={value.map((each) => each.id)}
        onPick={(picked) => set([...value, picked])}
      />
      {hint !== undefined && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      <WrongText errors={errors} />
      <PickedList
        label={label}
        items={value}
        onRemove={(removed) => set(value.filter((other) => other.id !== removed))}
      />
    </div>
  )
}

type PickedProps = {
  readonly label: string
  readonly items: readonly PickItem[]
  readonly onRemove: (id: string) => void
  /** True for a list that can become so long that it needs its own scroll bar. */
  readonly canScroll?: boolean
}

const SCROLLS_ABOVE = 12

/** The chosen items, each with a button that removes it. */
export function PickedList({ label, items, onRemove, canScroll = false }: PickedProps) {
  if (items.length === 0) return null
  return (
    <ul class={canScroll && items.length > SCROLLS_ABOVE ? 'picked many' : 'picked'} aria-label={`${label}: chosen`}>
      {items.map((item) => (
        <li key={item.id}>
          <span>{item.label}</span>
          <button type="button" aria-label={`Remove ${item.label}`} onClick={() => onRemove(item.id)}>
            <Icon name="close" />
          </button>
        </li>
      ))}
    </ul>
  )
}
