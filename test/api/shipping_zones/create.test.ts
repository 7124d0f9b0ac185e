// POST, GET and DELETE of /v1/shipping_zones: what is stored and shown, what is refused, and who may ask.

import { describe, expect, it } from 'vitest'
import { sharedApp } from '../../support/app.ts'
import { sql } from '../../support/rows.ts'
import { expectUnchanged, malformedField, malformedFields, notValidFields, price, replyOf } from '../../support/shop.ts'
import { draft, openZoneShop, shown, shownMethod } from './support.ts'

const app = await sharedApp()
const shop = await openZoneShop(app)

const count = sql<{ zones: number; methods: number; events: number }>`
  select (select count(*) from shipping_zones where merchant_id = :merchant_id) as zones,
    (select count(*) from shipping_methods where merchant_id = :merchant_id) as methods,
    (select count(*) from events where merchant_id = :merchant_id) as events`

const counts = (merchant_id = shop.id) => app.db.one(count, { merchant_id })

describe('POST /v1/shipping_zones', () => {
  it('stores every field that is sent, and shows it again', async () => {
    const answer = await shop.call('POST', '', {
      name: 'North America',
      countries: ['US', 'CA'],
      regions: { US: ['US-CA', 'NY'], CA: null },
      methods: [
        {
          description: 'Courier',
          price: '12.50',
          on_own: 2,
          with_others: '0.75',
          min_order_value: 0,
          max_order_value: '99.99',
          min_weight: 0,
          max_weight: 5_000,
        },
        { description: 'Post', price: 0, min_order_value: 100, max_weight: null },
      ],
    })
    const zone = shown(app, {
      name: 'North America',
      countries: ['US', 'CA'],
      regions: { US: ['CA', 'NY'] },
      methods: [
        shownMethod({
          description: 'Courier',
          price: price(12.5, '12.50'),
          on_own: price(2, '2.00'),
          with_others: price(0.75, '0.75'),
          min_order_value: price(0, '0.00'),
          max_order_value: price(99.99, '99.99'),
          min_weight: 0,
          max_weight: 5_000,
        }),
        shownMethod({ price: price(0, '0.00'), min_order_value: price(100, '100.00') }),
      ],
    })
    expect([answer.status, answer.body]).toEqual([201, zone])
    const { id } = answer.body as { id: string }
    expect(await replyOf(shop.call('GET', `/${id}`))).toEqual([200, answer.body])
  })

  it('reads amounts in the currency of the merchant', async () => {
    const yen = await openZoneShop(app, { currency: 'JPY' })
    const { methods } = await yen.create({ methods: [{ description: 'Post', price: 800 }] })
    expect(methods.map((method) => method.price.formatted_with_code)).toEqual(['800 JPY'])
    expect(await replyOf(yen.call('POST', '', draft({ methods: [{ description: 'Post', price: 800.5 }] })))).toEqual(
      malformedField('methods.0.price', 'must be a whole number, as JPY has no decimals.'),
    )
  })

  const method = (...methods: object[]) => draft({ methods: methods.map((more) => ({ ...POST, ...more })) })
  const POST = { description: 'Post', price: 5 }
  const NO_COUNTRY = 'must be the ISO 3166-1 code of a country in capital letters, such as CA.'
  const NO_REGION = 'must be the ISO 3166-2 code of a region of CA, such as AB or CA-AB.'
  const AMOUNT = 'must be a number or a decimal string such as 12.00, in USD.'
  const TWICE = 'is listed twice.'

  it.each<['malformed' | 'not valid', unknown, Record<string, string>]>([
    [
      'malformed',
      draft({ countries: ['CA', 'ca', 'UK', 'CAN', ''] }),
      { 'countries.1': NO_COUNTRY, 'countries.2': NO_COUNTRY, 'countries.3': NO_COUNTRY, 'countries.4': NO_COUNTRY },
    ],
    [
      'malformed',
      draft({ countries: ['CA', 'GI'], regions: { CA: ['BC', 'California', 'US-CA', 'bc'], GI: ['X'] } }),
      {
        'regions.CA.1': NO_REGION,
        'regions.CA.2': NO_REGION,
        'regions.CA.3': NO_REGION,
        'regions.GI.0': 'must be left out, as GI has no regions.',
      },
    ],
    [
      'malformed',
      draft({ regions: { constructor: ['BC'] } }),
      { regions: 'must have a list of region codes for each country code, such as {"CA": ["BC"]}.' },
    ],
    [
      'malformed',
      draft({ countries: ['CA', 'US'], regions: { CA: [], US: 'CA' } }),
      { 'regions.CA': 'must have at least 1 entry.', 'regions.US': 'must be a list or null.' },
    ],
    [
      'malformed',
      method({ price: '5,00', on_own: -1, with_others: 0.001 }, { min_order_value: 'x', max_order_value: '-0.01' }),
      {
        'methods.0.price': AMOUNT,
        'methods.0.on_own': 'must not be negative.',
        'methods.0.with_others': 'must have at most 2 decimals, as USD has.',
        'methods.1.min_order_value': AMOUNT,
        'methods.1.max_order_value': 'must not be negative.',
      },
    ],
    [
      'not valid',
      draft({ countries: ['CA', 'US', 'CA'], regions: { CA: ['BC', 'ON', 'CA-BC'] } }),
      { 'countries.2': TWICE, 'regions.CA.2': TWICE },
    ],
    [
      'not valid',
      draft({ regions: { US: ['CA'] } }),
      { 'regions.US': 'must be for one of the countries of the zone.' },
    ],
    ['not valid', method({ id: `ship_${'0'.repeat(26)}` }), { 'methods.0.id': 'is not a method of this zone.' }],
    [
      'not valid',
      method({ min_order_value: 10, max_order_value: 9.99, min_weight: 2, max_weight: 1 }),
      {
        'methods.0.max_order_value': 'must not be below methods.0.min_order_value.',
        'methods.0.max_weight': 'must not be below methods.0.min_weight.',
      },
    ],
  ])('refuses as %s: %j', async (kind, body, rules) => {
    const reply = await expectUnchanged(counts, () => replyOf(shop.call('POST', '', body)))
    expect(reply).toEqual(kind === 'malformed' ? malformedFields(rules) : notValidFields(rules))
  })

  it('takes bands of a single value', async () => {
    const answer = await shop.call('POST', '', method({ min_order_value: 1, max_order_value: '1.00', max_weight: 0 }))
    expect(answer.status, answer.text).toBe(201)
  })
})
