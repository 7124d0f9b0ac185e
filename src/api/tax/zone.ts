// The rules of tax zones: which places and rates there are, and one zone for each place.

import type { Db, Tx } from '../../db/db.ts'
import { countryName, readRegion, regionRule } from '../../geo/places.ts'
import type { Caller } from '../../http/endpoint/endpoint.ts'
import type { Clock } from '../../lib/clock.ts'
import { type FieldErrors, notFound, notValid, unprocessable } from '../../lib/errors.ts'
import { newId } from '../../lib/ids.ts'
import { MAX_TAX_RATE } from '../../pricing/rounding.ts'
import { type RateRow, rateNumber, ratePercentage, readRate } from './rate.ts'
import type { NewTaxZone, TaxZone, TaxZoneChanges } from './schema.ts'
import { insertTaxZone, lockTaxZone, type TaxZoneDraft, type TaxZoneRow, updateTaxZoneRow } from './store.ts'

type Owner = Pick<Caller, 'merchantId'>

const NOTHING: TaxZoneDraft = { country: '', region: '', postal_prefix: '', rates: [] }

export async function createTaxZone(db: Db, clock: Clock, { merchantId }: Owner, body: NewTaxZone): Promise<TaxZone> {
  const now = clock.now()
  const draft = merged(NOTHING, body)
  const created = await insertTaxZone(db, merchantId, newId('taxZone', now), draft, now)
  if (created === null) throw placeTaken(draft)
  return viewTaxZone(created)
}

export async function updateTaxZone(
  tx: Tx,
  clock: Clock,
  { merchantId }: Owner,
  id: string,
  body: TaxZoneChanges,
): Promise<TaxZone> {
  // Locked, because country and region are checked together and a second request might be changing the other.
  const current = await lockTaxZone(tx, merchantId, id)
  if (current === null) throw notFound('tax zone')
  const draft = merged(current, body)
  const updated = await updateTaxZoneRow(tx, merchantId, id, draft, clock.now())
  if (updated === null) throw placeTaken(draft)
  return viewTaxZone(updated)
}

/** Names the field by which the place could be told from the other zone's. */
function placeTaken({ region, postal_prefix }: TaxZoneDraft) {
  const field = postal_prefix !== '' ? 'postal_prefix' : region !== '' ? 'region' : 'country'
  return notValid({ [field]: ['Another tax zone is for the same country, region and postal_prefix: change that one.'] })
}

/** What the zone becomes: fields sent replace, fields left out stay. Throws when the result breaks a rule. */
function merged(current: TaxZoneDraft, body: TaxZoneChanges): TaxZoneDraft {
  const malformed: FieldErrors = {}
  const refused: FieldErrors = {}
  const draft: TaxZoneDraft = {
    country: body.country ?? current.country,
    region: readPlace(current, body, malformed, refused),
    postal_prefix: body.postal_prefix === undefined ? current.postal_prefix : readPrefix(body.postal_prefix, malformed),
    rates: body.rates === undefined ? current.rates : readRates(body.rates, malformed, refused),
  }
  if (Object.keys(malformed).length > 0) throw unprocessable(malformed)
  if (Object.keys(refused).length > 0) throw notValid(refused)
  return draft
}

/** Judges the country, and gives the region of it. */
function readPlace(
  current: TaxZoneDraft,
  body: TaxZoneChanges,
  malformed: FieldErrors,
  refused: FieldErrors,
): TaxZoneDraft['region'] {
  const { country = current.country, region } = body
  if (countryName(country) === undefined) {
    malformed.country = ['country must be the ISO 3166-1 code of a country in capital letters, such as US.']
    return ''
  }
  if (region === null) return ''
  if (region === undefined) {
    // Kept, it could by chance name a region of the other country: AL is in the United States, in Brazil and in India.
    if (country !== current.country && current.region !== '')
      refused.region = ['region must be sent with another country; null means the whole country.']
    return current.region
  }
  const code = readRegion(country, region)
  if (code === null) malformed.region = [`region ${regionRule(country)}`]
  return code ?? ''
}

const POSTAL_PREFIX = /^[A-Za-z0-9 -]*[A-Za-z0-9][A-Za-z0-9 -]*$/

/** Without what people write differently: V6B 1A1, v6b1a1 and V6B-1A1 are one postal code. */
function readPrefix(sent: string | null, malformed: FieldErrors): string {
  if (sent === null) return ''
  if (!POSTAL_PREFIX.test(sent))
    malformed.postal_prefix = ['postal_prefix must be letters A to Z and digits, such as V6B, or null for all.']
  return sent.replace(/[ -]/g, '').toUpperCase()
}

function readRates(sent: NewTaxZone['rates'], malformed: FieldErrors, refused: FieldErrors): RateRow[] {
  const read = (path: string, value: number | string): number => {
    const rate = readRate(value)
    if (rate === null)
      malformed[path] = [`${path} must be a fraction from 0 to 1 with at most 6 decimals, such as 0.06 for 6%.`]
    return rate ?? 0
  }
  const rates = sent.map(({ type, rate, digital_rate = null }, index) => ({
    type,
    rate: read(`rates.${index}.rate`, rate),
    digital_rate: digital_rate === null ? null : read(`rates.${index}.digital_rate`, digital_rate),
  }))
  const physical = rates.reduce((sum, { rate }) => sum + rate, 0)
  const digital = rates.reduce((sum, { rate, digital_rate }) => sum + (digital_rate ?? rate), 0)
  if (physical > MAX_TAX_RATE || digital > MAX_TAX_RATE)
    refused.rates = [
      `rates must add up to at most 1${physical > MAX_TAX_RATE ? '' : ', also for what is delivered digitally'}.`,
    ]
  return rates
}

// A row → the tax zone in its newest form, field by field.

export const viewTaxZone = (row: TaxZoneRow): TaxZone => ({
  id: row.id,
  country: row.country,
  region: row.region === '' ? null : row.region,
  postal_prefix: row.postal_prefix === '' ? null : row.postal_prefix,
  rates: row.rates.map(({ type, rate, digital_rate }) => ({
    type,
    rate: rateNumber(rate),
    rate_percentage: ratePercentage(rate),
    digital_rate: digital_rate === null ? null : rateNumber(digital_rate),
  })),
  created: row.created,
  updated: row.updated,
})
