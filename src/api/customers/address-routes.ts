// The endpoints of /v1/customers/{customer_id}/addresses.

import { Type } from 'typebox'
import { type Endpoint, endpoint } from '../../http/endpoint/endpoint.ts'
import { listOf, pageQuery } from '../../http/endpoint/schema.ts'
import { notFound } from '../../lib/errors.ts'
import { pageOf, readPage } from '../../lib/page.ts'
import { createAddress, deleteAddress, updateAddress } from './address.ts'
import { findAddress, listAddresses } from './address-store.ts'
import { viewAddress } from './customer.ts'
import { CustomerAddress, DEFAULT_ADDRESS_LIMIT, WriteAddress } from './schema.ts'

const CustomerId = Type.Object({ customer_id: Type.String({ description: 'The id of a customer: cstmr_…' }) })

const Ids = Type.Object({
  customer_id: Type.String({ description: 'The id of a customer: cstmr_…' }),
  address_id: Type.String({ description: 'The id of an address: adrs_…' }),
})

export const addressEndpoints: readonly Endpoint[] = [
  endpoint({
    operation: 'customers.list_addresses',
    summary: 'Lists the addresses of a customer, oldest first.',
    method: 'GET',
    path: '/v1/customers/:customer_id/addresses',
    access: 'secret',
    params: CustomerId,
    query: Type.Object(pageQuery(DEFAULT_ADDRESS_LIMIT)),
    status: 200,
    returns: listOf(CustomerAddress),
    handle: async ({ db, caller, params, query, url }) => {
      const page = readPage(query, DEFAULT_ADDRESS_LIMIT)
      const found = await listAddresses(db, caller, params.customer_id, page)
      if (found === null) throw notFound('customer')
      return pageOf(found.rows.map(viewAddress), found.total, page, url)
    },
  }),
  endpoint({
    operation: 'customers.create_address',
    summary: 'Adds an address to those of a customer.',
    method: 'POST',
    path: '/v1/customers/:customer_id/addresses',
    access: 'secret',
    params: CustomerId,
    body: WriteAddress,
    status: 201,
    returns: CustomerAddress,
    handle: ({ db, clock, caller, params, body }) =>
      db.transaction((tx) => createAddress(tx, clock, caller, params.customer_id, body)),
  }),
  endpoint({
    operation: 'customers.get_address',
    summary: 'Gives one address of a customer.',
    method: 'GET',
    path: '/v1/customers/:customer_id/addresses/:address_id',
    access: 'secret',
    params: Ids,
    status: 200,
    returns: CustomerAddress,
    handle: async ({ db, caller, params }) => {
      const found = await findAddress(db, caller, params.customer_id, params.address_id)
      if (found === null) throw notFound('customer')
      if (found.address === null) throw notFound('address')
      return viewAddress(found.address)
    },
  }),
  endpoint({
    operation: 'customers.update_address',
    summary: 'Changes the fields of an address that are sent.',
    method: 'PUT',
    path: '/v1/customers/:customer_id/addresses/:address_id',
    access: 'secret',
    params: Ids,
    body: WriteAddress,
    status: 200,
    returns: CustomerAddress,
    handle: ({ db, clock, caller, params, body }) =>
      db.transaction((tx) => updateAddress(tx, clock, caller, params.customer_id, params.address_id, body)),
  }),
  endpoint({
    operation: 'customers.delete_address',
    summary: 'Deletes an address of a customer.',
    method: 'DELETE',
    path: '/v1/customers/:customer_id/addresses/:address_id',
    access: 'secret',
    params: Ids,
    status: 204,
    handle: async ({ db, clock, caller, params }) => {
      await db.transaction((tx) => deleteAddress(tx, clock, caller, params.customer_id, params.address_id))
      return undefined
    },
  }),
]
