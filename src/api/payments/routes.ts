// Endpoints that move money after an order was made, with the jobs and sweeps that complete each movement.

import { Type } from 'typebox'
import { defineEndpoint } from '../../http/endpoint/endpoint.ts'
import { nested } from '../../http/endpoint/schema.ts'
import { CancelOrder, RefundOrder, UpdateTransaction } from '../orders/body-schema.ts'
import { Dispute, Payment, Refund, RefundPreview, Transaction } from '../orders/money/schema.ts'
import { Order } from '../orders/schema.ts'
import type { Slice } from '../slice.ts'
import { cancelOrder, sweepOpenCancels } from './cancel.ts'
import { sweepUnpaidOrders } from './expire.ts'
import { createMovementJob } from './movement.ts'
import { previewRefund } from './refund/preview.ts'
import { refundMovement, refundOrder } from './refund/refund.ts'
import { releaseAuthorization } from './release.ts'
import { takeMovement } from './take.ts'
import { updateTransaction } from './transaction.ts'

const Id = Type.Object({ id: Type.String({ description: 'The id of an order: ord_…' }) })

/** Body of the 409 reply if `expected_left` does not match. */
const RefundConflict = Type.Object({
  order: Type.Optional(
    Type.Unsafe<Order>({
      ...nested(Order),
      description: 'Where total_refundable is not the expected_left: the order as it is.',
    }),
  ),
})

export const payments: Slice = {
  kinds: [Transaction, Payment, Refund, RefundPreview, Dispute],
  jobs: (services) => [
    createMovementJob(services, refundMovement),
    createMovementJob(services, takeMovement),
    releaseAuthorization(services),
  ],
  sweeps: (services) => [sweepUnpaidOrders(services), sweepOpenCancels(services)],
  endpoints: [
    defineEndpoint({
      operation: 'orders.refund',
      permission: 'write',
      summary:
        'Gives back what was paid for an order, all that is left or a part: by the gateways it was paid with, and then to the gift card.',
      method: 'POST',
      path: '/v1/orders/:id/refund',
      access: 'secret',
      params: Id,
      body: RefundOrder,
      conflict: RefundConflict,
      status: 200,
      returns: Order,
      handle: (context) => refundOrder(context, context.params.id, context.body),
    }),
    defineEndpoint({
      operation: 'orders.preview_refund',
      permission: 'write',
      summary:
        'Says what a refund with the same body would give back, by which way, what would go into stock and who would get a mail. Nothing is done.',
      method: 'POST',
      path: '/v1/orders/:id/refund/preview',
      access: 'secret',
      params: Id,
      body: RefundOrder,
      conflict: RefundConflict,
      status: 200,
      returns: RefundPreview,
      handle: (context) => previewRefund(context, context.params.id, context.body),
    }),
    defineEndpoint({
      operation: 'orders.cancel',
      permission: 'write',
      summary:
        'Cancels an order of which nothing has been shipped, puts its goods back into stock and gives back the use of its code.',
      method: 'POST',
      path: '/v1/orders/:id/cancel',
      access: 'secret',
      params: Id,
      body: CancelOrder,
      status: 200,
      returns: Order,
      handle: (context) => cancelOrder(context, context.params.id, context.body),
    }),
    defineEndpoint({
      operation: 'orders.update_transaction',
      permission: 'write',
      summary:
        'Completes a payment that was made by hand or is held by its gateway, releases one that is held, or adds notes to a transaction.',
      method: 'PUT',
      path: '/v1/orders/:id/transactions/:transaction_id',
      access: 'secret',
      params: Type.Object({ id: Type.String(), transaction_id: Type.String({ description: 'trns_…' }) }),
      body: UpdateTransaction,
      status: 200,
      returns: Transaction,
      handle: (context) => updateTransaction(context, context.params.id, context.params.transaction_id, context.body),
    }),
  ],
}
