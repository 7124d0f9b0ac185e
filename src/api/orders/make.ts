// Makes an order from a capture that is paid, or that will be paid by hand. This is the last step, in the capture's transaction. Also
// builds the order's name for people.

import { addToCountOfMode } from '../../db/counts.ts'
import type { Db, Tx } from '../../db/db.ts'
import { createEventParameters } from '../../events/emit.ts'
import { jobParameters } from '../../jobs/queue.ts'
import { type Clock, unixSeconds } from '../../lib/clock.ts'
import { newId } from '../../lib/ids.ts'
import type { Minor } from '../../lib/money.ts'
import { viewNewCustomer } from '../customers/customer.ts'
import type { PostalAddress } from '../customers/postal-address.ts'
import type { Buyer } from '../customers/store.ts'
import { mailSettings } from '../merchants/settings.ts'
import { announceChange, markLiveSeller } from '../merchants/store.ts'
import { computeDownloadEnd, type OrderOwner } from './links.ts'
import { orderMailJob, SEND_ORDER_MAIL } from './mails/order-mail.ts'
import type { ItemRow, OrderContent, OrderLineRow, TransactionRow } from './read-store.ts'
import { type CaptureSender, receiptJob, SEND_RECEIPT } from './receipt.ts'
import type { Order } from './schema.ts'
import { deriveFulfillmentStatus, derivePaymentStatus } from './status.ts'
import { insertOrder, type NewOrder, type NewOrderBasis, prepareNewOrder } from './store.ts'
import { viewForEventAndReply } from './view.ts'

/**
 * An order that is about to be made: everything it will show, copied at the time of the capture, with the names of the table's columns.
 * It is stored as JSON with the payment attempt, so it may only hold values that JSON can represent.
 */
export type OrderDraft = {
  checkout_id: string
  cart_id: string | null
  currency: string
  content: OrderContent
  total_due: Minor
  /** `id` is null if the customer is matched by e-mail or created. */
  customer: Buyer
  shipping_address: PostalAddress | null
  billing_address: PostalAddress | null
  meta: Record<string, unknown> | null
  /** Sender of the capture; null in an attempt that an older release began. */
  captured_by: CaptureSender | null
  /** Captured on the hosted page. If no order results, the page refills its form from this draft. */
  is_on_page?: true
}

/** Outcome of the payment at the gateway. A free order has none. */
export type CapturedPayment = {
  /**
   * `pending`: the merchant completes it by hand. `unknown`: nobody can tell if it was paid, so the merchant has to check at the provider.
   */
  kind: 'charged' | 'authorized' | 'pending' | 'unknown'
  gateway: string
  /** The merchant's payment method (gway_…), if there is one. */
  paymentMethodId: string | null
  isSimulated: boolean
  amount: Minor
  /** Id of the charge at the gateway. */
  transactionId: string | null
  /** For example the last four digits of a card. */
  reference: string | null
  source: { type: string; brand: string | null; country: string | null; zip: string | null } | null
  /** Note for the merchant. */
  notes?: string
}

/**
 * The attempt that makes the order. Its id is also the key by which the gateway knows the charge. `bodyDigest` is the digest of the request
 * body that began it. `number` comes from `takeOrderNumber`.
 */
type OrderAttempt = { readonly attemptId: string; readonly bodyDigest: Buffer; readonly number: number }

/**
 * Call it in the transaction that settles the attempt. It matches or creates the customer and inserts the order with its related rows, mail
 * jobs and events. The events are `orders.create`, and also `customers.create` for a new customer and `orders.paid` for a paid order.
 * It takes two statements. `finish` goes out with the first; if it throws, no order is made. The second goes out with the commit, which
 * fails if the token already has an order (constraint `orders_checkout_unique`).
 */
export async function makeOrder(
  tx: Tx,
  clock: Clock,
  owner: OrderOwner,
  draft: OrderDraft,
  payment: CapturedPayment | null,
  attempt: OrderAttempt,
  finish: (tx: Db, now: Date) => Promise<void> = async () => undefined,
): Promise<Order> {
  const now = clock.now()
  const newCustomerId = newId('customer', now)
  const [, basis] = await tx.together((all) => [
    finish(all, now),
    prepareNewOrder(all, owner, newCustomerId, draft.customer, now),
  ])
  const { customer } = basis
  // A shop may sell live without a gateway, because free orders need none.
  if (!owner.is_sandbox && !basis.sells_live && (await markLiveSeller(tx, owner, now))) await announceChange(tx)
  const row = newOrder(owner, draft, payment, attempt, now, basis)
  const fullRow = { ...row, downloads: [...row.downloads], shipments: [], refunds: [], disputes: [] }
  const { event, reply } = viewForEventAndReply(fullRow, owner.addresses, now)
  const isNewCustomer = customer.id === newCustomerId
  const events = [
    ...(isNewCustomer ? [{ name: 'customers.create', payload: viewNewCustomer(customer) } as const] : []),
    { name: 'orders.create', payload: event } as const,
    ...(row.paid === null ? [] : [{ name: 'orders.paid', payload: event } as const]),
  ]
  insertOrder(
    tx,
    row,
    jobParameters(mailsOf(owner, draft, row, basis), now),
    createEventParameters(tx, owner, events, now),
    now,
  )
  if (isNewCustomer) addToCountOfMode(tx, owner, 'customers', 1)
  return reply
}

/** Mails to the customer and to the merchant, without those that the shop has switched off. */
function mailsOf(owner: OrderOwner, draft: OrderDraft, { id }: NewOrder, basis: NewOrderBasis) {
  const { mails, merchant_mails } = mailSettings(basis)
  return [
    ...(mails.orders ? [{ kind: SEND_RECEIPT, payload: receiptJob(owner, id, draft.captured_by) }] : []),
    ...(merchant_mails.orders
      ? [{ kind: SEND_ORDER_MAIL, payload: orderMailJob(owner, id, { kind: 'new_order' }) }]
      : []),
  ]
}

function newOrder(
  owner: OrderOwner,
  draft: OrderDraft,
  payment: CapturedPayment | null,
  { attemptId, bodyDigest, number }: OrderAttempt,
  now: Date,
  { customer, unproven_email_key, merchant_name }: NewOrderBasis,
): NewOrder {
  const transactions = payment === null ? [] : [chargeOf(payment, attemptId, now)]
  const { content } = draft
  const items = itemsOf(content.lines, now)
  const status_payment = derivePaymentStatus({
    due: draft.total_due,
    credit: content.gift_card?.credit ?? 0,
    creditReturned: 0,
    wasPaid: false,
    transactions,
  })
  const isPaid = status_payment === 'paid'
  const downloads = downloadsOf(content.lines, isPaid ? now : null, now)
  return {
    merchant_id: owner.merchant_id,
    id: newId('order', now),
    is_sandbox: owner.is_sandbox,
    checkout_id: draft.checkout_id,
    cart_id: draft.cart_id,
    attempt_id: attemptId,
    body_digest: bodyDigest,
    customer_id: customer.id,
    unproven_email_key,
    customer_reference: buildOrderReference(merchant_name, number),
    email: draft.customer.email,
    firstname: draft.customer.firstname,
    lastname: draft.customer.lastname,
    phone: draft.customer.phone,
    shipping_address: draft.shipping_address,
    billing_address: draft.billing_address,
    content,
    meta: draft.meta,
    currency: draft.currency,
    order_value: content.total_with_tax,
    total_due: draft.total_due,
    status_payment,
    status_fulfillment: deriveFulfillmentStatus({ items, hasDownloads: downloads.length > 0, wasPaid: isPaid }),
    paid: isPaid ? unixSeconds(now) : null,
    is_credit_returned: false,
    credit_returned: 0,
    returned_credit: null,
    cancelling: null,
    cancelled: null,
    cancel_reason: null,
    restocked: null,
    created: unixSeconds(now),
    updated: unixSeconds(now),
    transactions,
    items,
    downloads,
  }
}

function chargeOf(payment: CapturedPayment, attemptId: string, now: Date): TransactionRow {
  const isComplete = payment.kind === 'charged'
  const { source } = payment
  return {
    id: newId('transaction', now),
    payment_id: newId('payment', now),
    type: 'charge',
    status: isComplete ? 'complete' : 'pending',
    status_reason: isComplete ? 'complete' : payment.kind === 'unknown' ? 'gateway_failure' : 'awaiting_capture',
    is_authorized: payment.kind === 'authorized',
    amount: payment.amount,
    gateway: payment.gateway,
    payment_method_id: payment.paymentMethodId,
    is_simulated: payment.isSimulated,
    gateway_key: attemptId,
    gateway_transaction_id: payment.transactionId,
    gateway_reference: payment.reference,
    payment_source_type: source?.type ?? null,
    payment_source: source && { brand: source.brand, country: source.country, zip: source.zip },
    refunds_id: null,
    refund_id: null,
    refunded: 0,
    taking: null,
    reason: null,
    notes: payment.notes ?? '',
    meta: null,
    completed: isComplete ? unixSeconds(now) : null,
    created: unixSeconds(now),
    updated: unixSeconds(now),
  }
}

const itemsOf = (lines: readonly OrderLineRow[], now: Date): ItemRow[] =>
  lines
    .filter(({ is_physical }) => is_physical)
    .map(({ id, quantity }) => ({
      id: newId('fulfillment', now),
      line_item_id: id,
      quantity,
      quantity_fulfilled: 0,
      is_returned: false,
      updated: unixSeconds(now),
    }))

const downloadsOf = (lines: readonly OrderLineRow[], paidAt: Date | null, now: Date): NewOrder['downloads'] =>
  lines
    .flatMap((line) => {
      const expiresAt = paidAt && computeDownloadEnd(line.lifespan, paidAt)
      return line.packages.map((file) => ({ line, file, expiresAt }))
    })
    .map(({ line, file, expiresAt }, position) => ({
      id: newId('download', now),
      line_item_id: line.id,
      asset_id: file.asset_id,
      position,
      name: file.name,
      ext: file.ext,
      size_in_bytes: file.size_in_bytes,
      is_sample: file.is_sample,
      remaining: line.lifespan?.download_limit ?? null,
      expires_at: expiresAt,
      expires: expiresAt && unixSeconds(expiresAt),
      is_revoked: false,
    }))

// The order's name for people: the consonants and digits of the merchant's name in capitals, a dash, a counter. `XMPLCHCKT-267`

const MAX_PREFIX_LENGTH = 20

/** For a name that leaves no characters, such as Io, or a name in another script. */
const FALLBACK = 'ORDER'

export function buildOrderReference(merchantName: string, number: number): string {
  const consonants = merchantName
    // Separates accents from letters. An accented vowel is then dropped like a vowel, and an accented consonant becomes a letter that can
    // be typed.
    .normalize('NFKD')
    .toUpperCase()
    // Keeps only characters that every keyboard can type and that are safe in URLs, searches and file names.
    .replace(/[^B-DF-HJ-NP-TV-Z0-9]/g, '')
  return `${consonants.slice(0, MAX_PREFIX_LENGTH) || FALLBACK}-${number}`
}
