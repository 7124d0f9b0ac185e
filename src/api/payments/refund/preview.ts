// Shows what a refund would do, with the plan and the code of the refund itself. It writes nothing and calls no gateway, so a provider may
// still refuse it.

import { findGateway } from '../../../gateways/index.ts'
import { conflict, notFound } from '../../../lib/errors.ts'
import { newId } from '../../../lib/ids.ts'
import { priceOf } from '../../../lib/money.ts'
import type { RefundBody } from '../../orders/body-schema.ts'
import { resolveOrderOwner } from '../../orders/links.ts'
import { isOrderMailEnabled } from '../../orders/mails/order-mail.ts'
import type { RefundPreview } from '../../orders/money/schema.ts'
import { refundableOf } from '../../orders/money/sums.ts'
import { viewSource } from '../../orders/money/view.ts'
import { refuseWhileCancelling } from '../../orders/order.ts'
import type { OrderRow, RefundRow } from '../../orders/read-store.ts'
import { findOrder } from '../../orders/store.ts'
import type { PaymentRequest } from '../calls.ts'
import { previewRestock, refundedQuantities } from '../restock.ts'
import type { RefundPart } from './plan.ts'
import { refuseUnexpectedRefundable } from './plan.ts'
import { isPendingRefund, planExecutableRefund } from './refund.ts'

/** Throws what the refund itself would refuse. */
export async function previewRefund(context: PaymentRequest, id: string, body: RefundBody): Promise<RefundPreview> {
  const { db, clock } = context
  const owner = await resolveOrderOwner(context)
  const row = await findOrder(db, owner, id)
  if (row === null) throw notFound('order')
  refuseWhileCancelling(row)
  if (row.transactions.some(isPendingRefund))
    throw conflict('A refund of the order is in progress. Try again in a moment.', 1)
  const now = clock.now()
  refuseUnexpectedRefundable(row, body, owner, now)
  const { parts, credit, items, isRestocking } = planExecutableRefund(context, row, body)
  const request: RefundRow = {
    id: newId('refund', now),
    status: 'pending',
    credit,
    items,
    is_restocking: isRestocking,
    request_key: null,
  }
  const restocked = isRestocking ? await previewRestock(db, owner, row, refundedQuantities(row, [request])) : []
  const isMailEnabled = await isOrderMailEnabled(db, owner, { kind: 'refund', refundId: request.id })
  const amount = parts.reduce((sum, part) => sum + part.amount, credit)
  const show = (minor: number) => priceOf(minor, row.currency)
  return {
    amount: show(amount),
    left_after: show(refundableOf(row) - amount),
    payments: parts.map((part) => viewPart(part, row)),
    giftcard: credit === 0 ? null : show(credit),
    items: items.map(({ line_item_id, quantity }) => ({ line_item_id, quantity })),
    restocked: restocked.map(({ line_item_id, quantity }) => ({ line_item_id, quantity })),
    mailed_to: isMailEnabled && row.email !== '' ? row.email : null,
  }
}

const viewPart = ({ charge, amount }: RefundPart, { currency }: OrderRow): RefundPreview['payments'][number] => ({
  id: charge.payment_id,
  type: charge.payment_source_type ?? charge.gateway,
  gateway: charge.gateway,
  gateway_name: findGateway(charge.gateway)?.name ?? charge.gateway,
  reference: charge.gateway_reference,
  payment_source: viewSource(charge),
  amount: priceOf(amount, currency),
})
