// What a line sells from, and how much there is, is said in two ways: which lines want more than there is, and how many one could hold.
// Whatever is in stock and in the lines, both say the same, of carts and of checkouts, and so does the check of a checkout's line.

import fc from 'fast-check'
import type { Static } from 'typebox'
import { expect, it } from 'vitest'
import { findCart } from '../../../src/api/carts/read-store.ts'
import type { QuantityCheck } from '../../../src/api/checkouts/checks/schema.ts'
import { findCheckout } from '../../../src/api/checkouts/read-store.ts'
import { limitsOf, maxQuantityOf } from '../../../src/api/lines/choice.ts'
import { findShortages, type LineRow } from '../../../src/api/lines/line.ts'
import { statement } from '../../../src/db/db.ts'
import { sharedApp } from '../../support/app.ts'
import { sql } from '../../support/rows.ts'
import { openCheckoutShop } from '../checkouts/support.ts'

const app = await sharedApp()
const shop = await openCheckoutShop(app)
const scope = { merchant_id: shop.id, is_sandbox: true, isSecret: false }

const option = (name: string) => ({ name, price: 0 })
const shirt = await shop.product({
  inventory: { managed: true, available: 1_000 },
  variant_groups: [
    { name: 'Colour', options: [option('Red'), option('Blue')] },
    { name: 'Size', options: [option('S'), option('L')] },
  ],
})
const choose = (...names: string[]) =>
  Object.fromEntries(
    shirt.variant_groups.flatMap(({ id, options }) =>
      options.filter(({ name }) => names.includes(name)).map((chosen) => [id, chosen.id]),
    ),
  )
const withOwnStock = [
  await shop.variant(shirt.id, { options: choose('Red', 'S'), inventory: 1_000 }),
  await shop.variant(shirt.id, { options: choose('Blue', 'L'), inventory: 1_000 }),
]
await shop.variant(shirt.id, { options: choose('Red', 'L') })
const CHOICES = [[], ['Red'], ['Blue'], ['Red', 'S'], ['Red', 'L'], ['Blue', 'S'], ['Blue', 'L']]
const cart = await shop.cart(CHOICES.map((names) => ({ id: shirt.id, options: choose(...names) })))
const token = await shop.ofCart(cart.id)

const setStock = sql`update stock set available = :available where merchant_id = :merchant_id and item_id = :item_id`
const setQuantities = (table: string) =>
  statement(
    `test.set_quantities_of_${table}`,
    `update ${table} set quantity = wanted.quantity
     from unnest(:ids::text[], :quantities::integer[]) as wanted (id, quantity)
     where ${table}.merchant_id = :merchant_id and ${table}.id = wanted.id`,
  )
const [ofCart, ofToken] = [setQuantities('cart_lines'), setQuantities('checkout_lines')]

const few = fc.integer({ min: 0, max: 6 })
const case_ = fc.record({
  stock: fc.tuple(few, few, few),
  quantities: fc.array(fc.integer({ min: 1, max: 4 }), { minLength: CHOICES.length, maxLength: CHOICES.length }),
  index: fc.nat({ max: CHOICES.length - 1 }),
  quantity: fc.integer({ min: 1, max: 7 }),
})

const isEnough = (lines: readonly LineRow[], id: string, quantity: number) =>
  !findShortages(lines.map((line) => (line.id === id ? { ...line, quantity } : line))).some(({ lineIds }) =>
    lineIds.includes(id),
  )

const mostFor = (lines: readonly LineRow[], id: string, quantity: number) => {
  const line = lines.find((each) => each.id === id)
  if (line === undefined) throw new Error('There is no such line.')
  return maxQuantityOf(
    limitsOf(
      { ...line, quantity },
      lines.filter((other) => other !== line),
    ),
  )
}

it('a line may have a quantity exactly where nothing falls short by it', async () => {
  const outcomes = new Set<boolean>()
  await fc.assert(
    fc.asyncProperty(case_, async ({ stock, quantities, index, quantity }) => {
      const now = app.clock.now()
      const items = [shirt.id, ...withOwnStock.map(({ id }) => id)]
      for (const [at, item_id] of items.entries())
        await app.db.run(setStock, { merchant_id: shop.id, item_id, available: stock[at] })
      const cartIds = cart.line_items.map(({ id }) => id)
      const tokenIds = token.line_items.map(({ id }) => id)
      await app.db.run(ofCart, { merchant_id: shop.id, ids: cartIds, quantities })
      await app.db.run(ofToken, { merchant_id: shop.id, ids: tokenIds, quantities })

      const cartAt = { ...scope, cartId: cart.id, now, life: null, canCreateRow: false, isLocked: false }
      const cartLine = cartIds[index] ?? ''
      const lines = (await findCart(app.db, cartAt))?.lines ?? []
      const inCart = isEnough(lines, cartLine, quantity)
      const isWithinLimits = quantity <= mostFor(lines, cartLine, quantity)

      const tokenLine = tokenIds[index] ?? ''
      const inToken = isEnough((await findCheckout(app.db, scope, token.id, now))?.lines ?? [], tokenLine, quantity)
      const path = `checkouts/${token.id}/check/${tokenLine}/quantity?amount=${quantity}`
      const check = await shop.succeed<Static<typeof QuantityCheck>>(200, 'GET', path)

      expect([isWithinLimits, check.available, inToken]).toEqual([inCart, inCart, inCart])
      outcomes.add(inCart)
    }),
    { numRuns: 80 },
  )
  expect(outcomes.size).toBe(2)
})
