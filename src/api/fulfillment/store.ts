// SQL of what is shipped and downloaded. Each statement writes the status of the order that follows, in the same breath; all but the
// count of downloads run under the order's lock.

import { type Db, statement, type Tx } from '../../db/db.ts'
import type { DownloadRow, ItemRow, OrderRow, ShipmentRow } from '../orders/read-store.ts'
import type { PaymentStatus } from '../orders/status.ts'

const insertShipment = statement(
  'orders.insert_shipment',
  `with made as (
     insert into shipments (
       merchant_id, order_id, id, carrier, carrier_name, tracking_number, tracking_url, shipped_on, metadata, created_at
     )
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
   ), packed as (
     insert into shipment_items (merchant_id, order_id, shipment_id, item_id, quantity)
     select $1, $2, $3, part.item_id, part.quantity
     from json_to_recordset($11::json) as part (item_id text, quantity integer)
   ), shipped as (
     update order_items item
     set quantity_fulfilled = item.quantity_fulfilled + part.quantity, updated_at = $10
     from json_to_recordset($11::json) as part (item_id text, quantity integer)
     where item.merchant_id = $1 and item.order_id = $2 and item.id = part.item_id
   )
   update orders set status_fulfillment = $12, updated_at = $10 where merchant_id = $1 and id = $2`,
)

/** `next` is the order as it then is. */
export const insertShipmentRow = (tx: Tx, next: OrderRow, shipment: ShipmentRow, shippedOn: Date, now: Date) =>
  tx.run(insertShipment, [
    next.merchant_id,
    next.id,
    shipment.id,
    shipment.carrier,
    shipment.carrier_name,
    shipment.tracking_number,
    shipment.tracking_url,
    shippedOn,
    shipment.metadata === null ? null : JSON.stringify(shipment.metadata),
    now,
    JSON.stringify(shipment.items),
    next.status_fulfillment,
  ])

const updateItem = statement(
  'orders.update_item',
  `with changed as (
     update order_items
     set quantity_fulfilled = $4, is_returned = $5, updated_at = $7
     where merchant_id = $1 and order_id = $2 and id = $3
   )
   update orders set status_fulfillment = $6, updated_at = $7 where merchant_id = $1 and id = $2`,
)

export const updateItemRow = (tx: Tx, next: OrderRow, item: ItemRow, now: Date) =>
  tx.run(updateItem, [
    next.merchant_id,
    next.id,
    item.id,
    item.quantity_fulfilled,
    item.is_returned,
    next.status_fulfillment,
    now,
  ])

// What remains is written only where it was sent: downloads are counted meanwhile, and one that was counted must stay so.
const updateDownload = statement(
  'orders.update_download',
  `with changed as (
     update downloads
     set remaining = case when $7 then $4 else remaining end, is_revoked = $5
     where merchant_id = $1 and order_id = $2 and id = $3
   )
   update orders set updated_at = $6 where merchant_id = $1 and id = $2`,
)

export const updateDownloadRow = (
  tx: Tx,
  next: OrderRow,
  { id, remaining, is_revoked }: DownloadRow,
  isRemainingSent: boolean,
  now: Date,
) => tx.run(updateDownload, [next.merchant_id, next.id, id, remaining, is_revoked, now, isRemainingSent])

/** What is downloaded, and whether it may be. `file_key` is null when its asset has been deleted. */
export type DownloadableRow = {
  name: string
  remaining: number | null
  is_revoked: boolean
  expires_at: Date | null
  status_payment: PaymentStatus
  /** Cancelled, or about to be: its money is back, or on its way. */
  is_cancelled: boolean
  is_sandbox: boolean
  /** Sandbox orders deliver it, too. */
  is_sample: boolean
  file_key: string | null
  file_extension: string | null
  content_type: string | null
  file_size: number | null
}

// A sample is one that was a sample when it was sold, and is one of every product that has it today, of at least one: a merchant who
// marked a file by mistake takes that back for orders that were made meanwhile, too, and it stays so when the product goes.
const findDownload = statement<DownloadableRow>(
  'downloads.find',
  `select d.name, d.remaining, d.is_revoked, d.expires_at, o.status_payment,
     o.cancelled_at is not null or o.cancelling_at is not null as is_cancelled, o.is_sandbox,
     d.is_sample and coalesce((
       select bool_and(package.is_sample)
       from product_packages package
       where package.merchant_id = d.merchant_id and package.asset_id = d.asset_id
     ), false) as is_sample,
     a.file_key, a.file_extension, a.content_type, a.file_size
   from downloads d
   join orders o on o.merchant_id = d.merchant_id and o.id = d.order_id
   left join assets a on a.merchant_id = d.merchant_id and a.id = d.asset_id
   where d.merchant_id = $1 and d.order_id = $2 and d.id = $3`,
)

export const findDownloadable = (db: Db, merchantId: number, orderId: string, id: string) =>
  db.maybe(findDownload, [merchantId, orderId, id])

// Every condition once more: of fifty requests at once each has read that three are left.
const countDownload = statement(
  'downloads.count',
  `update downloads d
   set remaining = d.remaining - 1
   from orders o
   where d.merchant_id = $1 and d.order_id = $2 and d.id = $3 and d.remaining > 0 and not d.is_revoked
     and (d.expires_at is null or d.expires_at > $4)
     and o.merchant_id = d.merchant_id and o.id = d.order_id and o.status_payment = 'paid' and o.cancelled_at is null
     and o.cancelling_at is null`,
)

/** Takes one of those that remain. False when none does. */
export const takeOneDownload = async (
  db: Db,
  merchantId: number,
  orderId: string,
  id: string,
  now: Date,
): Promise<boolean> => (await db.run(countDownload, [merchantId, orderId, id, now])) === 1
