// @unit
// An address is asked for as its country writes it.

import { describe, expect, it } from 'vitest'
import { listCountries, listWrittenRegions, normalizeRegion } from '../../../../src/geo/places.ts'
import { addressRows, chosenRegion, regionChoices } from '../../../../src/pages/checkout/address/countries.ts'
import { addressLines } from '../../../../src/pages/checkout/address/lines.ts'
import { payPage } from '../../../../src/pages/checkout/views/pay.ts'
import { addressDemands, EMAIL, orderOf, payModel, SHIPPED, typed } from './samples.ts'

/** Labels of the address in the order of the page, without that of the country. */
function asked(country: string, isRegionRequired = false): string[] {
  const demands = isRegionRequired ? [...EMAIL, ...addressDemands('shipping', true)] : SHIPPED
  const { text } = payPage(payModel({ demands, typed: typed({ 'shipping[country]': country }) }))
  const [, block = ''] = /data-live="shipping-address">([\s\S]*?)<details class="more">/.exec(text) ?? []
  return [...block.matchAll(/<label for="f-shipping-([a-z_0-9]+)">([^<]*)/g)].map(([, , label = '']) => label.trim())
}

const LINE_2 = 'Apartment, building, company'

describe('fields', () => {
  it.each([
    ['DE', ['Full name', 'Street and house number', LINE_2, 'Postal code', 'City']],
    ['US', ['Full name', 'Address', LINE_2, 'City', 'State', 'ZIP code']],
    ['JP', ['Full name', 'Postal code', 'Prefecture', 'City, ward or town', 'Address', LINE_2]],
    ['GB', ['Full name', 'Address', LINE_2, 'Town or city', 'Postcode']],
    ['FR', ['Full name', 'Address', LINE_2, 'Postal code', 'City']],
    ['BR', ['Full name', 'Address', LINE_2, 'City', 'State', 'CEP']],
    ['IE', ['Full name', 'Address', LINE_2, 'Town or city', 'County', 'Eircode']],
    ['CA', ['Full name', 'Address', LINE_2, 'City', 'Province or territory', 'Postal code']],
    ['AU', ['Full name', 'Address', LINE_2, 'Suburb or city', 'State or territory', 'Postcode']],
    ['PL', ['Full name', 'Street and house number', LINE_2, 'Postal code', 'City']],
  ])('of %s are in its order, with its words', (country, labels) => {
    expect(asked(country)).toEqual(labels)
  })

  it('stand for everything that is required, in every country', () => {
    for (const { code } of listCountries()) {
      const parts = addressRows(code).flat()
      expect([code, parts.includes('street'), new Set(parts).size === parts.length]).toEqual([code, true, true])
    }
    expect(asked('GB', true)).toContain('County')
  })
})

describe('regions', () => {
  it('are a list where letters name them', () => {
    expect(regionChoices('US', 'en').find(({ value }) => value === 'CA')).toEqual({ value: 'CA', label: 'California' })
    expect(regionChoices('JP', 'ja')[12]).toEqual({ value: 'Tokyo', label: '東京都' })
    expect(regionChoices('JP', 'en')[6]).toEqual({ value: 'Fukushima', label: 'Fukushima' })
    expect(regionChoices('IT', 'it').find(({ label }) => label === 'Milano')?.value).toBe('MI')
    expect(regionChoices('IE', 'en').map(({ label }) => label)).toContain('Cork')
  })

  it('are sent in a form that their tax is found by, each of them as itself', () => {
    for (const { code: country } of listCountries()) {
      const choices = regionChoices(country, 'en')
      expect(new Set(choices.map(({ value }) => value)).size, country).toBe(choices.length)
      listWrittenRegions(country).forEach(({ code }, index) => {
        const value = choices[index]?.value ?? ''
        expect(normalizeRegion(country, value), `${country} ${code}`).toBe(normalizeRegion(country, code))
      })
    }
  })

  it('stay chosen however they were named', () => {
    const choices = regionChoices('US', 'en')
    for (const text of ['OR', 'US-OR', 'or', 'Oregon', ' oregon ']) expect(chosenRegion('US', text, choices)).toBe('OR')
    expect(chosenRegion('US', 'Atlantis', choices)).toBe('')
    expect(chosenRegion('JP', 'JP-13', regionChoices('JP', 'ja'))).toBe('Tokyo')
    expect(chosenRegion('JP', '13', regionChoices('JP', 'ja'))).toBe('Tokyo')
    expect(chosenRegion('JP', '東京都', regionChoices('JP', 'en'))).toBe('Tokyo')
  })
})

describe('an address on a receipt', () => {
  const { shipping } = orderOf()

  it('is written as letters to its country are', () => {
    expect(addressLines('en', shipping)).toEqual(['Mira Hansen', 'Holtenauer Straße 118', '24105 Kiel', 'Germany'])
    const oregon = { town_city: 'Portland', county_state: 'US-OR', postal_zip_code: '97201', country: 'US' }
    const lines = addressLines('de', { ...shipping, ...oregon })
    expect(lines.slice(-2)).toEqual(['Portland, OR 97201', 'Vereinigte Staaten'])
  })

  it('leaves nothing out that was given', () => {
    const bath = { town_city: 'Bath', county_state: 'Somerset', postal_zip_code: 'BA1 1AA', country: 'GB' }
    expect(addressLines('en', { ...shipping, ...bath })).toEqual([
      ...['Mira Hansen', 'Holtenauer Straße 118', 'Bath', 'BA1 1AA', 'Somerset', 'United Kingdom'],
    ])
    expect(addressLines('en', null)).toEqual([])
  })
})
