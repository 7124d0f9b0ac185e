// Dialogs for an open charge: mark it as paid, capture the money that a gateway has authorized, or release that money.

import limits from 'limits:orders.update_transaction'
import { useState } from 'preact/hooks'
import type { Transaction } from '../../../../../src/api/orders/money/schema.ts'
import type { Order } from '../../../../../src/api/orders/schema.ts'
import { put } from '../../../parts/form/change.ts'
import { Field } from '../../../parts/form/field.tsx'
import { isByHand, isOnlyNoted } from '../order.ts'
import { OrderAction, type OrderDialogProps } from './order-action.tsx'

type PaymentProps = OrderDialogProps & { readonly charge: Transaction }

export function PaymentDialog({ charge, ...props }: PaymentProps) {
  const { order } = props
  const [amount, setAmount] = useState('')
  const isNoted = isOnlyNoted(charge)
  const whole = charge.amount.formatted_with_symbol
  const sum = amount.trim() === '' ? whole : `${order.currency.symbol}${amount.trim()}`
  return (
    <OrderAction<Transaction>
      {...props}
      title={isNoted ? `Mark ${order.customer_reference} as paid` : `Take the payment of ${order.customer_reference}`}
      verb={isNoted ? `Mark ${sum} as paid` : `Take ${sum}`}
      says={isNoted ? handSays(order, sum, amount) : heldSays(charge, sum, amount)}
      limits={limits}
      // Without an amount it completes the whole charge. Otherwise the rest stays open (paid by hand) or is released (gateway).
      request={put(pathOf(order, charge), (values) => ({ status: 'complete', ...values }))}
      done={(paid) => `${paid.amount.formatted_with_symbol} ${isNoted ? 'marked as paid' : 'taken'}`}
    >
      <Field
        name="amount"
        label={isNoted ? 'Amount that has come' : 'Amount to take'}
        hint={`Leave it empty for all of it: ${whole}.`}
        isOptional
        empty="leave"
        inputMode="decimal"
        unit={order.currency.code}
        onInput={setAmount}
      />
      {isByHand(charge) && (
        <Field
          name="gateway_transaction_id"
          label="Reference"
          hint="As on the bank statement, so that it is found again."
          empty="leave"
        />
      )}
    </OrderAction>
  )
}

const pathOf = (order: Order, charge: Transaction) => `/v1/orders/${order.id}/transactions/${charge.id}`

function handSays({ has, customer }: Order, sum: string, amount: string): string[] {
  return [
    `Notes that ${sum} has come. No money moves.`,
    ...(amount.trim() === '' ? [] : ['What is left stays open, as a payment of its own.']),
    ...(has.digital_fulfillment ? ['Once all of it is paid, the downloads open.'] : []),
    `Stock stays as it is, and ${customer.email} gets no mail.`,
  ]
}

const heldSays = ({ gateway_name: gateway }: Transaction, sum: string, amount: string): string[] => [
  `Takes ${sum}, which ${gateway} holds.`,
  ...(amount.trim() === '' ? [] : [`${gateway} lets go of the rest: it cannot be taken later.`]),
  'Stock stays as it is, and nobody gets a mail.',
]

export function ReleaseDialog({ charge, ...props }: PaymentProps) {
  const { order } = props
  const sum = charge.amount.formatted_with_symbol
  return (
    <OrderAction
      {...props}
      title={`Let go of the payment of ${order.customer_reference}`}
      verb={`Let go of ${sum}`}
      isDangerous
      says={[
        `${charge.gateway_name} lets go of ${sum}: the customer pays nothing, and it cannot be taken later.`,
        'The order stays open, and so does stock. Nobody gets a mail.',
      ]}
      request={put(pathOf(order, charge), { status: 'cancelled' })}
      done={`${sum} let go of`}
    />
  )
}
