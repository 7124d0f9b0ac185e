// @unit
// Components of the dashboard without a browser: which values they send, and what they offer next. Only the component itself runs.

import { h, render } from 'preact'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { loadWeb } from './load.ts'

// parts/leaving.ts listens to clicks of the page as soon as it is loaded.
vi.stubGlobal('document', { addEventListener: () => undefined })

type Props = Record<string, unknown>
type Component = (props: Props) => unknown
type Node = { type: unknown; props: Props & { children?: unknown } }
type Item = { id: string; quantity: number }

const { SessionProvider, useSessionState } = await loadWeb<{
  SessionProvider: Component
  useSessionState(): { session: object | null }
}>('session.tsx')
const { Quantities, chosenItems } = await loadWeb<{
  Quantities: Component
  chosenItems(chosen: Record<string, number>): Item[]
}>('screens/orders/dialogs/quantity.tsx')
const { RefundDialog } = await loadWeb<{ RefundDialog: Component }>('screens/orders/dialogs/refund.tsx')
type LaterPart = (load: () => Promise<Component>) => Component
const { lazyPart, loadWhenIdle } = await loadWeb<Record<'lazyPart' | 'loadWhenIdle', LaterPart>>('parts/page/later.tsx')

const SESSION = { csrf_token: 'token', modes: ['sandbox'], may_in: { sandbox: [], live: [] } }

/** Bodies of the requests, besides those for the session. */
let bodies: unknown[] = []
const roots: object[] = []

beforeEach(() => {
  bodies = []
  vi.stubGlobal('fetch', async (path: string, { body }: { body?: string }) => {
    if (path === '/dashboard/api/session') return Response.json(SESSION)
    bodies.push(body === undefined ? undefined : JSON.parse(body))
    return Response.json({ error: { message: 'No.' } }, { status: 422 })
  })
})
afterEach(() => {
  for (const root of roots.splice(0)) render(null, root as never)
})

/** Runs a component in a session. What it returns is kept and not drawn, so that preact needs no document. */
function show(component: Component, props: Props = {}) {
  const root = { nodeType: 1, childNodes: [], firstChild: null, insertBefore: () => undefined }
  const shown: { tree?: unknown } = {}
  const Screen = (own: Props) => {
    shown.tree = component(own)
    return null
  }
  const Gate = () => (useSessionState().session === null ? null : h(Screen as never, props))
  render(h(SessionProvider as never, null, h(Gate, null)), root as never)
  roots.push(root)
  return shown
}
type Shown = ReturnType<typeof show>

/** All elements of a tree, parents first. */
function nodesOf(tree: unknown): Node[] {
  if (Array.isArray(tree)) return tree.flatMap(nodesOf)
  if (typeof tree !== 'object' || tree === null) return []
  const node = tree as Node
  return [node, ...nodesOf(node.props.children)]
}

const propsWith = ({ tree }: Shown, isWanted: (props: Node['props']) => boolean) =>
  nodesOf(tree).find(({ props }) => isWanted(props))?.props
const named = (shown: Shown, name: string) => propsWith(shown, (props) => props.name === name)
const button = (shown: Shown, text: string) => propsWith(shown, (props) => props.words === text && 'onClick' in props)

/** Waits for the element, and calls one of its listeners. */
async function happenAt(find: () => Props | undefined, listener: string, ...values: unknown[]) {
  await expect.poll(find).toBeDefined()
  const listen = find()?.[listener] as (...values: unknown[]) => void
  listen(...values)
}

describe('quantities', () => {
  it('show the errors of the API at the items that were sent', () => {
    const choices = ['a', 'b', 'c'].map((id) => ({ id, name: id, options: [], most: 3 }))
    // Chosen in another order than they are listed.
    const quantities = { c: 2, b: 0, a: 1 }
    const places = nodesOf(Quantities({ label: 'Which items', choices, quantities, onChoose: () => undefined }))
      .filter(({ props }) => 'place' in props)
      .map(({ props }) => [(props.choice as Item).id, props.place])
    expect(chosenItems(quantities).map(({ id }) => id)).toEqual(['c', 'a'])
    expect(places).toEqual([
      ['a', 1],
      ['b', -1],
      ['c', 0],
    ])
  })
})

describe('a refund', () => {
  const line = { id: 'item_1', product_name: 'Mug', selected_options: [], quantity: 2, quantity_refunded: 0 }
  const order = {
    id: 'ord_1',
    customer_reference: 'SHP-1',
    currency: { code: 'USD' },
    order: { total_refundable: { raw: 20, formatted_with_symbol: '$20.00' }, line_items: [line] },
  }
  const open = () => show(RefundDialog, { order, onClose: () => undefined, onOvertaken: () => undefined })
  const choose = (dialog: Shown, kind: string) => happenAt(() => named(dialog, 'refund-of'), 'onChange', kind)

  it('forgets the amount of the items when an amount is chosen instead', async () => {
    const dialog = open()
    await choose(dialog, 'items')
    await happenAt(() => named(dialog, 'amount'), 'onInput', '5')
    await choose(dialog, 'amount')
    await expect.poll(() => named(dialog, 'amount')?.label).toBe('Amount')
    expect(propsWith(dialog, (props) => 'says' in props)).toMatchObject({
      isReady: false,
      says: ['Say how much to refund.'],
    })
  })

  it('does not put items into stock whose box was hidden and is shown empty again', async () => {
    const dialog = open()
    await happenAt(() => named(dialog, 'restock'), 'onChange', true)
    await choose(dialog, 'amount')
    await expect.poll(() => named(dialog, 'restock')).toBeUndefined()
    await choose(dialog, 'items')
    await happenAt(() => propsWith(dialog, (props) => 'onChoose' in props), 'onChoose', { item_1: 1 })
    const items = [{ line_item_id: 'item_1', quantity: 1 }]
    await expect.poll(() => bodies.at(-1)).toEqual({ expected_left: 20, items })
  })
})

describe('a part that could not be loaded', () => {
  const Part = () => null

  it('is loaded when the user tries again', async () => {
    let isOffline = true
    const part = show(
      lazyPart(async () => {
        if (isOffline) throw new TypeError('Failed to fetch')
        return Part
      }),
    )
    await expect.poll(() => button(part, 'Try again')).toBeDefined()
    isOffline = false
    await happenAt(() => button(part, 'Try again'), 'onClick')
    await expect.poll(() => (part.tree as Node).type).toBe(Part)
  })

  it('is closed if it is a dialog, and loaded when it is opened again', async () => {
    // It is not loaded ahead.
    vi.stubGlobal('requestIdleCallback', () => 0)
    let isOffline = true
    const Dialog = loadWhenIdle(async () => {
      if (isOffline) throw new TypeError('Failed to fetch')
      return Part
    })
    const onFailed = vi.fn()
    show(Dialog, { onFailed })
    await expect.poll(() => onFailed.mock.calls.length).toBe(1)
    isOffline = false
    const dialog = show(Dialog, { onFailed })
    await expect.poll(() => (dialog.tree as Node | null)?.type).toBe(Part)
  })
})
