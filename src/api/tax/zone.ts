// The rules of tax zones: valid places, and at most one zone per place.

import { translateUniqueViolation } from '../../db/records.ts'
import { countryName, readRegion, regionRule } from '../../geo/places.ts'
import { notFound, notValid } from '../../lib/errors.ts'
import { newId } from '../../lib/ids.ts'
import { Problems } from '../../lib/problems.ts'
import { type RuleContext, withRecord } from '../context.ts'
import { parseRates, viewRate } from './rate.ts'
import type { AppliedTaxZone, NewTaxZone, TaxZone, TaxZoneChanges } from './schema.ts'
import { type ApplicableZone, type TaxZoneColumns, type TaxZoneRow, taxZoneStore } from './store.ts'

const BLANK: TaxZoneColumns = { country: '', region: '', postal_prefix: '', rates: [] }

export async function createTaxZone({ db, clock, caller }: RuleContext, body: NewTaxZone): Promise<TaxZone> {
  const now = clock.now()
  const columns = mergeChanges(BLANK, body)
  const created = await db.transaction((tx) => taxZoneStore.insert(tx, caller, newId('taxZone', now), columns, now))
  if (created === null) throw placeTakenError(columns)
  return viewTaxZone(created)
}

export const updateTaxZone = (context: RuleContext, id: string, body: TaxZoneChanges): Promise<TaxZone> =>
  withRecord(context, 'tax zone', taxZoneStore.lock, id, async (tx, current, now) => {
    const columns = mergeChanges(current, body)
    const write = taxZoneStore.update(tx, context.caller, id, columns, now)
    return viewTaxZone(await translateUniqueViolation(write, 'tax_zones_place_unique', () => placeTakenError(columns)))
  })

export async function deleteTaxZone({ db, caller }: RuleContext, id: string): Promise<void> {
  if (!(await db.transaction((tx) => taxZoneStore.delete(tx, caller, id)))) throw notFound('tax zone')
}

/** Names the most specific field of the place, which the merchant can change to avoid the conflict. */
function placeTakenError({ region, postal_prefix }: TaxZoneColumns) {
  const field = postal_prefix !== '' ? 'postal_prefix' : region !== '' ? 'region' : 'country'
  return notValid({
    [field]: ['Another tax zone has the same country, region and postal_prefix. Change that one instead.'],
  })
}

/** Merges the sent fields into the current ones. Throws if the result breaks a rule. */
function mergeChanges(current: TaxZoneColumns, body: TaxZoneChanges): TaxZoneColumns {
  const problems = new Problems()
  const columns: TaxZoneColumns = {
    country: body.country ?? current.country,
    region: parsePlace(current, body, problems),
    postal_prefix: body.postal_prefix === undefined ? current.postal_prefix : parsePrefix(body.postal_prefix, problems),
    rates: body.rates === undefined ? current.rates : parseRates(body.rates, problems),
  }
  problems.throwIfMalformed()
  problems.throwIfAny()
  return columns
}

/** Checks the country and returns its region. */
function parsePlace(current: TaxZoneColumns, body: TaxZoneChanges, problems: Problems): string {
  const { country = current.country, region } = body
  if (countryName(country) === undefined) {
    problems.malformed('country', 'must be the ISO 3166-1 code of a country in capital letters, such as US')
    return ''
  }
  if (region === null) return ''
  if (region === undefined) {
    // The old region could by chance exist in the new country: AL is in the United States, in Brazil and in India.
    if (country !== current.country && current.region !== '')
      problems.refused('region', 'must be sent when the country changes; null means the whole country')
    return current.region
  }
  const code = readRegion(country, region)
  if (code === null) problems.malformedAs({ region: [`region ${regionRule(country)}`] })
  return code ?? ''
}

const POSTAL_PREFIX = /^[A-Za-z0-9 -]+$/
const LETTER_OR_DIGIT = /[A-Za-z0-9]/

/** Removes differences in spelling: V6B 1A1, v6b1a1 and V6B-1A1 are the same postal code. */
function parsePrefix(prefix: string | null, problems: Problems): string {
  if (prefix === null) return ''
  if (!POSTAL_PREFIX.test(prefix) || !LETTER_OR_DIGIT.test(prefix))
    problems.malformed('postal_prefix', 'must be letters A to Z and digits, such as V6B, or null for all')
  return prefix.replace(/[ -]/g, '').toUpperCase()
}

export const viewTaxZone = (row: TaxZoneRow): TaxZone => ({
  ...viewAppliedZone(row),
  rates: row.rates.map(viewRate),
  created: row.created,
  updated: row.updated,
})

export const viewAppliedZone = (row: ApplicableZone): AppliedTaxZone => ({
  id: row.id,
  country: row.country,
  region: row.region === '' ? null : row.region,
  postal_prefix: row.postal_prefix === '' ? null : row.postal_prefix,
})
