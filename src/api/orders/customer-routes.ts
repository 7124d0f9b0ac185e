// The endpoints of one customer's orders, for the secret key and for the customer: what /v1/orders shows, of this customer alone.

import { Type } from 'typebox'
import { type Endpoint, endpoint } from '../../http/endpoint/endpoint.ts'
import { listOf } from '../../http/endpoint/schema.ts'
import { notFound } from '../../lib/errors.ts'
import { pageOf, readPage } from '../../lib/page.ts'
import { noCustomer } from '../customers/customer.ts'
import { DEFAULT_LIMIT, ListOrders } from './body-schema.ts'
import { ownerOf } from './links.ts'
import { findOrderOfCustomer, listOrderIdsOfCustomer } from './list-store.ts'
import { Order } from './schema.ts'
import { findOrders } from './store.ts'
import { viewOrder } from './view.ts'

const CUSTOMER_ID = Type.String({ description: 'The id of a customer: cstmr_…' })

export const customerOrderEndpoints: readonly Endpoint[] = [
  endpoint({
    operation: 'customers.list_orders',
    summary: "Lists a customer's orders, newest first unless asked otherwise.",
    method: 'GET',
    path: '/v1/customers/:customer_id/orders',
    access: 'customer',
    params: Type.Object({ customer_id: CUSTOMER_ID }),
    query: ListOrders,
    status: 200,
    returns: listOf(Order),
    handle: async (context) => {
      const { db, clock, caller, params, query, url } = context
      const page = readPage(query, DEFAULT_LIMIT)
      const { sortDirection = 'desc', ...filter } = query
      const picked = await listOrderIdsOfCustomer(db, caller, params.customer_id, { ...filter, sortDirection }, page)
      if (picked === null) throw noCustomer(caller)
      const owner = await ownerOf(context)
      const rows = picked.ids.length === 0 ? [] : await findOrders(db, owner, picked.ids)
      const now = clock.now()
      return pageOf(
        rows.map((row) => viewOrder(row, owner.addresses, now)),
        picked.total,
        page,
        url,
      )
    },
  }),
  endpoint({
    operation: 'customers.get_order',
    summary: 'Gives one order of a customer.',
    method: 'GET',
    path: '/v1/customers/:customer_id/orders/:order_id',
    access: 'customer',
    params: Type.Object({
      customer_id: CUSTOMER_ID,
      order_id: Type.String({ description: 'The id of an order: ord_…' }),
    }),
    status: 200,
    returns: Order,
    handle: async (context) => {
      const { db, clock, caller, params } = context
      const found = await findOrderOfCustomer(db, caller, params.customer_id, params.order_id)
      if (found === null) throw noCustomer(caller)
      if (found.order === null) throw notFound('order')
      const { addresses } = await ownerOf(context)
      return viewOrder(found.order, addresses, clock.now())
    },
  }),
]
