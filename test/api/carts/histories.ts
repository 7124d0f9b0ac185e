// Clients that do whatever they like to one cart at once, and what each was told: a history that some order must explain (linearizability.ts).

import { setTimeout as pause } from 'node:timers/promises'
import fc from 'fast-check'
import { expect } from 'vitest'
import type { Database } from '../../../src/db/db.ts'
import { lockRows } from '../../support/rows.ts'
import { type Call, explain, type History, MAX_QUANTITY, type ModelCart, type Operation } from './linearizability.ts'

export type Line = { id: string; product_id: string; quantity: number; selected_options: { option_id: string }[] }
export type Cart = { id: string; total_items: number; total_unique_items: number; line_items: Line[] }

export const COLOURS = ['Red', 'Blue', 'Green'] as const
/** A product whose options a line may change. */
export const SHIRT = {
  name: 'Shirt',
  variant_groups: [{ name: 'Colour', options: COLOURS.map((name) => ({ name })) }],
}
export type Shirt = { id: string; variant_groups: { id: string; options: { id: string; name: string }[] }[] }

/** In this version the answer to a change names the line it changed. */
export const ENVELOPES = '2021-10-06'

/** The shop whose carts are changed. Each client has a server; the first one's also makes the cart and looks at it in the end. */
export type Shop = {
  readonly id: number
  readonly db: Database
  readonly shirt: Shirt
  readonly mug: { readonly id: string }
  call(
    client: number,
    method: 'GET' | 'POST' | 'PUT' | 'DELETE',
    url: string,
    body?: object,
  ): Promise<{ status: number; body: unknown }>
}

export const optionOf = ({ variant_groups: [group] }: Shirt, colour: (typeof COLOURS)[number]): string =>
  group?.options.find(({ name }) => name === colour)?.id ?? ''

/** What a client is going to do. A line is known by its place in the cart at first, or is the shirt the client added last. */
type Plan =
  | { do: 'add'; what: string; quantity: number }
  | { do: 'update'; line: number | 'own'; quantity?: number; what?: string }
  | { do: 'remove'; line: number | 'own' }
  | { do: 'empty' }
  | { do: 'read' }

const line = fc.oneof(
  { weight: 3, arbitrary: fc.nat({ max: 2 }) },
  { weight: 1, arbitrary: fc.constant('own' as const) },
)
const quantity = fc.oneof({ weight: 4, arbitrary: fc.integer({ min: 1, max: 5 }) }, fc.constant(MAX_QUANTITY))

function plansOf(shirts: readonly string[], kinds: readonly string[]) {
  const what = fc.constantFrom(...shirts)
  const updating = fc.constant('update' as const)
  const orNone = fc.oneof({ weight: 4, arbitrary: quantity }, fc.constant(0))
  const step: fc.Arbitrary<Plan> = fc.oneof(
    { weight: 5, arbitrary: fc.record({ do: fc.constant('add' as const), what: fc.constantFrom(...kinds), quantity }) },
    { weight: 3, arbitrary: fc.record({ do: updating, line, quantity: orNone }) },
    { weight: 4, arbitrary: fc.record({ do: updating, line, what }) },
    { weight: 2, arbitrary: fc.record({ do: updating, line, what, quantity }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('remove' as const), line }) },
    { weight: 1, arbitrary: fc.constant<Plan>({ do: 'empty' }) },
    { weight: 1, arbitrary: fc.constant<Plan>({ do: 'read' }) },
  )
  return fc.array(fc.array(step, { minLength: 3, maxLength: 3 }), { minLength: 3, maxLength: 4 })
}

/** Plays so many, and expects that each can be explained, and that nobody is answered with a failure of ours. */
export async function expectExplained(shop: Shop, histories: number): Promise<void> {
  const { shirt, mug } = shop
  const shirts = COLOURS.map((colour) => keyOf(shirt.id, [optionOf(shirt, colour)]))
  const kinds = [...shirts, keyOf(shirt.id, []), keyOf(mug.id, [])]
  await fc.assert(
    fc.asyncProperty(plansOf(shirts, kinds), async (clients) => {
      const history = await play(shop, kinds.slice(0, 3), clients)
      const statuses = history.clients.flat().map(({ result }) => result.status)
      expect(statuses.filter((status) => ![200, 404, 422].includes(status))).toEqual([])
      expect(explain(history), JSON.stringify(history, null, 1)).not.toBeNull()
    }),
    // Another run of the same plan may go well: there is nothing to shrink. What fails is printed with its seed.
    { numRuns: histories, endOnFailure: true },
  )
}

async function play(shop: Shop, first: readonly string[], clients: readonly (readonly Plan[])[]): Promise<History> {
  const made = await shop.call(0, 'GET', '/v1/carts')
  expect(made.status).toBe(201)
  const { id } = made.body as Cart
  const start: { id: string; cart: ModelCart }[] = []
  for (const key of first) {
    const { lineId = '', cart = [] } = await send(shop, 0, id, { do: 'add', key, quantity: 2 })
    start.push({ id: lineId, cart })
  }
  let moment = 0
  const calls = await atOnce(shop, id, () =>
    clients.map(async (plan, client) => {
      const done: Call[] = []
      let own: string | undefined
      for (const each of plan) {
        const idOf = (named: number | 'own') => (named === 'own' ? own : start[named]?.id) ?? start[0]?.id ?? ''
        const operation = operationOf(each, idOf)
        const from = moment++
        const result = await send(shop, client, id, operation)
        done.push({ operation, result, from, to: moment++ })
        if (operation.do === 'add' && operation.key.startsWith(shop.shirt.id)) own = result.lineId ?? own
      }
      return done
    }),
  )
  const end = (await shop.call(0, 'GET', `/v1/carts/${id}`)).body as Cart
  return { start: start.at(-1)?.cart ?? [], clients: calls, end: modelOf(end) }
}

/** Lets what is begun wait at the cart until all of it is there: what a request has seen while it waited is old when it goes on. */
async function atOnce<T>({ db, id }: Shop, cart: string, begin: () => Promise<T>[]): Promise<T[]> {
  let begun: Promise<T>[] = []
  await db.transaction(async (tx) => {
    await lockRows(tx, 'carts', { merchant_id: id, id: cart })
    begun = begin()
    await pause(10)
  })
  return Promise.all(begun)
}

function operationOf(plan: Plan, idOf: (line: number | 'own') => string): Operation {
  switch (plan.do) {
    case 'add':
      return { do: 'add', key: plan.what, quantity: plan.quantity }
    case 'update': {
      const { line: named, what, quantity: count } = plan
      return {
        do: 'update',
        id: idOf(named),
        ...(what ? { key: what } : {}),
        ...(count === undefined ? {} : { quantity: count }),
      }
    }
    case 'remove':
      return { do: 'remove', id: idOf(plan.line) }
    default:
      return plan
  }
}

async function send(shop: Shop, client: number, cart: string, operation: Operation): Promise<Call['result']> {
  const { status, body } = await request(shop, client, `/v1/carts/${cart}`, operation)
  if (status !== 200) return { status }
  const { line_item_id: lineId, cart: shown = body } = body as { line_item_id?: string; cart?: Cart }
  return { status, ...(lineId === undefined ? {} : { lineId }), cart: modelOf(shown as Cart) }
}

function request(shop: Shop, client: number, url: string, operation: Operation) {
  switch (operation.do) {
    case 'read':
      return shop.call(client, 'GET', url)
    case 'empty':
      return shop.call(client, 'DELETE', `${url}/items`)
    case 'remove':
      return shop.call(client, 'DELETE', `${url}/items/${operation.id}`)
    case 'add': {
      const { id, options } = meaningOf(shop, operation.key)
      return shop.call(client, 'POST', url, { id, quantity: operation.quantity, options })
    }
    case 'update': {
      const { id, key: what, ...rest } = { ...operation, do: undefined }
      const chosen = what === undefined ? {} : { options: meaningOf(shop, what).options }
      return shop.call(client, 'PUT', `${url}/items/${id}`, { ...rest, ...chosen })
    }
  }
}

const modelOf = ({ line_items }: Cart): ModelCart =>
  line_items.map(({ id, product_id, quantity: count, selected_options }) => ({
    id,
    key: keyOf(
      product_id,
      selected_options.map(({ option_id }) => option_id),
    ),
    quantity: count,
  }))

function keyOf(productId: string, optionIds: readonly string[]): string {
  return [productId, ...optionIds].join(' ')
}

function meaningOf({ shirt }: Shop, what: string) {
  const [id, option] = what.split(' ')
  return { id, options: option === undefined ? {} : { [shirt.variant_groups[0]?.id ?? '']: option } }
}
