// One order: items, payments, delivery, customer and timeline, and all actions on it.

import { useEffect, useRef, useState } from 'preact/hooks'
import type { Order } from '../../../../src/api/orders/schema.ts'
import { backTo } from '../../parts/list/last-address.ts'
import { loadWhenIdle } from '../../parts/page/later.tsx'
import { Menu } from '../../parts/page/menu.tsx'
import { Note, ObjectPage, type ScreenProps } from '../../parts/page/page.tsx'
import { When } from '../../parts/show/values.tsx'
import { useMay } from '../../session.tsx'
import { readAllAgain, useQuery } from '../../use-query.ts'
import { DeliverySection } from './delivery.tsx'
import { OpenOrderDialog, OrderDialogButton, type OrderDialogRequest, useOrderDialogs } from './dialogs/opening.tsx'
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
type OpenDialog = { readonly request: OrderDialogRequest; readonly order: Order }

export function OrderDetail({ id }: ScreenProps) {
  const path = `/v1/orders/${id}`
  const query = useQuery<Order>(path)
  // A charge that waits for its gateway settles by itself, so poll until then.
  const isUnderWay = query.data?.transactions.some((each) => each.status_reason === 'awaiting_gateway') ?? false
  useQuery(isUnderWay ? path : null, { every: POLL_SECONDS })
  const [dialog, setDialog] = useState<OpenDialog | null>(null)
  const [conflict, setConflict] = useState<{ readonly refusal: string | null } | null>(null)
  const openDialog = (request: OrderDialogRequest) => {
    setConflict(null)
    if (query.data !== undefined) setDialog({ request, order: query.data })
  }
  const closeDialog = () => setDialog(null)
  return (
    <OpenOrderDialog.Provider value={openDialog}>
      <ObjectPage
        of={query}
        title={({ customer_reference }) => customer_reference}
        untitled="Order"
        back={backTo('/dashboard/orders', 'Orders')}
        lines={10}
        aside={(order) => (
          <>
            <PaymentState order={order} />
            <OrderDeliveryBadge order={order} />
          </>
        )}
        actions={(order) => <Actions order={order} />}
        intro={({ created, status, cancel_reason }) => (
          <>
            <When at={created} isFull />
            {status === 'cancelled' && cancel_reason !== null && ` · Cancelled: ${cancel_reason}`}
          </>
        )}
      >
        {(order) => (
          <>
            {conflict !== null && <Overtaken orderId={id} refusal={conflict.refusal} />}
            <div class="order-page">
              <div class="column">
                <Lines order={order} />
                <DeliverySection order={order} />
                <PaymentsSection order={order} />
              </div>
              <div class="column">
                <People order={order} />
                <TimelineSection orderId={id} />
              </div>
            </div>
            <PackingSlip order={order} />
            {dialog !== null && (
              <OrderDialog
                {...dialog}
                onClose={closeDialog}
                onFailed={closeDialog}
                onOvertaken={(refusal) => {
                  closeDialog()
                  setConflict({ refusal })
                  readAllAgain()
                }}
              />
            )}
          </>
        )}
      </ObjectPage>
    </OpenOrderDialog.Provider>
  )
}

/** The next step comes first. Rare and final actions are behind the three dots. */
function Actions({ order }: { order: Order }) {
  const may = useMay()
  const opens = useOrderDialogs()
  const [charge] = may('orders.update_transaction') ? openCharges(order) : []
  const isPayFirst = charge !== undefined && order.status_payment !== 'paid'
  const isNext = !isPayFirst && order.status_payment !== 'refunded'
  const canCancel = order.status === 'open' && !hasShippedItems(order)
  return (
    <>
      {charge !== undefined && (
        <OrderDialogButton
          words={isOnlyNoted(charge) ? 'Mark as paid' : 'Take the payment'}
          kind={isPayFirst ? 'primary' : 'plain'}
          icon="money"
          opens={{ name: 'pay', charge }}
        />
      )}
      {shippableItems(order).length > 0 && (
        <OrderDialogButton words="Ship" kind={isNext ? 'primary' : 'plain'} icon="truck" opens={{ name: 'ship' }} />
      )}
      {order.order.total_refundable.raw > 0 && (
        <OrderDialogButton words="Refund" icon="refund" opens={{ name: 'refund' }} />
      )}
      <Menu
        label="More actions"
        entries={[
          { label: 'Send the receipt again', icon: 'mail', ...opens({ name: 'receipt' }) },
          { label: 'Edit customer and addresses', icon: 'customers', ...opens({ name: 'edit' }) },
          canCancel && { label: 'Cancel the order', icon: 'close', isDangerous: true, ...opens({ name: 'cancel' }) },
        ]}
      />
    </>
  )
}

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
