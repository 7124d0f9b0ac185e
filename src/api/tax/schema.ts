// The tax zone as the API shows it, and the bodies that create and change one.

import { type Static, Type } from 'typebox'
import { kind, nullable, Timestamp } from '../../http/endpoint/schema.ts'

/** Maximum number of rates in one zone. */
const MAX_RATES = 20

/** Longer than any postal code with its blanks and hyphens. */
export const MAX_POSTAL_PREFIX = 12

const TYPE = 'What shoppers see it as: state, county, VAT.'

export const TaxZone = kind('tax_zone', {
  id: Type.String(),
  country: Type.String({ description: 'An ISO 3166-1 alpha-2 code.' }),
  region: nullable(Type.String(), {
    description: 'The part of an ISO 3166-2 code after the dash; null for the whole country.',
  }),
  postal_prefix: nullable(Type.String(), {
    description: 'What the postal codes begin with, without blanks and hyphens; null for all of them.',
  }),
  rates: Type.Array(
    Type.Object({
      type: Type.String({ description: TYPE }),
      rate: Type.Number({ description: 'A fraction: 0.06.' }),
      rate_percentage: Type.String({ description: 'The same for people: 6%.' }),
      digital_rate: nullable(Type.Number(), {
        description: 'For digital delivery. Null: rate applies.',
      }),
    }),
    { description: 'They add, and never compound.' },
  ),
  created: Timestamp,
  updated: Timestamp,
})

export type TaxZone = Static<typeof TaxZone>

/** Zone that applies to a place, without its rates. */
export const AppliedTaxZone = kind('applied_tax_zone', {
  id: TaxZone.properties.id,
  country: TaxZone.properties.country,
  region: TaxZone.properties.region,
  postal_prefix: TaxZone.properties.postal_prefix,
})

export type AppliedTaxZone = Static<typeof AppliedTaxZone>

const FRACTION = 'a fraction from 0 to 1 with at most 6 decimals, as a number or a decimal string: 0.06 is 6%.'

const fields = {
  country: Type.String({ description: 'An ISO 3166-1 alpha-2 code: US.' }),
  region: Type.Optional(
    nullable(Type.String({ minLength: 1 }), {
      description:
        'An ISO 3166-2 code, CA or US-CA; the whole country unless given. Required if the country of a region changes.',
    }),
  ),
  postal_prefix: Type.Optional(
    nullable(Type.String({ minLength: 1, maxLength: MAX_POSTAL_PREFIX }), {
      description:
        'Only postal codes that begin with this; all unless given. Letters and digits; case, blanks and hyphens do not count.',
    }),
  ),
  rates: Type.Array(
    Type.Object({
      type: Type.String({ minLength: 1, maxLength: 100, description: TYPE }),
      rate: Type.Unsafe<number | string>({ type: ['number', 'string'], maxLength: 40, description: FRACTION }),
      digital_rate: Type.Optional(
        Type.Unsafe<number | string | null>({
          type: ['number', 'string', 'null'],
          maxLength: 40,
          description: `For what is delivered digitally, ${FRACTION} The same as rate unless given.`,
        }),
      ),
    }),
    { maxItems: MAX_RATES, description: 'Together at most 1. Empty for a place without tax inside a taxed area.' },
  ),
}

export const CreateTaxZone = Type.Object(fields)

export const UpdateTaxZone = Type.Partial(Type.Object(fields))

export type NewTaxZone = Static<typeof CreateTaxZone>
export type TaxZoneChanges = Static<typeof UpdateTaxZone>
