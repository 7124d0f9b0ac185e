// POST /v1/products/{id}/variants.

import { describe, expect, it } from 'vitest'
import { testApp } from '../../../support/app.ts'
import { FORBIDDEN, malformed, notValid, price } from '../../../support/shop.ts'
import { addAsset, countsOf, NOT_FOUND, openShop, UNKNOWN_ID } from '../support.ts'
import {
  addVariant,
  choose,
  clothing,
  expectProductUpdate,
  groupOf,
  groupsOf,
  ownStock,
  shownVariant,
  stockOf,
  UNKNOWN_GROUP,
  variantsOf,
} from './support.ts'

const app = await testApp({ pool: { size: 8, waitMs: 90_000 } })
const shop = await openShop(app)

describe('POST /v1/products/{id}/variants', () => {
  it('creates a variant from its options alone', async () => {
    const product = await clothing(shop)
    const options = choose(product, 'Red', 'L')
    const answer = await shop.call('POST', `/${product.id}/variants`, { options })
    expect([answer.status, answer.body]).toEqual([201, shownVariant(app, options)])
    expect(await variantsOf(shop, product.id)).toEqual([answer.body])
  })

  it('creates a variant with everything of its own', async () => {
    const product = await clothing(shop)
    const [first, second] = [await addAsset(app, shop), await addAsset(app, shop, { isImage: false })]
    const options = choose(product, 'Blue', 'S')
    const made = await addVariant(app, shop, product.id, {
      options,
      sku: 'BLUE-S',
      description: 'Blue and small',
      inventory: 4,
      price: '12.50',
      assets: [first.id, { id: second.id, sort_order: 0 }],
      meta: { z: 1, a: { b: null } },
      id: 'vrnt_mine',
      is_valid: false,
    })
    expect(made).toEqual(
      shownVariant(app, options, {
        sku: 'BLUE-S',
        description: 'Blue and small',
        ...ownStock(4),
        price: price(12.5, '12.50'),
        assets: [second, first],
        meta: { z: 1, a: { b: null } },
      }),
    )
    expect(await stockOf(app, shop, made.id)).toEqual([4, 4])
  })

  it('tells it as a change of the product', async () => {
    const own = await openShop(app)
    const product = await clothing(own)
    await expectProductUpdate(app, own, product.id, () =>
      own.call('POST', `/${product.id}/variants`, { options: choose(product, 'Red', 'L') }),
    )
  })

  it('takes as many groups as a product can have', async () => {
    const names = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`G${index}`, [`O${index}`]]))
    const product = await clothing(shop, {}, names)
    const options = choose(product, ...Object.values(names).flat())
    const answers = [
      await shop.call('POST', `/${product.id}/variants`, { options }),
      await shop.call('POST', `/${product.id}/variants`, { options }),
    ]
    expect(answers.map(({ status }) => status)).toEqual([201, 422])
  })

  it('refuses a combination that exists, however it is ordered, and allows it in another product', async () => {
    const [product, other] = [await clothing(shop), await clothing(shop)]
    await addVariant(app, shop, product.id, { options: choose(product, 'Red', 'L') })
    const answer = await shop.call('POST', `/${product.id}/variants`, { options: choose(product, 'L', 'Red') })
    expect([answer.status, answer.body]).toEqual([
      422,
      notValid({ options: ['options must be a combination that no other variant of the product has.'] }),
    ])
    await addVariant(app, shop, product.id, { options: choose(product, 'Red', 'S') })
    await addVariant(app, shop, other.id, { options: choose(other, 'Red', 'L') })
  })

  it('refuses what is not one option of each group', async () => {
    const [product, other] = [await clothing(shop), await clothing(shop)]
    const [colour, size, foreign] = [groupOf(product, 'Colour'), groupOf(product, 'Size'), groupOf(other, 'Size')]
    const red = choose(product, 'Red')
    const required = `options.${size.id} is required: a variant has one option of each variant group.`
    const cases: [Record<string, string>, Record<string, string[]>][] = [
      [red, { [`options.${size.id}`]: [required] }],
      [
        { ...red, [size.id]: foreign.options[0]?.id ?? '' },
        { [`options.${size.id}`]: [`options.${size.id} must be the id of an option of that group.`] },
      ],
      [
        { ...red, [size.id]: red[colour.id] ?? '' },
        { [`options.${size.id}`]: [`options.${size.id} must be the id of an option of that group.`] },
      ],
      [
        { ...choose(product, 'Red', 'S'), ...choose(other, 'S'), [UNKNOWN_GROUP]: 'x', toString: 'x' },
        Object.fromEntries(
          [foreign.id, UNKNOWN_GROUP, 'toString'].map((group) => [
            `options.${group}`,
            [`options.${group} does not name a variant group of this product.`],
          ]),
        ),
      ],
    ]
    const before = await countsOf(app, shop)
    for (const [options, errors] of cases) {
      const answer = await shop.call('POST', `/${product.id}/variants`, { options })
      expect([answer.status, answer.body]).toEqual([422, notValid(errors)])
    }
    expect([await variantsOf(shop, product.id), await countsOf(app, shop)]).toEqual([[], before])
  })

  it('refuses a variant of a product without groups', async () => {
    const { id } = await shop.create()
    const answer = await shop.call('POST', `/${id}/variants`, { options: {} })
    expect([answer.status, answer.body]).toEqual([
      422,
      notValid({ options: ['options must name one option of each variant group, and the product has no groups.'] }),
    ])
  })

  it.each([
    ['nothing', {}, { options: ['options is required.'] }],
    ['options as a list', { options: [] }, { options: ['options must be a JSON object.'] }],
    ['options that are no ids', { options: { vgrp: 1 } }, { 'options.vgrp': ['options.vgrp must be a string.'] }],
    [
      'more options than a product has groups',
      { options: Object.fromEntries(Array.from({ length: 51 }, (_, index) => [`g${index}`, 'o'])) },
      { options: ['options must have at most 50 entries.'] },
    ],
    [
      'fields of the wrong type',
      { options: {}, sku: '', description: 1, inventory: 1.5, price: true, assets: 'x', meta: [] },
      {
        sku: ['sku must not be empty.'],
        description: ['description must be a string or null.'],
        inventory: ['inventory must be an integer or null.'],
        price: ['price must be a number, a string or null.'],
        assets: ['assets must be a list.'],
        meta: ['meta must be a JSON object or null.'],
      },
    ],
    ['stock below zero', { options: {}, inventory: -1 }, { inventory: ['inventory must be 0 or more.'] }],
    ['a price below zero', { options: {}, price: -1 }, { price: ['price must not be negative.'] }],
    [
      'more decimals than the currency has',
      { options: {}, price: '1.005' },
      { price: ['price must have at most 2 decimals, as USD has.'] },
    ],
  ])('refuses %s', async (_what, body, errors) => {
    const { id } = await clothing(shop)
    const answer = await shop.call('POST', `/${id}/variants`, body)
    expect([answer.status, answer.body]).toEqual([422, malformed(errors as unknown as Record<string, string[]>)])
  })

  it('refuses unknown assets and those of another merchant', async () => {
    const product = await clothing(shop)
    const foreign = await addAsset(app, await openShop(app))
    const answer = await shop.call('POST', `/${product.id}/variants`, {
      options: choose(product, 'Red', 'L'),
      assets: [{ id: foreign.id }, 'ast_none'],
    })
    expect([answer.status, answer.body]).toEqual([
      422,
      notValid({
        'assets.0.id': ['assets.0.id is not the id of a finished asset.'],
        'assets.1': ['assets.1 is not the id of a finished asset.'],
      }),
    ])
    expect(await variantsOf(shop, product.id)).toEqual([])
  })

  it('knows neither an unknown product nor that of another merchant', async () => {
    const foreign = await clothing(await openShop(app))
    for (const id of [UNKNOWN_ID, foreign.id]) {
      const answer = await shop.call('POST', `/${id}/variants`, { options: choose(foreign, 'Red', 'L') })
      expect([answer.status, answer.body]).toEqual([404, NOT_FOUND])
    }
  })

  it('refuses a public key', async () => {
    const product = await clothing(shop)
    const body = { options: choose(product, 'Red', 'L') }
    const answer = await shop.call('POST', `/${product.id}/variants`, body, shop.keys.sandbox.public)
    expect([answer.status, answer.body]).toEqual([403, FORBIDDEN])
  })

  it('creates a combination once when asked fifty times at once', async () => {
    const product = await clothing(shop)
    const body = { options: choose(product, 'Red', 'L'), inventory: 1 }
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => shop.call('POST', `/${product.id}/variants`, body)),
    )
    const statuses = answers.map(({ status }) => status).sort()
    expect(statuses).toEqual([201, ...Array.from({ length: 49 }, () => 422)])
    expect(await variantsOf(shop, product.id)).toEqual([answers.find(({ status }) => status === 201)?.body])
  })

  it('counts in the minor units of a currency without decimals', async () => {
    const yen = await openShop(app, { currency: 'JPY' })
    const product = await clothing(yen, { price: 500 }, { Size: ['S'] })
    const made = await addVariant(app, yen, product.id, { options: choose(product, 'S'), price: 1200 })
    expect(made.price).toEqual({
      raw: 1200,
      formatted: '1,200',
      formatted_with_symbol: '¥1,200',
      formatted_with_code: '1,200 JPY',
    })
  })
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

  it('is created by its groups as the body of a product gives them', async () => {
    const { id } = await shop.create()
    const product = await shop.update(id, { variant_groups: groupsOf({ Fit: ['Slim'] }) })
    const made = await addVariant(app, shop, id, { options: choose(product, 'Slim') })
    expect(made.is_valid).toBe(true)
  })
})
