// What a merchant ships, takes back and lets be downloaded.

import type { Tx } from '../../db/db.ts'
import { emit } from '../../events/emit.ts'
import { type Clock, unixSeconds } from '../../lib/clock.ts'
import { type FieldErrors, notFound, notValid, unprocessable } from '../../lib/errors.ts'
import { newId } from '../../lib/ids.ts'
import type { NewShipment, PackageChanges } from '../orders/body-schema.ts'
import type { DownloadPackage, FulfillmentItem, Shipment } from '../orders/fulfillment-schema.ts'
import { viewItem, viewPackage, viewShipment } from '../orders/fulfillment-view.ts'
import type { OrderOwner } from '../orders/links.ts'
import { changed, takeOpenOrder, takeOrder, tellOrder } from '../orders/order.ts'
import type { ItemRow, OrderRow, ShipmentRow } from '../orders/read-store.ts'
import type { ItemStatus } from '../orders/status.ts'
import { insertShipmentRow, updateDownloadRow, updateItemRow } from './store.ts'

export async function createShipment(
  tx: Tx,
  clock: Clock,
  owner: OrderOwner,
  orderId: string,
  body: NewShipment,
): Promise<Shipment> {
  const row = await takeOpenOrder(tx, owner, orderId)
  refuseShipment(row, body)
  const now = clock.now()
  const shippedOn = body.shipped_on === undefined ? now : new Date(body.shipped_on * 1_000)
  const shipment: ShipmentRow = {
    id: newId('shipment', now),
    carrier: body.carrier ?? null,
    carrier_name: body.carrier_name ?? null,
    tracking_number: body.tracking_number ?? null,
    tracking_url: body.tracking_url ?? null,
    shipped_on: unixSeconds(shippedOn),
    metadata: body.metadata ?? null,
    created: unixSeconds(now),
    items: body.items.map(({ id, quantity }) => ({ item_id: id, quantity })),
  }
  const quantities = new Map(body.items.map(({ id, quantity }) => [id, quantity]))
  const items = row.items.map((item) => {
    const quantity = quantities.get(item.id)
    if (quantity === undefined) return item
    return { ...item, quantity_fulfilled: item.quantity_fulfilled + quantity, updated: unixSeconds(now) }
  })
  const next = changed(row, { items, shipments: [...row.shipments, shipment] }, now)
  await insertShipmentRow(tx, next, shipment, shippedOn, now)
  const shown = viewShipment(next, shipment)
  await emit(tx, owner, 'orders.physical.shipment', shown, now)
  return shown
}

const WEB_ADDRESS = /^https?:\/\/[^\s/]/i

function refuseShipment({ items }: OrderRow, body: NewShipment) {
  // It stands in mails to customers, as a link.
  if (typeof body.tracking_url === 'string' && !WEB_ADDRESS.test(body.tracking_url))
    throw unprocessable({ tracking_url: ['tracking_url must begin with https:// or http://.'] })
  const problems: FieldErrors = {}
  const seen = new Set<string>()
  for (const [index, { id, quantity }] of body.items.entries()) {
    const path = `items.${index}`
    const item = items.find((candidate) => candidate.id === id)
    if (!item) problems[`${path}.id`] = [`${path}.id is not an item of this order that is to be shipped.`]
    else if (seen.has(id)) problems[`${path}.id`] = [`${path}.id stands in the list twice.`]
    else if (quantity > remaining(item))
      problems[`${path}.quantity`] = [
        `${path}.quantity must be at most ${remaining(item)}, which is what is left to ship.`,
      ]
    seen.add(id)
  }
  if (Object.keys(problems).length > 0) throw notValid(problems)
}

const remaining = ({ quantity, quantity_fulfilled, is_returned }: ItemRow): number =>
  is_returned ? 0 : quantity - quantity_fulfilled

export async function updateItem(
  tx: Tx,
  clock: Clock,
  owner: OrderOwner,
  orderId: string,
  id: string,
  status: ItemStatus,
): Promise<FulfillmentItem> {
  const row = await takeOpenOrder(tx, owner, orderId)
  const current = row.items.find((item) => item.id === id)
  if (!current) throw notFound('item')
  const now = clock.now()
  const item = { ...withStatus(current, status), updated: unixSeconds(now) }
  const next = changed(row, { items: row.items.map((each) => (each.id === id ? item : each)) }, now)
  await updateItemRow(tx, next, item, now)
  await tellOrder(tx, owner, 'orders.update', next, now)
  return viewItem(next, item)
}

/** Shipments stay as they are: they tell what was sent, and one that was lost is sent again. */
function withStatus(item: ItemRow, status: ItemStatus): ItemRow {
  switch (status) {
    case 'fulfilled':
      return { ...item, quantity_fulfilled: item.quantity, is_returned: false }
    case 'not_fulfilled':
      return { ...item, quantity_fulfilled: 0, is_returned: false }
    case 'returned':
      if (item.quantity_fulfilled === 0)
        throw notValid({ status: ['status can be returned only for an item of which something has been shipped.'] })
      return { ...item, is_returned: true }
  }
}

export async function updatePackage(
  tx: Tx,
  clock: Clock,
  owner: OrderOwner,
  orderId: string,
  id: string,
  body: PackageChanges,
): Promise<DownloadPackage> {
  const row = await takeOrder(tx, owner, orderId)
  const current = row.downloads.find((download) => download.id === id)
  if (!current) throw notFound('package')
  const now = clock.now()
  const download = {
    ...current,
    is_revoked: body.is_access_revoked ?? current.is_revoked,
    remaining: body.remaining_downloads === undefined ? current.remaining : body.remaining_downloads,
  }
  const next = changed(row, { downloads: row.downloads.map((each) => (each.id === id ? download : each)) }, now)
  await updateDownloadRow(tx, next, download, body.remaining_downloads !== undefined, now)
  await tellOrder(tx, owner, 'orders.update', next, now)
  return viewPackage(next, download, owner.addresses)
}
