// Changes that a merchant makes to the delivery of an order: shipments, returned items, access to downloads.

import { emit } from '../../events/emit.ts'
import { unixSeconds } from '../../lib/clock.ts'
import { notFound, notValid, unprocessable } from '../../lib/errors.ts'
import { newId } from '../../lib/ids.ts'
import { newOrCurrent } from '../../lib/json.ts'
import { Problems } from '../../lib/problems.ts'
import type { DownloadPackage, FulfillmentItem, Shipment } from '../orders/fulfillment-schema.ts'
import { viewItem, viewPackage, viewShipment } from '../orders/line-view.ts'
import { type OrderContext, resolveOrderOwner } from '../orders/links.ts'
import { enqueueOrderMail } from '../orders/mails/order-mail.ts'
import { applyOrderChange, emitOrderEvent, lockOpenOrder, lockOrderOrThrow } from '../orders/order.ts'
import type { ItemRow, OrderRow, ShipmentRow } from '../orders/read-store.ts'
import type { ItemStatus } from '../orders/status.ts'
import type { NewShipment, PackageChanges } from './schema.ts'
import { insertShipmentRow, updateDownloadRow, updateItemRow } from './store.ts'

export async function createShipment(context: OrderContext, orderId: string, body: NewShipment): Promise<Shipment> {
  const owner = await resolveOrderOwner(context)
  return context.db.transaction(async (tx) => {
    const row = await lockOpenOrder(tx, owner, orderId)
    refuseShipment(row, body)
    const now = context.clock.now()
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
    const next = applyOrderChange(row, { items, shipments: [...row.shipments, shipment] }, now)
    await insertShipmentRow(tx, next, shipment, shippedOn, now)
    const reply = viewShipment(next, shipment)
    await emit(tx, owner, 'orders.physical.shipment', { ...reply, ...eventFields(next, shipment) }, now)
    await enqueueOrderMail(tx, owner, next, { kind: 'shipment', shipmentId: shipment.id }, now)
    return reply
  })
}

/**
 * Fields of the event besides the shipment: those that receivers read under older names, and the recipient of a mail about it.
 * A shipment never changes, so its `updated` is the time when it was made.
 */
const eventFields = (
  { customer_reference, email, firstname, lastname }: OrderRow,
  { created, metadata }: ShipmentRow,
) => ({
  order_customer_reference: customer_reference,
  updated: created,
  meta: metadata,
  customer: { email, firstname, lastname },
})

const WEB_ADDRESS = /^https?:\/\/[^\s/]/i

function refuseShipment({ items }: OrderRow, body: NewShipment) {
  // The address appears as a link in mails to customers.
  if (typeof body.tracking_url === 'string' && !WEB_ADDRESS.test(body.tracking_url))
    throw unprocessable({ tracking_url: ['tracking_url must begin with https:// or http://.'] })
  const problems = new Problems()
  const seenIds = new Set<string>()
  for (const [index, { id, quantity }] of body.items.entries()) {
    const path = `items.${index}`
    const item = items.find((candidate) => candidate.id === id)
    if (!item) problems.refused(`${path}.id`, 'is not the id of an item of this order that can be shipped')
    else if (seenIds.has(id)) problems.refused(`${path}.id`, 'is listed twice')
    else if (quantity > unshippedCount(item))
      problems.refused(`${path}.quantity`, `must be at most ${unshippedCount(item)}, the quantity that is left to ship`)
    seenIds.add(id)
  }
  problems.throwIfAny()
}

const unshippedCount = ({ quantity, quantity_fulfilled, is_returned }: ItemRow): number =>
  is_returned ? 0 : quantity - quantity_fulfilled

export async function updateItem(
  context: OrderContext,
  orderId: string,
  id: string,
  status: ItemStatus,
): Promise<FulfillmentItem> {
  const owner = await resolveOrderOwner(context)
  return context.db.transaction(async (tx) => {
    const row = await lockOpenOrder(tx, owner, orderId)
    const now = context.clock.now()
    const item = { ...withStatus(partOf(row.items, id, 'item'), status), updated: unixSeconds(now) }
    const next = applyOrderChange(row, { items: replacePart(row.items, item) }, now)
    await updateItemRow(tx, next, item, now)
    await emitOrderEvent(tx, owner, 'orders.update', next, now)
    return viewItem(next, item)
  })
}

function partOf<Part extends { id: string }>(parts: readonly Part[], id: string, name: 'item' | 'package'): Part {
  const part = parts.find((each) => each.id === id)
  if (!part) throw notFound(name)
  return part
}

const replacePart = <Part extends { id: string }>(parts: readonly Part[], part: Part): Part[] =>
  parts.map((each) => (each.id === part.id ? part : each))

/** Shipments stay as they are, because they record what was shipped. A lost one is shipped again. */
function withStatus(item: ItemRow, status: ItemStatus): ItemRow {
  switch (status) {
    case 'fulfilled':
      return { ...item, quantity_fulfilled: item.quantity, is_returned: false }
    case 'not_fulfilled':
      return { ...item, quantity_fulfilled: 0, is_returned: false }
    case 'returned':
      if (item.quantity_fulfilled === 0)
        throw notValid({ status: ['status can be returned only after some of the item has been shipped.'] })
      return { ...item, is_returned: true }
  }
}

export async function updatePackage(
  context: OrderContext,
  orderId: string,
  id: string,
  { is_access_revoked, remaining_downloads }: PackageChanges,
): Promise<DownloadPackage> {
  const owner = await resolveOrderOwner(context)
  return context.db.transaction(async (tx) => {
    const row = await lockOrderOrThrow(tx, owner, orderId)
    const current = partOf(row.downloads, id, 'package')
    await context.refuseIfChanged?.(tx)
    const now = context.clock.now()
    const download = {
      ...current,
      is_revoked: is_access_revoked ?? current.is_revoked,
      remaining: newOrCurrent(remaining_downloads, current.remaining),
    }
    const next = applyOrderChange(row, { downloads: replacePart(row.downloads, download) }, now)
    await updateDownloadRow(tx, next, download, remaining_downloads !== undefined, now)
    await emitOrderEvent(tx, owner, 'orders.update', next, now)
    return viewPackage(next, download, owner.addresses)
  })
}
