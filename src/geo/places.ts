// Countries and their regions: the codes (ISO 3166), the names, and the region that a shopper means.
// A region's code is the part of its ISO 3166-2 code after the dash: `BC` for `CA-BC`.

import { createRequire } from 'node:module'

export type Country = { readonly code: string; readonly name: string }

export type Subdivision = { readonly code: string; readonly name: string }

/** English name, or undefined if no country has this code. */
export const countryName = (code: string): string | undefined => countries().get(code)

let knownCodes: readonly string[] | undefined

/** Codes of all countries, sorted by name. */
export function countryCodes(): readonly string[] {
  knownCodes ??= [...countries().keys()]
  return knownCodes
}

/** All countries, sorted by name. */
export const listCountries = (): Country[] => [...countries()].map(([code, name]) => ({ code, name }))

/** Regions of a country, sorted by name. Empty if it has none, undefined if there is no such country. */
export function listSubdivisions(country: string): Subdivision[] | undefined {
  if (countryName(country) === undefined) return undefined
  return [...(regionsOf(country)?.listed ?? [])].map(([code, name]) => ({ code, name }))
}

/** Countries in which addresses never name the top regions of ISO, but the parts of them. */
const WRITTEN_BY_PART: ReadonlySet<string> = new Set(['ES', 'IE', 'IT', 'PH'])

/** Region name in addresses. `localName` is in the country's own script, if that differs. */
export type WrittenRegion = Subdivision & { readonly localName?: string }

/**
 * Regions that addresses of a country name, sorted by name: provinces in Italy, counties in Ireland. `normalizeRegion` knows each of them.
 */
export function listWrittenRegions(country: string): readonly WrittenRegion[] {
  if (country === 'JP') return PREFECTURES
  const regions = regionsOf(country)
  if (regions === undefined) return []
  const toWrittenRegion = ([code, name]: readonly [string, string]): WrittenRegion => ({ code, name: commonName(name) })
  if (!WRITTEN_BY_PART.has(country)) return [...regions.listed].map(toWrittenRegion)
  const dividedRegions = new Set(regions.parts.values())
  const undividedRegions = [...regions.listed].filter(([code]) => !dividedRegions.has(code))
  return [...undividedRegions, ...regions.partNames]
    .map(toWrittenRegion)
    .sort((one, other) => collator.compare(one.name, other.name))
}

/** `Asturias, Principado de` becomes Asturias. */
const commonName = (name: string): string => name.split(/,| \(|\//)[0]?.trim() ?? name

/** Reads `BC` or `CA-BC` as `BC`. Null if the country has no such region. For callers that must name the exact region. */
export function readRegion(country: string, code: string): string | null {
  const short = withoutCountry(country, code)
  return regionsOf(country)?.listed.has(short) ? short : null
}

/** End of a sentence about a field that fails `readRegion`. */
export function regionRule(country: string): string {
  const [first] = listSubdivisions(country) ?? []
  if (!first) return `must be left out, as ${country} has no regions.`
  return `must be the ISO 3166-2 code of a region of ${country}, such as ${first.code} or ${country}-${first.code}.`
}

/**
 * Code of the region in an address: `CA`, `US-CA`, `california`. A part counts as its region, because addresses in Italy or France name the
 * province or the department.
 * Null if the region is unknown, or if two regions have that name. A guess would charge the wrong tax.
 */
export function normalizeRegion(country: string, text: string): string | null {
  const code = country.toUpperCase()
  const regions = regionsOf(code)
  if (!regions) return null
  const short = withoutCountry(code, text.trim().toUpperCase())
  if (regions.listed.has(short)) return short
  return regions.parts.get(short) ?? regions.byName.get(foldName(text)) ?? null
}

type Regions = {
  /** Code → name, sorted by name. */
  readonly listed: ReadonlyMap<string, string>
  /** Code of a part → code of its listed region. */
  readonly parts: ReadonlyMap<string, string>
  /** Code of a part → name. */
  readonly partNames: ReadonlyMap<string, string>
  /** Folded name → code of the listed region; null if several have it. */
  readonly byName: ReadonlyMap<string, string | null>
}

type Entry = { readonly code: string; readonly name: string; readonly parent: string }

// Loaded by `require` on first use: an import would cost 350 kB at every start, and most requests never need it.
const require = createRequire(import.meta.url)

let knownCountries: ReadonlyMap<string, string> | undefined

function countries(): ReadonlyMap<string, string> {
  if (knownCountries) return knownCountries
  const { iso31661Alpha2ToAlpha3 } = require('iso-3166/1-a2-to-1-a3.js') as typeof import('iso-3166')
  // The standard's own names are those of treaties: "United Kingdom of Great Britain and Northern Ireland".
  const names = new Intl.DisplayNames('en', { type: 'region' })
  const codesWithNames = Object.keys(iso31661Alpha2ToAlpha3).map((code): [string, string] => [
    code,
    names.of(code) ?? code,
  ])
  knownCountries = new Map(codesWithNames.sort(byName))
  return knownCountries
}

let entriesByCountry: ReadonlyMap<string, readonly Entry[]> | undefined
const regionsByCountry = new Map<string, Regions>()

function regionsOf(country: string): Regions | undefined {
  const cachedRegions = regionsByCountry.get(country)
  if (cachedRegions) return cachedRegions
  if (!entriesByCountry) {
    const { iso31662 } = require('iso-3166/2.js') as typeof import('iso-3166')
    const entriesByCode = new Map<string, Entry[]>()
    for (const entry of iso31662) {
      const code = entry.code.slice(0, 2)
      const countryEntries = entriesByCode.get(code)
      if (countryEntries) countryEntries.push(entry)
      else entriesByCode.set(code, [entry])
    }
    entriesByCountry = entriesByCode
  }
  const entries = entriesByCountry.get(country)
  if (!entries) return undefined
  const regions = buildRegions(country, entries)
  regionsByCountry.set(country, regions)
  return regions
}

function buildRegions(country: string, entries: readonly Entry[]): Regions {
  const shortOf = ({ code }: Entry) => withoutCountry(country, code)
  const listed = entries.filter(({ parent }) => parent === country)
  const parts = new Map<string, string>()
  for (const entry of entries) if (entry.parent !== country) parts.set(shortOf(entry), rootOf(entry, entries))

  // Earlier claims win: full names of regions, then other forms of their names, then names of parts.
  const names = new Map<string, string | null>()
  const addNames = (claims: readonly (readonly [name: string, code: string])[]) => {
    const newClaims = new Map<string, string | null>()
    for (const [name, code] of claims) {
      if (names.has(name)) continue
      const isContested = newClaims.has(name) && newClaims.get(name) !== code
      newClaims.set(name, isContested ? null : code)
    }
    for (const [name, code] of newClaims) names.set(name, code)
  }
  addNames(listed.map((entry) => [foldName(entry.name), shortOf(entry)]))
  addNames(listed.flatMap((entry) => otherForms(entry.name).map((name) => [name, shortOf(entry)] as const)))
  addNames(
    entries
      .filter(({ parent }) => parent !== country)
      .map((entry) => [foldName(entry.name), parts.get(shortOf(entry)) ?? '']),
  )
  if (country === 'JP')
    addNames(
      PREFECTURES.flatMap(({ code, name, localName }) =>
        [name, localName].map((each) => [foldName(each), code] as const),
      ),
    )
  const nameOf = (entry: Entry): [string, string] => [shortOf(entry), entry.name]
  const partNames = new Map(entries.filter(({ parent }) => parent !== country).map(nameOf))
  return { listed: new Map(listed.map(nameOf).sort(byName)), parts, partNames, byName: names }
}

function rootOf(entry: Entry, entries: readonly Entry[]): string {
  const parentEntry = entries.find(({ code }) => code === entry.parent)
  return parentEntry ? rootOf(parentEntry, entries) : entry.code.slice(3)
}

const withoutCountry = (country: string, code: string) =>
  code.startsWith(`${country}-`) ? code.slice(country.length + 1) : code

const collator = new Intl.Collator('en')
const byName = ([, one]: readonly [string, string], [, other]: readonly [string, string]) =>
  collator.compare(one, other)

/** Removes case, accents and punctuation, as people type: `quebec` is Québec. */
const foldName = (text: string) =>
  text
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll('&', ' and ')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()

/** Other forms of a name: `Bristol, City of` is also Bristol and City of Bristol; `Sofia (stolitsa)` is also Sofia. */
function otherForms(name: string): string[] {
  const [, baseName = '', suffix = ''] = /^([^,(/]+)[,(/]\s*([^)]*)\)?$/.exec(name) ?? []
  return baseName === '' ? [] : [foldName(baseName), foldName(`${suffix} ${baseName}`)]
}

/** Japan's prefectures in English and Japanese, starting with JP-01. ISO 3166-2 spells them in a way that nobody uses (`Hukusima`). */
const PREFECTURE_NAMES =
  'Hokkaido 北海道,Aomori 青森県,Iwate 岩手県,Miyagi 宮城県,Akita 秋田県,Yamagata 山形県,Fukushima 福島県,Ibaraki 茨城県,Tochigi 栃木県,' +
  'Gunma 群馬県,Saitama 埼玉県,Chiba 千葉県,Tokyo 東京都,Kanagawa 神奈川県,Niigata 新潟県,Toyama 富山県,Ishikawa 石川県,Fukui 福井県,' +
  'Yamanashi 山梨県,Nagano 長野県,Gifu 岐阜県,Shizuoka 静岡県,Aichi 愛知県,Mie 三重県,Shiga 滋賀県,Kyoto 京都府,Osaka 大阪府,Hyogo 兵庫県,' +
  'Nara 奈良県,Wakayama 和歌山県,Tottori 鳥取県,Shimane 島根県,Okayama 岡山県,Hiroshima 広島県,Yamaguchi 山口県,Tokushima 徳島県,' +
  'Kagawa 香川県,Ehime 愛媛県,Kochi 高知県,Fukuoka 福岡県,Saga 佐賀県,Nagasaki 長崎県,Kumamoto 熊本県,Oita 大分県,Miyazaki 宮崎県,' +
  'Kagoshima 鹿児島県,Okinawa 沖縄県'

const PREFECTURES: readonly Required<WrittenRegion>[] = PREFECTURE_NAMES.split(',').map((names, index) => {
  const [name = '', localName = ''] = names.split(' ')
  return { code: String(index + 1).padStart(2, '0'), name, localName }
})
