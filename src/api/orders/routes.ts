// Endpoints of /v1/orders and of one customer's orders, for the secret key and for the customer. Payments are in payments/, deliveries in
// fulfillment/.

import { Type } from 'typebox'
import { type Context, defineEndpoint } from '../../http/endpoint/endpoint.ts'
import { listOf } from '../../http/endpoint/schema.ts'
import { notFound } from '../../lib/errors.ts'
import { maxPageBytes, type PageQuery, paginate, parsePageQuery, readEntriesWithin } from '../../lib/page.ts'
import { noCustomerError } from '../customers/customer.ts'
import type { Slice } from '../slice.ts'
import { DEFAULT_ORDER_LIMIT, ExportOrders, ListOrders, UpdateOrder } from './body-schema.ts'
import { exportOrders } from './export/export.ts'
import { resolveOrderOwner } from './links.ts'
import { findOrderOfCustomer, listOrderIds, listOrderIdsOfCustomer, type OrderIdPage } from './list-store.ts'
import { sendOrderDigest } from './mails/digest.ts'
import { sendOrderMail } from './mails/order-mail.ts'
import { getOrder, updateOrder } from './order.ts'
import { resendReceipt, sendReceipt } from './receipt.ts'
import { Order, OrderLine, ResentReceipt } from './schema.ts'
import { findOrders } from './store.ts'
import { timelineEndpoints } from './timeline/routes.ts'
import { timelineKinds } from './timeline/schema.ts'
import { viewOrder } from './view.ts'

const Id = Type.Object({ id: Type.String({ description: 'The id of an order: ord_…' }) })
const CUSTOMER_ID = Type.String({ description: 'The id of a customer: cstmr_…' })

/** Enough for a hundred thousand orders and a slow reader. */
const EXPORT_MS = 600_000

/** Few, because one order may have several megabytes. */
const FIRST_READ = 5

const NEWEST_FIRST = { sortDirection: 'desc' } as const

async function viewPage(context: Context, { total, ids }: OrderIdPage, page: PageQuery) {
  const owner = await resolveOrderOwner(context)
  const within = { most: maxPageBytes(context.caller, page), first: FIRST_READ }
  const rows = await readEntriesWithin(
    ids,
    within,
    (some) => findOrders(context.db, owner, some),
    (row) => Buffer.byteLength(JSON.stringify(row)),
  )
  const now = context.clock.now()
  return paginate(
    rows.map((row) => viewOrder(row, owner.addresses, now)),
    total,
    page,
    context.url,
  )
}

export const orders: Slice = {
  kinds: [Order, OrderLine, ResentReceipt, ...timelineKinds],
  jobs: (services) => [sendReceipt(services), sendOrderMail(services), sendOrderDigest(services)],
  endpoints: [
    defineEndpoint({
      operation: 'orders.list',
      permission: 'see',
      summary: 'Lists orders, newest first unless asked otherwise.',
      method: 'GET',
      path: '/v1/orders',
      access: 'secret',
      query: ListOrders,
      status: 200,
      returns: listOf(Order),
      handle: async (context) => {
        const { db, caller, query } = context
        const page = parsePageQuery(query, DEFAULT_ORDER_LIMIT)
        return viewPage(context, await listOrderIds(db, caller, { ...NEWEST_FIRST, ...query }, page), page)
      },
    }),
    defineEndpoint({
      operation: 'orders.export',
      permission: 'read',
      summary:
        "Gives orders as a table, comma-separated in UTF-8 with a byte order mark: the same filters as the list, all that match, newest first unless asked otherwise. Times are those of the shop's time zone. A text that a spreadsheet would take for a formula begins with an apostrophe.",
      method: 'GET',
      path: '/v1/orders/export',
      access: 'secret',
      query: ExportOrders,
      noStore: true,
      deadlineMs: EXPORT_MS,
      status: 200,
      media: 'text/csv',
      handle: (context) => exportOrders(context, { ...NEWEST_FIRST, ...context.query }),
    }),
    defineEndpoint({
      operation: 'orders.get',
      permission: 'see',
      summary: 'Gives one order.',
      method: 'GET',
      path: '/v1/orders/:id',
      access: 'secret',
      params: Id,
      status: 200,
      returns: Order,
      handle: async (context) => {
        const { row, addresses } = await getOrder(context, context.params.id)
        return viewOrder(row, addresses, context.clock.now())
      },
    }),
    defineEndpoint({
      operation: 'orders.update',
      permission: 'write',
      summary: 'Changes who an order is for, and the data of your own.',
      method: 'PUT',
      path: '/v1/orders/:id',
      access: 'secret',
      params: Id,
      body: UpdateOrder,
      status: 200,
      returns: Order,
      handle: (context) => updateOrder(context, context.params.id, context.body),
    }),
    defineEndpoint({
      operation: 'orders.resend_receipt',
      permission: 'pack',
      summary: 'Sends the receipt of an order to the customer again.',
      method: 'POST',
      path: '/v1/orders/:id/receipt',
      access: 'secret',
      params: Id,
      status: 200,
      returns: ResentReceipt,
      handle: async (context) => {
        await resendReceipt(context, context.params.id)
        return { success: true }
      },
    }),
    defineEndpoint({
      operation: 'customers.list_orders',
      permission: 'see',
      summary: "Lists a customer's orders, newest first unless asked otherwise.",
      method: 'GET',
      path: '/v1/customers/:customer_id/orders',
      access: 'customer',
      params: Type.Object({ customer_id: CUSTOMER_ID }),
      query: ListOrders,
      status: 200,
      returns: listOf(Order),
      handle: async (context) => {
        const { db, caller, params, query } = context
        const page = parsePageQuery(query, DEFAULT_ORDER_LIMIT)
        const ids = await listOrderIdsOfCustomer(db, caller, params.customer_id, { ...NEWEST_FIRST, ...query }, page)
        if (ids === null) throw noCustomerError(caller)
        return viewPage(context, ids, page)
      },
    }),
    defineEndpoint({
      operation: 'customers.get_order',
      permission: 'see',
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
        const lookup = await findOrderOfCustomer(db, caller, params.customer_id, params.order_id)
        if (lookup === null) throw noCustomerError(caller)
        if (lookup.order === null) throw notFound('order')
        const { addresses } = await resolveOrderOwner(context)
        return viewOrder(lookup.order, addresses, clock.now())
      },
    }),
    ...timelineEndpoints,
  ],
}
