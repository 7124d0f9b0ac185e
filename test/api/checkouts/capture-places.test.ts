// POST /v1/checkouts/{id}: where it is taxed, and what is known of the client.

import { describe, expect, it } from 'vitest'
import { testApp } from '../../support/app.ts'
import { ruleSentences } from '../../support/shop.ts'
import { ADDRESS, CARD, CUSTOMER, digital, digitalBody, openCaptureShop } from './capture-support.ts'
import { geoDatabaseOf, IN_VICTORIA, placeOf, VICTORIA } from './support.ts'

const geoDatabase = await geoDatabaseOf({
  '198.51.100.0/24': VICTORIA,
  '203.0.113.0/24': placeOf('DE', 'Germany', 'BE', 'Berlin', 'Berlin', '10115'),
})
const app = await testApp({ geoDatabase, trustProxy: () => true })
const shop = await openCaptureShop(app)
const rate = (value: number) => ({ rates: [{ type: 'tax', rate: value }] })
await shop.taxZone({ country: 'CA', ...rate(0.05) })
await shop.taxZone({ country: 'CA', region: 'BC', ...rate(0.12) })
await shop.taxZone({ country: 'CA', region: 'BC', postal_prefix: 'V8', ...rate(0.2) })
await shop.taxZone({ country: 'US', region: 'CA', ...rate(0.06) })
await shop.taxZone({ country: 'DE', ...rate(0.19) })
const file = await shop.product({ price: 100, ...digital })
const thing = await shop.product({ price: 100 })
await shop.call('PUT', `shipping_zones/${shop.zoneId}`, { countries: ['US', 'CA'] }, shop.keys.sandbox.secret)

const order = async (
  body: Record<string, unknown>,
  { ip = '192.0.2.1', token = null as { id: string } | null } = {},
) => {
  const { id } = token ?? (await shop.token({ id: file.id }))
  const answer = await app.call('POST', `/v1/checkouts/${id}`, {
    key: shop.keys.sandbox.public,
    headers: { 'x-forwarded-for': ip, 'x-forwarded-proto': 'http' },
    body: { customer: CUSTOMER, payment: CARD, ...body },
  })
  expect([answer.status, answer.text]).toEqual([200, answer.text])
  return answer.body as Awaited<ReturnType<typeof shop.order>>
}
const zone = (
  country: string | null,
  region: string | null = null,
  postal_zip_code: string | null = null,
  ip_address: string | null = null,
) => ({ country, region, postal_zip_code, ip_address })

const regionRule = (country: string, such: string) =>
  `must be the ISO 3166-2 code of a region of ${country}, such as ${such} or ${country}-${such}.`

describe('a capture', () => {
  const victoria = { country: 'CA', region: 'CA-BC', postal_zip_code: 'v8v 1a1' }
  const vancouver = { country: 'CA', region: 'BC', postal_zip_code: 'V8V' }
  const berlin = { country: 'DE', county_state: 'BE', postal_zip_code: '10115' }
  const { postal_zip_code: _, ...CANADA } = { ...ADDRESS, country: 'CA' }
  const client = '198.51.100.7'
  const sentToBc = { shipping: { ...CANADA, county_state: 'BC' }, tax: victoria }
  const named = { country: 'ca', county_state: 'British Columbia', postal_zip_code: 'V8V 1A1' }
  const unknown = { county_state: 'Atlantis' }
  const ontario = { country: 'CA', region: 'ON' }
  const BERLIN_IP = '203.0.113.5'

  it.each([
    ['where it is sent', { tax: victoria, billing: berlin }, zone('US', 'CA', '94107'), 6],
    ['by the name of a region', { shipping: { ...ADDRESS, county_state: 'california' } }, zone('US', 'CA', '94107'), 6],
    ['by the postal code that the body says of the same place', sentToBc, zone('CA', 'BC', 'v8v 1a1'), 20],
  ])('that sends something is taxed %s', async (_, body, expected, tax) => {
    const made = await order(shop.body(body), { ip: client, token: await shop.token({ id: thing.id }) })
    expect([made.tax.zone, made.tax.amount.raw, made.collected.tax]).toEqual([expected, tax, true])
  })

  it('that sends a part is taxed where it is sent, all of it', async () => {
    const token = await shop.token({ id: thing.id }, { id: file.id })
    const made = await order(shop.body({ billing: berlin }), { token })
    expect([made.tax.zone, made.tax.amount.raw]).toEqual([zone('US', 'CA', '94107'), 12])
  })

  it.each([
    ['where the body says', { tax: victoria, billing: berlin, shipping: ADDRESS }, zone('CA', 'BC', 'v8v 1a1'), 20],
    ['where the body says, and where it does not, as the country', { tax: { country: 'ca' } }, zone('CA'), 5],
    ['by a network that the body names', { tax: { ip_address: BERLIN_IP } }, zone('DE', 'BE', '10115', BERLIN_IP), 19],
    ['else by the billing address', { billing: berlin, shipping: ADDRESS }, zone('DE', 'BE', '10115'), 19],
    ['by region and postal code of the billing address', { billing: named }, zone('CA', 'BC', 'V8V 1A1'), 20],
    ['as the country where an unknown region is billed', { billing: { country: 'DE', ...unknown } }, zone('DE'), 19],
    ['by a billed part of that country', { tax: { country: 'CA' }, billing: vancouver }, zone('CA', 'BC', 'V8V'), 20],
    ['not by another part that is billed', { tax: ontario, billing: vancouver }, zone('CA', 'ON'), 5],
    ['else by an address that is called shipping', { shipping: ADDRESS }, zone('US', 'CA', '94107'), 6],
    ['nowhere by a region that is not known', { shipping: { ...ADDRESS, ...unknown } }, zone('US', null, '94107'), 0],
    ['nowhere by the address of the client alone, as live totals are not either', {}, zone(null), 0],
  ])('that sends nothing is taxed %s', async (_, body, expected, tax) => {
    const made = await order(body, { ip: client })
    expect([made.tax.zone, made.tax.amount.raw, made.collected.tax]).toEqual([expected, tax, tax > 0])
  })

  const set = async (query: string, id = file.id) => {
    const made = await shop.token({ id })
    const answer = await shop.succeed(200, 'GET', `checkouts/${made.id}/helper/set_tax_zone?${query}`)
    expect(answer).toMatchObject({ valid: true })
    return made
  }

  it('that sends nothing is taxed where the token says, before all else, and just as its live totals show', async () => {
    for (const [query, tax] of [
      ['country=DE', 19],
      ['country=CA&region=ON', 5],
      ['country=CA&region=BC&postal_zip_code=V8V', 20],
      ['ip_address=198.51.100.7', 20],
    ] as const) {
      const token = await set(query)
      const shown = await shop.live(token)
      const body = { tax: victoria, billing: vancouver, shipping: ADDRESS }
      const made = await order(body, { ip: client, token })
      expect([made.tax.zone, made.tax.amount]).toEqual([shown.tax.zone, shown.tax.amount])
      expect([made.order_value, made.tax.amount.raw]).toEqual([shown.total_due, tax])
    }
    // Where something is sent, the token only tells more of the same place.
    const local = await set('country=US&region=CA&postal_zip_code=90012', thing.id)
    const { postal_zip_code: _, ...withoutCode } = ADDRESS
    const sent = await order(shop.body({ shipping: withoutCode }), { token: local })
    expect(sent.tax.zone).toEqual(zone('US', 'CA', '90012'))
    const elsewhere = await set('country=DE', thing.id)
    expect((await order(shop.body(), { token: elsewhere })).tax.zone).toEqual(zone('US', 'CA', '94107'))
  })

  it.each([
    ['the billing address', 'CA', { billing: vancouver }, 'BC', 'V8V', 20],
    ['the body', 'CA', { tax: victoria, billing: ontario }, 'BC', 'v8v 1a1', 20],
    ['the address that is called shipping', 'US', { shipping: ADDRESS }, 'CA', '94107', 6],
    ['nothing, where it names no place there', 'CA', { tax: { country: 'DE' }, billing: berlin }, null, null, 5],
  ])(
    'whose token names the country alone is taxed in the part that the body names: by %s',
    async (_, country, body, region, postalCode, tax) => {
      const token = await set(`country=${country}`)
      const shown = await shop.live(token)
      if (region !== null) {
        // What was shown is less, and who has sent it is not charged more.
        const expected = { ...digitalBody(body), expected_total: shown.total_due.raw }
        expect((await shop.capture(token, expected)).status).toBe(409)
      }
      const made = await order(body, { token })
      expect([made.tax.zone, made.tax.amount.raw]).toEqual([zone(country, region, postalCode), tax])
    },
  )

  it('is refused with a region for the tax that is not known, unless something is sent', async () => {
    const rule = (country: string, such: string) => ruleSentences({ 'tax.region': regionRule(country, such) })
    const tax = { country: 'US', region: 'ZZ' }
    for (const token of [await shop.token({ id: file.id }), await set('country=US&region=CA'), await set('country=DE')])
      expect(await shop.errors(token, digitalBody({ tax, billing: ADDRESS }))).toEqual(rule('US', 'AL'))
    const abroad = digitalBody({ tax: { country: 'DE', region: 'Atlantis' } })
    expect(await shop.errors(await shop.token({ id: file.id }), abroad)).toEqual(rule('DE', 'BW'))
    // There is no list of regions to choose from.
    expect((await order({ tax: { country: 'VA', region: 'Atlantis' } })).tax.zone).toEqual(zone('VA'))
    const sent = await order(shop.body({ tax }), { token: await shop.token({ id: thing.id }) })
    expect(sent.tax.zone).toEqual(zone('US', 'CA', '94107'))
  })

  it('by a billing address in no country is refused, and says so once', async () => {
    const rule = 'must be an ISO 3166-1 alpha-2 code of a country, such as US.'
    const errors = await shop.errors(await shop.token({ id: file.id }), digitalBody({ billing: { country: 'XX' } }))
    expect(errors).toEqual(ruleSentences({ 'billing.country': rule }))
  })

  it.each([
    ['asks for', true],
    ['takes', false],
  ])('that %s a billing address asks for its region where that decides the tax', async (_, billing_address) => {
    const billed = await shop.product({ ...digital, price: 100, collects: { billing_address } })
    const { county_state: _state, ...withoutState } = ADDRESS
    const broken = (rule: string) => ruleSentences({ 'billing.county_state': rule })
    const errors = async (body: Record<string, unknown>) =>
      shop.errors(await shop.token({ id: billed.id }), digitalBody(body))
    expect(await errors({ billing: withoutState })).toEqual(broken('is required.'))
    expect(await errors({ billing: { ...ADDRESS, ...unknown } })).toEqual(broken(regionRule('US', 'AL')))
    for (const [query, tax] of [
      ['country=US', {}],
      ['country=US', { country: 'US' }],
      ['country=US', { country: 'CA', region: 'BC' }],
    ] as const) {
      const body = digitalBody({ tax, billing: withoutState })
      expect(await shop.errors(await set(query, billed.id), body)).toEqual(broken('is required.'))
    }
    for (const [body, tax] of [
      [{ billing: ADDRESS }, 6],
      // Nothing goes by the region there, or it has been said.
      [{ billing: { ...withoutState, country: 'DE' } }, 19],
      [{ billing: withoutState, tax: { country: 'US', region: 'CA' } }, 6],
      [{ billing: withoutState, tax: { country: 'DE' } }, 19],
    ] as const)
      expect((await order(body, { token: await shop.token({ id: billed.id }) })).tax.amount.raw).toBe(tax)
  })
})

it('what is known of the client is kept, and nothing that a proxy hands on and is no address', async () => {
  const made = await order({}, { ip: '<script>alert(1)</script>' })
  expect(made.client_details).toMatchObject({ ip_address: '127.0.0.1', country_code: null })
  const ip = '198.51.100.7'
  expect((await order({}, { ip })).client_details).toEqual({ ip_address: ip, ...IN_VICTORIA })
})

it.each([
  ['an address and the network agree', { billing: { country: 'DE' }, tax: { country: 'DE' } }, '203.0.113.5', true],
  ['the network is elsewhere', { billing: { country: 'DE' }, tax: { country: 'DE' } }, '198.51.100.7', false],
  ['there is no address', {}, '203.0.113.5', false],
  ['it is not in the EU', { shipping: { country: 'CA' } }, '198.51.100.7', false],
])('the evidence for the VAT of digital goods: %s', async (_, body, ip, isThere) => {
  expect((await order(body, { ip })).collected.eu_vat_moss_evidence).toBe(isThere)
})
