// The endpoints of /v1/orders. What moves money is in payments/, what is delivered in fulfillment/.

import { Type } from 'typebox'
import { endpoint } from '../../http/endpoint/endpoint.ts'
import { listOf } from '../../http/endpoint/schema.ts'
import { notFound } from '../../lib/errors.ts'
import { pageOf, readPage } from '../../lib/page.ts'
import type { Slice } from '../slice.ts'
import { DEFAULT_LIMIT, ListOrders, UpdateOrder } from './body-schema.ts'
import { customerOrderEndpoints } from './customer-routes.ts'
import { ownerOf } from './links.ts'
import { listOrderIds } from './list-store.ts'
import { updateOrder } from './order.ts'
import { resendReceipt, sendReceipt } from './receipt.ts'
import { Order, OrderLine, ResentReceipt } from './schema.ts'
import { findOrder, findOrders } from './store.ts'
import { viewOrder } from './view.ts'

const Id = Type.Object({ id: Type.String({ description: 'The id of an order: ord_…' }) })

export const orders: Slice = {
  kinds: [Order, OrderLine, ResentReceipt],
  jobs: (services) => [sendReceipt(services)],
  endpoints: [
    endpoint({
      operation: 'orders.list',
      summary: 'Lists orders, newest first unless asked otherwise.',
      method: 'GET',
      path: '/v1/orders',
      access: 'secret',
      query: ListOrders,
      status: 200,
      returns: listOf(Order),
      handle: async (context) => {
        const { db, clock, query, url } = context
        const owner = await ownerOf(context)
        const page = readPage(query, DEFAULT_LIMIT)
        const { sortDirection = 'desc', ...filter } = query
        const { total, ids } = await listOrderIds(db, owner, { ...filter, sortDirection }, page)
        const rows = ids.length === 0 ? [] : await findOrders(db, owner, ids)
        const now = clock.now()
        return pageOf(
          rows.map((row) => viewOrder(row, owner.addresses, now)),
          total,
          page,
          url,
        )
      },
    }),
    endpoint({
      operation: 'orders.get',
      summary: 'Gives one order.',
      method: 'GET',
      path: '/v1/orders/:id',
      access: 'secret',
      params: Id,
      status: 200,
      returns: Order,
      handle: async (context) => {
        const owner = await ownerOf(context)
        const row = await findOrder(context.db, owner, context.params.id)
        if (row === null) throw notFound('order')
        return viewOrder(row, owner.addresses, context.clock.now())
      },
    }),
    endpoint({
      operation: 'orders.update',
      summary: 'Changes who an order is for, and the data of your own.',
      method: 'PUT',
      path: '/v1/orders/:id',
      access: 'secret',
      params: Id,
      body: UpdateOrder,
      status: 200,
      returns: Order,
      handle: async (context) => {
        const { db, clock, params, body } = context
        const owner = await ownerOf(context)
        return db.transaction((tx) => updateOrder(tx, clock, owner, params.id, body))
      },
    }),
    endpoint({
      operation: 'orders.resend_receipt',
      summary: 'Sends the receipt of an order to the customer again.',
      method: 'POST',
      path: '/v1/orders/:id/receipt',
      access: 'secret',
      params: Id,
      status: 200,
      returns: ResentReceipt,
      handle: async (context) => {
        await resendReceipt(context.db, context.clock, await ownerOf(context), context.params.id)
        return { success: true }
      },
    }),
    ...customerOrderEndpoints,
  ],
}
