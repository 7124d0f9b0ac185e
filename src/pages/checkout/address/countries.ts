// Address formats by country: the parts of an address, their order and lines, and their labels.

import { formatAddress } from 'localized-address-format'
import {
  countryName,
  listCountries,
  listWrittenRegions,
  normalizeRegion,
  type WrittenRegion,
} from '../../../geo/places.ts'
import type { Messages } from '../languages/index.ts'
import type { Language } from '../model.ts'

/** Parts by their names in the capture body. */
export type AddressFieldName = 'name' | 'street' | 'street_2' | 'town_city' | 'county_state' | 'postal_zip_code'

type Row = readonly AddressFieldName[]

/** Placeholders instead of values, so that the formatted address shows where each part goes. */
const MARKS: Readonly<Record<string, AddressFieldName>> = {
  '\u{e000}': 'street',
  '\u{e001}': 'street_2',
  '\u{e002}': 'town_city',
  '\u{e003}': 'county_state',
  '\u{e004}': 'postal_zip_code',
}

/** Countries with regions that are not part of postal addresses. */
const REGION_NOT_WRITTEN: ReadonlySet<string> = new Set(
  'BB BS BY CV EE FM KI KN KP LT LV MH NR PW SC SR TV UM'.split(' '),
)

const rowsByCountry = new Map<string, readonly Row[]>()

/**
 * The parts of an address, line by line. The name comes first everywhere, because people fill in forms that way, even if letters put it
 * last. An unknown country gets the French layout, which most countries share.
 */
export function addressRows(country: string): readonly Row[] {
  const cachedRows = rowsByCountry.get(country)
  if (cachedRows) return cachedRows
  const rows = formatRows(country)
  // Cache real countries only, so that form input cannot grow the cache.
  if (countryName(country) !== undefined) rowsByCountry.set(country, rows)
  return rows
}

function formatRows(country: string): readonly Row[] {
  const [street = '', street2 = '', town = '', region = '', postalCode = ''] = Object.keys(MARKS)
  const lines = formatAddress({
    postalCountry: countryName(country) === undefined ? 'FR' : country,
    addressLines: [street, street2],
    locality: town,
    administrativeArea: region,
    postalCode,
  })
  const hasRegion = listWrittenRegions(country).length > 0 && !REGION_NOT_WRITTEN.has(country)
  const rows = lines
    .map((line) => [...line].flatMap((sign) => MARKS[sign] ?? []))
    .map((row) => row.filter((part) => part !== 'county_state' || hasRegion))
    .filter((row) => row.length > 0)
  const isTownNamed = rows.some((row) => row.includes('town_city'))
  // In Japan the town is part of the street line, but every Japanese form asks for it separately.
  const all = country === 'JP' && !isTownNamed ? rows.flatMap((row) => addTownRow(row)) : rows
  return [['name'], ...all]
}

const addTownRow = (row: Row): Row[] => (row.includes('county_state') ? [row, ['town_city']] : [row])

type Words = { readonly towns: string; readonly postalCodes: string; readonly regions: string }

/** The label that each country uses; other countries use the first label of the list. */
const WORDS: { readonly [List in keyof Words]: Readonly<Record<string, string>> } = {
  towns: { town: 'GB IE', suburb: 'AU NZ', municipality: 'JP', district: 'HK' },
  postalCodes: { postcode: 'AU GB GG IM JE MY NZ', zip: 'GU PH PR US VI', eircode: 'IE', pin: 'IN', cep: 'BR' },
  regions: {
    state: 'BR DE FM IN MX MY NG US VE',
    state_territory: 'AU',
    province: 'AR CN CR CU ES ID IR IT KR MN MZ PA PG PH TH TR VN',
    province_territory: 'CA',
    prefecture: 'JP',
    county: 'GB IE RO TW',
    department: 'CO HN NI SV UY',
    emirate: 'AE',
    area: 'HK',
    oblast: 'UA',
  },
}

/** Maps each listed country to its label. */
const wordsByCountry = (list: keyof Words): ReadonlyMap<string, string> =>
  new Map(
    Object.entries(WORDS[list]).flatMap(([word, countries]) =>
      countries.split(' ').map((code) => [code, word] as const),
    ),
  )

const WORD_OF: { readonly [List in keyof Words]: ReadonlyMap<string, string> } = {
  towns: wordsByCountry('towns'),
  postalCodes: wordsByCountry('postalCodes'),
  regions: wordsByCountry('regions'),
}

const pick = <List extends keyof Words>(words: Messages, list: List, country: string): string => {
  const names: Readonly<Record<string, string>> = words[list]
  return names[WORD_OF[list].get(country) ?? ''] ?? Object.values(names)[0] ?? ''
}

/** Countries where the house number precedes the street, or an address has more than a street. */
const MULTILINE = new Set('AE AU BR CA CN EG FR GB GG HK ID IE IM IN JE JP KR MY NG NZ PH SG TH TW US VN ZA'.split(' '))

export function addressFieldLabel(words: Messages, part: AddressFieldName, country: string): string {
  switch (part) {
    case 'name':
      return words.fullname
    case 'street':
      return MULTILINE.has(country) ? words.addressLine : words.street
    case 'street_2':
      return words.addressLine2
    case 'town_city':
      return pick(words, 'towns', country)
    case 'county_state':
      return pick(words, 'regions', country)
    case 'postal_zip_code':
      return pick(words, 'postalCodes', country)
  }
}

/** Parts that people often leave out, although postal addresses may have them. */
const LEFT_OUT: Readonly<Partial<Record<AddressFieldName, ReadonlySet<string>>>> = {
  county_state: new Set('AE AM CL CO CR CU EG HN IE JM KZ NI PA RO RU SV TW UA UY VN'.split(' ')),
  postal_zip_code: new Set('CL CO IE JM PA'.split(' ')),
}

export const isOftenOmitted = (part: AddressFieldName, country: string): boolean =>
  part === 'street_2' || (LEFT_OUT[part]?.has(country) ?? false)

/** Countries with numeric postal codes; phones show the numeric keyboard. */
const NUMERIC_CODES = new Set('AT AU BE BR CH DE DK ES FI FR HU IN IT JP KR MX MY NO PH SG TH TR US ZA'.split(' '))

export const hasNumericPostalCode = (country: string): boolean => NUMERIC_CODES.has(country)

/** Countries that write the region's code: `Portland OR`. For others an order has the region's name. */
const WRITTEN_AS_CODE = new Set(['AU', 'BR', 'CA', 'IT', 'US'])

export type RegionChoice = { readonly value: string; readonly label: string }

const regionsByCountry = new Map<string, readonly RegionChoice[]>()

/** The regions that a form offers; empty if the shopper types the region. */
export function regionChoices(country: string, language: Language): readonly RegionChoice[] {
  const isLocal = country === 'JP' && language === 'ja'
  const key = isLocal ? `${country} ${language}` : country
  const cachedChoices = regionsByCountry.get(key)
  if (cachedChoices) return cachedChoices
  const choices = listWrittenRegions(country).map((region) => ({
    value: regionValue(country, region),
    label: isLocal ? (region.localName ?? region.name) : region.name,
  }))
  if (choices.length > 0) regionsByCountry.set(key, choices)
  return choices
}

/** Sends the name only if it identifies the region, because the region decides the tax. */
function regionValue(country: string, { code, name }: WrittenRegion): string {
  if (WRITTEN_AS_CODE.has(country) && /^[A-Z]{2,3}$/.test(code)) return code
  return normalizeRegion(country, name) === normalizeRegion(country, code) ? name : code
}

/** The choice that the shopper meant; empty if none matches. */
export function chosenRegion(country: string, typed: string, choices: readonly RegionChoice[]): string {
  const text = typed.trim()
  if (text === '') return ''
  const short = text.toUpperCase().startsWith(`${country}-`) ? text.slice(country.length + 1) : text
  const isSameText = (one: string, other: string) => one.toLowerCase() === other.toLowerCase()
  const byText = choices.find(({ value, label }) => isSameText(value, short) || isSameText(label, text))
  if (byText) return byText.value
  const code = normalizeRegion(country, text)
  return choices.find(({ value }) => code !== null && normalizeRegion(country, value) === code)?.value ?? ''
}

const countriesByLanguage = new Map<Language, readonly RegionChoice[]>()

/** Countries, sorted in the page's language. Null: all countries. */
export function countryChoices(codes: readonly string[] | null, language: Language): readonly RegionChoice[] {
  const all = countriesByLanguage.get(language) ?? sortedCountries(language)
  countriesByLanguage.set(language, all)
  if (codes === null || codes.length === all.length) return all
  const offered = new Set(codes)
  return all.filter(({ value }) => offered.has(value))
}

function sortedCountries(language: Language): readonly RegionChoice[] {
  const { compare } = new Intl.Collator(language)
  return listCountries()
    .map(({ code }) => ({ value: code, label: namesIn(language).of(code) ?? code }))
    .sort((one, other) => compare(one.label, other.label))
}

export const localizedCountryName = (language: Language, code: string): string =>
  countryName(code) === undefined ? code : (namesIn(language).of(code) ?? code)

const namesByLanguage = new Map<Language, Intl.DisplayNames>()

function namesIn(language: Language): Intl.DisplayNames {
  const displayNames = namesByLanguage.get(language) ?? new Intl.DisplayNames(language, { type: 'region' })
  namesByLanguage.set(language, displayNames)
  return displayNames
}
