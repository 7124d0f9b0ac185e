// What lines show of their products is kept in memory. Whatever one server changes of a product, or of what products share, the next reply of
// another server shows it, in carts, tokens and live totals; and what is kept stays within its bounds.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Cart } from '../../../src/api/carts/schema.ts'
import type { CheckoutToken, Live } from '../../../src/api/checkouts/schema.ts'
import { keptBytes, MOST_BYTES } from '../../../src/api/lines/goods.ts'
import type { Product } from '../../../src/api/products/schema.ts'
import { testApp } from '../../support/app.ts'
import { administer, cloneDatabase, patient } from '../../support/database.ts'
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
  const answer = await writer.call(method, `/v1/${path}`, { key: secret, ...(body === undefined ? {} : { body }) })
  expect(answer.status, answer.text).toBeLessThan(300)
  return answer.body as { id: string }
}
const read = async <T>(path: string) => {
  const answer = await reader.call('GET', `/v1/${path}`, { key })
  expect(answer.status, answer.text).toBe(200)
  return answer.body as T
}

describe('a change by one server is in the next reply of another', () => {
  const pictureOf = { ...shop, keys: shop.keys } as unknown as Awaited<ReturnType<typeof openShop>>
  let shirt: Product
  let [cartId, tokenId, variantId, pictureId, otherPictureId, zoneId] = ['', '', '', '', '', '']
  const group = (name: string) => shirt.variant_groups.find((each) => each.name === name) ?? expect.fail(`no ${name}`)
  const path = () => `products/${shirt.id}`

  beforeAll(async () => {
    pictureId = (await addAsset(writer, pictureOf)).id
    otherPictureId = (await addAsset(writer, pictureOf)).id
    shirt = await shop.product({
      name: 'Shirt',
      price: 20,
      inventory: { managed: true, available: 10 },
      assets: [pictureId, otherPictureId],
      variant_groups: [
        { name: 'Colour', options: [{ name: 'Red', price: 1 }, { name: 'Blue' }] },
        { name: 'Size', options: [{ name: 'S' }, { name: 'L' }] },
      ],
    })
    const options = Object.fromEntries(shirt.variant_groups.map(({ id, options: [first] }) => [id, first?.id ?? '']))
    variantId = (await shop.variant(shirt.id, { options, sku: 'RED-S' })).id
    cartId = (await shop.cart([{ id: shirt.id, options, quantity: 2 }])).id
    tokenId = (await shop.ofCart(cartId)).id
  })

  type Shown = { cart: Cart; token: CheckoutToken; live: Live }
  const shown = async (): Promise<Shown> => ({
    cart: await read(`carts/${cartId}`),
    token: await read(`checkouts/tokens/${tokenId}`),
    live: await read(`checkouts/${tokenId}/live`),
  })
  const lineIn = ({ line_items: [line] }: { line_items: Cart['line_items'] }) => line ?? expect.fail('no line')
  /** The same of the line in all three. */
  const inAll =
    <T>(of: (line: Cart['line_items'][number]) => T) =>
    ({ cart, token, live }: Shown): T => {
      const [first, ...others] = [cart, token, live].map((each) =>
        of(lineIn(each as { line_items: Cart['line_items'] })),
      )
      for (const other of others) expect(other).toEqual(first)
      return first as T
    }

  it.each<[string, () => Promise<unknown>, (shown: Shown) => unknown, () => unknown]>([
    ['the name', () => change('PUT', path(), { name: 'Jersey' }), inAll(({ name }) => name), () => 'Jersey'],
    ['the price', () => change('PUT', path(), { price: 30 }), inAll((line) => line.line_total.raw), () => 62],
    ['the meta', () => change('PUT', path(), { meta: { a: 1 } }), inAll((line) => line.product_meta), () => ({ a: 1 })],
    [
      'what an option adds',
      () =>
        change('PUT', `${path()}/variant_groups/${group('Colour').id}/options/${group('Colour').options[0]?.id}`, {
          price: 5,
        }),
      inAll((line) => line.line_total.raw),
      () => 70,
    ],
    [
      "an option's name",
      () =>
        change('PUT', `${path()}/variant_groups/${group('Colour').id}/options/${group('Colour').options[0]?.id}`, {
          name: 'Ruby',
        }),
      inAll((line) => line.selected_options.map(({ option_name }) => option_name)),
      () => ['Ruby', 'S'],
    ],
    [
      "a group's name",
      () => change('PUT', `${path()}/variant_groups/${group('Size').id}`, { name: 'Fit' }),
      inAll((line) => line.selected_options.map(({ group_name }) => group_name)),
      () => ['Colour', 'Fit'],
    ],
    [
      "the variant's price",
      () => change('PUT', `${path()}/variants/${variantId}`, { price: 50 }),
      inAll((line) => [line.price.raw, line.variant?.price?.raw]),
      () => [50, 50],
    ],
    [
      "the variant's stock",
      () => change('PUT', `${path()}/variants/${variantId}`, { inventory: 1 }),
      inAll((line) => [line.is_valid, line.variant?.inventory]),
      () => [false, 1],
    ],
    [
      "a picture's description",
      () => change('PUT', `assets/${pictureId}`, { description: 'Front' }),
      inAll((line) => [line.image?.id, line.image?.description]),
      () => [pictureId, 'Front'],
    ],
    [
      'the picture',
      () => change('PUT', path(), { assets: [otherPictureId] }),
      inAll((line) => line.image?.id),
      () => otherPictureId,
    ],
    [
      'a picture that is deleted',
      () => change('DELETE', `assets/${otherPictureId}`),
      inAll((line) => line.image),
      () => null,
    ],
    [
      'the first shipping zone',
      async () => {
        const methods = [{ description: 'Post', price: 4 }]
        zoneId = (await change('POST', 'shipping_zones', { name: 'Home', countries: ['US'], methods })).id
      },
      ({ token, live }) => [token.has.physical_delivery, live.shipping.available_options.map(({ price }) => price.raw)],
      () => [true, [4]],
    ],
    [
      "a zone's methods",
      () => change('PUT', `shipping_zones/${zoneId}`, { methods: [{ description: 'Post', price: 6 }] }),
      ({ live }) => live.shipping.available_options.map(({ price }) => price.raw),
      () => [6],
    ],
    [
      'the last zone',
      () => change('DELETE', `shipping_zones/${zoneId}`),
      ({ token, live }) => [token.has.physical_delivery, live.shipping.available_options],
      () => [false, []],
    ],
    [
      'the description, which tokens show',
      () => change('PUT', path(), { description: 'Of wool' }),
      ({ token }) => token.line_items[0]?.description,
      () => 'Of wool',
    ],
    [
      'a group more',
      () => change('POST', `${path()}/variant_groups`, { name: 'Print', options: [{ name: 'None' }] }),
      inAll((line) => [line.variant, line.selected_options.length]),
      () => [null, 2],
    ],
    [
      'an option that is deleted',
      () =>
        change('DELETE', `${path()}/variant_groups/${group('Colour').id}/options/${group('Colour').options[0]?.id}`),
      inAll((line) => [line.is_valid, line.selected_options.length]),
      () => [false, 1],
    ],
    [
      'what is sold no more',
      () => change('PUT', path(), { active: false }),
      inAll((line) => line.is_valid),
      () => false,
    ],
    [
      'the product that is deleted',
      () => change('DELETE', path()),
      inAll((line) => [line.permalink, line.line_total.raw]),
      () => [null, 0],
    ],
  ])('%s', async (_what, work, of, expected) => {
    const before = of(await shown())
    await work()
    const after = of(await shown())
    expect(after).toEqual(expected())
    // It would prove nothing otherwise. (A product that is not for sale had a line that was not valid before.)
    if (_what !== 'what is sold no more') expect(after).not.toEqual(before)
  })
})

it('what is kept stays within its bounds, however much is read', { timeout: patient(60_000) }, async () => {
  const description = 'x'.repeat(60_000)
  const { id } = await shop.product({ name: 'Large', description })
  const ids = await copiesOf(id, Math.ceil((MOST_BYTES * 1.2) / description.length))
  for (let at = 0; at < ids.length; at += 20) {
    const cart = await shop.cart(ids.slice(at, at + 20).map((copy) => ({ id: copy })))
    expect((await read<Cart>(`carts/${cart.id}`)).line_items.length).toBeGreaterThan(0)
    expect(keptBytes()).toBeLessThanOrEqual(MOST_BYTES)
  }
  expect(keptBytes()).toBeGreaterThan(MOST_BYTES / 4)
})

/** Row by row as the API would write them, but for their ids: to make hundreds of large products over the API takes long. */
async function copiesOf(id: string, count: number): Promise<string[]> {
  const { rows: columns } = await administer(
    connection,
    `select quote_ident(column_name) as name from information_schema.columns
     where table_schema = 'public' and table_name = 'products' and is_generated = 'NEVER' and column_name not in ('id', 'permalink')`,
  )
  const others = columns.map(({ name }) => String(name))
  const { rows } = await administer(
    connection,
    `with model as materialized (select * from products where merchant_id = ${shop.id} and id = '${id}')
     insert into products (id, permalink, ${others.join(', ')})
     select left(m.id, -4) || to_char(n, 'FM0000'), m.permalink || '-' || n, ${others.map((name) => `m.${name}`).join(', ')}
     from model m cross join generate_series(1, ${count}) n returning id`,
  )
  return rows.map((row) => row.id as string)
}
