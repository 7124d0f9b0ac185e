// Charges and refunds of an order with their status, and actions on the open ones.

import type { Transaction } from '../../../../src/api/orders/money/schema.ts'
import type { Order } from '../../../../src/api/orders/schema.ts'
import { Note, Section } from '../../parts/page/page.tsx'
import { Badge, Money, type Tone, When } from '../../parts/show/values.tsx'
import { useMay } from '../../session.tsx'
import { OrderDialogButton } from './dialogs/opening.tsx'
import { isByHand, isOnlyNoted, openCharges } from './order.ts'

export function PaymentsSection({ order }: { order: Order }) {
  const { transactions, disputes, order: sums } = order
  return (
    <Section title="Payment" kind="order-money">
      {disputes.map((dispute) => (
        <Note key={dispute.id} tone={['open', 'under_review', 'lost'].includes(dispute.status) ? 'bad' : 'calm'}>
          <p>
            Dispute about {dispute.amount.formatted_with_symbol}, {dispute.status.replace('_', ' ')}
            {dispute.reason !== null && `: ${dispute.reason}`}. <When at={dispute.created} />
          </p>
        </Note>
      ))}
      <ul class="ruled">
        {'credit' in sums.giftcard && (
          <li class="movement">
            <div class="movement-name">
              <p>Gift card</p>
            </div>
            <Badge tone="good">Paid</Badge>
            <p class="movement-sum">
              <Money price={sums.giftcard.credit} />
            </p>
          </li>
        )}
        {transactions.map((each) => (
          <Movement key={each.id} transaction={each} isOpen={openCharges(order).includes(each)} />
        ))}
      </ul>
      {transactions.length === 0 && !('credit' in sums.giftcard) && (
        <p class="hint">{order.order_value.raw === 0 ? 'Nothing was to be paid.' : 'Nothing has been paid.'}</p>
      )}
    </Section>
  )
}

const CHARGE_STATES: Readonly<Record<string, readonly [Tone, string]>> = {
  complete: ['good', 'Paid'],
  awaiting_capture: ['open', 'Waits for payment'],
  awaiting_gateway: ['open', 'Being checked'],
  order_cancelled: ['calm', 'Called off'],
  released: ['calm', 'Let go of'],
  gateway_failure: ['bad', 'Unclear'],
}

const REFUND_STATES: Readonly<Record<string, readonly [Tone, string]>> = {
  complete: ['good', 'Given back'],
  awaiting_gateway: ['open', 'On its way'],
  gateway_failure: ['bad', 'Failed'],
}

function stateOf({ type, status, status_reason: reason, gateway }: Transaction): readonly [Tone, string] {
  if (type === 'refund') return REFUND_STATES[reason] ?? ['calm', status]
  if (status === 'failed') return ['bad', 'Failed']
  if (reason === 'awaiting_capture' && !isByHand({ gateway })) return ['open', 'Held']
  return CHARGE_STATES[reason] ?? ['calm', status]
}

function Movement({ transaction, isOpen }: { transaction: Transaction; isOpen: boolean }) {
  const may = useMay()
  const [tone, state] = stateOf(transaction)
  return (
    <li class="movement">
      <div class="movement-name">
        <p>
          {transaction.type === 'refund' && 'Refund: '}
          {wayOf(transaction)}
        </p>
        <p class="hint">
          <When at={transaction.charge_date ?? transaction.created} />
          {isByHand(transaction) &&
            transaction.gateway_transaction_id !== null &&
            transaction.type === 'charge' &&
            ` · ${transaction.gateway_transaction_id}`}
        </p>
        {transaction.reason !== null && transaction.reason !== '' && <p class="hint">“{transaction.reason}”</p>}
        {transaction.notes !== '' && <p class="hint">{transaction.notes}</p>}
      </div>
      <Badge tone={tone}>{state}</Badge>
      <p class="movement-sum">
        {transaction.type === 'refund' && '−'}
        <Money price={transaction.amount} />
      </p>
      {isOpen && may('orders.update_transaction') && (
        <div class="movement-actions">
          <OrderDialogButton
            words={isOnlyNoted(transaction) ? 'Mark as paid' : 'Take the payment'}
            isSmall
            opens={{ name: 'pay', charge: transaction }}
          />
          {!isOnlyNoted(transaction) && (
            <OrderDialogButton words="Let go" isSmall opens={{ name: 'release', charge: transaction }} />
          )}
        </div>
      )}
    </li>
  )
}

/** "Visa card 4242", "By hand", "PayPal" */
function wayOf(transaction: Transaction): string {
  if (isByHand(transaction)) return 'By hand'
  if (transaction.payment_source_type !== 'card') return transaction.gateway_name
  return [transaction.payment_source.brand ?? 'Card', transaction.gateway_reference].filter(Boolean).join(' ')
}
