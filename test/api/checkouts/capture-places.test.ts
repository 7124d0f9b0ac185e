// POST /v1/checkouts/{id}: where it is taxed, and what is known of the client.

import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { mmdb } from '../../geo/mmdb-writer.ts'
import { testApp } from '../../support/app.ts'
import { ADDRESS, CARD, CUSTOMER, digital, openCaptureShop } from './capture-support.ts'

const folder = await mkdtemp(join(tmpdir(), 'cartwright-capture-'))
afterAll(() => rm(folder, { recursive: true, force: true }))
const geoDatabase = join(folder, 'city.mmdb')
const place = (country: string, name: string, region: string, regionName: string, city: string, code: string) => ({
  country: { iso_code: country, names: { en: name } },
  subdivisions: [{ iso_code: region, names: { en: regionName } }],
  city: { names: { en: city } },
  postal: { code },
})
await writeFile(
  geoDatabase,
  mmdb({
    networks: {
      '198.51.100.0/24': place('CA', 'Canada', 'BC', 'British Columbia', 'Victoria', 'V8V'),
      '203.0.113.0/24': place('DE', 'Germany', 'BE', 'Berlin', 'Berlin', '10115'),
    },
  }),
)

const app = await testApp({ geoDatabase, trustProxy: () => true })
const shop = await openCaptureShop(app)
const rate = (value: number) => ({ rates: [{ type: 'tax', rate: value }] })
await shop.taxZone({ country: 'CA', ...rate(0.05) })
await shop.taxZone({ country: 'CA', region: 'BC', ...rate(0.12) })
await shop.taxZone({ country: 'CA', region: 'BC', postal_prefix: 'V8', ...rate(0.2) })
await shop.taxZone({ country: 'US', region: 'CA', ...rate(0.06) })
await shop.taxZone({ country: 'DE', ...rate(0.19) })
const file = await shop.product({ price: 100, ...digital })

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
) => ({
  country,
  region,
  postal_zip_code,
  ip_address,
})

describe('a capture', () => {
  const victoria = { country: 'CA', region: 'CA-BC', postal_zip_code: 'v8v 1a1' }
  const client = '198.51.100.7'

  it.each([
    ['where it is sent', { shipping: ADDRESS, tax: victoria }, zone('US', 'CA', '94107'), 6],
    ['by the name of a region', { shipping: { ...ADDRESS, county_state: 'california' } }, zone('US', 'CA', '94107'), 6],
    [
      'nowhere in particular by a region that is not known',
      { shipping: { ...ADDRESS, county_state: 'Atlantis' } },
      zone('US', null, '94107'),
      0,
    ],
    ['else where the body says', { tax: victoria }, zone('CA', 'BC', 'v8v 1a1'), 20],
    ['where the body says, and where it does not, as the country', { tax: { country: 'ca' } }, zone('CA'), 5],
    [
      'by the postal code that the body says of the same place',
      { shipping: { country: 'CA', county_state: 'BC' }, tax: victoria },
      zone('CA', 'BC', 'v8v 1a1'),
      20,
    ],
    [
      'by the region that the body says of the same country',
      { shipping: { country: 'CA' }, tax: victoria },
      zone('CA', 'BC', 'v8v 1a1'),
      20,
    ],
    [
      'by the address of a network that the body names',
      { tax: { ip_address: '203.0.113.5' } },
      zone('DE', 'BE', '10115', '203.0.113.5'),
      19,
    ],
    ['nowhere by the address of the client alone, as live totals are not either', {}, zone(null), 0],
  ])('is taxed %s', async (_, body, expected, tax) => {
    const made = await order(body, { ip: client })
    expect([made.tax.zone, made.tax.amount.raw, made.collected.tax]).toEqual([expected, tax, tax > 0])
  })

  it('is taxed where the token says, before where the client is; and by what it says of the same place', async () => {
    const token = () => shop.token({ id: file.id })
    const set = async (query: string) => {
      const made = await token()
      await shop.succeed(200, 'GET', `checkouts/${made.id}/helper/set_tax_zone?${query}`)
      return made
    }
    const german = await set('country=DE')
    expect((await order({}, { ip: client, token: german })).tax.zone).toEqual(zone('DE'))
    const local = await set('country=CA&region=BC&postal_zip_code=V8V')
    const made = await order({ shipping: { country: 'CA', county_state: 'BC' } }, { token: local })
    expect([made.tax.zone, made.tax.amount.raw]).toEqual([zone('CA', 'BC', 'V8V'), 20])
    const elsewhere = await set('country=CA&region=BC&postal_zip_code=V8V')
    expect((await order({ shipping: { country: 'CA', county_state: 'ON' } }, { token: elsewhere })).tax.zone).toEqual(
      zone('CA', 'ON'),
    )
  })

  it('is taxed nowhere, while nothing is known of the place', async () => {
    const made = await order({})
    expect([made.tax.zone, made.tax.amount.raw]).toEqual([zone(null), 0])
  })
})

it('what is known of the client is kept', async () => {
  expect((await order({}, { ip: '198.51.100.7' })).client_details).toEqual({
    ip_address: '198.51.100.7',
    country_code: 'CA',
    country_name: 'Canada',
    region_code: 'BC',
    region_name: 'British Columbia',
    city: 'Victoria',
    postal_zip_code: 'V8V',
  })
})

it.each([
  ['an address and the network agree', { billing: { country: 'DE' }, tax: { country: 'DE' } }, '203.0.113.5', true],
  ['the network is elsewhere', { billing: { country: 'DE' }, tax: { country: 'DE' } }, '198.51.100.7', false],
  ['there is no address', {}, '203.0.113.5', false],
  ['it is not in the EU', { shipping: { country: 'CA' } }, '198.51.100.7', false],
])('the evidence for the VAT of digital goods: %s', async (_, body, ip, isThere) => {
  expect((await order(body, { ip })).collected.eu_vat_moss_evidence).toBe(isThere)
})
