// The endpoint by which a merchant tries an address. It belongs to the shipping zones in the API, but the code of checkouts answers it.

import { defineEndpoint } from '../../../http/endpoint/endpoint.ts'
import { AddressTerms, TermsQuery } from './schema.ts'
import { computeAddressTerms } from './terms.ts'

export const termsEndpoint = defineEndpoint({
  operation: 'shipping_zones.for_address',
  permission: 'read',
  summary:
    'Says which terms apply to an address: the shipping zones and methods with their prices and totals, and the tax zone with its rates, as a checkout shipped there has them. Nothing is saved.',
  method: 'GET',
  path: '/v1/shipping_zones/for',
  access: 'secret',
  query: TermsQuery,
  status: 200,
  returns: AddressTerms,
  handle: (context) => computeAddressTerms(context, context.query),
})
