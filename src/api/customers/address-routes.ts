// The endpoints of /v1/customers/{customer_id}/addresses.

import { Type } from 'typebox'
import { resourceEndpoints, type Verb } from '../resource.ts'
import { createAddress, deleteAddress, readCustomerAddress, readCustomerAddresses, updateAddress } from './address.ts'
import { viewAddress } from './customer.ts'
import { CustomerAddress, DEFAULT_ADDRESS_LIMIT, WriteAddress } from './schema.ts'

const ADDRESSES = {
  name: 'addresses',
  operation: (verb: Verb) => (verb === 'list' ? 'customers.list_addresses' : `customers.${verb}_address`),
  path: '/v1/customers/:customer_id/addresses',
  parents: Type.Object({ customer_id: Type.String({ description: 'The id of a customer: cstmr_…' }) }),
  kind: CustomerAddress,
  one: 'an address',
  many: 'the addresses of a customer',
  idPrefix: 'adrs',
  permissions: { read: 'see', write: 'write' },
  idName: 'address_id',
  access: 'customer',
} as const

export const addressEndpoints = resourceEndpoints(ADDRESSES, {
  list: {
    limit: DEFAULT_ADDRESS_LIMIT,
    read: (context, page) => readCustomerAddresses(context, context.params.customer_id, page),
  },
  get: {
    summary: 'Gives one address of a customer: to the secret key, or to the customer.',
    read: (context, id) => readCustomerAddress(context, context.params.customer_id, id),
  },
  create: {
    summary: 'Adds an address to those of a customer.',
    limited: true,
    body: WriteAddress,
    run: (context, body) => createAddress(context, context.params.customer_id, body),
  },
  update: {
    limited: true,
    body: WriteAddress,
    run: (context, id, body) => updateAddress(context, context.params.customer_id, id, body),
  },
  delete: {
    summary: 'Deletes an address of a customer.',
    limited: true,
    run: (context, id) => deleteAddress(context, context.params.customer_id, id),
  },
  view: viewAddress,
})
