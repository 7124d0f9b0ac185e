// Ships everything that is left of several orders, in sequence. A refused order does not stop the others: it is listed with the reason.

import limits from 'limits:orders.create_shipment'
import { useState } from 'preact/hooks'
import type { Order } from '../../../../../src/api/orders/schema.ts'
import { call, problemOf } from '../../../api.ts'
import { Field } from '../../../parts/form/field.tsx'
import { ActionDialog, Dialog } from '../../../parts/page/dialog.tsx'
import { plural } from '../../../parts/show/values.tsx'
import { addNumbers, wantedItems } from '../order.ts'

type ShipManyProps = {
  readonly orders: readonly Order[]
  readonly onClose: () => void
  /** Called instead of `onClose` after orders were shipped. */
  readonly onDone: () => void
}

type RefusedOrder = { readonly reference: string; readonly reason: string }

export function ShipManyDialog({ orders: initialOrders, onClose, onDone }: ShipManyProps) {
  const [orders] = useState(initialOrders)
  const [refusals, setRefusals] = useState<readonly RefusedOrder[]>([])
  const pieces = addNumbers(orders.flatMap(wantedItems).map(({ quantity }) => quantity))
  const unpaid = orders.filter(({ status_payment }) => status_payment === 'not_paid').length
  if (refusals.length > 0)
    return (
      <Dialog title="Not all were shipped" onClose={onDone}>
        <p class="dialog-text">
          {plural(orders.length - refusals.length, 'order was', 'orders were')} shipped. These were not:
        </p>
        <ul class="says">
          {refusals.map(({ reference, reason }) => (
            <li key={reference}>
              <strong>{reference}</strong>: {reason}
            </li>
          ))}
        </ul>
      </Dialog>
    )
  return (
    <ActionDialog<RefusedOrder[]>
      title={`Ship ${plural(orders.length, 'order')}`}
      verb={`Ship ${plural(orders.length, 'order')}`}
      says={[
        `Notes a parcel for each: ${plural(pieces, 'item')} in all, everything that is left and was not refunded.`,
        ...(unpaid === 0 ? [] : [`${plural(unpaid, 'order is', 'orders are')} not paid yet.`]),
        'No money moves, and stock stays: it was taken when the orders were made.',
        'Each customer gets the mail of their parcel, without a tracking number, unless such mails are switched off.',
      ]}
      limits={limits}
      run={({ carrier_name }, { idempotencyKey }) => shipAll(orders, carrier_name, idempotencyKey)}
      done={(problems) => `Shipped ${plural(orders.length - problems.length, 'order')}`}
      staysOpen
      onDone={(problems) => (problems.length === 0 ? onDone() : setRefusals(problems))}
      onClose={onClose}
    >
      <p class="hint">{orders.map(({ customer_reference }) => customer_reference).join(', ')}</p>
      <Field name="carrier_name" label="Carrier of all" empty="leave" />
    </ActionDialog>
  )
}

async function shipAll(orders: readonly Order[], carrier_name: unknown, key: string): Promise<RefusedOrder[]> {
  const refusals: RefusedOrder[] = []
  for (const order of orders) {
    const items = wantedItems(order)
    try {
      await call('POST', `/v1/orders/${order.id}/fulfillments/physical/shipments`, {
        body: { items, carrier_name },
        idempotencyKey: `${key}-${order.id}`,
      })
    } catch (error) {
      refusals.push({ reference: order.customer_reference, reason: problemOf(error).message })
    }
  }
  return refusals
}
