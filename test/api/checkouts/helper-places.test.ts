// GET /v1/checkouts/{id}/helper/set_tax_zone and /helper/location_from_ip, with a database of addresses and without one.

import { describe, expect, it } from 'vitest'
import { testApp } from '../../support/app.ts'
import { malformedField, replyOf } from '../../support/shop.ts'
import { geoDatabaseOf, IN_VICTORIA, openCheckoutShop, VICTORIA } from './support.ts'

const geoDatabase = await geoDatabaseOf({
  '198.51.100.0/24': VICTORIA,
  '127.0.0.0/8': VICTORIA,
  '2001:db8::/32': { continent: { code: 'EU' } },
})
const app = await testApp({ geoDatabase })
const shop = await openCheckoutShop(app)
await shop.taxZone({ country: 'CA', rates: [{ type: 'federal', rate: 0.05 }] })
await shop.taxZone({ country: 'CA', region: 'BC', rates: [{ type: 'state', rate: 0.12 }] })
await shop.taxZone({ country: 'CA', region: 'BC', postal_prefix: 'V8', rates: [{ type: 'city', rate: 0.2 }] })
const product = await shop.product()
const token = () => shop.token({ id: product.id })
const ask = (checkout: { id: string }, path: string) => shop.call('GET', `checkouts/${checkout.id}/helper/${path}`)

describe('helper/set_tax_zone', () => {
  it.each([
    ['country=CA', ['CA', null, null, null], 0.5],
    ['country=ca&region=&postal_zip_code=', ['CA', null, null, null], 0.5],
    ['country=CA&region=CA-BC', ['CA', 'BC', null, null], 1.2],
    ['country=CA&region=british+columbia&postal_zip_code=v8v+1a1', ['CA', 'BC', 'v8v 1a1', null], 2],
    // A country that lists no regions has none to choose from.
    ['country=GI&region=Catalan+Bay', ['GI', null, null, null], 0],
    // A place that is not taxed.
    ['country=US&region=NY', ['US', 'NY', null, null], 0],
    ['ip_address=198.51.100.7', ['CA', 'BC', 'V8V', '198.51.100.7'], 2],
    // What is said goes before where the address is.
    ['country=CA&ip_address=198.51.100.7', ['CA', null, null, '198.51.100.7'], 0.5],
    ['country=CA&ip_address=', ['CA', null, null, null], 0.5],
  ] as const)('saves the place %s', async (query, [country, region, postal_zip_code, ip_address], tax) => {
    const checkout = await token()
    const answer = await ask(checkout, `set_tax_zone?${query}`)
    const live = await shop.live(checkout)
    const tax_region = { country, region, postal_zip_code, ip_address }
    expect([answer.status, answer.body]).toEqual([200, { valid: true, tax_region, live }])
    expect([live.tax.zone, live.tax.amount.raw, answer.headers['cache-control']]).toEqual([tax_region, tax, 'no-store'])
  })

  it.each([
    ['country=XX', 'Choose a country from the list.'],
    ['country=CA&region=Atlantis', 'Please check the state or region.'],
    ['ip_address=203.0.113.7', 'Choose a country.'],
    ['ip_address=2001:db8::1', 'Choose a country.'],
  ])('refuses %s and saves nothing', async (query, message) => {
    const checkout = await token()
    await ask(checkout, 'set_tax_zone?country=CA')
    const before = await shop.get(checkout)
    app.clock.advance(1)
    const answer = await ask(checkout, `set_tax_zone?${query}`)
    expect([answer.status, answer.body]).toEqual([200, { valid: false, message, live: before.live }])
    expect(await shop.get(checkout)).toEqual(before)
  })
})

it.each(['set_tax_zone?country=CA&ip_address=home', 'location_from_ip?ip_address=example.com'])(
  'helper/%s: no other text is taken for an address',
  async (path) => {
    const refusal = malformedField('ip_address', 'must be an IPv4 or IPv6 address.')
    expect(await replyOf(ask(await token(), path))).toEqual(refusal)
  },
)

describe('helper/location_from_ip', () => {
  const inVictoria = (ip_address: string) => ({ ip_address, ...IN_VICTORIA })
  const nowhere = (ip_address: string) => ({
    ...Object.fromEntries(Object.keys(inVictoria('')).map((field) => [field, null])),
    ip_address,
  })

  it('tells where an address is, the own unless another is given', async () => {
    const checkout = await token()
    for (const [path, body] of [
      ['location_from_ip?ip_address=198.51.100.7', inVictoria('198.51.100.7')],
      ['location_from_ip', inVictoria('127.0.0.1')],
      ['location_from_ip?ip_address=', inVictoria('127.0.0.1')],
      ['location_from_ip?ip_address=203.0.113.7', nowhere('203.0.113.7')],
      ['location_from_ip?ip_address=2001:db8::1', nowhere('2001:db8::1')],
    ] as const) {
      const answer = await ask(checkout, path)
      expect([answer.status, answer.body, answer.headers['cache-control']]).toEqual([200, body, 'no-store'])
    }
    expect(await shop.get(checkout)).toEqual(checkout)
  })

  it('knows nothing without a database', async () => {
    const plain = await testApp()
    const other = await openCheckoutShop(plain)
    const checkout = await other.token({ id: (await other.product()).id })
    const call = (path: string) => other.call('GET', `checkouts/${checkout.id}/helper/${path}`)
    expect((await call('location_from_ip?ip_address=198.51.100.7')).body).toEqual(nowhere('198.51.100.7'))
    expect((await call('set_tax_zone?ip_address=198.51.100.7')).body).toMatchObject({ valid: false })
  })
})
