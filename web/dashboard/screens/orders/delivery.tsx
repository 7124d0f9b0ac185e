// Delivery of an order: items to ship, parcels with their tracking, and downloads.

import type { Download, FulfillmentItem, Shipment } from '../../../../src/api/orders/fulfillment-schema.ts'
import type { Order } from '../../../../src/api/orders/schema.ts'
import { Button, CopyButton } from '../../parts/page/button.tsx'
import { Menu } from '../../parts/page/menu.tsx'
import { Section } from '../../parts/page/page.tsx'
import { Badge, count, plural, Status, When } from '../../parts/show/values.tsx'
import { statusChangeTitle } from './dialogs/confirmations.tsx'
import { OrderDialogButton, useOrderDialogs } from './dialogs/opening.tsx'
import { addNumbers, optionsText, shippableItems, wantedQuantity } from './order.ts'

export function DeliverySection({ order }: { order: Order }) {
  const { physical, digital } = order.fulfillment
  return (
    <>
      {physical.items.length > 0 && (
        <Section
          title="Delivery"
          kind="order-delivery"
          actions={
            <div class="acts">
              {order.status === 'open' && (
                <Button words="Print the slip" isSmall icon="print" onClick={() => window.print()} />
              )}
              {shippableItems(order).length > 0 && (
                <OrderDialogButton words="Ship" isSmall icon="truck" opens={{ name: 'ship' }} />
              )}
            </div>
          }
        >
          <AllGoods order={order} />
          {physical.shipments.length > 0 && (
            <ul>
              {physical.shipments.map((shipment, index) => (
                <Parcel key={shipment.id} shipment={shipment} number={index + 1} />
              ))}
            </ul>
          )}
        </Section>
      )}
      {digital.downloads.length > 0 && (
        <Section title="Downloads" kind="order-downloads">
          <ul class="ruled">
            {digital.downloads.map((download) => (
              <Files key={download.line_item_id} download={download} />
            ))}
          </ul>
        </Section>
      )}
    </>
  )
}

const FEW = 6

/** In a long order this list repeats the items above, so it is folded. */
function AllGoods({ order }: { order: Order }) {
  const { items } = order.fulfillment.physical
  const list = (
    <ul class="ruled">
      {items.map((item) => (
        <Goods key={item.id} order={order} item={item} />
      ))}
    </ul>
  )
  if (items.length <= FEW) return list
  const [sent, all] = [
    addNumbers(items.map((item) => item.quantity_fulfilled)),
    addNumbers(items.map((item) => item.quantity)),
  ]
  return (
    <details class="all-goods">
      <summary>
        {plural(items.length, 'item')}: {count(sent)} of {plural(all, 'piece')} shipped
      </summary>
      {list}
    </details>
  )
}

/** Status changes that make sense from the current one. */
function nextStatuses({ status, quantity_fulfilled }: FulfillmentItem): FulfillmentItem['status'][] {
  if (status === 'returned') return ['fulfilled', 'not_fulfilled']
  const next: FulfillmentItem['status'][] = quantity_fulfilled > 0 ? ['returned', 'not_fulfilled'] : []
  return status === 'fulfilled' ? next : ['fulfilled', ...next]
}

type GoodsProps = { readonly order: Order; readonly item: FulfillmentItem }

function Goods({ order, item }: GoodsProps) {
  const opens = useOrderDialogs()
  const options = optionsText(item.selected_options)
  return (
    <li class="good-row">
      <div class="good-name">
        <p>{item.product_name}</p>
        {options !== '' && <p class="hint">{options}</p>}
        <p class="hint">
          {item.quantity_fulfilled} of {item.quantity} shipped
        </p>
      </div>
      <ItemState order={order} item={item} />
      {order.status === 'open' && (
        <Menu
          kind="quiet"
          label={`More for ${item.product_name}`}
          entries={nextStatuses(item).map((newStatus) => ({
            label: statusChangeTitle(newStatus),
            ...opens({ name: 'item', item, newStatus }),
          }))}
        />
      )}
    </li>
  )
}

function ItemState({ order, item }: GoodsProps) {
  if (item.status !== 'not_fulfilled') return <Status state={item.status} />
  if (order.status === 'cancelled' || wantedQuantity(order, item) === 0) return <Badge>Not shipped</Badge>
  return <Status state={item.quantity_fulfilled > 0 ? 'partially_fulfilled' : 'not_fulfilled'} />
}

function Parcel({ shipment, number }: { shipment: Shipment; number: number }) {
  const { tracking_number: tracking, tracking_url: url } = shipment
  const carrier = shipment.carrier_name ?? shipment.carrier
  return (
    <li class="parcel">
      <p class="row apart">
        <strong>Parcel {number}</strong> <When at={shipment.shipped_on} />
      </p>
      {(carrier !== null || tracking !== null || url !== null) && (
        <p class="row tight">
          {carrier}{' '}
          {tracking !== null && (
            <>
              {url === null ? <code>{tracking}</code> : <TrackingLink url={url}>{tracking}</TrackingLink>}
              <CopyButton text={tracking} what="Tracking number" />
            </>
          )}
          {tracking === null && url !== null && <TrackingLink url={url}>Follow the parcel</TrackingLink>}
        </p>
      )}
      <ul>
        {shipment.line_items.map((item) => (
          <li key={item.fulfillment_item_id}>
            {item.fulfilled_quantity} × {item.product_name}
            {item.selected_options.length > 0 && <span class="hint"> {optionsText(item.selected_options)}</span>}
          </li>
        ))}
      </ul>
    </li>
  )
}

/** Somebody of the shop typed the URL, so only http and https URLs become links. */
function TrackingLink({ url, children }: { url: string; children: string }) {
  if (!/^https?:\/\//i.test(url)) return <code>{children}</code>
  return (
    <a href={url} target="_blank" rel="noreferrer">
      {children}
    </a>
  )
}

function Files({ download }: { download: Download }) {
  return (
    <>
      {download.packages.map((file) => (
        <li key={file.id} class="good-row file">
          <div class="good-name">
            <p>{file.name}</p>
            <p class="hint">
              {download.product_name} · {file.ext}, {file.size}
            </p>
            <p class="hint">
              {file.remaining_downloads === null
                ? 'Any number of times'
                : `${plural(file.remaining_downloads, 'time')} left`}
              {file.access_expires !== null && (
                <>
                  {' '}
                  · until <When at={file.access_expires} />
                </>
              )}
            </p>
          </div>
          <FileState file={file} isExpired={download.is_expired} />
          <OrderDialogButton
            words={file.is_access_revoked ? 'Give back' : 'Revoke'}
            isSmall
            opens={{ name: 'download', file }}
          />
        </li>
      ))}
    </>
  )
}

function FileState({ file, isExpired }: { file: Download['packages'][number]; isExpired: boolean }) {
  if (file.is_access_revoked) return <Badge tone="bad">Revoked</Badge>
  return isExpired ? <Badge>Expired</Badge> : <Badge tone="good">Open</Badge>
}
