// All orders: searched by number, name or e-mail, filtered by status and date. Every view has a URL.

import type { Order } from '../../../../src/api/orders/schema.ts'
import { type ChosenRows, listScreen } from '../../parts/list/list-screen.tsx'
import { Tabs } from '../../parts/list/tabs.tsx'
import { Button } from '../../parts/page/button.tsx'
import { DialogButton } from '../../parts/page/dialog.tsx'
import { dayAfter, startOfDay } from '../../parts/show/days.ts'
import { Money, plural, stateOptions, When } from '../../parts/show/values.tsx'
import { ShipManyDialog } from './dialogs/ship-many.tsx'
import { orderCustomerName, wantedItems } from './order.ts'
import { OrderDeliveryBadge, PaymentState } from './states.tsx'

const VIEWS = [
  ['', 'All'],
  ['unshipped', 'To ship'],
  ['unpaid', 'To be paid'],
  ['cancelled', 'Cancelled'],
] as const

const PAYMENT = stateOptions('paid', 'not_paid', 'partially_paid', 'authorized', 'partially_refunded', 'refunded')
const FULFILLMENT = stateOptions('not_fulfilled', 'partially_fulfilled', 'fulfilled', 'returned')

export const OrderList = listScreen<Order>({
  screen: '/dashboard/orders',
  path: '/v1/orders',
  title: 'Orders',
  things: ['order', 'orders'],
  lines: 12,
  search: 'Order number, name or e-mail',
  folds: true,
  filters: [
    { name: 'status_payment', label: 'Payment', options: PAYMENT },
    { name: 'status_fulfillment', label: 'Delivery', options: FULFILLMENT },
    { name: 'from', label: 'From', is: 'day' },
    { name: 'to', label: 'To', is: 'day' },
  ],
  parameters: ['status'],
  // Days are those of the shop. The API excludes the second of each bound.
  toApi: ({ from = '', to = '', ...same }, { merchant: { time_zone } }) => ({
    ...same,
    created_after: from && String(startOfDay(from, time_zone) - 1),
    created_before: to && String(startOfDay(dayAfter(to), time_zone)),
  }),
  above: ({ filters }) => (
    <Tabs
      label="Orders by how they stand"
      tabs={VIEWS.map(([status, label]) => ({
        label,
        href: filters.hrefWith({ status }),
        isHere: filters.values.status === status,
      }))}
    />
  ),
  export: { permission: 'orders.export', file: 'orders.csv', counts: true },
  choose: {
    permission: 'orders.list',
    nameOf: ({ customer_reference }) => `order ${customer_reference}`,
    Bar: ChosenOrders,
  },
  columns: [
    { label: 'Order', cell: (order) => order.customer_reference },
    { label: 'Customer', cell: (order) => orderCustomerName(order.customer) },
    { label: 'Placed', cell: (order) => <When at={order.created} /> },
    { label: 'Payment', cell: (order) => <PaymentState order={order} /> },
    { label: 'Delivery', cell: (order) => <OrderDeliveryBadge order={order} /> },
    { label: 'Total', cell: (order) => <Money price={order.order_value} />, isNumber: true, phone: 'aside' },
  ],
  noMatch: ({ mode }) => `No order in ${mode} is like that.`,
  empty: ({ mode }) => ({
    title: 'No orders yet',
    icon: 'orders',
    text: (
      <>
        <p>They appear here the moment somebody buys.</p>
        {mode === 'sandbox' && (
          <p>Buy something in your own shop with a sandbox key, or open the page of a product: no money moves here.</p>
        )}
      </>
    ),
  }),
})

/** Actions for several orders at once. */
function ChosenOrders({ chosen, onChoose, list }: ChosenRows<Order>) {
  const orders = list.rows.filter(({ id }) => chosen.has(id))
  const unshipped = orders.filter((order) => wantedItems(order).length > 0)
  const chooseNone = () => onChoose(new Set())
  if (orders.length === 0) return null
  return (
    <div class="chosen-bar" role="status">
      <p>{plural(orders.length, 'order')} chosen</p>
      <DialogButton
        words={unshipped.length === 0 ? 'Nothing to ship' : `Ship ${plural(unshipped.length, 'order')}`}
        isSmall
        icon="truck"
        permission="orders.create_shipment"
        disabled={unshipped.length === 0}
        dialog={(close) => <ShipManyDialog orders={unshipped} onClose={close} onDone={chooseNone} />}
      />
      <Button words="Choose none" isSmall kind="quiet" onClick={chooseNone} />
    </div>
  )
}
