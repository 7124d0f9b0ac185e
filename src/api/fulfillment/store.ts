// SQL of shipments and downloads. Each statement also writes the resulting status of the order. All but the count of downloads run under
// the order's lock.

import { columns } from '../../db/columns.ts'
import { type Db, type Shop, statement, type Tx } from '../../db/db.ts'
import type { DownloadRow, ItemRow, OrderRow, ShipmentRow } from '../orders/read-store.ts'
import type { PaymentStatus } from '../orders/status.ts'
import { SET_FULFILLMENT_STATUS, TOUCH_ORDER } from '../orders/store.ts'

/** Query parameters that name the order and its status. `next` is the order after the change. */
const orderValues = (next: OrderRow, now: Date) => ({
  merchant_id: next.merchant_id,
  order_id: next.id,
  status_fulfillment: next.status_fulfillment,
  now,
})

const SHIPMENT = columns(
  ['id', 'carrier', 'carrier_name', 'tracking_number', 'tracking_url', 'shipped_on', 'metadata'],
  ['metadata'],
)

const PARTS = 'json_to_recordset(:items::json) as part (item_id text, quantity integer)'

const insertShipment = statement(
  'orders.insert_shipment',
  `with new_shipment as (
     insert into shipments (merchant_id, order_id, ${SHIPMENT.names}, created_at)
     values (:merchant_id, :order_id, ${SHIPMENT.parameters}, :now)
   ), packed as (
     insert into shipment_items (merchant_id, order_id, shipment_id, item_id, quantity)
     select :merchant_id, :order_id, :id, part.item_id, part.quantity
     from ${PARTS}
   ), shipped as (
     update order_items item
     set quantity_fulfilled = item.quantity_fulfilled + part.quantity, updated_at = :now
     from ${PARTS}
     where item.merchant_id = :merchant_id and item.order_id = :order_id and item.id = part.item_id
   )
   ${SET_FULFILLMENT_STATUS}`,
)

export const insertShipmentRow = (tx: Tx, next: OrderRow, shipment: ShipmentRow, shippedOn: Date, now: Date) =>
  tx.run(insertShipment, {
    ...orderValues(next, now),
    ...SHIPMENT.values({ ...shipment, shipped_on: shippedOn }),
    items: JSON.stringify(shipment.items),
  })

const updateItem = statement(
  'orders.update_item',
  `with changed as (
     update order_items
     set quantity_fulfilled = :quantity_fulfilled, is_returned = :is_returned, updated_at = :now
     where merchant_id = :merchant_id and order_id = :order_id and id = :id
   )
   ${SET_FULFILLMENT_STATUS}`,
)

export const updateItemRow = (tx: Tx, next: OrderRow, item: ItemRow, now: Date) =>
  tx.run(updateItem, { ...item, ...orderValues(next, now) })

// Writes the remaining number only if it was sent. Downloads are counted meanwhile, and must stay counted.
const updateDownload = statement(
  'orders.update_download',
  `with changed as (
     update downloads
     set remaining = case when :is_remaining_sent then :remaining else remaining end, is_revoked = :is_revoked
     where merchant_id = :merchant_id and order_id = :order_id and id = :id
   )
   ${TOUCH_ORDER}`,
)

export const updateDownloadRow = (tx: Tx, next: OrderRow, download: DownloadRow, isRemainingSent: boolean, now: Date) =>
  tx.run(updateDownload, { ...download, ...orderValues(next, now), is_remaining_sent: isRemainingSent })

/** A download, and the conditions for downloading it. `file_key` is null if its asset was deleted. */
export type DownloadableRow = {
  name: string
  remaining: number | null
  is_revoked: boolean
  expires_at: Date | null
  status_payment: PaymentStatus
  /** Cancelled, or about to be: its money is refunded or on its way back. */
  is_cancelled: boolean
  is_sandbox: boolean
  /** Sandbox orders deliver a sample too. */
  is_sample: boolean
  file_key: string | null
  file_extension: string | null
  content_type: string | null
  file_size: number | null
}

/** Key of a download, as in its link, which is the same in both modes. */
type DownloadKey = { readonly orderId: string; readonly id: string }

const keyValues = ({ merchant_id }: Shop, { orderId, id }: DownloadKey) => ({
  merchant_id,
  order_id: orderId,
  id,
})

// A placeholder for a file that has not arrived is never the purchased file.
// A file is a sample if it was one when it was sold and is one in all products that have it today. At least one product must have it. So a
// merchant who marked a file by mistake can also undo that for orders made meanwhile. It stays undone when the product is deleted.
const findDownload = statement<DownloadableRow>(
  'downloads.find',
  `select d.name, d.remaining, d.is_revoked, d.expires_at, o.status_payment,
     o.cancelled_at is not null or o.cancelling_at is not null as is_cancelled, o.is_sandbox,
     d.is_sample and coalesce((
       select bool_and(package.is_sample)
       from product_packages package
       where package.merchant_id = :merchant_id and package.asset_id = d.asset_id
     ), false) as is_sample,
     case when a.source_url is null then a.file_key end as file_key, a.file_extension, a.content_type, a.file_size
   from downloads d
   join orders o on o.merchant_id = d.merchant_id and o.id = d.order_id
   left join assets a on a.merchant_id = d.merchant_id and a.id = d.asset_id
   where d.merchant_id = :merchant_id and d.order_id = :order_id and d.id = :id`,
)

export const findDownloadable = (db: Db, shop: Shop, key: DownloadKey) => db.maybe(findDownload, keyValues(shop, key))

// Checks every condition again: each of fifty concurrent requests may have read that three downloads are left. With `not` instead of `is
// not true`, the planner may scan the index of downloads that are not revoked.
const countDownload = statement(
  'downloads.count',
  `update downloads d
   set remaining = d.remaining - 1
   from orders o
   where d.merchant_id = :merchant_id and d.order_id = :order_id and d.id = :id and d.remaining > 0 and d.is_revoked is not true
     and (d.expires_at is null or d.expires_at > :now)
     and o.merchant_id = d.merchant_id and o.id = d.order_id and o.status_payment in ('paid', 'partially_refunded') and o.cancelled_at is null
     and o.cancelling_at is null`,
)

/** Uses one of the remaining downloads. False if there is none. */
export const countOneDownload = async (db: Db, shop: Shop, key: DownloadKey, now: Date): Promise<boolean> =>
  (await db.run(countDownload, { ...keyValues(shop, key), now })) === 1
