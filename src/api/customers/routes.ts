// The endpoints of /v1/customers. Those of addresses are in address-routes.ts; those of a customer's orders are in the orders slice.

import { Type } from 'typebox'
import { defineEndpoint } from '../../http/endpoint/endpoint.ts'
import { listOf } from '../../http/endpoint/schema.ts'
import { paginate, parsePageQuery } from '../../lib/page.ts'
import type { Slice } from '../slice.ts'
import { addressEndpoints } from './address-routes.ts'
import { createCustomer, deleteCustomer, getCustomer, updateCustomer, viewCustomer } from './customer.ts'
import { listCustomers } from './list-store.ts'
import { loginMailJob } from './login/mail-job.ts'
import { loginEndpoints } from './login/routes.ts'
import { loginKinds } from './login/schema.ts'
import { sweepLoginTokens } from './login/store.ts'
import {
  CreateCustomer,
  Customer,
  CustomerAddress,
  DEFAULT_CUSTOMER_LIMIT,
  ListCustomers,
  UpdateCustomer,
} from './schema.ts'

const Id = Type.Object({ customer_id: Type.String({ description: 'The id of a customer: cstmr_…' }) })

export const customers: Slice = {
  kinds: [Customer, CustomerAddress, ...loginKinds],
  endpoints: [
    defineEndpoint({
      operation: 'customers.list',
      permission: 'see',
      summary: 'Lists customers, newest first unless asked otherwise.',
      method: 'GET',
      path: '/v1/customers',
      access: 'secret',
      query: ListCustomers,
      status: 200,
      returns: listOf(Customer),
      handle: async ({ db, caller, query, url }) => {
        const page = parsePageQuery(query, DEFAULT_CUSTOMER_LIMIT)
        const { sortDirection = 'desc', ...filter } = query
        const { rows, total } = await listCustomers(db, caller, { ...filter, sortDirection }, page)
        return paginate(rows.map(viewCustomer), total, page, url)
      },
    }),
    defineEndpoint({
      operation: 'customers.create',
      permission: 'write',
      summary: 'Creates a customer. One is also made by the first order of an e-mail address.',
      method: 'POST',
      path: '/v1/customers',
      access: 'secret',
      body: CreateCustomer,
      status: 201,
      returns: Customer,
      handle: (context) => createCustomer(context, context.body),
    }),
    defineEndpoint({
      operation: 'customers.get',
      permission: 'see',
      summary: 'Gives one customer: to the secret key, or to the customer.',
      method: 'GET',
      path: '/v1/customers/:customer_id',
      access: 'customer',
      params: Id,
      status: 200,
      returns: Customer,
      handle: (context) => getCustomer(context, context.params.customer_id),
    }),
    defineEndpoint({
      operation: 'customers.update',
      permission: 'write',
      summary: 'Changes the fields of a customer that are sent.',
      method: 'PUT',
      path: '/v1/customers/:customer_id',
      access: 'customer',
      limited: true,
      params: Id,
      body: UpdateCustomer,
      status: 200,
      returns: Customer,
      handle: (context) => updateCustomer(context, context.params.customer_id, context.body),
    }),
    defineEndpoint({
      operation: 'customers.delete',
      permission: 'write',
      summary: 'Deletes a customer with the addresses. Orders stay.',
      method: 'DELETE',
      path: '/v1/customers/:customer_id',
      access: 'secret',
      params: Id,
      status: 204,
      handle: (context) => deleteCustomer(context, context.params.customer_id),
    }),
    ...addressEndpoints,
    ...loginEndpoints,
  ],
  jobs: (services) => [loginMailJob(services)],
  sweeps: () => [sweepLoginTokens],
}
