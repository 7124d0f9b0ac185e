// Ships a parcel: items and quantities, carrier, and tracking number.

import limits from 'limits:orders.create_shipment'
import { useState } from 'preact/hooks'
import type { Shipment } from '../../../../../src/api/orders/fulfillment-schema.ts'
import { post } from '../../../parts/form/change.ts'
import { Field } from '../../../parts/form/field.tsx'
import { plural } from '../../../parts/show/values.tsx'
import { addNumbers, shippableItems, wantedItems, wantedQuantity } from '../order.ts'
import { OrderAction, type OrderDialogProps, useMailSentence } from './order-action.tsx'
import { type ChosenQuantities, chosenItems, Quantities } from './quantity.tsx'

/** Warnings to read before the parcel leaves. */
const WARNINGS: Readonly<Record<string, readonly string[]>> = {
  not_paid: ['This order is not paid yet.'],
  partially_paid: ['Only a part of this order is paid.'],
  authorized: ['The payment of this order is held and has yet to be taken.'],
  refunded: ['This order was refunded: its money went back.'],
}

/** Suggested for the next parcel, because packers mostly use one carrier. Lost when the page is reloaded. */
let lastCarrier = ''

export function ShipDialog(props: OrderDialogProps) {
  const { order } = props
  const openItems = shippableItems(order)
  const [chosen, setChosen] = useState<ChosenQuantities>(() =>
    Object.fromEntries(wantedItems(order).map(({ id, quantity }) => [id, quantity])),
  )
  const mail = useMailSentence('shipments', order.customer.email, 'what is in it and how to follow it')
  const items = chosenItems(chosen)
  const pieces = addNumbers(items.map(({ quantity }) => quantity))
  const refundedCount = addNumbers(openItems.map((item) => item.quantity_remaining - wantedQuantity(order, item)))
  const remaining = addNumbers(openItems.map(({ quantity_remaining }) => quantity_remaining)) - pieces
  return (
    <OrderAction<Shipment>
      {...props}
      title={`Ship ${order.customer_reference}`}
      verb={`Ship ${plural(pieces, 'item')}`}
      isReady={pieces > 0}
      says={[
        ...(WARNINGS[order.status_payment] ?? []),
        ...(refundedCount === 0
          ? []
          : [`${plural(refundedCount, 'item was', 'items were')} refunded, and left out unless you add it.`]),
        `Notes a parcel with ${plural(pieces, 'item')}${remaining === 0 ? ': all that was to be shipped' : `; ${plural(remaining, 'item stays', 'items stay')} to be shipped`}.`,
        'No money moves, and stock stays: it was taken when the order was made.',
        ...mail,
      ]}
      limits={limits}
      request={post(
        `/v1/orders/${order.id}/fulfillments/physical/shipments`,
        ({ carrier_name, tracking_number, tracking_url }) => ({ items, carrier_name, tracking_number, tracking_url }),
      )}
      done={`Shipped ${plural(pieces, 'item')}`}
      onDone={({ carrier_name }) => {
        lastCarrier = carrier_name ?? ''
      }}
    >
      <Quantities
        label="In this parcel"
        quantities={chosen}
        onChoose={setChosen}
        choices={openItems.map((item) => ({
          id: item.id,
          name: item.product_name,
          options: item.selected_options,
          most: item.quantity_remaining,
        }))}
      />
      <Field name="carrier_name" label="Carrier" value={lastCarrier} empty="leave" />
      <Field name="tracking_number" label="Tracking number" empty="leave" />
      <Field name="tracking_url" label="Tracking link" type="url" placeholder="https://" empty="leave" />
    </OrderAction>
  )
}
