// The rules of shipping zones: where one lies, and how a change to one is made.

import type { Tx } from '../../db/db.ts'
import { countryName, readRegion, regionRule } from '../../geo/places.ts'
import type { Caller } from '../../http/endpoint/endpoint.ts'
import type { Clock } from '../../lib/clock.ts'
import { notFound, notValid, unprocessable } from '../../lib/errors.ts'
import { newId } from '../../lib/ids.ts'
import { priceOf } from '../../lib/money.ts'
import { type Judgement, resolveMethods } from './methods.ts'
import type { NewZone, ShippingZone, ZoneChanges } from './schema.ts'
import {
  insertZone,
  lockZone,
  type MethodRow,
  readZone,
  replaceMethods,
  updateZoneRow,
  type ZoneDraft,
  type ZoneRow,
} from './store.ts'

type Owner = Pick<Caller, 'merchantId' | 'currency'>

const NOTHING: ZoneDraft = { name: '', countries: [], regions: {}, methods: [] }

export async function createZone(tx: Tx, clock: Clock, owner: Owner, body: NewZone): Promise<ShippingZone> {
  const { merchantId, currency } = owner
  const now = clock.now()
  const id = newId('shippingZone', now)
  const draft = merged(NOTHING, body, currency, now)
  await insertZone(tx, merchantId, id, draft, now)
  await replaceMethods(tx, merchantId, id, draft.methods)
  return viewZone(await readZone(tx, merchantId, id), currency)
}

export async function updateZone(
  tx: Tx,
  clock: Clock,
  owner: Owner,
  id: string,
  body: ZoneChanges,
): Promise<ShippingZone> {
  const { merchantId, currency } = owner
  // Locked before it is read: what is merged must be what the last change left.
  if (!(await lockZone(tx, merchantId, id))) throw notFound('shipping zone')
  const current = await readZone(tx, merchantId, id)
  const now = clock.now()
  const draft = merged(current, body, currency, now)
  await updateZoneRow(tx, merchantId, id, draft, now)
  if (body.methods) await replaceMethods(tx, merchantId, id, draft.methods)
  return viewZone(await readZone(tx, merchantId, id), currency)
}

/** What the zone becomes: fields sent replace, fields left out stay. Throws when the result breaks a rule. */
function merged(current: ZoneDraft, body: ZoneChanges, currency: string, now: Date): ZoneDraft {
  const judgement: Judgement = { malformed: {}, refused: {} }
  const countries = body.countries ?? current.countries
  if (body.countries) judgeCountries(body.countries, judgement)
  const draft: ZoneDraft = {
    name: body.name ?? current.name,
    countries,
    regions: mergeRegions(current.regions, body.regions ?? {}, countries, judgement),
    methods: body.methods ? resolveMethods(body.methods, current.methods, currency, judgement, now) : current.methods,
  }
  if (Object.keys(judgement.malformed).length > 0) throw unprocessable(judgement.malformed)
  if (Object.keys(judgement.refused).length > 0) throw notValid(judgement.refused)
  return draft
}

function judgeCountries(sent: readonly string[], { malformed, refused }: Judgement) {
  const seen = new Set<string>()
  for (const [index, code] of sent.entries()) {
    const path = `countries.${index}`
    if (countryName(code) === undefined)
      malformed[path] = [`${path} must be the ISO 3166-1 code of a country in capital letters, such as CA.`]
    else if (seen.has(code)) refused[path] = [`${path} stands in the list twice.`]
    seen.add(code)
  }
}

/** Each country that is sent replaces or, by null, removes its list. The lists of countries that have left the zone go with them. */
function mergeRegions(
  current: ZoneDraft['regions'],
  sent: NonNullable<ZoneChanges['regions']>,
  countries: readonly string[],
  judgement: Judgement,
): ZoneDraft['regions'] {
  const lists = new Map(Object.entries(current).filter(([country]) => countries.includes(country)))
  for (const [country, codes] of Object.entries(sent)) {
    if (countryName(country) === undefined)
      judgement.malformed.regions = ['regions must be lists by the code of their country, such as {"CA": ["BC"]}.']
    else if (codes === null) lists.delete(country)
    else if (!countries.includes(country))
      judgement.refused[`regions.${country}`] = [`regions.${country} must be for one of the countries of the zone.`]
    else lists.set(country, readRegions(country, codes, judgement))
  }
  return Object.fromEntries(lists)
}

function readRegions(country: string, sent: readonly string[], { malformed, refused }: Judgement): string[] {
  const seen = new Set<string>()
  return sent.map((text, index) => {
    const path = `regions.${country}.${index}`
    const code = readRegion(country, text) ?? ''
    if (code === '') malformed[path] = [`${path} ${regionRule(country)}`]
    else if (seen.has(code)) refused[path] = [`${path} stands in the list twice.`]
    seen.add(code)
    return code
  })
}

// A row → the shipping zone in its newest form, field by field.

export const viewZone = (row: ZoneRow, currency: string): ShippingZone => ({
  id: row.id,
  name: row.name,
  countries: row.countries,
  regions: row.regions,
  created: row.created,
  updated: row.updated,
  methods: row.methods.map((method) => viewMethod(method, currency)),
})

const viewMethod = (row: MethodRow, currency: string): ShippingZone['methods'][number] => ({
  id: row.id,
  description: row.description,
  price: priceOf(row.price, currency),
  on_own: priceOf(row.on_own, currency),
  with_others: priceOf(row.with_others, currency),
  min_order_value: row.min_order_value === null ? null : priceOf(row.min_order_value, currency),
  max_order_value: row.max_order_value === null ? null : priceOf(row.max_order_value, currency),
  min_weight: row.min_weight,
  max_weight: row.max_weight,
})
