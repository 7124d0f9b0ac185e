// The endpoints of /v1/orders, and the jobs that belong to them. Those of delivery are in fulfillment-routes.ts.

import { Type } from 'typebox'
import { endpoint } from '../../http/endpoint.ts'
import { listOf } from '../../http/schema.ts'
import { notFound } from '../../lib/errors.ts'
import { pageOf, readPage } from '../../lib/page.ts'
import type { Slice } from '../slice.ts'
import { CancelOrder, DEFAULT_LIMIT, ListOrders, RefundOrder, UpdateOrder, UpdateTransaction } from './body-schema.ts'
import { cancelOrder } from './cancel.ts'
import { sweepOpenCancels } from './cancel-sweep.ts'
import { customerOrderEndpoints } from './customer-routes.ts'
import { sweepUnpaidOrders } from './expire.ts'
import { fulfillmentEndpoints } from './fulfillment-routes.ts'
import { Download, DownloadPackage, Fulfillment, FulfillmentItem, Shipment } from './fulfillment-schema.ts'
import { ownerOf } from './links.ts'
import { listOrderIds } from './list-store.ts'
import { updateOrder } from './order.ts'
import { Payment, Refund, Transaction } from './payment-schema.ts'
import { resendReceipt, sendReceipt } from './receipt.ts'
import { refundOrder, settleRefunds } from './refund.ts'
import { releaseAuthorization } from './release.ts'
import { Order, OrderLine, ResentReceipt } from './schema.ts'
import { findOrder, findOrders } from './store.ts'
import { settleTaking } from './take.ts'
import { updateTransaction } from './transaction.ts'
import { viewOrder } from './view.ts'

const Id = Type.Object({ id: Type.String({ description: 'The id of an order: ord_…' }) })

export const orders: Slice = {
  kinds: [
    Order,
    OrderLine,
    Transaction,
    Payment,
    Refund,
    Fulfillment,
    FulfillmentItem,
    Shipment,
    Download,
    DownloadPackage,
    ResentReceipt,
  ],
  jobs: (services) => [
    settleRefunds(services),
    settleTaking(services),
    releaseAuthorization(services),
    sendReceipt(services),
  ],
  sweeps: (services) => [sweepUnpaidOrders(services), sweepOpenCancels(services)],
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
      operation: 'orders.refund',
      summary: 'Gives back all that was paid for an order, by the gateway it was paid with.',
      method: 'POST',
      path: '/v1/orders/:id/refund',
      access: 'secret',
      params: Id,
      body: RefundOrder,
      status: 200,
      returns: Order,
      handle: async (context) => refundOrder(context, await ownerOf(context), context.params.id, context.body),
    }),
    endpoint({
      operation: 'orders.cancel',
      summary:
        'Cancels an order of which nothing has been shipped, puts its goods back into stock and gives back the use of its code.',
      method: 'POST',
      path: '/v1/orders/:id/cancel',
      access: 'secret',
      params: Id,
      body: CancelOrder,
      status: 200,
      returns: Order,
      handle: async (context) => cancelOrder(context, await ownerOf(context), context.params.id, context.body),
    }),
    endpoint({
      operation: 'orders.update_transaction',
      summary:
        'Completes a payment that was made by hand or is held by its gateway, or notes something about a transaction.',
      method: 'PUT',
      path: '/v1/orders/:id/transactions/:transaction_id',
      access: 'secret',
      params: Type.Object({ id: Type.String(), transaction_id: Type.String({ description: 'trns_…' }) }),
      body: UpdateTransaction,
      status: 200,
      returns: Transaction,
      handle: async (context) => {
        const { params, body } = context
        return updateTransaction(context, await ownerOf(context), params.id, params.transaction_id, body)
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
    ...fulfillmentEndpoints,
    ...customerOrderEndpoints,
  ],
}
