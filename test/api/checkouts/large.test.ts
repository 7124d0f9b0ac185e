// @sampled: npm run proof tries the largest carts.
// Carts and tokens of three hundred lines: what belongs to a product is read once and shown in every line, and how much all of it may be.

import { beforeAll, describe, expect, it } from 'vitest'
import type { Cart } from '../../../src/api/carts/schema.ts'
import type { CheckoutToken } from '../../../src/api/checkouts/schema.ts'
import type { Product } from '../../../src/api/products/schema.ts'
import type { Statement, Values } from '../../../src/db/db.ts'
import { MAX_SHOWN_BYTES } from '../../../src/pricing/rounding.ts'
import { testApp } from '../../support/app.ts'
import { isProof, size } from '../../support/proof.ts'
import { sql } from '../../support/rows.ts'
import { bodyOf, notValid, notValidField, replyOf } from '../../support/shop.ts'
import { openCheckoutShop } from './support.ts'

const app = await testApp()
const shop = await openCheckoutShop(app)

const GROUPS = 5
const OPTIONS = 7
const LINES = size(60, 300)

const fill = sql`
  insert into cart_lines (merchant_id, cart_id, id, product_id, name, options, quantity)
  select :merchant_id, :cart_id, entry.id, :product_id, 'Shirt', entry.options, 1
  from json_to_recordset(:entries) as entry (id text, options jsonb)`
const setShown = sql`
  update cart_lines set shown_bytes = :shown_bytes where merchant_id = :merchant_id and cart_id = :cart_id`
const readShown = sql<{ shown_bytes: number }>`
  select shown_bytes from cart_lines where merchant_id = :merchant_id and cart_id = :cart_id`

/** The n-th of the choices that there are. */
function choice({ variant_groups: groups }: Product, n: number) {
  let rest = n
  return groups.map((group) => {
    const option = group.options[rest % OPTIONS]
    rest = Math.floor(rest / OPTIONS)
    return { group, option: option as NonNullable<typeof option> }
  })
}

/** A product that can be told apart wherever something of it is said, and a cart with three hundred choices of it. */
async function manyLines(description = 'told-in-the-description') {
  const product = await shop.product({
    name: 'Shirt',
    description,
    meta: { told: 'told-in-the-meta' },
    delivery: { physical: false },
    variant_groups: Array.from({ length: GROUPS }, (_, group) => ({
      name: `Group ${group}`,
      options: Array.from({ length: OPTIONS }, (_, option) => ({ name: `Option ${group}-${option}`, price: option })),
    })),
  })
  const { id } = await shop.succeed<Cart>(201, 'GET', 'carts')
  // A change makes the row that the lines belong to.
  await shop.succeed<Cart>(200, 'PUT', `carts/${id}`, {})
  const lines = Array.from({ length: LINES }, (_, n) => ({
    id: `item_${String(n).padStart(26, '0')}`,
    options: Object.fromEntries(choice(product, n).map(({ group, option }) => [group.id, option.id])),
  }))
  await app.db.run(fill, { merchant_id: shop.id, cart_id: id, product_id: product.id, entries: JSON.stringify(lines) })
  return { product, cartId: id, options: lines[0]?.options }
}

/** What the database gave while `work` ran, as JSON, and the statements that were sent for it. */
async function givenBy(work: () => Promise<{ status: number }>) {
  const { maybe, one, many } = app.db
  const names: string[] = []
  let json = ''
  const note =
    (ask: typeof maybe | typeof one | typeof many) =>
    async (asked: Statement<never>, values: Values): Promise<never> => {
      const row = await ask.call(app.db, asked, values)
      // Whose a key is, is remembered for most requests, and belongs to none.
      if (asked.name !== 'merchants.find_caller_by_key_hash') names.push(asked.name)
      // What comes as the text of JSON is looked into, too.
      json += JSON.stringify(row).replaceAll('\\"', '"')
      return row as never
    }
  Object.assign(app.db, { maybe: note(maybe), one: note(one), many: note(many) as typeof many })
  try {
    expect((await work()).status).toBeLessThan(300)
  } finally {
    Object.assign(app.db, { maybe, one, many })
  }
  return { names, json }
}

const timesIn = (text: string, part: string) => text.split(part).length - 1

describe('three hundred lines of one product', () => {
  let product: Product
  let cartId: string
  let options: unknown
  let token: CheckoutToken
  beforeAll(async () => {
    ;({ product, cartId, options } = await manyLines())
    token = await shop.ofCart(cartId)
  })

  it.each<[string, () => [method: 'GET' | 'POST', path: string, body?: unknown], string[]]>([
    ['reading the cart', () => ['GET', `carts/${cartId}`], ['carts.find']],
    [
      'adding to a line',
      () => ['POST', `carts/${cartId}`, { id: product.id, options }],
      ['carts.find_with_wish', 'carts.put_line'],
    ],
    ['making a token', () => ['GET', `checkouts/${cartId}?type=cart`], ['checkouts.find_in_cart', 'checkouts.insert']],
    ['reading the token', () => ['GET', `checkouts/tokens/${token.id}`], ['checkouts.find', 'checkouts.find_details']],
  ])('are read without the product, which is known: %s', async (_, request, statements) => {
    const { names, json } = await givenBy(() => shop.call(...request()))
    expect(names).toEqual(statements)
    for (const part of ['told-in-the-meta', 'told-in-the-description', '"Option 1-3"'])
      expect(timesIn(json, part)).toBe(0)
    // Of each line its id, name, quantity and which options.
    expect(json.length).toBeLessThan(LINES * 600)
  })

  it('are read with the product once, when it has changed', async () => {
    const change = { key: shop.keys.sandbox.secret, body: { sku: 'CHANGED' } }
    expect((await app.call('PUT', `/v1/products/${product.id}`, change)).status).toBe(200)
    const { names, json } = await givenBy(() => shop.call('GET', `carts/${cartId}`))
    expect(names).toEqual(['carts.find', 'lines.find_goods'])
    for (const part of ['told-in-the-meta', 'told-in-the-description', '"Option 1-3"'])
      expect(timesIn(json, part)).toBe(1)
  })

  it('show all of it in every line, under both names, and what was chosen of each', () => {
    const variants = product.variant_groups.map(({ id, name, options: all }) => ({
      id,
      name,
      options: all.map(({ id: optionId, name: optionName, price }) => ({ id: optionId, name: optionName, price })),
    }))
    expect(token.products).toHaveLength(LINES)
    expect(token.line_items).toEqual(token.products)
    for (const [n, line] of token.products.entries()) {
      expect(line.variants).toEqual(variants)
      expect([line.description, line.product_meta]).toEqual(['told-in-the-description', { told: 'told-in-the-meta' }])
      const chosen = choice(product, n)
      expect(line.selected_options.map(({ option_id }) => option_id)).toEqual(chosen.map(({ option }) => option.id))
      expect(line.line_total.raw).toBe(chosen.reduce((sum, { option }) => sum + option.price.raw, product.price.raw))
    }
    expect(token.live.line_items.map(({ id }) => id)).toEqual(token.products.map(({ id }) => id))
  })
})

describe('how much the lines of a cart show of their products', () => {
  const shownBy = async (cartId: string) =>
    (await app.db.one(readShown, { merchant_id: shop.id, cart_id: cartId })).shown_bytes

  it('is counted when a line is made: texts, data, and all that can be chosen', async () => {
    const product = await shop.product({
      description: 'é'.repeat(500),
      meta: { a: 1 },
      variant_groups: [{ name: 'Colour', options: [{ name: 'Red' }, { name: 'Blue' }] }],
    })
    const cart = await shop.cart([{ id: product.id }])
    expect(await shownBy(cart.id)).toBe(1_000 + '{"a":1}'.length + 200 + 'Red'.length + 200 + 'Blue'.length)
    const [{ id: colour = '', options: [red] = [] } = {}] = product.variant_groups
    const options = { [colour]: red?.id }
    const variant = await shop.variant(product.id, { options, description: 'v'.repeat(50) })
    const other = await shop.cart([{ id: product.id, variant_id: variant.id }])
    expect((await shownBy(other.id)) - (await shownBy(cart.id))).toBe(50)
  })

  it('has an end: a further line is refused with what to do, and the cart is as before', async () => {
    const description = 'd'.repeat(1_000)
    const [one, other] = [await shop.product({ description }), await shop.product({ description })]
    const cart = await shop.cart([{ id: one.id }])
    await app.db.run(setShown, { merchant_id: shop.id, cart_id: cart.id, shown_bytes: MAX_SHOWN_BYTES - 999 })
    const rule =
      'would make the cart too large: its lines can show at most 8 MB of product descriptions, options and data. Buy the rest in another cart.'
    const refused = shop.call('POST', `carts/${cart.id}`, { id: other.id })
    expect(await replyOf(refused)).toEqual(notValidField('id', rule))
    expect(await shop.succeed(200, 'GET', `carts/${cart.id}`)).toEqual(cart)
    // One more of what it shows already shows nothing more.
    const grown = await shop.succeed<Cart>(200, 'POST', `carts/${cart.id}`, { id: one.id })
    expect(grown.line_items.map(({ quantity }) => quantity)).toEqual([2])
    await app.db.run(setShown, { merchant_id: shop.id, cart_id: cart.id, shown_bytes: MAX_SHOWN_BYTES - 1_000 })
    expect((await shop.succeed<Cart>(200, 'POST', `carts/${cart.id}`, { id: other.id })).line_items).toHaveLength(2)
  })

  it.runIf(isProof)('has an end in a token, too, when the catalogue has grown; its totals are still told', async () => {
    const { product, cartId } = await manyLines()
    const token = await shop.ofCart(cartId)
    const grown = { description: 'd'.repeat(60_000) }
    await shop.succeed(200, 'PUT', `products/${product.id}`, grown, shop.keys.sandbox.secret)
    const sentence =
      'The descriptions and options of these line items exceed 16 MB. Remove some items from the cart and buy them in another order.'
    for (const path of [`checkouts/${cartId}?type=cart`, `checkouts/tokens/${token.id}`])
      expect(bodyOf(422, await shop.call('GET', path))).toEqual(notValid({ line_items: [sentence] }))
    const { line_items: lines } = await shop.succeed<CheckoutToken['live']>(200, 'GET', `checkouts/${token.id}/live`)
    expect(lines).toHaveLength(LINES)
  })
})
