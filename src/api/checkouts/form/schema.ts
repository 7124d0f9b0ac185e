// Queries and replies of the form helpers: places, shipping options, rules and fields.

import { type Static, Type } from 'typebox'
import { type Kind, kind, nested, nullable } from '../../../http/endpoint/schema.ts'
import { PlaceQuery } from '../checks/schema.ts'
import { Live, ShippingOption } from '../schema.ts'

export const OptionsQuery = Type.Object(PlaceQuery)

export const ShippingOptions = Type.Array(nested(ShippingOption))

const Address = Type.String({ maxLength: 64, description: 'IPv4 or IPv6.' })

export const TaxZoneQuery = Type.Object({
  country: Type.Optional(
    Type.Unsafe<string>({
      ...PlaceQuery.country,
      description: 'ISO 3166-1 alpha-2: CA. Needed unless ip_address is given.',
    }),
  ),
  region: PlaceQuery.region,
  postal_zip_code: Type.Optional(Type.String({ maxLength: 64 })),
  ip_address: Type.Optional(
    Type.Unsafe<string>({ ...Address, description: 'IPv4 or IPv6; tells the place where no country is given.' }),
  ),
})

const nullableText = nullable(Type.String())

export const TaxZoneSet = Type.Object({
  valid: Type.Boolean({ description: 'Whether the place is known, and saved. It may be one that is not taxed.' }),
  tax_region: Type.Optional(
    Type.Object(
      { country: nullableText, region: nullableText, postal_zip_code: nullableText, ip_address: nullableText },
      {
        description:
          'As it is saved. If the checkout is shipped, it is taxed at the shipping address instead; see live.tax.zone.',
      },
    ),
  ),
  message: Type.Optional(Type.String({ description: 'Why it is refused. Nothing has been saved then.' })),
  live: nested(Live),
})

export const LocationQuery = Type.Object({
  ip_address: Type.Optional(
    Type.Unsafe<string>({ ...Address, description: "IPv4 or IPv6; the client's own unless given." }),
  ),
})

export const Location = kind('ip_location', {
  ip_address: Type.String(),
  country_code: nullableText,
  country_name: nullableText,
  region_code: nullable(Type.String(), { description: 'The part of the ISO 3166-2 code after the dash.' }),
  region_name: nullableText,
  city: nullableText,
  postal_zip_code: nullableText,
})

const Rules = Type.Object(
  {
    required: Type.Optional(Type.Boolean()),
    email: Type.Optional(Type.Boolean()),
    number: Type.Optional(Type.Boolean()),
    options: Type.Optional(Type.Array(Type.String(), { description: 'The values there are to choose from.' })),
  },
  { description: 'All but required apply only if the field has a value.' },
)

export const RuleList = kind('checkout_rules', {
  rules: Type.Unsafe<Record<string, Static<typeof Rules>>>({
    type: 'object',
    additionalProperties: Rules,
    description:
      'By the names of form fields: {"customer[email]": {"required": true, "email": true}}. Fields without a rule are left out.',
  }),
})

const Field = Type.Object({
  name: Type.String({ description: 'Where it stands in the body of capture: shipping[name].' }),
  label: Type.String(),
  type: Type.String({
    description:
      'The type of an extra field, or one of email, country, region, shipping_method, gateway, amount and option.',
  }),
  required: Type.Boolean(),
  options: Type.Unsafe<{ value: string; label: string }[] | null>({
    type: ['array', 'null'],
    items: Type.Object({ value: Type.String(), label: Type.String() }),
    description: 'What can be chosen, where that is a list.',
  }),
})

export const FieldList = kind('checkout_fields', {
  fields: Type.Array(Field, { description: 'In the order in which a form would ask.' }),
})

export const formKinds: readonly Kind[] = [Location, RuleList, FieldList]
