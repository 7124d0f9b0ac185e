// One order: items, payments, delivery, customer and timeline, and all actions on it.

import { useContext, useEffect, useRef, useState } from 'preact/hooks'
import type { Order } from '../../../../src/api/orders/schema.ts'
import { backTo } from '../../parts/list/last-address.ts'
import { Menu, type MenuEntry } from '../../parts/page/menu.tsx'
import { ObjectPage } from '../../parts/page/object-page.tsx'
import { Note, type ScreenProps } from '../../parts/page/page.tsx'
import { When } from '../../parts/show/values.tsx'
import { useMay } from '../../session.tsx'
import { invalidateQueries, useQuery } from '../../use-query.ts'
import { loadWhenIdle } from '../later.tsx'
import { DeliverySection } from './delivery.tsx'
import type { DrawOrderDialog } from './dialogs/all-dialogs.tsx'
import { OpenOrderDialog, OrderDialogButton } from './dialogs/opening.tsx'
import { Lines } from './lines.tsx'
import { PaymentsSection } from './money.tsx'
import { hasShippedItems, isOnlyNoted, openCharges, shippableItems } from './order.ts'
import { PackingSlip } from './packing-slip.tsx'
import { People } from './people.tsx'
import { OrderDeliveryBadge, PaymentState } from './states.tsx'
import { LatestEntry, TimelineSection } from './timeline.tsx'

const OrderDialog = loadWhenIdle(async () => (await import('./dialogs/all-dialogs.tsx')).OrderDialog)

const POLL_SECONDS = 3

/** A dialog with the order as it was when it opened, so that its text does not change while somebody reads it. */
type OpenDialog = { readonly draw: DrawOrderDialog; readonly order: Order }

export function OrderDetail({ id }: ScreenProps) {
  const path = `/v1/orders/${id}`
  const query = useQuery<Order>(path)
  const order = query.data
  // A charge that waits for its gateway settles by itself, so poll until then.
  const isUnderWay = order?.transactions.some((each) => each.status_reason === 'awaiting_gateway') ?? false
  useQuery(isUnderWay ? path : null, { every: POLL_SECONDS })
  const [dialog, setDialog] = useState<OpenDialog | null>(null)
  const [conflict, setConflict] = useState<{ readonly refusal: string | null } | null>(null)
  const openDialog = (draw: DrawOrderDialog) => {
    setConflict(null)
    if (order !== undefined) setDialog({ draw, order })
  }
  const closeDialog = () => setDialog(null)
  return (
    <OpenOrderDialog.Provider value={openDialog}>
      <ObjectPage
        of={query}
        title={({ customer_reference }) => customer_reference}
        thing="Order"
        back={backTo('/dashboard/orders', 'Orders')}
        lines={10}
        aside={(shown) => <States order={shown} />}
        actions={(shown) => <Actions order={shown} />}
        intro={({ created, status, cancel_reason }) => (
          <>
            <When at={created} isFull />
            {status === 'cancelled' && cancel_reason !== null && ` · Cancelled: ${cancel_reason}`}
          </>
        )}
      >
        {(shown) => (
          <>
            {conflict !== null && <Overtaken orderId={id} refusal={conflict.refusal} />}
            <Content order={shown} />
            {dialog !== null && (
              <OrderDialog
                {...dialog}
                onClose={closeDialog}
                onFailed={closeDialog}
                onOvertaken={(refusal) => {
                  closeDialog()
                  setConflict({ refusal })
                  invalidateQueries('/v1/orders', '/v1/reports')
                }}
              />
            )}
          </>
        )}
      </ObjectPage>
    </OpenOrderDialog.Provider>
  )
}

type OrderProps = { readonly order: Order }

function States({ order }: OrderProps) {
  return (
    <>
      <PaymentState order={order} />
      <OrderDeliveryBadge order={order} />
    </>
  )
}

function Content({ order }: OrderProps) {
  return (
    <>
      <div class="order-page">
        <div class="order-main">
          <Lines order={order} />
          <DeliverySection order={order} />
          <PaymentsSection order={order} />
        </div>
        <div class="order-side">
          <People order={order} />
          <TimelineSection orderId={order.id} />
        </div>
      </div>
      <PackingSlip order={order} />
    </>
  )
}

/** The next step comes first. Rare and final actions are behind the three dots. */
function Actions({ order }: OrderProps) {
  const may = useMay()
  const open = useContext(OpenOrderDialog)
  const [charge] = may('orders.update_transaction') ? openCharges(order) : []
  const isPayFirst = charge !== undefined && order.status_payment !== 'paid'
  const isNext = !isPayFirst && order.status_payment !== 'refunded'
  return (
    <>
      {charge !== undefined && (
        <OrderDialogButton
          kind={isPayFirst ? 'primary' : 'plain'}
          icon="money"
          permission="orders.update_transaction"
          opens={({ PaymentDialog }, props) => <PaymentDialog {...props} charge={charge} />}
        >
          {isOnlyNoted(charge) ? 'Mark as paid' : 'Take the payment'}
        </OrderDialogButton>
      )}
      {shippableItems(order).length > 0 && (
        <OrderDialogButton
          kind={isNext ? 'primary' : 'plain'}
          icon="truck"
          permission="orders.create_shipment"
          opens={({ ShipDialog }, props) => <ShipDialog {...props} />}
        >
          Ship
        </OrderDialogButton>
      )}
      {order.order.total_refundable.raw > 0 && (
        <OrderDialogButton
          icon="refund"
          permission="orders.refund"
          opens={({ RefundDialog }, props) => <RefundDialog {...props} />}
        >
          Refund
        </OrderDialogButton>
      )}
      <Menu
        label="More actions"
        entries={[
          {
            label: 'Send the receipt again',
            icon: 'mail',
            permission: 'orders.resend_receipt',
            onPress: () => open(({ ReceiptDialog }, props) => <ReceiptDialog {...props} />),
          },
          {
            label: 'Edit customer and addresses',
            icon: 'customers',
            permission: 'orders.update',
            onPress: () => open(({ EditDialog }, props) => <EditDialog {...props} />),
          },
          ...(order.status === 'open' && !hasShippedItems(order) ? [cancelEntry(open)] : []),
        ]}
      />
    </>
  )
}

const cancelEntry = (open: (draw: DrawOrderDialog) => void): MenuEntry => ({
  label: 'Cancel the order',
  icon: 'close',
  isDangerous: true,
  permission: 'orders.cancel',
  onPress: () => open(({ CancelDialog }, props) => <CancelDialog {...props} />),
})

/** Shown first, and focused, if somebody else changed the order before. */
function Overtaken({ orderId, refusal }: { orderId: string; refusal: string | null }) {
  const box = useRef<HTMLDivElement>(null)
  useEffect(() => box.current?.focus(), [])
  return (
    <div ref={box} tabIndex={-1} role="alert">
      <Note tone="open">
        <p>
          <strong>You have changed nothing just now.</strong> The order was changed elsewhere while your dialog was
          open.
        </p>
        {refusal !== null && <p>{refusal}</p>}
        <LatestEntry orderId={orderId} />
        <p>This is the order as it is now.</p>
      </Note>
    </div>
  )
}
