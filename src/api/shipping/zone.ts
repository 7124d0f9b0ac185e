// The rules of shipping zones: valid countries and regions, and how a zone is created, changed and deleted.

import type { Tx } from '../../db/db.ts'
import { countryName, readRegion, regionRule } from '../../geo/places.ts'
import { notFound } from '../../lib/errors.ts'
import { newId } from '../../lib/ids.ts'
import { priceOf } from '../../lib/money.ts'
import { Problems } from '../../lib/problems.ts'
import { changeCatalogue } from '../catalogue/change.ts'
import { type RuleContext, withRecord } from '../context.ts'
import { resolveMethods } from './methods.ts'
import type { NewZone, ShippingZone, ZoneChanges } from './schema.ts'
import {
  deleteZoneRow,
  insertZone,
  lockZone,
  type MethodRow,
  readZone,
  replaceMethods,
  updateZoneRow,
  type ZoneDraft,
  type ZoneRow,
} from './store.ts'

const BLANK: ZoneDraft = { name: '', countries: [], regions: {}, methods: [] }

export async function createZone({ db, clock, caller }: RuleContext, body: NewZone): Promise<ShippingZone> {
  const now = clock.now()
  const id = newId('shippingZone', now)
  const draft = mergeChanges(BLANK, body, caller.currency, now)
  return changeCatalogue({ db, caller }, async (tx) => {
    await insertZone(tx, caller, id, draft, now)
    await replaceMethods(tx, caller, id, draft.methods)
    return showZone(tx, caller, id)
  })
}

export const updateZone = (context: RuleContext, id: string, body: ZoneChanges): Promise<ShippingZone> =>
  withRecord(context, 'shipping zone', lockZone, id, async (tx, current, now) => {
    const { caller } = context
    const draft = mergeChanges(current, body, caller.currency, now)
    await updateZoneRow(tx, caller, id, draft, now)
    if (body.methods) await replaceMethods(tx, caller, id, draft.methods)
    return showZone(tx, caller, id)
  })

export async function deleteZone({ db, caller }: RuleContext, id: string): Promise<void> {
  await changeCatalogue({ db, caller }, async (tx) => {
    if (!(await deleteZoneRow(tx, caller, id))) throw notFound('shipping zone')
  })
}

const showZone = async (tx: Tx, caller: RuleContext['caller'], id: string): Promise<ShippingZone> =>
  viewZone(await readZone(tx, caller, id), caller.currency)

/** Merges the sent fields into the current ones. Throws if the result breaks a rule. */
function mergeChanges(current: ZoneDraft, body: ZoneChanges, currency: string, now: Date): ZoneDraft {
  const problems = new Problems()
  const countries = body.countries ?? current.countries
  if (body.countries) checkCountries(body.countries, problems)
  const draft: ZoneDraft = {
    name: body.name ?? current.name,
    countries,
    regions: mergeRegions(current.regions, body.regions ?? {}, countries, problems),
    methods: body.methods ? resolveMethods(body.methods, current.methods, currency, problems, now) : current.methods,
  }
  problems.throwIfMalformed()
  problems.throwIfAny()
  return draft
}

function checkCountries(newCountries: readonly string[], problems: Problems) {
  const usedCodes = new Set<string>()
  for (const [index, code] of newCountries.entries()) {
    const path = `countries.${index}`
    if (countryName(code) === undefined)
      problems.malformed(path, 'must be the ISO 3166-1 code of a country in capital letters, such as CA')
    else if (usedCodes.has(code)) problems.refused(path, 'is listed twice')
    usedCodes.add(code)
  }
}

/** Each sent country replaces its list of regions, or removes it with null. Lists of countries that left the zone are removed. */
function mergeRegions(
  current: ZoneDraft['regions'],
  changes: NonNullable<ZoneChanges['regions']>,
  countries: readonly string[],
  problems: Problems,
): ZoneDraft['regions'] {
  const lists = new Map(Object.entries(current).filter(([country]) => countries.includes(country)))
  for (const [country, codes] of Object.entries(changes)) {
    if (countryName(country) === undefined) refuseRegions(problems)
    else if (codes === null) lists.delete(country)
    else if (!countries.includes(country))
      problems.refused(`regions.${country}`, 'must be for one of the countries of the zone')
    else lists.set(country, readRegions(country, codes, problems))
  }
  return Object.fromEntries(lists)
}

/** Reports the problem once for all countries, because each message would be the same. */
function refuseRegions(problems: Problems) {
  if (!problems.has('regions'))
    problems.malformed('regions', 'must have a list of region codes for each country code, such as {"CA": ["BC"]}')
}

function readRegions(country: string, newRegions: readonly string[], problems: Problems): string[] {
  const usedCodes = new Set<string>()
  return newRegions.map((text, index) => {
    const path = `regions.${country}.${index}`
    const code = readRegion(country, text) ?? ''
    if (code === '') problems.malformedAs({ [path]: [`${path} ${regionRule(country)}`] })
    else if (usedCodes.has(code)) problems.refused(path, 'is listed twice')
    usedCodes.add(code)
    return code
  })
}

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
