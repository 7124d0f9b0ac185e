// @sampled: the proof tries more carts.
// What holds of every cart, whatever is sent: a refused request changes nothing, the totals are those of the lines, and a line
// that is added and removed again leaves no trace in them.

import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Cart } from '../../../src/api/carts/schema.ts'
import { sharedApp } from '../../support/app.ts'
import { patient } from '../../support/database.ts'
import { size } from '../../support/proof.ts'
import { sql } from '../../support/rows.ts'
import { openShop } from '../products/support.ts'

const app = await sharedApp()
const shop = await openShop(app)
const key = shop.keys.sandbox.public
const RUNS = size(15, 100)
const sizes = { S: -0.37, L: 2.5 }
const choices = [{ name: 'Size', options: Object.entries(sizes).map(([name, price]) => ({ name, price })) }]
const shirt = await shop.create({ name: 'Shirt', price: 19.99, variant_groups: choices })
const hat = await shop.create({ name: 'Hat', price: 0.37, variant_groups: choices })
const scarce = await shop.create({ name: 'Scarce', price: 5, inventory: { managed: true, available: 4 } })
const hidden = await shop.create({ name: 'Hidden', active: false })

const call = (method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body?: unknown, version?: string) =>
  app.call(method, `/v1/carts${path}`, { key, body, version })

const newCart = async () => (await call('GET', '')).body as Cart

const selectRows = sql<{ rows: string }>`
  select c::text || coalesce((
    select string_agg(l::text, ' ' order by l.id) from cart_lines l where l.merchant_id = :merchant_id and l.cart_id = :cart_id
  ), '') as rows
  from carts c where c.merchant_id = :merchant_id and c.id = :cart_id`

/** Every byte that is stored of a cart, and every byte that is shown of it. Of an empty one nothing may be stored. */
const bytesOf = async (id: string) => [
  (await app.db.maybe(selectRows, { merchant_id: shop.id, cart_id: id }))?.rows,
  (await call('GET', `/${id}`)).text,
]

const groupOf = (product: typeof shirt) => product.variant_groups[0]
const optionsOf = (product: typeof shirt) =>
  (groupOf(product)?.options ?? []).map(({ id }) => ({ [groupOf(product)?.id ?? '']: id }))

const things = [shirt, hat].flatMap((product) =>
  [{}, ...optionsOf(product)].map((options) => ({ id: product.id, options })),
)
const thing = fc.constantFrom(...things, { id: scarce.id, options: {} })
const filling = fc.array(fc.record({ thing, quantity: fc.integer({ min: 1, max: 3 }) }), { maxLength: 5 })

async function filled(content: readonly { thing: (typeof things)[number]; quantity: number }[]): Promise<Cart> {
  let cart = await newCart()
  for (const each of content) {
    const { status, body } = await call('POST', `/${cart.id}`, { ...each.thing, quantity: each.quantity })
    if (status === 200) cart = body as Cart
  }
  return cart
}

const quantity = fc.oneof(
  fc.integer({ min: -2, max: 6 }),
  fc.constantFrom<unknown>(0.1, 1.5, '1', '1e3', 1e308, null, true, [], {}, 1_000_000, 1_000_001, 2 ** 31, 2 ** 53 + 2),
  fc.jsonValue({ maxDepth: 1 }),
)
const productId = fc.oneof(
  thing.map(({ id }) => id as unknown),
  fc.constantFrom<unknown>(hidden.id, `prod_${'0'.repeat(26)}`, 7),
)
const options = fc.oneof(
  thing.map((each) => each.options as unknown),
  fc.constantFrom<unknown>(null, [], 'x', { vgrp_x: 'optn_x' }, { [groupOf(hat)?.id ?? '']: 3 }),
  fc.jsonValue({ maxDepth: 1 }),
)
const body = fc.record(
  {
    id: productId,
    quantity,
    options,
    variant_id: fc.constantFrom<unknown>(`vrnt_${'0'.repeat(26)}`, null, 3),
    variant: options,
    discount_code: fc.oneof(fc.string(), fc.constantFrom<unknown>('NO-SUCH-CODE', 7)),
    meta: fc.jsonValue({ maxDepth: 2 }),
  },
  { requiredKeys: [] },
)
const attempt = fc.record({
  method: fc.constantFrom('POST' as const, 'PUT' as const, 'DELETE' as const),
  path: fc.constantFrom('', '/items/LINE', '/items/LINE', '/items/item_none', '/nothing'),
  body,
  version: fc.constantFrom('2022-07-21', '2021-03-17', '2020-02-01'),
})

it('a refused request leaves the cart byte-identical, and none is a failure of ours', {
  timeout: patient(40_000),
}, async () => {
  let refused = 0
  await fc.assert(
    fc.asyncProperty(filling, fc.array(attempt, { minLength: 3, maxLength: 6 }), async (content, attempts) => {
      const { id, line_items } = await filled(content)
      let before = await bytesOf(id)
      for (const { method, path, body: sent, version } of attempts) {
        app.clock.advance(1)
        // A deleted cart has nothing left to compare.
        if (method === 'DELETE' && path === '') continue
        const url = `/${id}${path.replace('LINE', line_items[0]?.id ?? 'none')}`
        const { status } = await call(method, url, method === 'DELETE' ? undefined : sent, version)
        expect(status).toBeLessThan(500)
        const after = await bytesOf(id)
        if (status >= 400) expect(after).toEqual(before)
        if (status >= 400) refused++
        before = after
      }
    }),
    { numRuns: RUNS },
  )
  expect(refused).toBeGreaterThan(RUNS)
})

const adding = fc.record({ do: fc.constant('add' as const), thing, quantity: fc.integer({ min: 1, max: 99 }) })
const line = fc.nat({ max: 4 })
const setting = fc.record({ do: fc.constant('set' as const), line, quantity: fc.nat({ max: 9 }) })
const removing = fc.record({ do: fc.constant('remove' as const), line })
const step = fc.oneof(
  { weight: 4, arbitrary: adding },
  { weight: 2, arbitrary: setting },
  { weight: 1, arbitrary: removing },
)

const cents = (raw: number) => Math.round(raw * 100)

it('the totals of a cart are the sums over its lines, after every change', { timeout: patient(40_000) }, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 8 }), async (steps) => {
      let cart = await newCart()
      for (const each of steps) {
        const path = 'line' in each ? `/${cart.id}/items/${cart.line_items[each.line]?.id}` : `/${cart.id}`
        const { status, body: shown } =
          each.do === 'add'
            ? await call('POST', path, { ...each.thing, quantity: each.quantity })
            : each.do === 'set'
              ? await call('PUT', path, { quantity: each.quantity })
              : await call('DELETE', path)
        if (status !== 200) continue
        cart = shown as Cart
        const sum = (of: (each: Cart['line_items'][number]) => number) =>
          cart.line_items.reduce((total, each) => total + of(each), 0)
        expect([cart.total_items, cart.total_unique_items, cents(cart.subtotal.raw)]).toEqual([
          sum((each) => each.quantity),
          cart.line_items.length,
          sum((each) => cents(each.line_total.raw)),
        ])
      }
    }),
    { numRuns: RUNS },
  )
})

it('adding a line and removing it again restores the lines and the totals', { timeout: patient(40_000) }, async () => {
  await fc.assert(
    fc.asyncProperty(
      filling,
      fc.constantFrom(...things),
      fc.integer({ min: 1, max: 1_000 }),
      async (content, more, count) => {
        const { updated: _, ...before } = await filled(content.filter((each) => each.thing !== more))
        app.clock.advance(1)
        const added = (await call('POST', `/${before.id}`, { ...more, quantity: count })).body as Cart
        const known = new Set(before.line_items.map(({ id }) => id))
        const fresh = added.line_items.filter(({ id }) => !known.has(id))
        expect(fresh).toHaveLength(1)
        expect(added.total_items).toBe(before.total_items + count)
        const removed = await call('DELETE', `/${before.id}/items/${fresh[0]?.id}`)
        const { updated: __, ...after } = removed.body as Cart
        expect(after).toEqual(before)
      },
    ),
    { numRuns: RUNS },
  )
})
