// POST /v1/products/{id}/variants/generate.

import { describe, expect, it } from 'vitest'
import type { Variant } from '../../../../src/api/products/variants/schema.ts'
import { testApp } from '../../../support/app.ts'
import { FORBIDDEN, notValid } from '../../../support/shop.ts'
import { countsOf, eventsOf, NOT_FOUND, openShop, UNKNOWN_ID } from '../support.ts'
import { addVariant, choose, clothing, expectProductUpdate, shownVariant, variantsOf } from './support.ts'

const app = await testApp({ pool: { size: 8, waitMs: 90_000 } })
const shop = await openShop(app)

const generate = (productId: string, key?: string) =>
  shop.call('POST', `/${productId}/variants/generate`, undefined, key)
const made = (body: unknown) => (body as { data: Variant[] }).data

describe('POST /v1/products/{id}/variants/generate', () => {
  it('creates every combination, in the order of the groups and options', async () => {
    const product = await clothing(shop)
    const answer = await generate(product.id)
    const combinations = [
      choose(product, 'Red', 'S'),
      choose(product, 'Red', 'L'),
      choose(product, 'Blue', 'S'),
      choose(product, 'Blue', 'L'),
    ]
    expect([answer.status, answer.body]).toEqual([
      201,
      { data: combinations.map((options) => shownVariant(app, options)) },
    ])
    expect(await variantsOf(shop, product.id)).toEqual(made(answer.body))
  })

  it('creates only what is missing, and leaves what exists alone', async () => {
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
  })

  it('does nothing and tells nothing when nothing is missing', async () => {
    const own = await openShop(app)
    const product = await clothing(own)
    const ask = () => own.call('POST', `/${product.id}/variants/generate`)
    await ask()
    app.clock.advance(5)
    const [before, told] = [await own.get(product.id), (await eventsOf(app, own)).length]
    const again = await ask()
    expect([again.status, again.body]).toEqual([201, { data: [] }])
    expect([await own.get(product.id), (await eventsOf(app, own)).length]).toEqual([before, told])
  })

  it.each([
    ['without groups', {}],
    ['with a group that has no options', { Colour: ['Red'], Size: [] }],
  ])('creates nothing for a product %s', async (_what, names) => {
    const product = await clothing(shop, {}, names as Record<string, string[]>)
    const answer = await generate(product.id)
    expect([answer.status, answer.body]).toEqual([201, { data: [] }])
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

  it('tells all of it as one change of the product', async () => {
    const own = await openShop(app)
    const product = await clothing(own)
    await expectProductUpdate(app, own, product.id, () => own.call('POST', `/${product.id}/variants/generate`))
  })

  it('creates a thousand and refuses more, whatever the body', async () => {
    const tens = (prefix: string, count: number) => Array.from({ length: count }, (_, index) => `${prefix}${index}`)
    const product = await clothing(shop, {}, { A: tens('a', 10), B: tens('b', 10), C: tens('c', 10), D: ['d'] })
    const answer = await shop.call('POST', `/${product.id}/variants/generate`, { ignored: true })
    expect([answer.status, made(answer.body).length]).toEqual([201, 1_000])
    expect(new Set(made(answer.body).map(({ options }) => JSON.stringify(options))).size).toBe(1_000)

    const more = await clothing(shop, {}, { A: tens('a', 7), B: tens('b', 11), C: tens('c', 13) })
    const before = await countsOf(app, shop)
    const refused = await generate(more.id)
    expect([refused.status, refused.body]).toEqual([
      422,
      notValid({
        variant_groups: [
          'variant_groups must have at most 1000 combinations of options for all of them to be generated. Create the variants that you sell one by one.',
        ],
      }),
    ])
    expect([await variantsOf(shop, more.id), await countsOf(app, shop)]).toEqual([[], before])
  })

  it('creates each combination once when asked ten times at once', async () => {
    const product = await clothing(shop)
    const answers = await Promise.all(Array.from({ length: 10 }, () => generate(product.id)))
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 201))
    expect(answers.flatMap(({ body }) => made(body))).toHaveLength(4)
    expect(await variantsOf(shop, product.id)).toHaveLength(4)
  })

  it('knows neither an unknown product nor that of another merchant', async () => {
    const foreign = await clothing(await openShop(app))
    for (const id of [UNKNOWN_ID, foreign.id]) {
      const answer = await generate(id)
      expect([answer.status, answer.body]).toEqual([404, NOT_FOUND])
    }
  })

  it('refuses a public key', async () => {
    const { id } = await clothing(shop)
    const answer = await generate(id, shop.keys.sandbox.public)
    expect([answer.status, answer.body]).toEqual([403, FORBIDDEN])
    expect(await variantsOf(shop, id)).toEqual([])
  })
})
