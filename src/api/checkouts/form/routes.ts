// Endpoints under /v1/checkouts/{id} that help a storefront with its forms: places, shipping methods, rules and fields.

import { Type } from 'typebox'
import { defineEndpoint, type Endpoint } from '../../../http/endpoint/endpoint.ts'
import { listShippingOptions } from '../checks/choices.ts'
import { listFields, listRules, locateIpAddress, setTaxZone } from './form.ts'
import {
  FieldList,
  Location,
  LocationQuery,
  OptionsQuery,
  RuleList,
  ShippingOptions,
  TaxZoneQuery,
  TaxZoneSet,
} from './schema.ts'

const Token = Type.Object({ id: Type.String({ description: 'The id of a checkout token: chkt_…' }) })

const helper = { method: 'GET', access: 'public', noStore: true, status: 200, params: Token } as const

export const formEndpoints: readonly Endpoint[] = [
  defineEndpoint({
    ...helper,
    operation: 'checkouts.shipping_options',
    permission: 'read',
    summary: 'Lists the shipping methods for a place. Does not choose one.',
    path: '/v1/checkouts/:id/helper/shipping_options',
    query: OptionsQuery,
    returns: ShippingOptions,
    handle: (context) => listShippingOptions(context, context.params.id, context.query),
  }),
  defineEndpoint({
    ...helper,
    operation: 'checkouts.set_tax_zone',
    permission: 'write',
    writes: true,
    summary: 'Sets where the checkout is taxed. The shipping address overrides it, once one is chosen.',
    path: '/v1/checkouts/:id/helper/set_tax_zone',
    query: TaxZoneQuery,
    returns: TaxZoneSet,
    handle: (context) => setTaxZone(context, context.params.id, context.query),
  }),
  defineEndpoint({
    ...helper,
    operation: 'checkouts.location_from_ip',
    permission: 'read',
    summary: "Tells where an IP address is, as far as the operator's database knows.",
    path: '/v1/checkouts/:id/helper/location_from_ip',
    query: LocationQuery,
    returns: Location,
    handle: (context) => locateIpAddress(context, context.params.id, context.query.ip_address),
  }),
  defineEndpoint({
    ...helper,
    operation: 'checkouts.validation',
    permission: 'read',
    summary: 'Lists the rules by which capture validates the fields of a form.',
    path: '/v1/checkouts/:id/helper/validation',
    returns: RuleList,
    handle: (context) => listRules(context, context.params.id),
  }),
  defineEndpoint({
    ...helper,
    operation: 'checkouts.fields',
    permission: 'read',
    summary: 'Lists the required and optional fields of a form.',
    path: '/v1/checkouts/:id/fields',
    returns: FieldList,
    handle: (context) => listFields(context, context.params.id),
  }),
]
