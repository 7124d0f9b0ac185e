// biome-ignore-all lint/a11y/noRedundantRoles: there is no list of the browser's own, which would bring the role.
// biome-ignore-all lint/a11y/noNoninteractiveElementToInteractiveRole: a list of choices that an input rules is a listbox.
// biome-ignore-all lint/a11y/useFocusableInteractive: the focus stays in the input.
// biome-ignore-all lint/a11y/useKeyWithClickEvents: the keys are the input's.
// Ctrl K: finds a screen, an order, a customer or a product by a few letters. A combobox: the focus stays in the input, arrows choose.

import { useEffect, useId, useRef, useState } from 'preact/hooks'
import { useLocation } from 'preact-iso/router'
import { call } from '../api.ts'
import { Icon, type IconName } from '../icons.tsx'
import { leaveOrAsk } from '../parts/form/leaving.ts'
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

type Listed<T> = { readonly data: readonly T[] }
type FoundOrder = {
  readonly id: string
  readonly customer_reference: string
  readonly customer: { readonly firstname: string; readonly lastname: string; readonly email: string } | null
  readonly order_value: { readonly formatted_with_symbol: string }
}
type FoundCustomer = {
  readonly id: string
  readonly firstname: string
  readonly lastname: string
  readonly email: string
}
type FoundProduct = {
  readonly id: string
  readonly name: string
  readonly price: { readonly formatted_with_symbol: string }
}

const MOST_HITS = 5
const TYPING_DELAY_MS = 150

const nameOf = (who: { firstname: string; lastname: string; email: string } | null) =>
  who === null ? '' : [who.firstname, who.lastname].filter(Boolean).join(' ') || who.email

/** Each source is searched separately, so that a failed or forbidden one does not hide the others. */
const SOURCES: readonly {
  readonly needs: string
  readonly find: (query: string, signal: AbortSignal) => Promise<Hit[]>
}[] = [
  {
    needs: 'orders.list',
    find: async (query, signal) =>
      (await list<FoundOrder>('orders', query, signal)).map((order) => ({
        id: order.id,
        kind: 'Orders',
        icon: 'orders',
        label: order.customer_reference,
        detail: [nameOf(order.customer), order.order_value.formatted_with_symbol].filter(Boolean).join(' · '),
        href: `/dashboard/orders/${order.id}`,
      })),
  },
  {
    needs: 'customers.list',
    find: async (query, signal) =>
      (await list<FoundCustomer>('customers', query, signal)).map((customer) => ({
        id: customer.id,
        kind: 'Customers',
        icon: 'customers',
        label: nameOf(customer),
        detail: customer.email,
        href: `/dashboard/customers/${customer.id}`,
      })),
  },
  {
    needs: 'products.list',
    find: async (query, signal) =>
      (await list<FoundProduct>('products', query, signal)).map((product) => ({
        id: product.id,
        kind: 'Products',
        icon: 'box',
        label: product.name,
        detail: product.price.formatted_with_symbol,
        href: `/dashboard/products/${product.id}`,
      })),
  },
]

const list = async <T,>(things: string, query: string, signal: AbortSignal) =>
  (await call<Listed<T>>('GET', `/v1/${things}?limit=${MOST_HITS}&query=${encodeURIComponent(query)}`, { signal })).data

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
            <span class="hit-label">{hit.label}</span>
            <span class="hit-detail">{hit.detail || hit.kind}</span>
          </li>
        ))}
      </ul>
      <p class="hint palette-says" role="status">
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
      const sources = SOURCES.filter(({ needs }) => may(needs))
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
