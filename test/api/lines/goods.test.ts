// What lines show of their products is kept in memory. Whatever one server changes of a product, or of what products share, the next reply of
// another server shows it, in carts, tokens and live totals. test/lib/recent-map.test.ts has the bounds of what is kept.

import { afterAll, describe, expect, it } from 'vitest'
import type { Cart } from '../../../src/api/carts/schema.ts'
import type { CheckoutToken, Live } from '../../../src/api/checkouts/schema.ts'
import type { Product } from '../../../src/api/products/schema.ts'
import { testApp } from '../../support/app.ts'
import { cloneDatabase } from '../../support/database.ts'
import { openCheckoutShop } from '../checkouts/support.ts'
import { addAsset, type openShop } from '../products/support.ts'

const connection = await cloneDatabase()
const [writer, reader] = [await testApp({ connection }), await testApp({ connection })]
afterAll(() => Promise.all([writer.close(), reader.close()]))
const shop = await openCheckoutShop(writer)
const secret = shop.keys.sandbox.secret
const key = shop.keys.sandbox.public

const change = async (method: 'POST' | 'PUT' | 'DELETE', path: string, body?: unknown) => {
  writer.clock.advance(1)
  const answer = await writer.call(method, `/v1/${path}`, { key: secret, body })
  expect(answer.status, answer.text).toBeLessThan(300)
  return answer.body as { id: string }
}
const read = async <T>(path: string) => {
  const answer = await reader.call('GET', `/v1/${path}`, { key })
  expect(answer.status, answer.text).toBe(200)
  return answer.body as T
}

const listed = async <T>(path: string) =>
  ((await writer.call('GET', `/v1/${path}`, { key: secret })).body as { data: T[] }).data

const pictureOf = { ...shop, keys: shop.keys } as unknown as Awaited<ReturnType<typeof openShop>>
const [picture, otherPicture] = [await addAsset(writer, pictureOf), await addAsset(writer, pictureOf)]
const shirt: Product = await shop.product({
  name: 'Shirt',
  price: 20,
  inventory: { managed: true, available: 10 },
  assets: [picture.id, otherPicture.id],
  variant_groups: [
    { name: 'Colour', options: [{ name: 'Red', price: 1 }, { name: 'Blue' }] },
    { name: 'Size', options: [{ name: 'S' }, { name: 'L' }] },
  ],
})
const options = Object.fromEntries(shirt.variant_groups.map(({ id, options: [first] }) => [id, first?.id ?? '']))
const { id: variantId } = await shop.variant(shirt.id, { options, sku: 'RED-S' })
const { id: cartId } = await shop.cart([{ id: shirt.id, options, quantity: 2 }])
const { id: tokenId } = await shop.ofCart(cartId)
const zone = { name: 'Home', countries: ['US'], methods: [{ description: 'Post', price: 4 }] }

type Shown = { cart: Cart; token: CheckoutToken; live: Live }
type Line = Cart['line_items'][number]
const shown = async (): Promise<Shown> => ({
  cart: await read(`carts/${cartId}`),
  token: await read(`checkouts/tokens/${tokenId}`),
  live: await read(`checkouts/${tokenId}/live`),
})
/** The same of the line in all three. */
const inAll =
  (of: (line: Line) => unknown) =>
  ({ cart, token, live }: Shown): unknown => {
    const [first, ...others] = [cart, token, live].map(({ line_items }) => of((line_items as Line[])[0] as Line))
    for (const other of others) expect(other).toEqual(first)
    return first
  }
const prices = ({ live }: Shown) => live.shipping.available_options.map(({ price }) => price.raw)
const of = {
  name: inAll(({ name }) => name),
  meta: inAll((line) => line.product_meta),
  total: inAll((line) => line.line_total.raw),
  optionName: inAll((line) => line.selected_options[0]?.option_name),
  groupName: inAll((line) => line.selected_options[1]?.group_name),
  options: inAll((line) => line.selected_options.length),
  variant: inAll((line) => line.variant),
  variantPrice: inAll((line) => [line.price.raw, line.variant?.price?.raw]),
  variantStock: inAll((line) => [line.is_valid, line.variant?.inventory]),
  image: inAll((line) => line.image && [line.image.id, line.image.description]),
  isValid: inAll((line) => line.is_valid),
  permalink: inAll((line) => [line.permalink, line.line_total.raw]),
  description: ({ token }: Shown) => token.line_items[0]?.description,
  offers: (all: Shown) => [all.token.has.physical_delivery, prices(all)],
}

describe('a change by one server is in the next reply of another', () => {
  const at = `products/${shirt.id}`
  const [colour, size] = shirt.variant_groups.map(({ id }) => `${at}/variant_groups/${id}`)
  const red = `${colour}/options/${shirt.variant_groups[0]?.options[0]?.id}`
  const variant = `${at}/variants/${variantId}`
  /** The first zone that there is. */
  const zonePath = async () => `shipping_zones/${(await listed<{ id: string }>('shipping_zones'))[0]?.id}`

  type Case = [string, 'POST' | 'PUT' | 'DELETE', string | (() => Promise<string>), unknown, keyof typeof of, unknown]
  const [front, back] = [picture.id, otherPicture.id]
  it.each<Case>([
    ['the name', 'PUT', at, { name: 'Jersey' }, 'name', 'Jersey'],
    ['the price', 'PUT', at, { price: 30 }, 'total', 62],
    ['the meta', 'PUT', at, { meta: { a: 1 } }, 'meta', { a: 1 }],
    ['what an option adds', 'PUT', red, { price: 5 }, 'total', 70],
    ["an option's name", 'PUT', red, { name: 'Ruby' }, 'optionName', 'Ruby'],
    ["a group's name", 'PUT', `${size}`, { name: 'Fit' }, 'groupName', 'Fit'],
    ["the variant's price", 'PUT', variant, { price: 50 }, 'variantPrice', [50, 50]],
    ["the variant's stock", 'PUT', variant, { inventory: 1 }, 'variantStock', [false, 1]],
    ["a picture's description", 'PUT', `assets/${front}`, { description: 'Front' }, 'image', [front, 'Front']],
    ['the picture', 'PUT', at, { assets: [back] }, 'image', [back, null]],
    ['a picture that is deleted', 'DELETE', `assets/${back}`, undefined, 'image', null],
    ['the first shipping zone', 'POST', 'shipping_zones', zone, 'offers', [true, [4]]],
    ["a zone's methods", 'PUT', zonePath, { methods: [{ description: 'Post', price: 6 }] }, 'offers', [true, [6]]],
    ['the last zone', 'DELETE', zonePath, undefined, 'offers', [false, []]],
    ['the description, which tokens show', 'PUT', at, { description: 'Of wool' }, 'description', 'Of wool'],
    ['a group more', 'POST', `${at}/variant_groups`, { name: 'Print', options: [{ name: 'None' }] }, 'variant', null],
    ['an option that is deleted', 'DELETE', red, undefined, 'options', 1],
    ['what is sold no more', 'PUT', at, { active: false }, 'isValid', false],
    ['the product that is deleted', 'DELETE', at, undefined, 'permalink', [null, 0]],
  ])('of %s, in carts, tokens and live totals', async (what, method, path, body, view, expected) => {
    const before = of[view](await shown())
    await change(method, typeof path === 'string' ? path : await path(), body)
    const after = of[view](await shown())
    expect(after).toEqual(expected)
    // It would prove nothing otherwise. (A product that is not for sale had a line that was not valid before.)
    if (what !== 'what is sold no more') expect(after).not.toEqual(before)
  })
})
