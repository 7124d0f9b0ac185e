// Cancels an order that has not been shipped at all. Payments are refunded too: the API keeps no money of a cancelled order.

import { call } from '../../../api.ts'
import { Field } from '../../../parts/form/field.tsx'
import { ActionDialog } from '../../../parts/page/dialog.tsx'
import { plural } from '../../../parts/show/values.tsx'
import { addNumbers, isByHand, type Order, openCharges, refundTarget } from '../order.ts'
import { type ActionProps, reportChange, runAction, useMailSentence } from './act.ts'

export function CancelDialog(props: ActionProps) {
  const { order, onClose } = props
  const mail = useMailSentence('cancellations', order.customer.email, 'that the order is cancelled')
  const refunds = order.order.total_refundable.raw > 0
  const sum = order.order.total_refundable.formatted_with_symbol
  return (
    <ActionDialog<Order>
      title={`Cancel ${order.customer_reference}`}
      verb={refunds ? `Cancel and refund ${sum}` : 'Cancel the order'}
      isDangerous
      says={[...moneySentences(order), ...stockSentences(order), ...mail, 'It cannot be opened again.']}
      run={({ reason }, { idempotencyKey }) =>
        runAction(props, () =>
          call<Order>('POST', `/v1/orders/${order.id}/cancel`, {
            body: { ...(refunds ? { refund: true } : {}), ...(reason === '' ? {} : { reason }) },
            idempotencyKey,
          }),
        )
      }
      onDone={() => {
        reportChange(refunds ? `Cancelled, and ${sum} refunded` : 'Cancelled')
        onClose()
      }}
      onClose={onClose}
    >
      <Field name="reason" label="Reason" isOptional maxLength={10_000} hint="For you and your team." />
    </ActionDialog>
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
