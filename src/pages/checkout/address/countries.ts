// How the countries of the world write an address: which parts it has, in which order and on which line, and what each part is called there.

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

/** By the names that capture has for them. */
export type AddressPart = 'name' | 'street' | 'street_2' | 'town_city' | 'county_state' | 'postal_zip_code'

type Row = readonly AddressPart[]

/** In place of values, so that what comes back tells where each stands. */
const MARKS: Readonly<Record<string, AddressPart>> = {
  '\u{e000}': 'street',
  '\u{e001}': 'street_2',
  '\u{e002}': 'town_city',
  '\u{e003}': 'county_state',
  '\u{e004}': 'postal_zip_code',
}

/** Regions are listed, and no letter names them. */
const REGION_NOT_WRITTEN: ReadonlySet<string> = new Set(
  'BB BS BY CV EE FM KI KN KP LT LV MH NR PW SC SR TV UM'.split(' '),
)

const rowsByCountry = new Map<string, readonly Row[]>()

/**
 * Line by line. Whoever it goes to is named first everywhere: that is how forms are filled in, also where letters name them last.
 * Without a country, as most of them do.
 */
export function addressRows(country: string): readonly Row[] {
  const known = rowsByCountry.get(country)
  if (known) return known
  const rows = rowsOf(country)
  // As many as there are countries, whatever a form has sent.
  if (countryName(country) !== undefined) rowsByCountry.set(country, rows)
  return rows
}

function rowsOf(country: string): readonly Row[] {
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
  // In Japan the town is the beginning of the street there; every form there asks for it by itself.
  const all = country === 'JP' && !isTownNamed ? rows.flatMap((row) => withTown(row)) : rows
  return [['name'], ...all]
}

const withTown = (row: Row): Row[] => (row.includes('county_state') ? [row, ['town_city']] : [row])

type Words = { readonly towns: string; readonly postalCodes: string; readonly regions: string }

/** Which word of a list each country takes; the first of the list where none is given. */
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

/** The word of each country that has one of its own. */
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

/** Where the number stands before the street, or an address is more than a street. */
const LINES = new Set('AE AU BR CA CN EG FR GB GG HK ID IE IM IN JE JP KR MY NG NZ PH SG TH TW US VN ZA'.split(' '))

export function labelOf(words: Messages, part: AddressPart, country: string): string {
  switch (part) {
    case 'name':
      return words.fullname
    case 'street':
      return LINES.has(country) ? words.addressLine : words.street
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

/** Parts that people leave out there, although letters may have them. */
const LEFT_OUT: Readonly<Partial<Record<AddressPart, ReadonlySet<string>>>> = {
  county_state: new Set('AE AM CL CO CR CU EG HN IE JM KZ NI PA RO RU SV TW UA UY VN'.split(' ')),
  postal_zip_code: new Set('CL CO IE JM PA'.split(' ')),
}

export const isOftenLeftOut = (part: AddressPart, country: string): boolean =>
  part === 'street_2' || (LEFT_OUT[part]?.has(country) ?? false)

/** Postal codes are digits alone, so that a phone shows its keys for them. */
const DIGITS = new Set('AT AU BE BR CH DE DK ES FI FR HU IN IT JP KR MX MY NO PH SG TH TR US ZA'.split(' '))

export const hasDigitsAlone = (country: string): boolean => DIGITS.has(country)

/** Where letters have the code itself: `Portland OR`. Elsewhere an order names the region in words. */
const WRITTEN_AS_CODE = new Set(['AU', 'BR', 'CA', 'IT', 'US'])

export type RegionChoice = { readonly value: string; readonly label: string }

const regionsByCountry = new Map<string, readonly RegionChoice[]>()

/** What a form offers as the region; empty where it is typed. */
export function regionChoices(country: string, language: Language): readonly RegionChoice[] {
  const isLocal = country === 'JP' && language === 'ja'
  const key = isLocal ? `${country} ${language}` : country
  const known = regionsByCountry.get(key)
  if (known) return known
  const choices = listWrittenRegions(country).map((region) => ({
    value: sentFor(country, region),
    label: isLocal ? (region.localName ?? region.name) : region.name,
  }))
  if (choices.length > 0) regionsByCountry.set(key, choices)
  return choices
}

/** A name only where it cannot be taken for another's: it decides the tax. */
function sentFor(country: string, { code, name }: WrittenRegion): string {
  if (WRITTEN_AS_CODE.has(country) && /^[A-Z]{2,3}$/.test(code)) return code
  return normalizeRegion(country, name) === normalizeRegion(country, code) ? name : code
}

/** Which of the choices was meant; empty where none of them. */
export function chosenRegion(country: string, typed: string, choices: readonly RegionChoice[]): string {
  const text = typed.trim()
  if (text === '') return ''
  const short = text.toUpperCase().startsWith(`${country}-`) ? text.slice(country.length + 1) : text
  const same = (one: string, other: string) => one.toLowerCase() === other.toLowerCase()
  const byText = choices.find(({ value, label }) => same(value, short) || same(label, text))
  if (byText) return byText.value
  const code = normalizeRegion(country, text)
  return choices.find(({ value }) => code !== null && normalizeRegion(country, value) === code)?.value ?? ''
}

const countriesByLanguage = new Map<Language, readonly RegionChoice[]>()

/** In the order of the language. Null: all of them. */
export function countryChoices(codes: readonly string[] | null, language: Language): readonly RegionChoice[] {
  const all = countriesByLanguage.get(language) ?? everyCountry(language)
  countriesByLanguage.set(language, all)
  if (codes === null || codes.length === all.length) return all
  const offered = new Set(codes)
  return all.filter(({ value }) => offered.has(value))
}

function everyCountry(language: Language): readonly RegionChoice[] {
  const { compare } = new Intl.Collator(language)
  return listCountries()
    .map(({ code }) => ({ value: code, label: namesIn(language).of(code) ?? code }))
    .sort((one, other) => compare(one.label, other.label))
}

export const countryIn = (language: Language, code: string): string =>
  countryName(code) === undefined ? code : (namesIn(language).of(code) ?? code)

const names = new Map<Language, Intl.DisplayNames>()

function namesIn(language: Language): Intl.DisplayNames {
  const known = names.get(language) ?? new Intl.DisplayNames(language, { type: 'region' })
  names.set(language, known)
  return known
}
