// What a merchant changes of an order itself: who gets it, and the data of the merchant's own. And how every change of an order begins and
// ends, whoever makes it: locked and read, its statuses derived anew, shown and emitted as an event.

import type { Scope, Tx } from '../../db/db.ts'
import { emit, emitMany } from '../../events/emit.ts'
import { unixSeconds } from '../../lib/clock.ts'
import { conflict, notFound, notValid } from '../../lib/errors.ts'
import { sentOr } from '../../lib/json.ts'
import { Problems } from '../../lib/problems.ts'
import { emailRule, readEmail } from '../../lib/text.ts'
import {
  changedAddress,
  countryProblem,
  NO_ADDRESS,
  type PostalAddress,
  type PostalChanges,
} from '../customers/postal-address.ts'
import type { OrderChanges } from './body-schema.ts'
import { type OrderContext, type OrderOwner, ownerOf } from './links.ts'
import { paymentsOf } from './money/sums.ts'
import type { OrderRow } from './read-store.ts'
import type { Order } from './schema.ts'
import { fulfillmentStatus, paymentStatus } from './status.ts'
import { findOrder, lockOrder, type OrderChange, updateOrderRow } from './store.ts'
import { viewOrder, viewsOf } from './view.ts'

/** The order, and the addresses that it is shown with. */
export async function getOrder(context: OrderContext, id: string) {
  const { addresses, ...scope } = await ownerOf(context)
  const row = await findOrder(context.db, scope, id)
  if (row === null) throw notFound('order')
  return { row, addresses }
}

export async function updateOrder(context: OrderContext, id: string, body: OrderChanges): Promise<Order> {
  const owner = await ownerOf(context)
  return context.db.transaction(async (tx) => {
    const row = await takeOrder(tx, owner, id)
    await context.refuseIfChanged?.(tx)
    const change = mergedFields(row, body)
    const now = context.clock.now()
    await updateOrderRow(tx, row, change, now)
    return emitOrder(tx, owner, 'orders.update', changed(row, change, now), now)
  })
}

/** Fields that are sent replace, those left out stay. */
function mergedFields(row: OrderRow, { customer = {}, shipping, billing, meta }: OrderChanges): OrderChange {
  const problems = new Problems()
  const email = customer.email === undefined ? row.email : readEmail(customer.email)
  if (email === null) problems.malformedAs({ 'customer.email': [emailRule('customer.email')] })
  const merged = {
    email: email ?? row.email,
    firstname: sentOr(customer.firstname, row.firstname),
    lastname: sentOr(customer.lastname, row.lastname),
    phone: sentOr(customer.phone, row.phone),
    shipping_address: mergedAddress('shipping', row.shipping_address, shipping, problems),
    billing_address: mergedAddress('billing', row.billing_address, billing, problems),
    meta: sentOr(meta, row.meta),
  }
  problems.throwIfAny()
  return merged
}

function mergedAddress(
  field: 'shipping' | 'billing',
  current: PostalAddress | null,
  body: PostalChanges | null | undefined,
  problems: Problems,
): PostalAddress | null {
  if (body === undefined) return current
  if (body === null) return null
  const country = countryProblem(`${field}.country`, body)
  if (country !== null) problems.malformedAs({ [`${field}.country`]: [country] })
  return changedAddress(current ?? NO_ADDRESS, body)
}

/** The order, for this transaction alone to change. */
export async function takeOrder(tx: Tx, scope: Scope, id: string): Promise<OrderRow> {
  const row = await lockOrder(tx, scope, id)
  if (row === null) throw notFound('order')
  return row
}

/** Nothing is sent, and no more money taken, of an order whose money is on its way back. */
export function refuseWhileCancelling({ cancelling }: OrderRow) {
  if (cancelling !== null)
    throw conflict('The order is being cancelled, and what was paid is given back. Look at it again in a moment.', 1)
}

/** The same where an order that is cancelled, or is about to be, must stay as it is. */
export async function takeOpenOrder(tx: Tx, scope: Scope, id: string): Promise<OrderRow> {
  const row = await takeOrder(tx, scope, id)
  refuseWhileCancelling(row)
  if (row.cancelled !== null)
    throw notValid({ status: ['The order has been cancelled; nothing of it can be changed.'] })
  return row
}

/** As it will be, with the statuses that follow. The store writes them in the statement that writes what they follow from. */
export function changed(row: OrderRow, changes: Partial<OrderRow>, now: Date): OrderRow {
  const next = { ...row, ...changes, updated: unixSeconds(now) }
  const status_payment = paymentStatus(paymentsOf(next))
  const paid = next.paid ?? (status_payment === 'paid' ? unixSeconds(now) : null)
  const delivery = { items: next.items, hasDownloads: next.downloads.length > 0, wasPaid: paid !== null }
  return { ...next, status_payment, paid, status_fulfillment: fulfillmentStatus(delivery) }
}

type OrderEvent = 'orders.update' | 'orders.refund' | 'orders.cancel' | 'orders.dispute' | 'orders.receipt.resend'

/** Emits the order as it is now, and gives it as the reply shows it. */
export async function emitOrder(tx: Tx, owner: OrderOwner, name: OrderEvent, row: OrderRow, now: Date): Promise<Order> {
  const { event, reply } = viewsOf(row, owner.addresses, now)
  await emit(tx, owner, name, event, now)
  return reply
}

/**
 * Emits a change of what was paid of it, and `orders.paid` with the one by which all of its money had come: `before` is the locked row, whose
 * `paid` is set once and stays, whatever is given back and paid again later.
 */
export async function emitCharged(
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
