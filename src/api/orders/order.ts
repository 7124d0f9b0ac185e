// What a merchant changes of an order itself: who gets it, and the data of the merchant's own.

import type { Tx } from '../../db/db.ts'
import { emit } from '../../events/emit.ts'
import { type Clock, unixSeconds } from '../../lib/clock.ts'
import { emailRule, readEmail } from '../../lib/email.ts'
import { conflict, type FieldErrors, notFound, notValid, unprocessable } from '../../lib/errors.ts'
import { sentOr } from '../../lib/json.ts'
import {
  changedAddress,
  countryProblem,
  NO_ADDRESS,
  type PostalAddress,
  type PostalChanges,
} from '../customers/postal-address.ts'
import type { OrderChanges } from './body-schema.ts'
import type { OrderOwner } from './links.ts'
import type { OrderRow } from './read-store.ts'
import type { Order } from './schema.ts'
import { fulfillmentStatus, paymentStatus } from './status.ts'
import { lockOrder, type Owner, updateOrderRow } from './store.ts'
import { paymentsOf, viewsOf } from './view.ts'

export async function updateOrder(
  tx: Tx,
  clock: Clock,
  owner: OrderOwner,
  id: string,
  body: OrderChanges,
): Promise<Order> {
  const row = await takeOrder(tx, owner, id)
  const malformed: FieldErrors = {}
  const { customer = {} } = body
  const email = customer.email === undefined ? row.email : readEmail(customer.email)
  if (email === null) malformed['customer.email'] = [emailRule('customer.email')]
  const fields = {
    email: email ?? row.email,
    firstname: sentOr(customer.firstname, row.firstname),
    lastname: sentOr(customer.lastname, row.lastname),
    phone: sentOr(customer.phone, row.phone),
    shipping_address: merged('shipping', row.shipping_address, body.shipping, malformed),
    billing_address: merged('billing', row.billing_address, body.billing, malformed),
    meta: sentOr(body.meta, row.meta),
  }
  if (Object.keys(malformed).length > 0) throw unprocessable(malformed)
  const now = clock.now()
  await updateOrderRow(tx, row, fields, now)
  return tellOrder(tx, owner, 'orders.update', changed(row, fields, now), now)
}

/** Fields that are sent replace, those left out stay. */
function merged(
  field: 'shipping' | 'billing',
  current: PostalAddress | null,
  body: PostalChanges | null | undefined,
  malformed: FieldErrors,
): PostalAddress | null {
  if (body === undefined) return current
  if (body === null) return null
  const country = countryProblem(`${field}.country`, body)
  if (country !== null) malformed[`${field}.country`] = [country]
  return changedAddress(current ?? NO_ADDRESS, body)
}

// How every change of an order begins and ends: locked and read, its statuses derived anew, shown and told as an event.

/** The order, for this transaction alone to change. */
export async function takeOrder(tx: Tx, owner: Owner, id: string): Promise<OrderRow> {
  const row = await lockOrder(tx, owner, id)
  if (row === null) throw notFound('order')
  return row
}

/** Nothing is sent, and no more money taken, of an order whose money is on its way back. */
export function refuseWhileCancelling({ cancelling }: OrderRow) {
  if (cancelling !== null)
    throw conflict('The order is being cancelled, and what was paid is given back. Look at it again in a moment.', 1)
}

/** The same where an order that is cancelled, or is about to be, must stay as it is. */
export async function takeOpenOrder(tx: Tx, owner: Owner, id: string): Promise<OrderRow> {
  const row = await takeOrder(tx, owner, id)
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

type OrderEvent = 'orders.update' | 'orders.refund' | 'orders.cancel' | 'orders.receipt.resend'

/** Shows the order as it is now, and tells it. */
export async function tellOrder(tx: Tx, owner: OrderOwner, name: OrderEvent, row: OrderRow, now: Date): Promise<Order> {
  const { told, shown } = viewsOf(row, owner.addresses, now)
  await emit(tx, owner, name, told, now)
  return shown
}
