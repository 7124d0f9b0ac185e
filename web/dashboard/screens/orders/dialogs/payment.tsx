// Dialogs for an open charge: mark it as paid, capture the money that a gateway has authorized, or release that money.

import { useState } from 'preact/hooks'
import { call } from '../../../api.ts'
import { Field } from '../../../parts/form/field.tsx'
import type { FormValues } from '../../../parts/form/form.tsx'
import { ActionDialog } from '../../../parts/page/dialog.tsx'
import { isByHand, type Order, type Transaction } from '../order.ts'
import { type ActionProps, reportChange, runAction } from './act.ts'

type PaymentProps = ActionProps & { readonly charge: Transaction }

const update = (order: Order, charge: Transaction, body: object, idempotencyKey: string) =>
  call<Transaction>('PUT', `/v1/orders/${order.id}/transactions/${charge.id}`, { body, idempotencyKey })

/**
 * Completes the whole charge if there is no amount. Otherwise the rest stays open (paid by hand) or is released
 * (gateway).
 */
const completionBody = ({ amount, gateway_transaction_id: reference }: FormValues) => ({
  status: 'complete',
  ...(amount === undefined ? {} : { amount }),
  ...(reference === undefined ? {} : { gateway_transaction_id: reference }),
})

export function PaymentDialog(props: PaymentProps) {
  const { order, charge, onClose } = props
  const [amount, setAmount] = useState('')
  // `gateway_failure` of a pending charge: nobody knows if it was paid, so the merchant decides.
  const isOnlyNoted = isByHand(charge) || charge.status_reason === 'gateway_failure'
  const whole = charge.amount.formatted_with_symbol
  const sum = amount.trim() === '' ? whole : `${order.currency.symbol}${amount.trim()}`
  return (
    <ActionDialog
      title={
        isOnlyNoted ? `Mark ${order.customer_reference} as paid` : `Take the payment of ${order.customer_reference}`
      }
      verb={isOnlyNoted ? `Mark ${sum} as paid` : `Take ${sum}`}
      says={isOnlyNoted ? handSays(order, sum, amount) : heldSays(charge, sum, amount)}
      run={(values, { idempotencyKey }) =>
        runAction(props, () => update(order, charge, completionBody(values), idempotencyKey))
      }
      onDone={(paid) => {
        reportChange(
          isOnlyNoted
            ? `${paid.amount.formatted_with_symbol} marked as paid`
            : `${paid.amount.formatted_with_symbol} taken`,
        )
        onClose()
      }}
      onClose={onClose}
    >
      <Field
        name="amount"
        label={isOnlyNoted ? 'Amount that has come' : 'Amount to take'}
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
          isOptional
          empty="leave"
          maxLength={255}
        />
      )}
    </ActionDialog>
  )
}

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

export function ReleaseDialog(props: PaymentProps) {
  const { order, charge, onClose } = props
  const sum = charge.amount.formatted_with_symbol
  return (
    <ActionDialog
      title={`Let go of the payment of ${order.customer_reference}`}
      verb={`Let go of ${sum}`}
      isDangerous
      says={[
        `${charge.gateway_name} lets go of ${sum}: the customer pays nothing, and it cannot be taken later.`,
        'The order stays open, and so does stock. Nobody gets a mail.',
      ]}
      run={(_, { idempotencyKey }) =>
        runAction(props, () => update(order, charge, { status: 'cancelled' }, idempotencyKey))
      }
      onDone={() => {
        reportChange(`${sum} let go of`)
        onClose()
      }}
      onClose={onClose}
    />
  )
}
