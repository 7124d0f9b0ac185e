// Changes that a merchant makes to an order itself: the recipient and custom data.
// Also the steps that every change of an order begins and ends with: lock and read it, derive its statuses, show it and emit an event.

import type { Scope, Tx } from '../../db/db.ts'
import { emit, emitMany } from '../../events/emit.ts'
import { unixSeconds } from '../../lib/clock.ts'
import { conflict, notFound, notValid } from '../../lib/errors.ts'
import { newOrCurrent } from '../../lib/json.ts'
import { Problems } from '../../lib/problems.ts'
import { emailRule, readEmail } from '../../lib/text.ts'
import {
  findCountryProblem,
  mergeAddress,
  NO_ADDRESS,
  type PostalAddress,
  type PostalChanges,
} from '../customers/postal-address.ts'
import type { OrderChanges } from './body-schema.ts'
import { type OrderContext, type OrderOwner, resolveOrderOwner } from './links.ts'
import { paymentStatusInput } from './money/sums.ts'
import type { OrderRow } from './read-store.ts'
import type { Order } from './schema.ts'
import { deriveFulfillmentStatus, derivePaymentStatus } from './status.ts'
import { findOrder, lockOrder, type OrderChange, updateOrderRow } from './store.ts'
import { viewForEventAndReply, viewOrder } from './view.ts'

/** The order row, and the URLs to show it with. */
export async function getOrder(context: OrderContext, id: string) {
  const { addresses, ...scope } = await resolveOrderOwner(context)
  const row = await findOrder(context.db, scope, id)
  if (row === null) throw notFound('order')
  return { row, addresses }
}

export async function updateOrder(context: OrderContext, id: string, body: OrderChanges): Promise<Order> {
  const owner = await resolveOrderOwner(context)
  return context.db.transaction(async (tx) => {
    const row = await lockOrderOrThrow(tx, owner, id)
    await context.refuseIfChanged?.(tx)
    const change = mergedFields(row, body)
    const now = context.clock.now()
    await updateOrderRow(tx, row, change, now)
    return emitOrderEvent(tx, owner, 'orders.update', applyOrderChange(row, change, now), now)
  })
}

/** Fields of the body replace those of the order; omitted fields stay. */
function mergedFields(row: OrderRow, { customer = {}, shipping, billing, meta }: OrderChanges): OrderChange {
  const problems = new Problems()
  const email = customer.email === undefined ? row.email : readEmail(customer.email)
  if (email === null) problems.malformedAs({ 'customer.email': [emailRule('customer.email')] })
  const change = {
    email: email ?? row.email,
    firstname: newOrCurrent(customer.firstname, row.firstname),
    lastname: newOrCurrent(customer.lastname, row.lastname),
    phone: newOrCurrent(customer.phone, row.phone),
    shipping_address: mergedAddress('shipping', row.shipping_address, shipping, problems),
    billing_address: mergedAddress('billing', row.billing_address, billing, problems),
    meta: newOrCurrent(meta, row.meta),
  }
  problems.throwIfAny()
  return change
}

function mergedAddress(
  field: 'shipping' | 'billing',
  current: PostalAddress | null,
  body: PostalChanges | null | undefined,
  problems: Problems,
): PostalAddress | null {
  if (body === undefined) return current
  if (body === null) return null
  const country = findCountryProblem(`${field}.country`, body)
  if (country !== null) problems.malformedAs({ [`${field}.country`]: [country] })
  return mergeAddress(current ?? NO_ADDRESS, body)
}

/** Locks the order for this transaction. */
export async function lockOrderOrThrow(tx: Tx, scope: Scope, id: string): Promise<OrderRow> {
  const row = await lockOrder(tx, scope, id)
  if (row === null) throw notFound('order')
  return row
}

/** Refuses shipments and captures while the order's money is being refunded. */
export function refuseWhileCancelling({ cancelling }: OrderRow) {
  if (cancelling !== null) throw conflict('The order is being cancelled and refunded. Try again in a moment.', 1)
}

/** Locks the order, and refuses one that is cancelled or being cancelled. */
export async function lockOpenOrder(tx: Tx, scope: Scope, id: string): Promise<OrderRow> {
  const row = await lockOrderOrThrow(tx, scope, id)
  refuseWhileCancelling(row)
  if (row.cancelled !== null) throw notValid({ status: ['The order is cancelled and can no longer be changed.'] })
  return row
}

/** The order after a change, with its statuses derived again. The store writes the change and the statuses in one statement. */
export function applyOrderChange(row: OrderRow, changes: Partial<OrderRow>, now: Date): OrderRow {
  const next = { ...row, ...changes, updated: unixSeconds(now) }
  const status_payment = derivePaymentStatus(paymentStatusInput(next))
  const paidAt = next.paid ?? (status_payment === 'paid' ? unixSeconds(now) : null)
  const delivery = { items: next.items, hasDownloads: next.downloads.length > 0, wasPaid: paidAt !== null }
  return { ...next, status_payment, paid: paidAt, status_fulfillment: deriveFulfillmentStatus(delivery) }
}

type OrderEvent = 'orders.update' | 'orders.refund' | 'orders.cancel' | 'orders.dispute' | 'orders.receipt.resend'

/** Emits the order as it is now, and returns it as the reply shows it. */
export async function emitOrderEvent(
  tx: Tx,
  owner: OrderOwner,
  name: OrderEvent,
  row: OrderRow,
  now: Date,
): Promise<Order> {
  const { event, reply } = viewForEventAndReply(row, owner.addresses, now)
  await emit(tx, owner, name, event, now)
  return reply
}

/**
 * Emits `orders.update` for a change of the payments, and `orders.paid` with the change that completes them.
 * `before` is the locked row. Its `paid` is set once and stays, even if money is refunded and paid again later.
 */
export async function emitPaymentChange(
  tx: Tx,
  owner: OrderOwner,
  before: OrderRow,
  next: OrderRow,
  now: Date,
): Promise<void> {
  const payload = viewOrder(next, owner.addresses.lasting, now)
  const update = { name: 'orders.update', payload } as const
  const isPaidNow = before.paid === null && next.paid !== null
  await emitMany(tx, owner, isPaidNow ? [update, { name: 'orders.paid', payload }] : [update], now)
}
