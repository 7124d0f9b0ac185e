// GET /v1/products/{id}/variants and …/variants/{variant_id}, and POST …/variants/generate.

import { describe, expect, it } from 'vitest'
import type { Variant } from '../../../../src/api/products/variants/schema.ts'
import { sharedApp } from '../../../support/app.ts'
import { atOnce, notValidField } from '../../../support/shop.ts'
import { statementsOf } from '../../statements.ts'
import { addAsset, countsOf, eventsOf, NOT_FOUND, openShop } from '../support.ts'
import { addVariant, choose, clothing, NO_VARIANT, publicly, shownVariant, variantsOf } from './support.ts'

const app = await sharedApp()
const shop = await openShop(app)

const generate = (productId: string) => shop.call('POST', `/${productId}/variants/generate`)
const made = (body: unknown) => (body as { data: Variant[] }).data

describe('POST /v1/products/{id}/variants/generate', () => {
  it('creates every combination, in the order of the groups and options', async () => {
    const product = await clothing(shop)
    const answer = await generate(product.id)
    const combinations = ['Red S', 'Red L', 'Blue S', 'Blue L'].map((names) => choose(product, ...names.split(' ')))
    const data = combinations.map((options) => shownVariant(app, options))
    expect([answer.status, answer.body]).toEqual([201, { data }])
    expect(await variantsOf(shop, product.id)).toEqual(made(answer.body))
  })

  it('creates only what is missing, leaves what exists alone, and tells nothing when nothing is missing', async () => {
    const product = await clothing(shop)
    const red = await addVariant(app, shop, product.id, { options: choose(product, 'L', 'Red'), sku: 'KEEP', price: 3 })
    app.clock.advance(1)
    const answer = await generate(product.id)
    expect(made(answer.body).map(({ options }) => options)).toEqual([
      choose(product, 'Red', 'S'),
      choose(product, 'Blue', 'S'),
      choose(product, 'Blue', 'L'),
    ])
    expect(await variantsOf(shop, product.id)).toEqual([red, ...made(answer.body)])
    app.clock.advance(5)
    const [before, told] = [await shop.get(product.id), (await eventsOf(app, shop)).length]
    expect((await generate(product.id)).body).toEqual({ data: [] })
    expect([await shop.get(product.id), (await eventsOf(app, shop)).length]).toEqual([before, told])
  })

  it.each([
    ['without groups', {}],
    ['with a group that has no options', { Colour: ['Red'], Size: [] }],
  ])('creates nothing for a product %s', async (_what, names) => {
    const product = await clothing(shop, {}, names as Record<string, string[]>)
    expect((await generate(product.id)).body).toEqual({ data: [] })
  })

  it('creates what a new option makes possible, beside variants that are no longer valid', async () => {
    const product = await clothing(shop, {}, { Colour: ['Red', 'Blue'] })
    const [red, blue] = made((await generate(product.id)).body)
    const groups = product.variant_groups
    const changed = await shop.update(product.id, {
      variant_groups: [{ id: groups[0]?.id, name: 'Colour', options: [{ name: 'Red' }, { name: 'Green' }] }],
    })
    app.clock.advance(1)
    const green = made((await generate(product.id)).body)
    expect(green.map(({ options }) => options)).toEqual([choose(changed, 'Green')])
    expect(await variantsOf(shop, product.id)).toEqual([
      red,
      { ...blue, is_valid: false, invalid_reason_code: 'option_deleted' },
      ...green,
    ])
  })

  it('refuses more than a thousand', async () => {
    const numbered = (prefix: string, count: number) => Array.from({ length: count }, (_, index) => `${prefix}${index}`)
    const more = await clothing(shop, {}, { A: numbered('a', 7), B: numbered('b', 11), C: numbered('c', 13) })
    const before = await countsOf(app, shop)
    expect(await shop.ask('POST', `/${more.id}/variants/generate`)).toEqual(
      notValidField(
        'variant_groups',
        'must have at most 1000 combinations of options to generate all variants. Create the variants that you sell one by one.',
      ),
    )
    expect([await variantsOf(shop, more.id), await countsOf(app, shop)]).toEqual([[], before])
  })

  it('creates each combination once when asked ten times at once', async () => {
    const product = await clothing(shop)
    const answers = await atOnce(10, () => generate(product.id))
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 201))
    expect(answers.flatMap(({ body }) => made(body))).toHaveLength(4)
    expect(await variantsOf(shop, product.id)).toHaveLength(4)
  })
})

describe('GET /v1/products/{id}/variants', () => {
  it('lists the variants of one product, oldest first, and gives one, to every key', async () => {
    const [product, other] = [await clothing(shop), await clothing(shop)]
    const first = await addVariant(app, shop, product.id, { options: choose(product, 'Red', 'L'), inventory: 2 })
    await addVariant(app, shop, other.id, { options: choose(other, 'Red', 'L') })
    const second = await addVariant(app, shop, product.id, { options: choose(product, 'Blue', 'S'), sku: 'B' })
    const pagination = { total: 2, count: 2, per_page: 100, current_page: 1, total_pages: 1, links: {} }
    for (const key of [shop.keys.live.secret, shop.keys.sandbox.public]) {
      const data = [first, second].map((variant) => (key.startsWith('sk_') ? variant : publicly(variant)))
      const ask = (path: string) => shop.ask('GET', `/${product.id}/variants${path}`, undefined, key)
      expect(await ask('')).toEqual([200, { data, meta: { pagination } }])
      expect(await ask(`/${first.id}`)).toEqual([200, data[0]])
    }
  })

  it('reads a page of a hundred variants with their assets in one statement', async () => {
    const assets = [(await addAsset(app, shop)).id]
    const sizes = Array.from({ length: 50 }, (_, index) => `Size ${index}`)
    const product = await clothing(shop, {}, { Colour: ['Red', 'Blue'], Size: sizes })
    await shop.call('POST', `/${product.id}/variants/generate`)
    const [{ id } = { id: '' }] = await variantsOf(shop, product.id)
    await shop.call('PUT', `/${product.id}/variants/${id}`, { assets })
    let listed: unknown[] = []
    const sent = await statementsOf(async () => {
      listed = made((await shop.call('GET', `/${product.id}/variants`)).body)
    })
    expect([listed.length, sent]).toEqual([100, ['products.list_variants']])
  })
})

describe('variants of an inactive product', () => {
  it('are there for secret keys alone', async () => {
    const product = await clothing(shop, { active: false })
    const made = await addVariant(app, shop, product.id, { options: choose(product, 'Red', 'L') })
    const ask = (path: string, key: string) => shop.ask('GET', `/${product.id}/${path}`, undefined, key)
    expect(await ask('variants', shop.keys.sandbox.public)).toEqual([404, NOT_FOUND])
    expect(await ask(`variants/${made.id}`, shop.keys.live.public)).toEqual([404, NO_VARIANT])
    expect(await ask(`variants/${made.id}`, shop.keys.live.secret)).toEqual([200, made])
    expect(await variantsOf(shop, product.id)).toEqual([made])
  })
})
