// Status of an order, for the list and for its own page. A status that needs no action is shown calmly.

import type { Order } from '../../../../src/api/orders/schema.ts'
import { Badge, Status } from '../../parts/show/values.tsx'

export function PaymentState({ order: { status, status_payment: payment } }: { order: Order }) {
  return status === 'cancelled' && payment === 'not_paid' ? <Badge>Not paid</Badge> : <Status state={payment} />
}

/** Orders with only downloads are not shipped, and neither are refunded ones. */
export function OrderDeliveryBadge({ order: { status, status_payment, status_fulfillment, has } }: { order: Order }) {
  if (status === 'cancelled') return <Status state="cancelled" />
  if (!has.physical_fulfillment) return <Status state="not_shippable" />
  if (status_payment === 'refunded' && status_fulfillment === 'not_fulfilled') return <Badge>Not shipped</Badge>
  return <Status state={status_fulfillment} />
}
