// /v1/tax_zones: what is stored and shown, what is refused, one zone for each place, and who may ask.

import { describe, expect, it } from 'vitest'
import { statement } from '../../../src/db/db.ts'
import { testApp } from '../../support/app.ts'
import { malformed, notValid } from '../../support/shop.ts'
import { draft, NOT_FOUND, openTaxShop, shown } from './support.ts'

const app = await testApp({ pool: { size: 8, waitMs: 90_000 } })

const selectRows = statement<{ row: string }>(
  'test.tax_zone_rows',
  `select zone::text as row from tax_zones zone where merchant_id = :merchant_id
   union all select event::text from events event where merchant_id = :merchant_id order by row`,
)

/** Every zone and every event of a merchant as PostgreSQL's own text: equal texts mean that nothing was changed. */
const rowsOf = async (merchantId: number) =>
  (await app.db.many(selectRows, { merchant_id: merchantId })).map(({ row }) => row)

const TAKEN = ['Another tax zone is for the same country, region and postal_prefix: change that one.']
const FRACTION = 'must be a fraction from 0 to 1 with at most 6 decimals, such as 0.06 for 6%.'

const refusals: [string, Record<string, unknown>, Record<string, string[]>][] = [
  [
    'fields of a wrong type',
    { country: 1, region: 2, postal_prefix: [], rates: {} },
    {
      country: ['country must be a string.'],
      region: ['region must be a string or null.'],
      postal_prefix: ['postal_prefix must be a string or null.'],
      rates: ['rates must be a list.'],
    },
  ],
  [
    'a code of no country',
    { country: 'us' },
    { country: ['country must be the ISO 3166-1 code of a country in capital letters, such as US.'] },
  ],
  [
    'a region of another country',
    { country: 'US', region: 'CA-BC' },
    { region: ['region must be the ISO 3166-2 code of a region of US, such as AL or US-AL.'] },
  ],
  [
    'a region of a country without any',
    { country: 'GI', region: 'GI-1' },
    { region: ['region must be left out, as GI has no regions.'] },
  ],
  [
    'an empty region and prefix',
    { region: '', postal_prefix: '' },
    { region: ['region must not be empty.'], postal_prefix: ['postal_prefix must not be empty.'] },
  ],
  [
    'a prefix of blanks',
    { postal_prefix: ' - ' },
    { postal_prefix: ['postal_prefix must be letters A to Z and digits, such as V6B, or null for all.'] },
  ],
  [
    'a prefix of other characters',
    { postal_prefix: '9%' },
    { postal_prefix: ['postal_prefix must be letters A to Z and digits, such as V6B, or null for all.'] },
  ],
  [
    'rates that are no fractions',
    {
      rates: [
        { type: 'a', rate: -0.01, digital_rate: '6%' },
        { type: 'b', rate: 1.000001, digital_rate: 0.0000001 },
        { type: 'c', rate: '0.1234567', digital_rate: '1e-2' },
      ],
    },
    {
      'rates.0.rate': [`rates.0.rate ${FRACTION}`],
      'rates.0.digital_rate': [`rates.0.digital_rate ${FRACTION}`],
      'rates.1.rate': [`rates.1.rate ${FRACTION}`],
      'rates.1.digital_rate': [`rates.1.digital_rate ${FRACTION}`],
      'rates.2.rate': [`rates.2.rate ${FRACTION}`],
      'rates.2.digital_rate': [`rates.2.digital_rate ${FRACTION}`],
    },
  ],
]

const rules: typeof refusals = [
  [
    'rates that add up to more than 1',
    {
      rates: [
        { type: 'a', rate: 0.5 },
        { type: 'b', rate: '0.500001' },
      ],
    },
    { rates: ['rates must add up to at most 1.'] },
  ],
  [
    'rates that add up to more than 1 for downloads',
    {
      rates: [
        { type: 'a', rate: 0.5, digital_rate: 0.9 },
        { type: 'b', rate: 0.2 },
      ],
    },
    { rates: ['rates must add up to at most 1, also for what is delivered digitally.'] },
  ],
]

describe('POST /v1/tax_zones', () => {
  it('stores every field that is sent, and shows it again', async () => {
    const shop = await openTaxShop(app)
    const answer = await shop.call('POST', '', {
      country: 'CA',
      region: 'CA-BC',
      postal_prefix: 'v6b - 1a',
      rates: [
        { type: 'GST', rate: '0.050', digital_rate: 0 },
        { type: 'PST', rate: 0.0725, digital_rate: '0.000001' },
        { type: 'GST', rate: 0, digital_rate: null },
      ],
    })
    const zone = shown(app, {
      country: 'CA',
      region: 'BC',
      postal_prefix: 'V6B1A',
      rates: [
        { type: 'GST', rate: 0.05, rate_percentage: '5%', digital_rate: 0 },
        { type: 'PST', rate: 0.0725, rate_percentage: '7.25%', digital_rate: 0.000001 },
        { type: 'GST', rate: 0, rate_percentage: '0%', digital_rate: null },
      ],
    })
    expect([answer.status, answer.body]).toEqual([201, zone])
    const { id } = answer.body as { id: string }
    const read = await shop.call('GET', `/${id}`)
    expect([read.status, read.body]).toEqual([200, answer.body])
  })

  it('takes a zone without rates, where no tax is due, and rates that add up to 1', async () => {
    const shop = await openTaxShop(app)
    expect((await shop.create({ rates: [] })).rates).toEqual([])
    const whole = [
      { type: 'a', rate: 0.4 },
      { type: 'b', rate: 0.6 },
    ]
    expect((await shop.create({ region: 'NY', rates: whole })).rates).toHaveLength(2)
  })

  it.each([
    ['the country', {}, 'country'],
    ['the region, however it is written', { region: 'CA' }, 'region'],
    ['the prefix, however it is written', { region: 'CA', postal_prefix: '94 105' }, 'postal_prefix'],
  ])('refuses a second zone for %s', async (_, place, field) => {
    const shop = await openTaxShop(app)
    await shop.create({ ...place, ...('region' in place ? { region: 'US-CA' } : {}) })
    await shop.create({ country: 'CA' })
    const before = await rowsOf(shop.id)
    const again = await shop.call(
      'POST',
      '',
      draft({ ...place, ...('postal_prefix' in place && { postal_prefix: '94-105' }) }),
    )
    expect([again.status, again.body]).toEqual([422, notValid({ [field]: TAKEN })])
    expect(await rowsOf(shop.id)).toEqual(before)
    await shop.create({ country: 'US', region: 'NY' })
    await (await openTaxShop(app)).create(place)
  })

  it('gives one of several for the same place at the same moment', async () => {
    const shop = await openTaxShop(app)
    const answers = await Promise.all(Array.from({ length: 8 }, () => shop.call('POST', '', draft({ region: 'NY' }))))
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(7).fill(422)])
    for (const { status, body } of answers) if (status === 422) expect(body).toEqual(notValid({ region: TAKEN }))
    expect(await rowsOf(shop.id)).toHaveLength(1)
  })
})

describe('POST and PUT', async () => {
  const shop = await openTaxShop(app)
  const zone = await shop.create()

  it.each([
    ...refusals.map(([what, body, errors]) => [what, body, malformed(errors)] as const),
    ...rules.map(([what, body, errors]) => [what, body, notValid(errors)] as const),
  ])('refuse %s, and change nothing', async (_, body, refusal) => {
    const before = await rowsOf(shop.id)
    for (const answer of [await shop.call('POST', '', draft(body)), await shop.call('PUT', `/${zone.id}`, body)])
      expect([answer.status, answer.body]).toEqual([422, refusal])
    expect(await rowsOf(shop.id)).toEqual(before)
  })
})

describe('PUT /v1/tax_zones/{id}', () => {
  it('asks for the region with another country: a code may be one in both', async () => {
    const shop = await openTaxShop(app)
    const zone = await shop.create({ region: 'AL' })
    const answer = await shop.call('PUT', `/${zone.id}`, { country: 'BR' })
    expect([answer.status, answer.body]).toEqual([
      422,
      notValid({ region: ['region must be sent with another country; null means the whole country.'] }),
    ])
    expect((await shop.call('GET', `/${zone.id}`)).body).toEqual(zone)
  })

  it('refuses the place of another zone, and takes its own', async () => {
    const shop = await openTaxShop(app)
    const zone = await shop.create({ region: 'NY' })
    await shop.create({ region: 'CA' })
    const before = await rowsOf(shop.id)
    const answer = await shop.call('PUT', `/${zone.id}`, { region: 'CA' })
    expect([answer.status, answer.body]).toEqual([422, notValid({ region: TAKEN })])
    expect(await rowsOf(shop.id)).toEqual(before)
    expect((await shop.call('PUT', `/${zone.id}`, { country: 'US', region: 'NY' })).status).toBe(200)
  })
})

describe('DELETE /v1/tax_zones/{id}', () => {
  it('answers 204 without a body, frees the place, and finds nothing the second time', async () => {
    const shop = await openTaxShop(app)
    const { id } = await shop.create()
    const answer = await shop.call('DELETE', `/${id}`)
    expect([answer.status, answer.text]).toEqual([204, ''])
    const again = await shop.call('DELETE', `/${id}`)
    expect([again.status, again.body]).toEqual([404, NOT_FOUND])
    await shop.create()
  })
})
