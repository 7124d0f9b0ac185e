// Assets on products, on their options and on variants: how they are added and replaced, what is refused in every place, and who is
// shown which.

import { describe, expect, it } from 'vitest'
import type { Product } from '../../../src/api/products/schema.ts'
import type { Variant } from '../../../src/api/products/variants/schema.ts'
import { sharedApp } from '../../support/app.ts'
import { changeRows } from '../../support/rows.ts'
import { notValid, notValidField, unixNow } from '../../support/shop.ts'
import { addAsset, addCategory, countsOf, eventsOf, openShop, productEvent } from './support.ts'

const app = await sharedApp()
const shop = await openShop(app)
const [a, b, c, d] = [
  await addAsset(app, shop),
  await addAsset(app, shop),
  await addAsset(app, shop),
  await addAsset(app, shop),
]

const idsOf = (body: unknown) => (body as Product).assets.map(({ id }) => id)

describe.each(['POST', 'PUT'] as const)('%s /v1/products/{id}/assets', (method) => {
  it('answers the product with its assets, and tells it as a change', async () => {
    const before = await shop.create()
    app.clock.advance(3)
    const expected = {
      ...before,
      has: { ...before.has, images: true },
      conditionals: { ...before.conditionals, has_images: true },
      updated: unixNow(app),
      image: b,
      assets: [b, a] as Product['assets'],
    }
    const body = { assets: [{ id: b.id }, { id: a.id }] }
    expect(await shop.ask(method, `/${before.id}/assets`, body)).toEqual([200, expected])
    expect(await shop.get(before.id)).toEqual(expected)
    expect((await eventsOf(app, shop)).at(-1)).toEqual(productEvent('update', expected as Product))
  })
})

describe('assets of a product', () => {
  it('are added behind those that are there, or at their place, and moved only with one', async () => {
    const { id } = await shop.create({ assets: [a.id, b.id] })
    const add = async (assets: unknown) => idsOf((await shop.call('POST', `/${id}/assets`, { assets })).body)
    expect(await add([{ id: c.id }])).toEqual([a.id, b.id, c.id])
    expect(await add([{ id: d.id, sort_order: 1 }, a.id])).toEqual([a.id, d.id, b.id, c.id])
    expect(await add([{ id: a.id, sort_order: 99 }])).toEqual([d.id, b.id, c.id, a.id])
    expect(await add([])).toEqual([d.id, b.id, c.id, a.id])
  })

  it('are replaced', async () => {
    const { id } = await shop.create({ assets: [a.id, b.id] })
    const put = async (assets: unknown) => idsOf((await shop.call('PUT', `/${id}/assets`, { assets })).body)
    expect(await put([b.id, c.id, { id: d.id, sort_order: 0 }])).toEqual([d.id, b.id, c.id])
    expect(await put([])).toEqual([])
  })

  it('that are added at once are all there', async () => {
    const { id } = await shop.create()
    await Promise.all([a, b, c, d].map((asset) => shop.call('POST', `/${id}/assets`, { assets: [asset.id] })))
    expect(idsOf(await shop.get(id)).sort()).toEqual([a.id, b.id, c.id, d.id].sort())
  })

  it('that are deleted while they are being attached are refused or detached, and never break the request', async () => {
    const key = shop.keys.sandbox.secret
    const statuses = new Set<string>()
    for (let round = 0; round < 10; round++) {
      const { id } = await shop.create({ assets: [a.id] })
      const asset = await addAsset(app, shop)
      const body = { assets: [asset.id], delivery: { digital: { packages: [{ asset: asset.id }] } } }
      const [put, post, deleted] = await Promise.all([
        shop.call('PUT', `/${id}`, body),
        shop.call('POST', `/${id}/assets`, { assets: [asset.id] }),
        app.call('DELETE', `/v1/assets/${asset.id}`, { key }),
      ])
      for (const { status } of [put, post]) statuses.add(`attach ${status}`)
      statuses.add(`delete ${deleted.status}`)
      // What was attached first is sold by then, and is not deleted.
      const isKept = (await shop.get(id)).assets.some((each) => each.id === asset.id)
      expect([deleted.status, isKept]).toEqual(put.status === 200 && isKept ? [422, true] : [204, false])
    }
    const expected = ['attach 200', 'attach 422', 'delete 204', 'delete 422']
    expect([...statuses].filter((status) => !expected.includes(status))).toEqual([])
  })
})

const pending = await addAsset(app, shop, { isPending: true })
const foreign = await addAsset(app, await openShop(app))
const product = await shop.create({ variant_groups: [{ name: 'Size', options: [{ name: 'S' }, { name: 'L' }] }] })
const groupId = product.variant_groups[0]?.id ?? ''
const [small, large] = product.variant_groups[0]?.options.map(({ id }) => id) ?? []
const variant = await shop.call('POST', `/${product.id}/variants`, { options: { [groupId]: small } })
const variantId = (variant.body as { id: string }).id

const NEW = { name: 'Thing', price: 10 }
const packaged = (...ids: string[]) => ({ delivery: { digital: { packages: ids.map((asset) => ({ asset })) } } })
const grouped = (...assets: string[]) => ({ variant_groups: [{ name: 'Colour', options: [{ name: 'Red', assets }] }] })

const at = `/${product.id}`
const packages = 'delivery.digital.packages.N.asset'
const ofOptions = 'variant_groups.0.options.0.assets.N'
/** Every place that takes assets: the request with these ids, and the path of the list in its refusals. */
const places: [string, 'POST' | 'PUT', string, (...ids: string[]) => object, string][] = [
  ['a new product', 'POST', '', (...assets) => ({ ...NEW, assets }), 'assets.N'],
  ['a product', 'PUT', at, (...assets) => ({ assets }), 'assets.N'],
  ['POST …/assets', 'POST', `${at}/assets`, (...assets) => ({ assets }), 'assets.N'],
  ['PUT …/assets', 'PUT', `${at}/assets`, (...assets) => ({ assets }), 'assets.N'],
  ['the packages of a new product', 'POST', '', (...ids) => ({ ...NEW, ...packaged(...ids) }), packages],
  ['the packages of a product', 'PUT', at, packaged, packages],
  ['the options of a new product', 'POST', '', (...ids) => ({ ...NEW, ...grouped(...ids) }), ofOptions],
  ['the options of a product', 'PUT', at, grouped, ofOptions],
  [
    'the options of a new group',
    'POST',
    `${at}/variant_groups`,
    (...assets) => ({ name: 'Colour', options: [{ name: 'Red', assets }] }),
    'options.0.assets.N',
  ],
  [
    'a new option',
    'POST',
    `${at}/variant_groups/${groupId}/options`,
    (...assets) => ({ name: 'M', assets }),
    'assets.N',
  ],
  ['an option', 'PUT', `${at}/variant_groups/${groupId}/options/${small}`, (...assets) => ({ assets }), 'assets.N'],
  ['a new variant', 'POST', `${at}/variants`, (...assets) => ({ options: { [groupId]: large }, assets }), 'assets.N'],
  ['a variant', 'PUT', `${at}/variants/${variantId}`, (...assets) => ({ assets }), 'assets.N'],
]

describe.each(places)('%s', (_place, method, path, bodyWith, list) => {
  const field = list.replace('N', '1')

  it.each([
    ['is still waiting for its upload', pending.id, 'is not the id of a finished asset.'],
    ["is another merchant's", foreign.id, 'is not the id of a finished asset.'],
    ['is listed twice', a.id, 'is listed twice.'],
  ])('refuses an asset that %s, and changes nothing', async (_why, id, rule) => {
    const before = [await countsOf(app, shop), await shop.get(product.id)]
    expect(await shop.ask(method, path, bodyWith(a.id, id))).toEqual(notValidField(field, rule))
    expect([await countsOf(app, shop), await shop.get(product.id)]).toEqual(before)
  })
})

describe('a product', () => {
  it('refuses categories and related products that stand in the list twice, in either form', async () => {
    const [category, related] = [await addCategory(app, shop, 'twice'), await shop.create()]
    const lists = { categories: [category.id, { id: category.id }], related_products: [{ id: related.id }, related.id] }
    const errors = notValid({
      'categories.1.id': ['categories.1.id is listed twice.'],
      'related_products.1': ['related_products.1 is listed twice.'],
    })
    expect(await shop.ask('POST', '', { ...NEW, ...lists })).toEqual([422, errors])
    expect(await shop.ask('PUT', at, lists)).toEqual([422, errors])
  })

  it('takes one asset in several lists', async () => {
    const body = { assets: [a.id], ...packaged(a.id), ...grouped(a.id) }
    expect((await shop.create(body)).assets.map(({ id }) => id)).toEqual([a.id])
  })
})

const { public: open, secret } = shop.keys.sandbox

/** A product that holds the same three assets everywhere, and a variant of it that holds them too. */
async function createHolder() {
  const shown = await addAsset(app, shop)
  const hidden = await addAsset(app, shop, { isPrivate: true })
  const pending = await addAsset(app, shop)
  const assets = [hidden.id, pending.id, shown.id]
  const product = await shop.create({ assets, variant_groups: [{ name: 'Size', options: [{ name: 'S', assets }] }] })
  const group = product.variant_groups[0]
  const made = await shop.call('POST', `/${product.id}/variants`, {
    options: { [group?.id ?? '']: group?.options[0]?.id },
    assets,
  })
  expect(made.status).toBe(201)
  // No request leads here. Whoever attaches one is refused; this is what reads do should one be attached all the same.
  await changeRows(app.db, 'update assets set is_pending = true', { merchant_id: shop.id, id: pending.id })
  return { product, variant: made.body as Variant, groupId: group?.id ?? '', hidden, shown }
}

const listOf = (assets: readonly (string | { id: string })[] | null | undefined) =>
  assets?.map((asset) => (typeof asset === 'string' ? asset : asset.id))

const holder = await createHolder()
const { hidden, shown } = holder

/** The ids that each read of the product, its options and its variant lists. */
async function listed(key: string) {
  const read = async <T>(path: string) => (await shop.call('GET', path, undefined, key)).body as T
  const one = await read<Product>(`/${holder.product.id}`)
  const [ofList] = (await read<{ data: Product[] }>(`?query=${holder.product.id}`)).data
  const [ofGroups] = (await read<{ data: Product['variant_groups'] }>(`/${holder.product.id}/variant_groups`)).data
  const group = await read<Product['variant_groups'][number]>(`/${holder.product.id}/variant_groups/${holder.groupId}`)
  const [ofVariants] = (await read<{ data: Variant[] }>(`/${holder.product.id}/variants`)).data
  const single = await read<Variant>(`/${holder.product.id}/variants/${holder.variant.id}`)
  const owners = [one, ofList, one.variant_groups[0]?.options[0], ofGroups?.options[0], group.options[0]]
  return [...owners, ofVariants, single].map((owner) => listOf(owner?.assets))
}

describe('the assets that a product, its options and its variants list', () => {
  it('are the public ones for a public key, and the private ones too for a secret key, which can open them', async () => {
    expect(await listed(open)).toEqual(Array.from({ length: 7 }, () => [shown.id]))
    expect(await listed(secret)).toEqual(Array.from({ length: 7 }, () => [hidden.id, shown.id]))
    const [first] = (await shop.get(holder.product.id)).assets
    expect(first).toEqual({ ...hidden, url: expect.stringMatching(/\?expires=\d+&signature=/) })
  })

  it('are no unfinished ones in events either', async () => {
    app.clock.advance(1)
    await shop.update(holder.product.id, { name: 'Renamed' })
    const payload = (await eventsOf(app, shop)).at(-1)?.payload as Product
    expect(payload.assets).toEqual([hidden, shown])
  })

  it('are not changed by a change of something else', async () => {
    await shop.update(holder.product.id, { variant_groups: [{ id: holder.groupId, name: 'Sizes' }] })
    expect((await shop.get(holder.product.id)).variant_groups[0]?.options[0]?.assets).toEqual([hidden.id, shown.id])
  })

  it('are null for an option that has none to be shown', async () => {
    const made = await shop.create({
      variant_groups: [{ name: 'Size', options: [{ name: 'S', assets: [hidden.id] }] }],
    })
    const seen = async (key: string) => (await shop.get(made.id, key)).variant_groups[0]?.options[0]?.assets
    expect([await seen(secret), await seen(open)]).toEqual([[hidden.id], null])
  })
})
