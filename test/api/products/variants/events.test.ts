// What is told of variants beside their product: each that came to be, was changed or is gone, once, whatever made it so.

import { describe, expect, it } from 'vitest'
import type { Product } from '../../../../src/api/products/schema.ts'
import type { Variant } from '../../../../src/api/products/variants/schema.ts'
import { sharedApp } from '../../../support/app.ts'
import { type BareShop, eventsOf, type TestEvent } from '../../../support/shop.ts'
import { CARD, CUSTOMER } from '../../checkouts/capture-support.ts'
import { addAsset, openShop } from '../support.ts'
import { addVariant, choose, clothing, groupOf, groupsOf, variantsOf } from './support.ts'

const app = await sharedApp()
const shop = await openShop(app)

/** What the change told of variants. */
async function toldBy(change: () => Promise<unknown>, { id }: Pick<BareShop, 'id'> = shop): Promise<TestEvent[]> {
  const before = (await eventsOf(app.db, id, 'variant')).length
  app.clock.advance(1)
  await change()
  return (await eventsOf(app.db, id, 'variant')).slice(before)
}

const CODES = { create: 201, update: 200, delete: 204 }

/** The events that tell of these variants as the secret key sees them, in no order. */
const expectTold = (told: readonly TestEvent[], verb: keyof typeof CODES, product: Product, variants: Variant[]) => {
  expect(told.map(({ payload }) => (payload as Variant).id).sort()).toEqual(variants.map(({ id }) => id).sort())
  expect(told).toEqual(
    told.map(({ payload }) => ({
      name: `variants.${verb}`,
      kind: 'variant',
      sandbox: null,
      payload: { ...variants.find(({ id }) => id === (payload as Variant).id), product_id: product.id },
      response_code: CODES[verb],
    })),
  )
}

const generated = async (product: Product) => {
  await shop.succeed(201, 'POST', `/${product.id}/variants/generate`)
  return variantsOf(shop, product.id)
}

describe('a variant', () => {
  it('is told with the addresses of its files without a signature', async () => {
    const { id, url } = await addAsset(app, shop, { isPrivate: true })
    const product = await clothing(shop)
    const body = { options: choose(product, 'Red', 'S'), assets: [{ id }] }
    const [told] = await toldBy(() => shop.succeed(201, 'POST', `/${product.id}/variants`, body))
    const [shown] = (told?.payload as Variant | undefined)?.assets ?? []
    expect(shown?.url).toBe(url)
  })

  it('whose stock a sale takes from is not told of, as its product is not', async () => {
    const product = await shop.create({
      inventory: { managed: true, available: 0 },
      variant_groups: groupsOf({ Colour: ['Red'] }),
    })
    const options = choose(product, 'Red')
    await addVariant(app, shop, product.id, { options, inventory: 3 })
    const before = (await eventsOf(app.db, shop.id, 'product')).length
    const key = shop.keys.sandbox.public
    const told = await toldBy(async () => {
      const cart = (await app.call('GET', '/v1/carts', { key })).body as { id: string }
      await app.call('POST', `/v1/carts/${cart.id}`, { key, body: { id: product.id, options } })
      const token = (await app.call('GET', `/v1/checkouts/${cart.id}?type=cart`, { key })).body as { id: string }
      const body = { customer: CUSTOMER, payment: CARD }
      const { status, text } = await app.call('POST', `/v1/checkouts/${token.id}`, { key, body })
      expect([status, text]).toEqual([200, text])
    })
    expect([told, (await eventsOf(app.db, shop.id, 'product')).length]).toEqual([[], before])
    expect((await variantsOf(shop, product.id)).map(({ inventory }) => inventory)).toEqual([2])
  })
})

describe('many variants', () => {
  it('are told when they are generated, each, and no others', async () => {
    const product = await clothing(shop)
    const kept = await addVariant(app, shop, product.id, { options: choose(product, 'Red', 'S') })
    const told = await toldBy(() => generated(product))
    const made = (await variantsOf(shop, product.id)).filter(({ id }) => id !== kept.id)
    expect(made.length).toBe(3)
    expectTold(told, 'create', product, made)
    expect(await toldBy(() => generated(product))).toEqual([])
  })

  it('are told when a product is made with the stock of its options', async () => {
    const options = [{ name: 'S', inventory: 2 }, { name: 'L' }]
    let product: Product | undefined
    const told = await toldBy(async () => {
      product = await shop.create({ variant_groups: [{ name: 'Size', options }] })
    })
    if (product === undefined) throw new Error('There is no product.')
    const made = await variantsOf(shop, product.id)
    expect(made.map(({ inventory }) => inventory)).toEqual([2, null])
    expectTold(told, 'create', product, made)
  })

  it('are told when their product is deleted', async () => {
    const product = await clothing(shop)
    const made = await generated(product)
    expect(made.length).toBe(4)
    expectTold(await toldBy(() => shop.succeed(204, 'DELETE', `/${product.id}`)), 'delete', product, made)
    const plain = await shop.create()
    expect(await toldBy(() => shop.succeed(204, 'DELETE', `/${plain.id}`))).toEqual([])
  })
})

describe('of a change of groups', () => {
  const setUp = async () => {
    const product = await clothing(shop)
    return { product, variants: await generated(product), colour: groupOf(product, 'Colour') }
  }
  const now = () => Math.floor(app.clock.now().getTime() / 1_000)
  const idsOf = (variants: readonly Variant[]) => variants.map(({ id }) => id).sort()

  it('those that it makes invalid are told, and are younger by it, the others are not', async () => {
    const { product, variants, colour } = await setUp()
    const red = choose(product, 'Red')[colour.id]
    const told = await toldBy(() =>
      shop.succeed(204, 'DELETE', `/${product.id}/variant_groups/${colour.id}/options/${red}`),
    )
    const after = await variantsOf(shop, product.id)
    const invalid = after.filter(({ invalid_reason_code }) => invalid_reason_code === 'option_deleted')
    expect(invalid.map(({ updated }) => updated)).toEqual([now(), now()])
    expectTold(told, 'update', product, invalid)
    const others = (all: readonly Variant[]) => all.filter(({ id }) => !idsOf(invalid).includes(id))
    expect(others(after)).toEqual(others(variants))
  })

  it('those that a new group leaves without an option are told, and those that its end makes valid again', async () => {
    const { product } = await setUp()
    const path = `/${product.id}/variant_groups`
    let added = ''
    const lacking = await toldBy(async () => {
      added = (await shop.succeed<{ id: string }>(201, 'POST', path, { name: 'Fit', options: [{ name: 'Slim' }] })).id
    })
    const invalid = await variantsOf(shop, product.id)
    expect(invalid.map(({ invalid_reason_code }) => invalid_reason_code)).toEqual(Array(4).fill('missing_options'))
    expectTold(lacking, 'update', product, invalid)
    const mended = await toldBy(() => shop.succeed(204, 'DELETE', `${path}/${added}`))
    expectTold(mended, 'update', product, await variantsOf(shop, product.id))
    expect((await variantsOf(shop, product.id)).every(({ is_valid }) => is_valid)).toBe(true)
  })

  it('those that a changed product leaves invalid are told', async () => {
    const { product } = await setUp()
    const kept = groupsOf({ Size: ['S', 'L'] }).map((group) => ({ ...group, id: groupOf(product, 'Size').id }))
    const told = await toldBy(() => shop.update(product.id, { variant_groups: kept }))
    const after = await variantsOf(shop, product.id)
    expect(after.every(({ is_valid }) => !is_valid)).toBe(true)
    expectTold(told, 'update', product, after)
  })

  it.each<[string, (product: Product, size: string) => Promise<unknown>]>([
    ['another name of a group', (_product, size) => shop.succeed(200, 'PUT', size, { name: 'Height' })],
    ['a further option', (_product, size) => shop.succeed(201, 'POST', `${size}/options`, { name: 'XL' })],
    [
      'the same groups again',
      ({ id }) => shop.update(id, { variant_groups: groupsOf({ Colour: ['Red', 'Blue'], Size: ['S', 'L'] }) }),
    ],
    ['another name of the product', ({ id }) => shop.update(id, { name: 'Shirt' })],
  ])('nothing is told of variants by %s', async (_what, change) => {
    const { product, variants } = await setUp()
    const size = `/${product.id}/variant_groups/${groupOf(product, 'Size').id}`
    expect(await toldBy(() => change(product, size))).toEqual([])
    expect(await variantsOf(shop, product.id)).toEqual(variants)
  })
})
