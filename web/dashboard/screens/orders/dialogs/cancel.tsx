// Cancels an order that has not been shipped at all. Payments are refunded too: the API keeps no money of a cancelled order.

import limits from 'limits:orders.cancel'
import type { Order } from '../../../../../src/api/orders/schema.ts'
import { post } from '../../../parts/form/change.ts'
import { Field } from '../../../parts/form/field.tsx'
import { plural } from '../../../parts/show/values.tsx'
import { addNumbers, isByHand, openCharges, refundTarget } from '../order.ts'
import { OrderAction, type OrderDialogProps, useMailSentence } from './order-action.tsx'

export function CancelDialog(props: OrderDialogProps) {
  const { order } = props
  const mail = useMailSentence('cancellations', order.customer.email, 'that the order is cancelled')
  const refunds = order.order.total_refundable.raw > 0
  const sum = order.order.total_refundable.formatted_with_symbol
  return (
    <OrderAction
      {...props}
      title={`Cancel ${order.customer_reference}`}
      verb={refunds ? `Cancel and refund ${sum}` : 'Cancel the order'}
      isDangerous
      says={[...moneySentences(order), ...stockSentences(order), ...mail, 'It cannot be opened again.']}
      limits={limits}
      request={post(`/v1/orders/${order.id}/cancel`, (values) => ({ ...values, ...(refunds ? { refund: true } : {}) }))}
      done={refunds ? `Cancelled, and ${sum} refunded` : 'Cancelled'}
    >
      <Field name="reason" label="Reason" hint="For you and your team." />
    </OrderAction>
  )
}

function moneySentences(order: Order): string[] {
  const payments = order.payments.filter(({ refundable }) => refundable.raw > 0)
  const charges = openCharges(order).filter((charge) => !isByHand(charge))
  const manualCharges = openCharges(order).filter(isByHand)
  const sentences = [
    ...payments.map((payment) => `Refunds ${payment.refundable.formatted_with_symbol} to ${refundTarget(payment)}.`),
    ...('credit' in order.order.giftcard && order.order.total_refundable.raw > 0
      ? ['Gives what the gift card has paid back to the gift card.']
      : []),
    ...charges.map((charge) => `Lets go of ${charge.amount.formatted_with_symbol} that ${charge.gateway_name} holds.`),
    ...manualCharges.map(
      (charge) => `No longer waits for ${charge.amount.formatted_with_symbol} that was to be paid by hand.`,
    ),
    ...(payments.some(isByHand) ? ['What was paid by hand you give back yourself: here it is only noted.'] : []),
  ]
  return sentences.length === 0 ? ['No money moves: nothing was paid.'] : sentences
}

function stockSentences({ order }: Order): string[] {
  const pieces = addNumbers(order.line_items.map((line) => line.quantity - line.quantity_restocked))
  const code = 'code' in order.discount ? [`The code ${order.discount.code} can be used once more.`] : []
  return [`Returns ${plural(pieces, 'piece')} to stock, of products whose stock is counted.`, ...code]
}
