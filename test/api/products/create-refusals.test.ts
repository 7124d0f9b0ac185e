// POST /v1/products: what is refused, by which sentence, and that nothing is left behind.

import { describe, expect, it } from 'vitest'
import { testApp } from '../../support/app.ts'
import { FORBIDDEN, malformed, notValid } from '../../support/shop.ts'
import { addAsset, addCategory, countsOf, openShop } from './support.ts'

const app = await testApp()
const shop = await openShop(app)

/** Sends what must be refused, and checks that neither a product nor an event was written. */
async function refused(body: unknown, by = shop) {
  const before = await countsOf(app, by)
  const answer = await by.call('POST', '', body)
  expect(await countsOf(app, by)).toEqual(before)
  return [answer.status, answer.body]
}

describe('POST /v1/products', () => {
  it('refuses decimals that the currency does not have', async () => {
    const yen = await openShop(app, { currency: 'JPY' })
    expect(await refused({ name: 'Thing', price: 1.5 }, yen)).toEqual([
      422,
      malformed({ price: ['price must be a whole number, as JPY has no decimals.'] }),
    ])
  })

  it.each([
    ['without a name', { price: 1 }, { name: ['name is required.'] }],
    ['without a price', { name: 'Thing' }, { price: ['price is required.'] }],
    ['with an empty name', { name: '', price: 1 }, { name: ['name must not be empty.'] }],
    ['with a negative price', { name: 'Thing', price: -1 }, { price: ['price must not be negative.'] }],
    [
      'with a price of too many decimals',
      { name: 'Thing', price: '1.005' },
      { price: ['price must have at most 2 decimals, as USD has.'] },
    ],
    [
      'with a price that is no amount',
      { name: 'Thing', price: 'ten' },
      { price: ['price must be a number or a decimal string such as 12.00, in USD.'] },
    ],
    [
      'with a price past the limit',
      { name: 'Thing', price: 10_000_000_000.01 },
      { price: ['price must be at most 10,000,000,000.00 USD.'] },
    ],
    ['with a price object', { name: 'Thing', price: { raw: 1 } }, { price: ['price must be a number or a string.'] }],
    [
      'with numbers as text',
      { name: 'Thing', price: 1, quantity: '3' },
      { quantity: ['quantity must be an integer or null.'] },
    ],
    [
      'with less than no stock',
      { name: 'Thing', price: 1, inventory: { available: -1 } },
      { 'inventory.available': ['inventory.available must be 0 or more.'] },
    ],
    [
      'with a permalink that is not safe in an address',
      { name: 'Thing', price: 1, permalink: 'a/b' },
      {
        permalink: [
          'permalink must begin with a letter a to z or a digit and may hold letters a to z, digits, hyphens, underscores, dots and tildes.',
        ],
      },
    ],
    [
      'with a thank-you address that is code',
      { name: 'Thing', price: 1, thank_you_url: 'javascript:alert(1)' },
      { thank_you_url: ['thank_you_url must be an address that begins with https:// or http://.'] },
    ],
    [
      'with an option price of too many decimals',
      { name: 'Thing', price: 1, variant_groups: [{ name: 'A', options: [{ name: 'B', price: 0.001 }] }] },
      {
        'variant_groups.0.options.0.price': [
          'variant_groups.0.options.0.price must have at most 2 decimals, as USD has.',
        ],
      },
    ],
    [
      'with an unknown type of extra field',
      { name: 'Thing', price: 1, extra_fields: [{ name: 'A', type: 'colour' }] },
      {
        'extra_fields.0.type': [
          'extra_fields.0.type must be one of text, options, number, checkbox, date, radio, hidden.',
        ],
      },
    ],
  ])('refuses a body %s', async (_what, body, errors) => {
    expect(await refused(body)).toEqual([422, malformed(errors as unknown as Record<string, string[]>)])
  })

  it('refuses what it refers to and cannot find, each by its path', async () => {
    const other = await openShop(app)
    const [asset, category, foreign] = [
      await addAsset(app, other),
      await addCategory(app, other, 'other'),
      await other.create(),
    ]
    expect(
      await refused({
        name: 'Thing',
        price: 1,
        assets: [{ id: asset.id }],
        categories: [category.id],
        related_products: [{ id: foreign.id }],
        attributes: [{ id: 'attr_none', value: 1 }],
        delivery: { digital: { packages: [{ asset: asset.id }] } },
        variant_groups: [{ name: 'A', options: [{ name: 'B', assets: [asset.id] }] }],
      }),
    ).toEqual([
      422,
      notValid({
        'assets.0.id': ['assets.0.id is not the id of a finished asset.'],
        'categories.0': ['categories.0 is not the id of a category.'],
        'related_products.0.id': ['related_products.0.id is not the id of a product.'],
        'delivery.digital.packages.0.asset': ['delivery.digital.packages.0.asset is not the id of a finished asset.'],
        'variant_groups.0.options.0.assets.0': [
          'variant_groups.0.options.0.assets.0 is not the id of a finished asset.',
        ],
        'attributes.0.id': ['attributes.0.id is not the id of an attribute.'],
      }),
    ])
  })

  it('refuses lists that contradict themselves', async () => {
    const asset = await addAsset(app, shop)
    expect(
      await refused({
        name: 'Thing',
        price: 1,
        extra_fields: [
          { name: 'A', type: 'options' },
          { name: 'A', options: ['x'] },
          { id: 'extr_none', name: 'C' },
        ],
        variant_groups: [{ name: 'A', options: [{ name: 'B' }, { name: 'B' }] }, { name: 'A' }],
        delivery: {
          digital: {
            packages: [{ asset: asset.id }, { asset: asset.id }],
            lifespan: { duration: 3 },
          },
        },
      }),
    ).toEqual([
      422,
      notValid({
        'delivery.digital.lifespan.duration': [
          'delivery.digital.lifespan.duration and .period go together: give both, or neither for no end.',
        ],
        'variant_groups.1.name': ['variant_groups.1.name must differ from the other names.'],
        'variant_groups.0.options.1.name': ['variant_groups.0.options.1.name must differ from the other names.'],
        'extra_fields.1.name': ['extra_fields.1.name must differ from the other names.'],
        'extra_fields.2.id': ['extra_fields.2.id is not the id of one of its entries.'],
        'extra_fields.0.options': [
          'extra_fields.0.options must list what can be chosen, as the field is of type options.',
        ],
        'extra_fields.1.options': [
          'extra_fields.1.options are for the types options and radio; a field of type text has none.',
        ],
        'delivery.digital.packages.1.asset': ['delivery.digital.packages.1.asset stands in the list twice.'],
      }),
    ])
  })

  it('refuses a public key', async () => {
    const answer = await shop.call('POST', '', { name: 'Thing', price: 1 }, shop.keys.sandbox.public)
    expect([answer.status, answer.body]).toEqual([403, FORBIDDEN])
  })
})
