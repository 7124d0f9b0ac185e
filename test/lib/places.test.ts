// @unit
import { describe, expect, it } from 'vitest'
import { countryName, listCountries, listSubdivisions, normalizeRegion, readRegion } from '../../src/geo/places.ts'

describe('countries', () => {
  it('have the names that shops use', () => {
    const names = ['GB', 'US', 'KR', 'NL', 'CI'].map(countryName)
    expect(names).toEqual(['United Kingdom', 'United States', 'South Korea', 'Netherlands', 'Côte d’Ivoire'])
  })

  it('are known by their ISO code alone', () => {
    expect(['ca', 'UK', 'XX', 'EU', 'CAN', '', '__proto__'].map(countryName)).toEqual(Array(7).fill(undefined))
  })

  it('are listed by name', () => {
    const countries = listCountries()
    expect(countries).toHaveLength(249)
    expect(countries.slice(0, 3)).toEqual([
      { code: 'AF', name: 'Afghanistan' },
      { code: 'AX', name: 'Åland Islands' },
      { code: 'AL', name: 'Albania' },
    ])
  })
})

describe('subdivisions', () => {
  it('leave out the parts of a region', () => {
    const codes = (listSubdivisions('IT') ?? []).map(({ code }) => code)
    expect(codes).toHaveLength(20)
    expect(codes).toContain('25')
    expect(codes).not.toContain('MI')
  })

  it('are none for a country without them, and undefined for no country', () => {
    expect([listSubdivisions('GI'), listSubdivisions('XX')]).toEqual([[], undefined])
  })
})

it.each([
  ['CA', 'BC', 'BC'],
  ['CA', 'CA-BC', 'BC'],
  ['CA', 'bc', null],
  ['CA', 'British Columbia', null],
  ['CA', 'US-CA', null],
  ['IT', 'MI', null],
  ['GI', 'X', null],
  ['XX', 'BC', null],
])('reads the region of %s given as %s as %s', (country, code, region) => {
  expect(readRegion(country, code)).toBe(region)
})

it.each([
  // By code.
  ['US', 'CA', 'CA'],
  ['us', ' us-ca ', 'CA'],
  // By name, as people type it.
  ['US', 'California', 'CA'],
  ['CA', 'québec', 'QC'],
  ['CA', 'Newfoundland & Labrador', 'NL'],
  ['GB', 'bristol', 'BST'],
  ['GB', 'City of Bristol', 'BST'],
  ['BG', 'Sofia', '23'],
  ['IN', 'Puducherry', 'PY'],
  // A part stands for its region.
  ['IT', 'MI', '25'],
  ['IT', 'Milano', '25'],
  ['FR', '78', 'IDF'],
  ['ES', 'Madrid', 'MD'],
  // A region goes before its part of the same name.
  ['ES', 'Cantabria', 'CB'],
  // Unknown, or several of that name.
  ['US', 'Nowhere', null],
  ['US', '', null],
  ['EE', 'Tartu', null],
  ['GI', 'Gibraltar', null],
  ['XX', 'CA', null],
])('takes an address in %s, %s to be in %s', (country, text, region) => {
  expect(normalizeRegion(country, text)).toBe(region)
})
