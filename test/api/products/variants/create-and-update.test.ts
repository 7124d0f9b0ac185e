// POST /v1/products/{id}/variants, PUT and DELETE …/variants/{variant_id}.

import { describe, expect, it } from 'vitest'
import type { Variant } from '../../../../src/api/products/variants/schema.ts'
import { sharedApp } from '../../../support/app.ts'
import { atOnce, notValid, notValidField, price, refusedFields, replyOf } from '../../../support/shop.ts'
import { addAsset, countsOf, openShop } from '../support.ts'
import {
  addVariant,
  choose,
  clothing,
  expectProductUpdate,
  groupOf,
  groupsOf,
  ownStock,
  reasonsOf,
  shownVariant,
  stockOf,
  UNKNOWN_GROUP,
  variantsOf,
} from './support.ts'

const app = await sharedApp()
const shop = await openShop(app)

describe('POST /v1/products/{id}/variants', () => {
  it('creates a variant with everything of its own', async () => {
    const product = await clothing(shop)
    const [first, second] = [await addAsset(app, shop), await addAsset(app, shop, { isImage: false })]
    const options = choose(product, 'Blue', 'S')
    const own = { sku: 'BLUE-S', description: 'Blue and small', meta: { z: 1, a: { b: null } } }
    const made = await addVariant(app, shop, product.id, {
      ...own,
      options,
      inventory: 4,
      price: '12.50',
      assets: [first.id, { id: second.id, sort_order: 0 }],
      id: 'vrnt_mine',
      is_valid: false,
    })
    expect(made).toEqual(
      shownVariant(app, options, {
        ...own,
        ...ownStock(4),
        price: price(12.5, '12.50'),
        assets: [second, first],
      }),
    )
    expect(await stockOf(app, shop, made.id)).toEqual([4, 4])
  })

  it('takes as many groups as a product can have', async () => {
    const names = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`G${index}`, [`O${index}`]]))
    const product = await clothing(shop, {}, names)
    const options = choose(product, ...Object.values(names).flat())
    await addVariant(app, shop, product.id, { options })
    expect((await shop.call('POST', `/${product.id}/variants`, { options })).status).toBe(422)
  })

  it('refuses a combination that exists, however it is ordered, and allows it in another product', async () => {
    const [product, other] = [await clothing(shop), await clothing(shop)]
    await addVariant(app, shop, product.id, { options: choose(product, 'Red', 'L') })
    expect(await shop.ask('POST', `/${product.id}/variants`, { options: choose(product, 'L', 'Red') })).toEqual(
      notValidField('options', 'must be a combination that no other variant of the product has.'),
    )
    await addVariant(app, shop, product.id, { options: choose(product, 'Red', 'S') })
    await addVariant(app, shop, other.id, { options: choose(other, 'Red', 'L') })
  })

  it('refuses what is not one option of each group', async () => {
    const [product, other] = [await clothing(shop), await clothing(shop)]
    const [colour, size, foreign] = [groupOf(product, 'Colour'), groupOf(product, 'Size'), groupOf(other, 'Size')]
    const red = choose(product, 'Red')
    const rules = (...broken: [string, string][]) =>
      notValid(Object.fromEntries(broken.map(([id, rule]) => [`options.${id}`, [`options.${id} ${rule}`]])))
    const elsewhere = 'must be the id of an option of that group.'
    const unknown = [foreign.id, UNKNOWN_GROUP, 'toString']
    const cases: [Record<string, string>, unknown][] = [
      [red, rules([size.id, 'is required: a variant has one option of each variant group.'])],
      [{ ...red, [size.id]: foreign.options[0]?.id ?? '' }, rules([size.id, elsewhere])],
      [{ ...red, [size.id]: red[colour.id] ?? '' }, rules([size.id, elsewhere])],
      [
        { ...choose(product, 'Red', 'S'), ...choose(other, 'S'), [UNKNOWN_GROUP]: 'x', toString: 'x' },
        rules(...unknown.map((id): [string, string] => [id, 'does not name a variant group of this product.'])),
      ],
    ]
    const before = await countsOf(app, shop)
    for (const [options, refusal] of cases)
      expect(await shop.ask('POST', `/${product.id}/variants`, { options })).toEqual([422, refusal])
    expect([await variantsOf(shop, product.id), await countsOf(app, shop)]).toEqual([[], before])
  })

  it('refuses a variant of a product without groups', async () => {
    const { id } = await shop.create()
    expect(await shop.ask('POST', `/${id}/variants`, { options: {} })).toEqual(
      notValidField('options', 'cannot be chosen: the product has no variant groups. Create one first.'),
    )
  })

  it('creates a combination once when asked fifty times at once', async () => {
    const product = await clothing(shop)
    const body = { options: choose(product, 'Red', 'L'), inventory: 1 }
    const answers = await atOnce(50, () => shop.call('POST', `/${product.id}/variants`, body))
    const statuses = answers.map(({ status }) => status).sort()
    expect(statuses).toEqual([201, ...Array.from({ length: 49 }, () => 422)])
    expect(await variantsOf(shop, product.id)).toEqual([answers.find(({ status }) => status === 201)?.body])
  })
})

it('a change of variants is told as one of the product, also of its being sold out', async () => {
  const own = await openShop(app)
  const product = await clothing(own, { quantity: 1 })
  const variants = `/${product.id}/variants`
  const told = (...change: Parameters<typeof own.call>) =>
    expectProductUpdate(app, own, product.id, () => own.call(...change))
  await told('POST', variants, { options: choose(product, 'Red', 'L'), inventory: 0 })
  expect((await own.get(product.id)).is.sold_out).toBe(true)
  const [variant] = await variantsOf(own, product.id)
  await told('PUT', `${variants}/${variant?.id}`, { sku: 'X' })
  await told('DELETE', `${variants}/${variant?.id}`)
  expect((await own.get(product.id)).is.sold_out).toBe(false)
  await told('POST', `${variants}/generate`)
})

describe('a variant while groups change', () => {
  it('is never valid with options that are gone: creating waits for the change', async () => {
    for (let round = 0; round < 5; round++) {
      const product = await clothing(shop)
      const [red] = groupOf(product, 'Colour').options
      const path = `/${product.id}/variant_groups/${groupOf(product, 'Colour').id}/options/${red?.id}`
      const [created, deleted] = await Promise.all([
        shop.call('POST', `/${product.id}/variants`, { options: choose(product, 'Red', 'L') }),
        shop.call('DELETE', path),
      ])
      expect(deleted.status).toBe(204)
      const left = (await variantsOf(shop, product.id)).map(({ invalid_reason_code }) => invalid_reason_code)
      expect([created.status, left]).toEqual(created.status === 201 ? [201, ['option_deleted']] : [422, []])
    }
  })
})

const a = await addAsset(app, shop)

async function full() {
  const product = await clothing(shop)
  const variant = await addVariant(app, shop, product.id, {
    options: choose(product, 'Red', 'L'),
    sku: 'RED-L',
    description: 'Red',
    inventory: 5,
    price: 20,
    assets: [a.id],
    meta: { a: 1, b: 2 },
  })
  app.clock.advance(3)
  const put = (body: unknown, key?: string) => shop.call('PUT', `/${product.id}/variants/${variant.id}`, body, key)
  return { product, variant, put }
}

describe('PUT /v1/products/{id}/variants/{variant_id}', () => {
  it('keeps the option of groups that are left out', async () => {
    const { product, put } = await full()
    const answer = await put({ options: choose(product, 'Blue') })
    expect((answer.body as Variant).options).toEqual(choose(product, 'Blue', 'L'))
  })

  it('refuses the combination of another variant, and changes nothing', async () => {
    const { product, variant, put } = await full()
    const other = await addVariant(app, shop, product.id, { options: choose(product, 'Blue', 'L') })
    expect(await replyOf(put({ options: choose(product, 'Blue'), sku: 'X', inventory: 0 }))).toEqual(
      notValidField('options', 'must be a combination that no other variant of the product has.'),
    )
    expect(await variantsOf(shop, product.id)).toEqual([variant, other])
  })
})

describe('a variant that is no longer valid', () => {
  it('can still be changed, and is mended by naming what is missing', async () => {
    const { product, put } = await full()
    await shop.update(product.id, {
      variant_groups: [...groupsOf({ Colour: ['Red', 'Blue'] }), ...groupsOf({ Fit: ['Slim'] })],
    })
    const now = await shop.get(product.id)
    const [fit, size] = [groupOf(now, 'Fit'), groupOf(product, 'Size')]
    const renamed = await put({ sku: 'STILL' })
    expect([renamed.status, (renamed.body as Variant).options]).toEqual([200, choose(product, 'Red', 'L')])
    expect(await reasonsOf(shop, product.id)).toEqual(['option_deleted'])
    expect(await replyOf(put({ options: choose(now, 'Red') }))).toEqual(
      notValidField(`options.${fit.id}`, 'is required: a variant has one option of each variant group.'),
    )
    const fields = [`options.${size.id}`, `options.${fit.id}`]
    expect(await refusedFields(put({ options: choose(product, 'L') }))).toEqual([422, fields])
    const mended = await put({ options: choose(now, 'Slim') })
    expect([mended.status, (mended.body as Variant).options]).toEqual([200, choose(now, 'Red', 'Slim')])
    expect(await reasonsOf(shop, product.id)).toEqual([null])
  })
})

describe('DELETE /v1/products/{id}/variants/{variant_id}', () => {
  it('deletes the variant with its stock, and no other', async () => {
    const { product, variant } = await full()
    const other = await addVariant(app, shop, product.id, { options: choose(product, 'Red', 'S'), inventory: 1 })
    await shop.succeed(204, 'DELETE', `/${product.id}/variants/${variant.id}`)
    expect(await variantsOf(shop, product.id)).toEqual([other])
    expect([await stockOf(app, shop, variant.id), await stockOf(app, shop, other.id)]).toEqual([[], [1, 1]])
    // Its combination is free again.
    await addVariant(app, shop, product.id, { options: variant.options })
  })
})
