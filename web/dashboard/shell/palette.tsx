// biome-ignore-all lint/a11y/noRedundantRoles: there is no list of the browser's own, which would bring the role.
// biome-ignore-all lint/a11y/noNoninteractiveElementToInteractiveRole: a list of choices that an input rules is a listbox.
// biome-ignore-all lint/a11y/useFocusableInteractive: the focus stays in the input.
// biome-ignore-all lint/a11y/useKeyWithClickEvents: the keys are the input's.
// Ctrl K: finds a screen, an order, a customer or a product by a few letters. A combobox: the focus stays in the input, arrows choose.

import { useEffect, useId, useRef, useState } from 'preact/hooks'
import { useLocation } from 'preact-iso/router'
import type { Customer } from '../../../src/api/customers/schema.ts'
import type { Order } from '../../../src/api/orders/schema.ts'
import type { Product } from '../../../src/api/products/schema.ts'
import { call } from '../api.ts'
import { Icon, type IconName } from '../icons.tsx'
import { leaveOrAsk } from '../parts/form/leaving.ts'
import type { ListPage } from '../parts/list/list.tsx'
import { Dialog } from '../parts/page/dialog.tsx'
import { useMay, useMode } from '../session.tsx'
import { useNavigationGroups } from './navigation.tsx'

export function usePaletteKey(open: () => void) {
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return
      event.preventDefault()
      if (document.querySelector('dialog[open]') === null) open()
    }
    addEventListener('keydown', press)
    return () => removeEventListener('keydown', press)
  }, [open])
}

type Hit = {
  readonly id: string
  readonly kind: string
  readonly icon: IconName
  readonly label: string
  readonly detail: string
  readonly href: string
}

const MOST_HITS = 5
const TYPING_DELAY_MS = 150

type Source = {
  readonly permission: string
  readonly find: (query: string, signal: AbortSignal) => Promise<Hit[]>
}

type HitWords = Pick<Hit, 'kind' | 'icon' | 'label' | 'detail'>

/** Finds objects of one list of the API, which is also the name of their screens. */
const sourceOf = <T extends { id: string }>(things: string, wordsOf: (found: T) => HitWords): Source => ({
  permission: `${things}.list`,
  find: async (query, signal) => {
    const path = `/v1/${things}?limit=${MOST_HITS}&query=${encodeURIComponent(query)}`
    const { data } = await call<ListPage<T>>('GET', path, { signal })
    return data.map((found) => ({ id: found.id, href: `/dashboard/${things}/${found.id}`, ...wordsOf(found) }))
  },
})

const nameOf = ({ firstname, lastname, email }: Order['customer'] | Customer) =>
  [firstname, lastname].filter(Boolean).join(' ') || email

/** Each source is searched separately, so that a failed or forbidden one does not hide the others. */
const SOURCES: readonly Source[] = [
  sourceOf<Order>('orders', ({ customer_reference, customer, order_value }) => ({
    kind: 'Orders',
    icon: 'orders',
    label: customer_reference,
    detail: [nameOf(customer), order_value.formatted_with_symbol].filter(Boolean).join(' · '),
  })),
  sourceOf<Customer>('customers', (customer) => ({
    kind: 'Customers',
    icon: 'customers',
    label: nameOf(customer),
    detail: customer.email,
  })),
  sourceOf<Product>('products', ({ name, price }) => ({
    kind: 'Products',
    icon: 'box',
    label: name,
    detail: price.formatted_with_symbol,
  })),
]

/** In memory only: customers' names must not be stored in a browser. */
let recent: readonly Hit[] = []

export function Palette({ onClose }: { onClose: () => void }) {
  const id = useId()
  const { route } = useLocation()
  const links = useNavigationGroups().flatMap((group) => group.links)
  const [text, setText] = useState('')
  const { found: foundHits, isSearching } = useSearch(text.trim())
  const [at, setAt] = useState(0)
  const box = useRef<HTMLUListElement>(null)

  const screens: Hit[] = links
    .filter(({ label }) => label.toLowerCase().includes(text.trim().toLowerCase()))
    .map(({ href, label, icon }) => ({ id: href, kind: 'Go to', icon, label, detail: '', href }))
  const hits =
    text.trim() === '' ? [...recent.map((hit) => ({ ...hit, kind: 'Recent' })), ...screens] : [...foundHits, ...screens]
  const active = hits[Math.min(at, hits.length - 1)]

  useEffect(() => {
    box.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' })
  }, [active?.id])

  const openHit = (hit: Hit) => {
    if (hit.kind !== 'Go to')
      recent = [{ ...hit, kind: hit.kind }, ...recent.filter((other) => other.id !== hit.id)].slice(0, MOST_HITS)
    onClose()
    leaveOrAsk(() => route(hit.href))
  }

  const handleKey = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined && hits.length > 0) {
      event.preventDefault()
      setAt((Math.min(at, hits.length - 1) + step + hits.length) % hits.length)
    }
    if (event.key === 'Enter' && active !== undefined && !event.isComposing) {
      event.preventDefault()
      openHit(active)
    }
  }

  return (
    <Dialog title="Search" onClose={onClose} kind="palette">
      <input
        // Not `search`, because Esc would clear the input first.
        type="text"
        enterkeyhint="go"
        class="palette-input"
        role="combobox"
        list={undefined}
        aria-label="Order number, name, e-mail, product or screen"
        placeholder="Order number, name, e-mail, product …"
        aria-expanded={hits.length > 0}
        aria-controls={`${id}-hits`}
        aria-activedescendant={active === undefined ? undefined : `${id}-${active.id}`}
        aria-autocomplete="list"
        autocomplete="off"
        autofocus
        onInput={(event) => {
          setText(event.currentTarget.value)
          setAt(0)
        }}
        onKeyDown={handleKey}
      />
      <ul ref={box} id={`${id}-hits`} role="listbox" aria-label="Found" class="hits" tabIndex={-1}>
        {hits.map((hit, index) => (
          <li
            key={`${hit.kind} ${hit.id}`}
            id={`${id}-${hit.id}`}
            role="option"
            aria-selected={hit === active}
            class={hits[index - 1]?.kind === hit.kind ? 'hit' : 'hit first'}
            data-kind={hit.kind}
            onClick={() => openHit(hit)}
            onPointerMove={() => setAt(index)}
          >
            <Icon name={hit.icon} />
            <span>{hit.label}</span>
            <span class="hint hit-detail">{hit.detail || hit.kind}</span>
          </li>
        ))}
      </ul>
      <p class="hint" role="status">
        {isSearching
          ? 'Searching …'
          : text.trim() !== '' && foundHits.length === 0
            ? 'No order, customer or product matches.'
            : ''}
      </p>
    </Dialog>
  )
}

function useSearch(query: string) {
  const may = useMay()
  const [mode] = useMode()
  const [result, setResult] = useState<{ readonly query: string; readonly found: readonly Hit[] }>({
    query: '',
    found: [],
  })
  useEffect(() => {
    if (query === '') return setResult({ query: '', found: [] })
    const controller = new AbortController()
    const timer = setTimeout(async () => {
      const sources = SOURCES.filter(({ permission }) => may(permission))
      const hitLists = await Promise.all(sources.map(({ find }) => find(query, controller.signal).catch(() => [])))
      if (!controller.signal.aborted) setResult({ query, found: hitLists.flat() })
    }, TYPING_DELAY_MS)
    return () => {
      clearTimeout(timer)
      controller.abort()
    }
  }, [query, may, mode])
  return { found: result.found, isSearching: result.query !== query }
}
