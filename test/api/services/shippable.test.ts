// GET /v1/services/locale/{checkout_token_id}/countries and …/countries/{country_code}/subdivisions: where a checkout can be sent.

import { describe, expect, it } from 'vitest'
import type { CountryList, SubdivisionList } from '../../../src/api/locale/schema.ts'
import { sharedApp } from '../../support/app.ts'
import { missing } from '../../support/shop.ts'
import { openCheckoutShop } from '../checkouts/support.ts'
import { statementsOf } from '../statements.ts'

const app = await sharedApp()
const shop = await openCheckoutShop(app)
const product = await shop.product({ delivery: { physical: true } })
const everywhere = (await shop.call('GET', 'services/locale/countries')).body
const token = (quantity = 1) => shop.token({ id: product.id, quantity })
const get = async (checkout: { id: string }, path = '') => {
  const answer = await shop.call('GET', `services/locale/${checkout.id}/countries${path}`)
  expect([answer.status, answer.headers['cache-control']]).toEqual([200, 'no-store'])
  return answer.body
}
const options = (places: Record<string, string>) =>
  Object.entries(places)
    .map(([code, name]) => `<option value="${code}">${name}</option>`)
    .join('')
const countries = (places: Record<string, string>): CountryList => ({ countries: places, html: options(places) })
const subdivisions = (places: Record<string, string>): SubdivisionList => ({
  subdivisions: places,
  html: options(places),
})
const all = async (country: string) => (await shop.call('GET', `services/locale/${country}/subdivisions`)).body

describe('a checkout of something physical', () => {
  it('is asked for no place while there is no shipping zone: all are shown', async () => {
    const checkout = await token()
    expect(await get(checkout)).toEqual(everywhere)
    expect(await get(checkout, '/CA/subdivisions')).toEqual(await all('CA'))
  })

  it('can be sent nowhere that no method is for', async () => {
    const own = await openCheckoutShop(app)
    await own.zone({ countries: ['US'], methods: [{ description: 'Freight', price: 50, min_order_value: 1_000 }] })
    const { id } = await own.token({ id: (await own.product()).id })
    expect((await own.call('GET', `services/locale/${id}/countries`)).body).toEqual(countries({}))
    expect((await own.call('GET', `services/locale/${id}/countries/CA/subdivisions`)).body).toEqual(subdivisions({}))
  })

  it('can be sent to the countries and regions of the methods for what is bought, by name, in one statement', async () => {
    const methods = [{ description: 'Post', price: 5 }]
    await shop.zone({ countries: ['US', 'CA'], regions: { CA: ['ON', 'BC'] }, methods })
    await shop.zone({ countries: ['CA'], regions: { CA: ['AB'] }, methods })
    await shop.zone({ countries: ['CA', 'DE'], methods: [{ description: 'Freight', price: 50, min_order_value: 100 }] })
    const checkout = await token()
    expect(await get(checkout)).toEqual(countries({ CA: 'Canada', US: 'United States' }))
    expect(await get(checkout, '/ca/subdivisions')).toEqual(
      subdivisions({ AB: 'Alberta', BC: 'British Columbia', ON: 'Ontario' }),
    )
    expect(await get(checkout, '/US/subdivisions')).toEqual(await all('US'))
    expect(await get(checkout, '/DE/subdivisions')).toEqual(subdivisions({}))
    // What is worth more can go by freight.
    const dear = await token(10)
    expect(await get(dear)).toEqual(countries({ CA: 'Canada', DE: 'Germany', US: 'United States' }))
    expect(await get(dear, '/CA/subdivisions')).toEqual(await all('CA'))
    for (const path of ['', '/CA/subdivisions'])
      expect(await statementsOf(() => get(checkout, path))).toEqual(['checkouts.find'])
  })

  it('can be sent anywhere by a method of an integration', async () => {
    const checkout = await token()
    await shop.set(checkout, { shipping_methods: [{ description: 'Drone', price: 9 }] })
    expect(await get(checkout)).toEqual(everywhere)
    expect(await get(checkout, '/JP/subdivisions')).toEqual(await all('JP'))
  })
})

it('a checkout of which nothing is shipped has every country and region to choose from', async () => {
  const download = await shop.product({ delivery: { physical: false } })
  const checkout = await shop.token({ id: download.id })
  expect(await get(checkout)).toEqual(everywhere)
  expect(await get(checkout, '/CA/subdivisions')).toEqual(await all('CA'))
})

it('there is no country that does not exist', async () => {
  const answer = await shop.call('GET', `services/locale/${(await token()).id}/countries/XX/subdivisions`)
  expect([answer.status, answer.body]).toEqual([404, missing('country')])
})
