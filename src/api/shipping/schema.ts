// The shipping zone and its methods as the API shows them, and the bodies that create and change a zone.

import { type Static, Type } from 'typebox'
import { Amount, kind, nested, nestedOrNull, nullable, Price, Timestamp } from '../../http/endpoint/schema.ts'

/** More than any carrier has services. A checkout shows each one that is available. */
const MAX_METHODS = 100

/** A million tonnes, in grams. */
const MAX_WEIGHT = 1_000_000_000_000

/** There are 249 countries, and none has more regions than this. */
const MAX_COUNTRIES = 249
const MAX_REGIONS = 500

const Grams = Type.Integer({ minimum: 0, maximum: MAX_WEIGHT })

export const ZoneMethod = kind('zone_method', {
  id: Type.String(),
  description: Type.String({ description: 'What shoppers choose by.' }),
  price: nested(Price),
  on_own: nested(Price),
  with_others: nested(Price),
  min_order_value: nestedOrNull(Price),
  max_order_value: nestedOrNull(Price),
  min_weight: nullable(Grams),
  max_weight: nullable(Grams),
})

export type ZoneMethod = Static<typeof ZoneMethod>

const REGIONS =
  'Of these countries only these regions, by the part of the ISO 3166-2 code after the dash: {"CA": ["BC"]}. A country that is not named here is meant whole.'

export const ShippingZone = kind('shipping_zone', {
  id: Type.String(),
  name: Type.String(),
  countries: Type.Array(Type.String(), { description: 'ISO 3166-1 alpha-2 codes.' }),
  regions: Type.Unsafe<Record<string, string[]>>({
    type: 'object',
    additionalProperties: { type: 'array', items: { type: 'string' } },
    description: REGIONS,
  }),
  created: Timestamp,
  updated: Timestamp,
  methods: Type.Array(nested(ZoneMethod)),
})

export type ShippingZone = Static<typeof ShippingZone>

const orderValue = (which: string) =>
  Type.Optional(
    Type.Unsafe<number | string | null>({
      ...Amount,
      type: ['number', 'string', 'null'],
      description: `The ${which} value of an order, subtotal less discount, that it is offered for; null: any.`,
    }),
  )

const weight = (which: string) =>
  Type.Optional(
    nullable(Grams, { description: `The ${which} weight of an order, in grams, that it is offered for; null: any.` }),
  )

const amount = (description: string) => Type.Unsafe<number | string>({ ...Amount, description })

const methodId = Type.Optional(
  Type.String({ description: 'A method of this zone, to keep it: what is then left out stays.' }),
)

const required = {
  description: Type.String({ minLength: 1, maxLength: 255 }),
  price: amount('What shipping costs, whatever is shipped.'),
}

const optional = {
  on_own: Type.Optional(amount('Added for the first unit; 0 unless given.')),
  with_others: Type.Optional(amount('Added for each further unit; 0 unless given.')),
  min_order_value: orderValue('least'),
  max_order_value: orderValue('largest'),
  min_weight: weight('least'),
  max_weight: weight('largest'),
}

const NewMethod = Type.Object({ id: methodId, ...required, ...optional })

const MethodBody = Type.Object({ id: methodId, ...Type.Partial(Type.Object(required)).properties, ...optional })

const zoneFields = {
  name: Type.String({ minLength: 1, maxLength: 255, description: 'For the merchant; shoppers do not see it.' }),
  countries: Type.Array(Type.String(), {
    minItems: 1,
    maxItems: MAX_COUNTRIES,
    description: 'ISO 3166-1 alpha-2 codes: ["CA"].',
  }),
  regions: Type.Optional(
    Type.Unsafe<Record<string, string[] | null>>({
      type: 'object',
      maxProperties: MAX_COUNTRIES,
      additionalProperties: {
        type: ['array', 'null'],
        items: { type: 'string' },
        minItems: 1,
        maxItems: MAX_REGIONS,
      },
      description: `${REGIONS} CA-BC is read as BC. A country set to null is meant whole again.`,
    }),
  ),
}

export const CreateShippingZone = Type.Object({
  ...zoneFields,
  methods: Type.Array(NewMethod, { maxItems: MAX_METHODS }),
})

export const UpdateShippingZone = Type.Partial(
  Type.Object({
    ...zoneFields,
    methods: Type.Array(MethodBody, {
      maxItems: MAX_METHODS,
      description: 'Replaces the list. A method without an id is a new one and needs a description and a price.',
    }),
  }),
)

export type NewZone = Static<typeof CreateShippingZone>
export type ZoneChanges = Static<typeof UpdateShippingZone>
export type MethodBody = Static<typeof MethodBody>
