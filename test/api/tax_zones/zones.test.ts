// /v1/tax_zones: what is stored and shown, what is refused, one zone for each place, and who may ask.

import { describe, expect, it } from 'vitest'
import { testApp } from '../../support/app.ts'
import { rowTexts } from '../../support/rows.ts'
import { atOnce, notValid, notValidField, replyOf, ruleSentences } from '../../support/shop.ts'
import { draft, openTaxShop, shown } from './support.ts'

const app = await testApp({ pool: { size: 8, waitMs: 90_000 } })

const rowsOf = (merchant_id: number) => rowTexts(app.db, merchant_id, 'tax_zones', 'events')

const TAKEN = ['Another tax zone has the same country, region and postal_prefix. Change that one instead.']

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
    expect(await replyOf(shop.call('GET', `/${id}`))).toEqual([200, answer.body])
  })

  it('takes a zone without rates, where no tax is due, and rates that add up to 1', async () => {
    const shop = await openTaxShop(app)
    expect((await shop.create({ rates: [] })).rates).toEqual([])
    expect((await shop.create({ region: 'NY', rates: [rate('a', 0.4), rate('b', 0.6)] })).rates).toHaveLength(2)
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
    const answers = await atOnce(8, () => shop.call('POST', '', draft({ region: 'NY' })))
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(7).fill(422)])
    for (const { status, body } of answers) if (status === 422) expect(body).toEqual(notValid({ region: TAKEN }))
    expect(await rowsOf(shop.id)).toHaveLength(1)
  })
})

const PREFIX = 'must be letters A to Z and digits, such as V6B, or null for all.'
const FRACTION = 'must be a fraction from 0 to 1 with at most 6 decimals, such as 0.06 for 6%.'
const rate = (type: string, value: unknown, digital_rate: unknown = null) => ({ type, rate: value, digital_rate })

describe('POST and PUT', async () => {
  const shop = await openTaxShop(app)
  const zone = await shop.create()

  it.each<[Record<string, unknown>, Record<string, string>]>([
    [{ country: 'us' }, { country: 'must be the ISO 3166-1 code of a country in capital letters, such as US.' }],
    [{ region: 'CA-BC' }, { region: 'must be the ISO 3166-2 code of a region of US, such as AL or US-AL.' }],
    [{ country: 'GI', region: 'GI-1' }, { region: 'must be left out, as GI has no regions.' }],
    [{ postal_prefix: ' - ' }, { postal_prefix: PREFIX }],
    [{ postal_prefix: '9%' }, { postal_prefix: PREFIX }],
    [
      { rates: [rate('a', -0.01, '6%'), rate('b', 1.000001, 0.0000001), rate('c', '0.1234567', '1e-2')] },
      Object.fromEntries(
        [0, 1, 2].flatMap((at) => ['rate', 'digital_rate'].map((of) => [`rates.${at}.${of}`, FRACTION])),
      ),
    ],
    [{ rates: [rate('a', 0.5), rate('b', '0.500001')] }, { rates: 'must add up to at most 1.' }],
    [{ rates: [rate('a', 0.5, 0.9), rate('b', 0.2)] }, { rates: 'must add up to at most 1 for digital products too.' }],
  ])('refuse %j, and change nothing', async (body, rules) => {
    const errors = ruleSentences(rules)
    const before = await rowsOf(shop.id)
    for (const answer of [await shop.call('POST', '', draft(body)), await shop.call('PUT', `/${zone.id}`, body)])
      expect([answer.status, answer.body]).toMatchObject([422, { error: { errors } }])
    expect(await rowsOf(shop.id)).toEqual(before)
  })
})

describe('PUT /v1/tax_zones/{id}', () => {
  it('asks for the region with another country: a code may be one in both', async () => {
    const shop = await openTaxShop(app)
    const zone = await shop.create({ region: 'AL' })
    expect(await replyOf(shop.call('PUT', `/${zone.id}`, { country: 'BR' }))).toEqual(
      notValidField('region', 'must be sent when the country changes; null means the whole country.'),
    )
    expect((await shop.call('GET', `/${zone.id}`)).body).toEqual(zone)
  })

  it('refuses the place of another zone, and takes its own', async () => {
    const shop = await openTaxShop(app)
    const zone = await shop.create({ region: 'NY' })
    await shop.create({ region: 'CA' })
    const before = await rowsOf(shop.id)
    expect(await replyOf(shop.call('PUT', `/${zone.id}`, { region: 'CA' }))).toEqual([422, notValid({ region: TAKEN })])
    expect(await rowsOf(shop.id)).toEqual(before)
    expect((await shop.call('PUT', `/${zone.id}`, { country: 'US', region: 'NY' })).status).toBe(200)
  })
})
