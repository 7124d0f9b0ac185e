// One order: items, payments, delivery, customer and timeline, and all actions on it.

import { useEffect, useRef, useState } from 'preact/hooks'
import { Button } from '../../parts/page/button.tsx'
import { Menu, type MenuEntry } from '../../parts/page/menu.tsx'
import { Note, Page } from '../../parts/page/page.tsx'
import { Loaded } from '../../parts/page/states.tsx'
import { When } from '../../parts/show/values.tsx'
import type { ScreenProps } from '../../routes.tsx'
import { useMay } from '../../session.tsx'
import { invalidateQueries, useQuery } from '../../use-query.ts'
import { loadWhenIdle } from '../later.tsx'
import { DeliverySection } from './delivery.tsx'
import type { OpenOrderDialog, OrderDialogRequest } from './dialogs/all-dialogs.tsx'
import { Lines } from './lines.tsx'
import { PaymentsSection } from './money.tsx'
import { hasShippedItems, isByHand, type Order, openCharges, orderListView, shippableItems } from './order.ts'
import { PackingSlip } from './packing-slip.tsx'
import { People } from './people.tsx'
import { OrderDeliveryBadge, PaymentState } from './states.tsx'
import { LatestEntry, TimelineSection } from './timeline.tsx'

const OrderDialogs = loadWhenIdle(async () => (await import('./dialogs/all-dialogs.tsx')).OrderDialogs)

const POLL_SECONDS = 3

export function OrderDetail({ id }: ScreenProps) {
  const [isPolling, setPolling] = useState(false)
  const query = useQuery<Order>(`/v1/orders/${id}`, isPolling ? { every: POLL_SECONDS } : {})
  const back = { href: orderListView.address, label: 'Orders' }
  const order = query.data
  // A charge that waits for its gateway settles by itself, so poll until then.
  const isUnderWay = order?.transactions.some((each) => each.status_reason === 'awaiting_gateway') ?? false
  useEffect(() => setPolling(isUnderWay), [isUnderWay])
  if (order === undefined)
    return (
      <Page title="Order" back={back}>
        <Loaded query={query} back={back} lines={10}>
          {() => null}
        </Loaded>
      </Page>
    )
  return <OrderPage order={order} back={back} />
}

type OrderPageProps = { readonly order: Order; readonly back: { readonly href: string; readonly label: string } }

function OrderPage({ order, back }: OrderPageProps) {
  const [open, setOpen] = useState<OpenOrderDialog | null>(null)
  const [conflict, setConflict] = useState<{ readonly refusal: string | null } | null>(null)
  const openDialog = (asked: OrderDialogRequest) => {
    setConflict(null)
    setOpen({ request: asked, order })
  }
  return (
    <Page
      title={order.customer_reference}
      back={back}
      aside={<States order={order} />}
      actions={<Actions order={order} onAsk={openDialog} />}
      intro={
        <>
          <When at={order.created} isFull />
          {order.status === 'cancelled' && order.cancel_reason !== null && ` · Cancelled: ${order.cancel_reason}`}
        </>
      }
    >
      {conflict !== null && <Overtaken orderId={order.id} refusal={conflict.refusal} />}
      <div class="order-page">
        <div class="order-main">
          <Lines order={order} />
          <DeliverySection
            order={order}
            onShip={() => openDialog({ name: 'ship' })}
            onItem={(item, newStatus) => openDialog({ name: 'item', item, newStatus })}
            onDownload={(file) => openDialog({ name: 'download', file })}
          />
          <PaymentsSection order={order} onAct={(name, charge) => openDialog({ name, charge })} />
        </div>
        <div class="order-side">
          <People order={order} onEdit={() => openDialog({ name: 'edit' })} />
          <TimelineSection orderId={order.id} />
        </div>
      </div>
      <PackingSlip order={order} />
      {open !== null && (
        <OrderDialogs
          open={open}
          onClose={() => setOpen(null)}
          onFailed={() => setOpen(null)}
          onOvertaken={(refusal) => {
            setOpen(null)
            setConflict({ refusal })
            invalidateQueries('/v1/orders', '/v1/reports')
          }}
        />
      )}
    </Page>
  )
}

function States({ order }: { order: Order }) {
  return (
    <>
      <PaymentState order={order} />
      <OrderDeliveryBadge order={order} />
    </>
  )
}

type ActionsProps = { readonly order: Order; readonly onAsk: (asked: OrderDialogRequest) => void }

/** The next step comes first. Rare and final actions are behind the three dots. */
function Actions({ order, onAsk }: ActionsProps) {
  const may = useMay()
  const [charge] = may('orders.update_transaction') ? openCharges(order) : []
  const canShip = shippableItems(order).length > 0 && may('orders.create_shipment')
  const isPayFirst = charge !== undefined && order.status_payment !== 'paid'
  const isNext = !isPayFirst && order.status_payment !== 'refunded'
  const canRefund = order.order.total_refundable.raw > 0 && may('orders.refund')
  const canCancel = order.status === 'open' && !hasShippedItems(order) && may('orders.cancel')
  const entries: (MenuEntry | false)[] = [
    may('orders.resend_receipt') && {
      label: 'Send the receipt again',
      icon: 'mail',
      onPress: () => onAsk({ name: 'receipt' }),
    },
    may('orders.update') && {
      label: 'Edit customer and addresses',
      icon: 'customers',
      onPress: () => onAsk({ name: 'edit' }),
    },
    canCancel && {
      label: 'Cancel the order',
      icon: 'close',
      isDangerous: true,
      onPress: () => onAsk({ name: 'cancel' }),
    },
  ]
  return (
    <>
      {charge !== undefined && (
        <Button kind={isPayFirst ? 'primary' : 'plain'} icon="money" onClick={() => onAsk({ name: 'pay', charge })}>
          {isByHand(charge) || charge.status_reason === 'gateway_failure' ? 'Mark as paid' : 'Take the payment'}
        </Button>
      )}
      {canShip && (
        <Button kind={isNext ? 'primary' : 'plain'} icon="truck" onClick={() => onAsk({ name: 'ship' })}>
          Ship
        </Button>
      )}
      {canRefund && (
        <Button icon="refund" onClick={() => onAsk({ name: 'refund' })}>
          Refund
        </Button>
      )}
      <Menu label="More actions" entries={entries.filter((entry): entry is MenuEntry => entry !== false)} />
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
