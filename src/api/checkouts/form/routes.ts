// The endpoints under /v1/checkouts/{id} that help a storefront with its forms: places, methods, and what is to be asked.

import { type Static, Type } from 'typebox'
import { type Endpoint, endpoint } from '../../../http/endpoint/endpoint.ts'
import { type Kind, kind, nested, nullable } from '../../../http/endpoint/schema.ts'
import { listShippingOptions } from '../checks/choices.ts'
import { PlaceQuery } from '../checks/schema.ts'
import { Live, ShippingOption } from '../schema.ts'
import { listFields, listRules, locate, setTaxZone } from './form.ts'

const OptionsQuery = Type.Object(PlaceQuery)

const ShippingOptions = Type.Array(nested(ShippingOption))

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

const known = nullable(Type.String())

export const TaxZoneSet = Type.Object({
  valid: Type.Boolean({ description: 'Whether the place is known, and saved. It may be one that is not taxed.' }),
  tax_region: Type.Optional(
    Type.Object(
      { country: known, region: known, postal_zip_code: known, ip_address: known },
      { description: 'As it is saved. Where something is sent to, it is taxed there: live.tax.zone tells.' },
    ),
  ),
  message: Type.Optional(Type.String({ description: 'Why it is refused. Nothing has been saved then.' })),
  live: nested(Live),
})

const LocationQuery = Type.Object({
  ip_address: Type.Optional(
    Type.Unsafe<string>({ ...Address, description: "IPv4 or IPv6; the client's own unless given." }),
  ),
})

export const Location = kind('ip_location', {
  ip_address: Type.String(),
  country_code: known,
  country_name: known,
  region_code: nullable(Type.String(), { description: 'The part of the ISO 3166-2 code after the dash.' }),
  region_name: known,
  city: known,
  postal_zip_code: known,
})

const Rules = Type.Object(
  {
    required: Type.Optional(Type.Boolean()),
    email: Type.Optional(Type.Boolean()),
    number: Type.Optional(Type.Boolean()),
    options: Type.Optional(Type.Array(Type.String(), { description: 'The values there are to choose from.' })),
  },
  { description: 'Those but required hold for a value that is given.' },
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

const Token = Type.Object({ id: Type.String({ description: 'The id of a checkout token: chkt_…' }) })

const helper = { method: 'GET', access: 'public', noStore: true, status: 200, params: Token } as const

export const formEndpoints: readonly Endpoint[] = [
  endpoint({
    ...helper,
    operation: 'checkouts.shipping_options',
    summary: 'Lists the shipping methods for a place. Asking chooses nothing.',
    path: '/v1/checkouts/:id/helper/shipping_options',
    query: OptionsQuery,
    returns: ShippingOptions,
    handle: (context) => listShippingOptions(context, context.params.id, context.query),
  }),
  endpoint({
    ...helper,
    operation: 'checkouts.set_tax_zone',
    writes: true,
    summary: 'Sets where the checkout is taxed. The place it is sent to goes before that, once it is chosen.',
    path: '/v1/checkouts/:id/helper/set_tax_zone',
    query: TaxZoneQuery,
    returns: TaxZoneSet,
    handle: (context) => setTaxZone(context, context.params.id, context.query),
  }),
  endpoint({
    ...helper,
    operation: 'checkouts.location_from_ip',
    summary: "Tells where an IP address is, as far as the operator's database knows.",
    path: '/v1/checkouts/:id/helper/location_from_ip',
    query: LocationQuery,
    returns: Location,
    handle: (context) => locate(context, context.params.id, context.query.ip_address),
  }),
  endpoint({
    ...helper,
    operation: 'checkouts.validation',
    summary: 'Lists the rules that capture will hold the fields of a form to.',
    path: '/v1/checkouts/:id/helper/validation',
    returns: RuleList,
    handle: (context) => listRules(context, context.params.id),
  }),
  endpoint({
    ...helper,
    operation: 'checkouts.fields',
    summary: 'Lists the fields that a form has to ask for, or may.',
    path: '/v1/checkouts/:id/fields',
    returns: FieldList,
    handle: (context) => listFields(context, context.params.id),
  }),
]
