// What a merchant changes of an order itself: who gets it, the data of the merchant's own, whether it stands.

import type { Tx } from '../../db/db.ts'
import type { Services } from '../../http/endpoint.ts'
import { enqueue } from '../../jobs/queue.ts'
import { type Clock, unixSeconds } from '../../lib/clock.ts'
import { emailRule, readEmail } from '../../lib/email.ts'
import { conflict, type FieldErrors, notFound, notValid, unprocessable } from '../../lib/errors.ts'
import { sentOr } from '../../lib/partial-update.ts'
import { changedAddress, countryProblem, NO_ADDRESS, type PostalChanges } from '../customers/postal-address.ts'
import type { AskedCancel, OrderChanges } from './body-schema.ts'
import type { Address } from './draft.ts'
import type { OrderOwner } from './links.ts'
import { refundOrder } from './refund.ts'
import { RELEASE_AUTHORIZATION } from './release.ts'
import type { OrderRow } from './row-store.ts'
import type { Order } from './schema.ts'
import { sumsOf } from './status.ts'
import { cancelOrderRow, findOrder, updateOrderRow } from './store.ts'
import { isBeingTaken } from './take.ts'
import { paymentsOf } from './view.ts'
import { changed, takeOrder, tellOrder } from './writer.ts'

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
  current: Address | null,
  body: PostalChanges | null | undefined,
  malformed: FieldErrors,
): Address | null {
  if (body === undefined) return current
  if (body === null) return null
  const country = countryProblem(`${field}.country`, body)
  if (country !== null) malformed[`${field}.country`] = [country]
  return changedAddress(current ?? NO_ADDRESS, body)
}

/** What cancelling needs of a request. */
export type Cancelling = Pick<Services, 'db' | 'clock' | 'payments'> & { readonly signal: AbortSignal }

/**
 * Stock that was sold stays sold: what comes back into a shop's shelves is for the merchant to say. What has been paid is given back
 * first, so that an order is never cancelled whose money could not be returned.
 */
export async function cancelOrder(
  services: Cancelling,
  owner: OrderOwner,
  id: string,
  body: AskedCancel,
): Promise<Order> {
  const { db } = services
  if (body.refund === true) await refundFirst(services, owner, id, body)
  return db.transaction((tx) => cancel(tx, services, owner, id, body))
}

async function refundFirst(services: Cancelling, owner: OrderOwner, id: string, { reason }: AskedCancel) {
  const row = await findOrder(services.db, owner, id)
  if (row === null) throw notFound('order')
  refuseCancel(row)
  if (isPaidFor(row)) await refundOrder(services, owner, id, { ...(reason === undefined ? {} : { reason }) })
}

async function cancel(
  tx: Tx,
  { clock }: Cancelling,
  owner: OrderOwner,
  id: string,
  { reason = null }: AskedCancel,
): Promise<Order> {
  const row = await takeOrder(tx, owner, id)
  refuseCancel(row)
  if (row.transactions.some(({ type, status }) => type === 'refund' && status === 'pending'))
    throw conflict('The order is being refunded. Try again once that has ended.', 1)
  if (row.transactions.some(isBeingTaken))
    throw conflict('What the gateway holds for the order is being taken. Try again once that has ended.', 1)
  if (isPaidFor(row))
    throw notValid({
      refund: ['refund must be true to cancel an order that has been paid for: what was paid is then given back.'],
    })
  const now = clock.now()
  const transactions = row.transactions.map((transaction) =>
    transaction.status === 'pending'
      ? ({ ...transaction, status: 'cancelled', status_reason: 'order_cancelled', updated: unixSeconds(now) } as const)
      : transaction,
  )
  const next = changed(row, { transactions, cancelled: unixSeconds(now), cancel_reason: reason }, now)
  await cancelOrderRow(tx, next, reason, now)
  for (const { id: transactionId, status, is_authorized } of row.transactions)
    if (status === 'pending' && is_authorized)
      await enqueue(tx, {
        merchantId: owner.merchantId,
        kind: RELEASE_AUTHORIZATION,
        payload: { orderId: id, isSandbox: owner.isSandbox, transactionId },
        runAt: now,
      })
  return tellOrder(tx, owner, 'orders.cancel', next, now)
}

/** Whether the merchant has money for it, on a gift card or through a gateway. */
const isPaidFor = (row: OrderRow): boolean => sumsOf(paymentsOf(row)).paid > 0

function refuseCancel({ cancelled, items }: OrderRow) {
  if (cancelled !== null) throw notValid({ status: ['The order has been cancelled already.'] })
  if (items.some(({ quantity_fulfilled }) => quantity_fulfilled > 0))
    throw notValid({ status_fulfillment: ['An order of which something has been shipped cannot be cancelled.'] })
}
