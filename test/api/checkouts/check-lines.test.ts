// GET /v1/checkouts/{id}/check/{line_item_id}/quantity and /variant: a line in another quantity, or with other options.

import { describe, expect, it } from 'vitest'
import { changeCheckoutLine } from '../../../src/api/checkouts/checks/change.ts'
import { lockToken } from '../../../src/api/checkouts/checks/store.ts'
import type { CheckoutToken, Live } from '../../../src/api/checkouts/schema.ts'
import { databaseOf } from '../../../src/db/db.ts'
import { sharedApp } from '../../support/app.ts'
import { bodyOf, missing, price, replyOf } from '../../support/shop.ts'
import { tripsOf } from '../statements.ts'
import { untilLockIsAwaited } from '../waiting-locks.ts'
import { openCheckoutShop } from './support.ts'

const app = await sharedApp()
const shop = await openCheckoutShop(app)
const secret = shop.keys.sandbox.secret

const path = (token: CheckoutToken, line: number, what: string) =>
  `checkouts/${token.id}/check/${token.products[line]?.id}/${what}`
const quantity = (token: CheckoutToken, query: string, line = 0) =>
  shop.call('GET', path(token, line, `quantity?${query}`))
const variant = (token: CheckoutToken, query: string, line = 0) =>
  shop.call('GET', path(token, line, `variant?${query}`))

/** The quantities and options of all lines. */
const bought = (live: Live) =>
  live.line_items.map((line) => [line.quantity, ...line.selected_options.map(({ option_id }) => option_id)])

const NOT_ENOUGH = (left: number) => (left === 1 ? 'Only 1 is left.' : `Only ${left} are left.`)
const NOT_CHOSEN = 'This choice is not available. Please choose again.'

/** A shirt in two sizes and two colours, of which the large red one has a stock and a price of its own. */
async function shirt() {
  const options = (...names: string[]) => names.map((name, index) => ({ name, price: index }))
  const product = await shop.product({
    price: 20,
    inventory: { managed: true, available: 10 },
    variant_groups: [
      { name: 'Size', options: options('S', 'L') },
      { name: 'Colour', options: options('Blue', 'Red') },
    ],
  })
  const [size, colour] = product.variant_groups
  const [s = '', l = '', blue = '', red = ''] = product.variant_groups.flatMap((group) =>
    group.options.map(({ id }) => id),
  )
  const [sizes, colours] = [size?.id ?? '', colour?.id ?? '']
  const largeRed = await shop.variant(product.id, { options: { [sizes]: l, [colours]: red }, inventory: 2, price: 30 })
  return { product, sizes, colours, s, l, blue, red, largeRed }
}

describe('check/{line}/quantity', () => {
  it('changes the quantity of one line when there is enough of it', async () => {
    const [cup, bowl] = [await shop.product(), await shop.product({ inventory: { managed: true, available: 4 } })]
    const token = await shop.token({ id: cup.id }, { id: bowl.id })
    app.clock.advance(5)
    const answer = await quantity(token, 'amount=4', 1)
    const live = await shop.live(token)
    const changed = { available: true, line_item_id: token.products[1]?.id, requested_quantity: 4, live }
    expect([answer.status, answer.body]).toEqual([200, changed])
    expect(answer.headers['cache-control']).toBe('no-store')
    expect([bought(live), live.subtotal]).toEqual([[[1], [4]], price(50, '50.00')])
    expect((await shop.get(token)).updated).toBe(token.updated + 5)
  })

  it('refuses more than there is, of all lines that sell from the same stock together, and saves nothing', async () => {
    const { product, sizes, colours, s, l, blue, red } = await shirt()
    const token = await shop.token(
      { id: product.id, quantity: 3, options: { [sizes]: s } },
      { id: product.id, quantity: 4, options: { [sizes]: l, [colours]: blue } },
      { id: product.id, quantity: 1, options: { [sizes]: l, [colours]: red } },
    )
    expect(bodyOf(200, await quantity(token, 'amount=7'))).toEqual({
      available: false,
      line_item_id: token.products[0]?.id,
      requested_quantity: 7,
      message: NOT_ENOUGH(10),
      live: token.live,
    })
    expect(await shop.get(token)).toEqual(token)
    // The large red ones are counted by themselves.
    expect((await quantity(token, 'amount=6')).body).toMatchObject({ available: true })
    expect((await quantity(token, 'amount=5', 1)).body).toMatchObject({ available: false, message: NOT_ENOUGH(10) })
    expect((await quantity(token, 'amount=2', 2)).body).toMatchObject({ available: true })
    expect((await quantity(token, 'amount=3', 2)).body).toMatchObject({ available: false, message: NOT_ENOUGH(2) })
    expect(bought(await shop.live(token))).toEqual([
      [6, s],
      [4, l, blue],
      [2, l, red],
    ])
  })

  it('refuses a product that is not for sale any more, and options that no longer exist until others are chosen', async () => {
    const { product, sizes, colours, s, l, blue } = await shirt()
    const token = await shop.token({ id: product.id, options: { [sizes]: s, [colours]: blue } })
    await shop.succeed(204, 'DELETE', `products/${product.id}/variant_groups/${sizes}/options/${s}`, undefined, secret)
    expect((await quantity(token, 'amount=2')).body).toMatchObject({ available: false, message: NOT_CHOSEN })
    expect((await quantity(token, `amount=2&options[]=${l}`)).body).toMatchObject({ available: true })
    expect(bought(await shop.live(token))).toEqual([[2, l, blue]])
    await shop.succeed(200, 'PUT', `products/${product.id}`, { active: false }, secret)
    const idle = { available: false, message: 'This product is not available.' }
    expect((await quantity(token, 'amount=1')).body).toMatchObject(idle)
  })

  it.each(['amount=0', 'amount=-1', 'amount=1.5', 'amount=two', 'amount=1e3', 'amount=1000001'])(
    'takes no %s',
    async (query) => {
      const token = await shop.token({ id: (await shop.product()).id })
      const error = { type: 'unprocessable_entity', errors: { amount: [expect.any(String)] } }
      expect(bodyOf(422, await quantity(token, query))).toMatchObject({ error })
    },
  )

  it.each(['', 'amount=', 'amount=%20'])('without an amount (%j) leaves as many as there are', async (query) => {
    const token = await shop.token({ id: (await shop.product()).id, quantity: 3 })
    expect(await replyOf(quantity(token, query))).toMatchObject([200, { available: true, requested_quantity: 3 }])
    expect(bought(await shop.live(token))).toEqual([[3]])
  })

  it('sees what a request has saved that it had to wait for, also in another line', async () => {
    const { product, sizes, s, l } = await shirt()
    const token = await shop.token(
      { id: product.id, options: { [sizes]: s } },
      { id: product.id, options: { [sizes]: l } },
    )
    const first = { quantity: 9, options: null, variantId: null }
    const at = { ...shop.tokenAt(token), isSecret: false }
    const second = await app.db.transaction(async (tx) => {
      await lockToken(tx, at)
      const waiting = quantity(token, 'amount=3', 1)
      await untilLockIsAwaited(app.db)
      await changeCheckoutLine(databaseOf(tx), at, token.products[0]?.id ?? '', first)
      return { waiting }
    })
    expect((await second.waiting).body).toMatchObject({ available: false, message: NOT_ENOUGH(10) })
    expect(bought(await shop.live(token))).toEqual([
      [9, s],
      [1, l],
    ])
  })
})

describe('check/{line}/variant', () => {
  it('chooses a variant, an option of a group, or options, and tells what one then costs', async () => {
    const { product, sizes, colours, s, l, blue, red, largeRed } = await shirt()
    const token = await shop.token({ id: product.id, quantity: 2 })
    const shown = (name: string, cost: number, option_id: string | null, variant_id: string | null) => ({
      name,
      price: price(cost, `${cost}.00`),
      option_id,
      variant_id,
    })
    const asJson = (variants: object) => encodeURIComponent(JSON.stringify(variants))
    for (const [query, expected, options] of [
      [`group_id=${sizes}&option_id=${l}`, shown('L', 21, l, null), [l]],
      [`variant_id=${colours}&option_id=${blue}`, shown('L, Blue', 21, blue, colours), [l, blue]],
      [`option_id=${red}`, shown('L, Red', 30, red, largeRed.id), [l, red]],
      [`options[]=${s}&options[]=${red}`, shown('S, Red', 21, null, null), [s, red]],
      [`variant_id=${largeRed.id}`, shown('L, Red', 30, null, largeRed.id), [l, red]],
      [`variants[${sizes}]=${s}`, shown('S, Red', 21, null, null), [s, red]],
      [`variants=${asJson({ [sizes]: l })}`, shown('L, Red', 30, null, largeRed.id), [l, red]],
    ] as const) {
      const { status, body } = await variant(token, query)
      const live = await shop.live(token)
      const chosen = { available: true, ...expected, line_item_id: token.products[0]?.id, requested_quantity: 2, live }
      expect([query, status, body]).toEqual([query, 200, chosen])
      expect([query, bought(live)]).toEqual([query, [[2, ...options]]])
    }
  })

  it('refuses what does not exist, does not agree or is not there in this quantity, and saves nothing', async () => {
    const { product, sizes, colours, s, l, blue, red, largeRed } = await shirt()
    const { largeRed: foreign } = await shirt()
    const token = await shop.token({ id: product.id, quantity: 3, options: { [sizes]: s } })
    const partial = await shop.variant(product.id, { options: { [sizes]: s, [colours]: blue } })
    for (const [query, message, ids] of [
      ['variant_id=vrnt_x', NOT_CHOSEN, { variant_id: 'vrnt_x' }],
      [`variant_id=${foreign.id}`, NOT_CHOSEN, { variant_id: foreign.id }],
      [`group_id=${colours}&option_id=${l}`, NOT_CHOSEN, { option_id: l }],
      [`variant_id=${partial.id}&option_id=${l}`, NOT_CHOSEN, { option_id: l, variant_id: partial.id }],
      ['option_id=optn_x', NOT_CHOSEN, { option_id: 'optn_x' }],
      [`options[]=${s}&options[]=${l}`, NOT_CHOSEN, {}],
      [`variant_id=${partial.id}&options[]=${red}`, NOT_CHOSEN, { variant_id: partial.id }],
      [`variant_id=${largeRed.id}`, NOT_ENOUGH(2), { variant_id: largeRed.id }],
    ] as const) {
      const nothing = { available: false, name: null, price: null, option_id: null, variant_id: null }
      const asked = { line_item_id: token.products[0]?.id, requested_quantity: 3, live: token.live }
      const reply = await replyOf(variant(token, query))
      expect([query, ...reply]).toEqual([query, 200, { ...nothing, ...ids, ...asked, message }])
    }
    const fit = { name: 'Fit', options: [{ name: 'Slim' }] }
    await shop.succeed(201, 'POST', `products/${product.id}/variant_groups`, fit, secret)
    const invalid = { available: false, message: NOT_CHOSEN }
    expect((await variant(token, `variant_id=${partial.id}`)).body).toMatchObject(invalid)
    expect((await shop.get(token)).updated).toBe(token.updated)
    expect(bought(await shop.live(token))).toEqual([[3, s]])
  })
})

describe('what is sent to the database', () => {
  it('goes in two round trips, whether it is how many or what is chosen that changes', async () => {
    const { product, sizes, colours, s, l, blue, red } = await shirt()
    const both = [s, l].map((size) => ({ id: product.id, options: { [sizes]: size, [colours]: blue } }))
    const token = await shop.token(...both)
    const reading = ['begin', 'checkouts.lock', 'checkouts.find']
    const choosing = [...reading, 'checkouts.find_chosen']
    const writing = ['checkouts.change_line', 'commit']
    expect(await tripsOf(() => quantity(token, 'amount=2'))).toEqual([reading, writing])
    expect(await tripsOf(() => variant(token, `option_id=${l}`))).toEqual([choosing, writing])
    expect(await tripsOf(() => quantity(token, 'amount=99'))).toEqual([reading, ['commit']])
    // Of a choice that nobody has made here yet, what it shows is read besides.
    const goods = ['lines.find_goods']
    expect(await tripsOf(() => variant(token, `option_id=${red}`))).toEqual([choosing, goods, writing])
  })
})

it('a line that the checkout does not have is not found, also by the SDK, nor is one of another checkout', async () => {
  const product = await shop.product()
  const [token, other] = [await shop.token({ id: product.id }), await shop.token({ id: product.id })]
  for (const line of ['item_x', other.products[0]?.id])
    for (const what of ['quantity?amount=1', 'variant?variant_id=vrnt_x']) {
      const sent = { key: shop.keys.sandbox.public, headers: { 'x-chec-agent': 'commerce.js/v2' } }
      const answer = app.call('GET', `/v1/checkouts/${token.id}/check/${line}/${what}`, sent)
      expect(await replyOf(answer)).toEqual([404, missing('line item')])
    }
})
