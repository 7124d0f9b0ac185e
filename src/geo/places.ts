// Countries and their regions: which codes exist (ISO 3166), what they are called, and which region a shopper means.
// A region is known by the part of its ISO 3166-2 code after the dash: `BC` of `CA-BC`.

import { createRequire } from 'node:module'

export type Country = { readonly code: string; readonly name: string }

export type Subdivision = { readonly code: string; readonly name: string }

/** The English name, or undefined when no country has this code. */
export const countryName = (code: string): string | undefined => countries().get(code)

let knownCodes: readonly string[] | undefined

/** The codes of all countries, in the order of their names. */
export function countryCodes(): readonly string[] {
  knownCodes ??= [...countries().keys()]
  return knownCodes
}

/** All countries, by name. */
export const listCountries = (): Country[] => [...countries()].map(([code, name]) => ({ code, name }))

/** The regions of a country, by name: none where it has none, undefined where there is no such country. */
export function listSubdivisions(country: string): Subdivision[] | undefined {
  if (countryName(country) === undefined) return undefined
  return [...(regionsOf(country)?.listed ?? [])].map(([code, name]) => ({ code, name }))
}

/** Where the regions that ISO lists first are none that anybody writes on a letter: it is the part of one. */
const WRITTEN_BY_PART: ReadonlySet<string> = new Set(['ES', 'IE', 'IT', 'PH'])

/** As addresses there name it. `localName`: in the country's own writing, where that is another. */
export type WrittenRegion = Subdivision & { readonly localName?: string }

/** The regions that addresses of a country name, by name: provinces in Italy, counties in Ireland. `normalizeRegion` knows each of them. */
export function listWrittenRegions(country: string): readonly WrittenRegion[] {
  if (country === 'JP') return PREFECTURES
  const regions = regionsOf(country)
  if (regions === undefined) return []
  const named = ([code, name]: readonly [string, string]): WrittenRegion => ({ code, name: commonName(name) })
  if (!WRITTEN_BY_PART.has(country)) return [...regions.listed].map(named)
  const divided = new Set(regions.parts.values())
  const whole = [...regions.listed].filter(([code]) => !divided.has(code))
  return [...whole, ...regions.partNames].map(named).sort((one, other) => collator.compare(one.name, other.name))
}

/** `Asturias, Principado de` is Asturias. */
const commonName = (name: string): string => name.split(/,| \(|\//)[0]?.trim() ?? name

/** `BC` of `BC` or `CA-BC`, null where the country lists no such region. For those who must say exactly which one they mean. */
export function readRegion(country: string, code: string): string | null {
  const short = withoutCountry(country, code)
  return regionsOf(country)?.listed.has(short) ? short : null
}

/** What `readRegion` demands, as the end of a sentence about a field. */
export function regionRule(country: string): string {
  const [first] = listSubdivisions(country) ?? []
  if (!first) return `must be left out, as ${country} has no regions.`
  return `must be the ISO 3166-2 code of a region of ${country}, such as ${first.code} or ${country}-${first.code}.`
}

/**
 * The code of the region that an address names: `CA`, `US-CA`, `california`. A part of a region stands for the whole, as addresses
 * in Italy or France name the province or the department. Null when it is unknown, or when two regions have that name:
 * a guess would charge the wrong tax.
 */
export function normalizeRegion(country: string, text: string): string | null {
  const code = country.toUpperCase()
  const regions = regionsOf(code)
  if (!regions) return null
  const short = withoutCountry(code, text.trim().toUpperCase())
  if (regions.listed.has(short)) return short
  return regions.parts.get(short) ?? regions.byName.get(folded(text)) ?? null
}

type Regions = {
  /** Code → name, in the order of the names. */
  readonly listed: ReadonlyMap<string, string>
  /** Code of a part → code of the listed region it lies in. */
  readonly parts: ReadonlyMap<string, string>
  /** Code of a part → name. */
  readonly partNames: ReadonlyMap<string, string>
  /** Folded name → code of the listed region; null where several have it. */
  readonly byName: ReadonlyMap<string, string | null>
}

type Entry = { readonly code: string; readonly name: string; readonly parent: string }

// By `require`, because an import would be paid for at every start: 350 kB that most requests never ask for.
const require = createRequire(import.meta.url)

let knownCountries: ReadonlyMap<string, string> | undefined

function countries(): ReadonlyMap<string, string> {
  if (knownCountries) return knownCountries
  const { iso31661Alpha2ToAlpha3 } = require('iso-3166/1-a2-to-1-a3.js') as typeof import('iso-3166')
  // The names of the standard are those of treaties: "United Kingdom of Great Britain and Northern Ireland".
  const names = new Intl.DisplayNames('en', { type: 'region' })
  const named = Object.keys(iso31661Alpha2ToAlpha3).map((code): [string, string] => [code, names.of(code) ?? code])
  knownCountries = new Map(named.sort(byName))
  return knownCountries
}

let entriesByCountry: ReadonlyMap<string, readonly Entry[]> | undefined
const regionsByCountry = new Map<string, Regions>()

function regionsOf(country: string): Regions | undefined {
  const arranged = regionsByCountry.get(country)
  if (arranged) return arranged
  if (!entriesByCountry) {
    const { iso31662 } = require('iso-3166/2.js') as typeof import('iso-3166')
    const gathered = new Map<string, Entry[]>()
    for (const entry of iso31662) {
      const code = entry.code.slice(0, 2)
      const known = gathered.get(code)
      if (known) known.push(entry)
      else gathered.set(code, [entry])
    }
    entriesByCountry = gathered
  }
  const entries = entriesByCountry.get(country)
  if (!entries) return undefined
  const regions = arrange(country, entries)
  regionsByCountry.set(country, regions)
  return regions
}

function arrange(country: string, entries: readonly Entry[]): Regions {
  const shortOf = ({ code }: Entry) => withoutCountry(country, code)
  const listed = entries.filter(({ parent }) => parent === country)
  const parts = new Map<string, string>()
  for (const entry of entries) if (entry.parent !== country) parts.set(shortOf(entry), rootOf(entry, entries))

  // What is said first counts: the name of a region goes before a shorter form of another's, and both before the name of a part.
  const names = new Map<string, string | null>()
  const claim = (claims: readonly (readonly [name: string, code: string])[]) => {
    const fresh = new Map<string, string | null>()
    for (const [name, code] of claims) {
      if (names.has(name)) continue
      const isContested = fresh.has(name) && fresh.get(name) !== code
      fresh.set(name, isContested ? null : code)
    }
    for (const [name, code] of fresh) names.set(name, code)
  }
  claim(listed.map((entry) => [folded(entry.name), shortOf(entry)]))
  claim(listed.flatMap((entry) => otherForms(entry.name).map((name) => [name, shortOf(entry)] as const)))
  claim(
    entries
      .filter(({ parent }) => parent !== country)
      .map((entry) => [folded(entry.name), parts.get(shortOf(entry)) ?? '']),
  )
  if (country === 'JP')
    claim(
      PREFECTURES.flatMap(({ code, name, localName }) =>
        [name, localName].map((each) => [folded(each), code] as const),
      ),
    )
  const nameOf = (entry: Entry): [string, string] => [shortOf(entry), entry.name]
  const partNames = new Map(entries.filter(({ parent }) => parent !== country).map(nameOf))
  return { listed: new Map(listed.map(nameOf).sort(byName)), parts, partNames, byName: names }
}

function rootOf(entry: Entry, entries: readonly Entry[]): string {
  const above = entries.find(({ code }) => code === entry.parent)
  return above ? rootOf(above, entries) : entry.code.slice(3)
}

const withoutCountry = (country: string, code: string) =>
  code.startsWith(`${country}-`) ? code.slice(country.length + 1) : code

const collator = new Intl.Collator('en')
const byName = ([, one]: readonly [string, string], [, other]: readonly [string, string]) =>
  collator.compare(one, other)

/** Without case, accents and punctuation, as people type: `quebec` is Québec. */
const folded = (text: string) =>
  text
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll('&', ' and ')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()

/** `Bristol, City of` is called Bristol, and City of Bristol; `Sofia (stolitsa)` is called Sofia. */
function otherForms(name: string): string[] {
  const [, before = '', after = ''] = /^([^,(/]+)[,(/]\s*([^)]*)\)?$/.exec(name) ?? []
  return before === '' ? [] : [folded(before), folded(`${after} ${before}`)]
}

/** What the prefectures of Japan are called abroad and there, from JP-01 on: ISO 3166-2 writes them in a way that nobody does (`Hukusima`). */
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
