// Capture as a rule: what an earlier one of the token has come to, else a new one; and what whoever knows the token is shown of its order.
// The endpoint calls it, and the page on which one pays: a double press, a resumed payment or a closed shop is the same to both.

import { findGateway } from '../../gateways/index.ts'
import type { Caller, Context } from '../../http/endpoint/endpoint.ts'
import { ApiError, notFound } from '../../lib/errors.ts'
import { jsonDigest } from '../../lib/json.ts'
import { completeCheckout, findBareCheckout } from '../checkouts/read-store.ts'
import { ownerOf } from '../orders/links.ts'
import type { Order } from '../orders/schema.ts'
import { findOrderByCheckout } from '../orders/store.ts'
import { viewOrder } from '../orders/view.ts'
import { readPayment } from './body/payment.ts'
import type { CaptureBody, PaymentRedirect } from './body/schema.ts'
import { wasEmailGiven } from './body/shopper.ts'
import { beingCaptured, resumeCapture, runCapture } from './charge.ts'
import { type CaptureRequest, prepareCapture } from './prepare.ts'
import type { CapturedOrder, CaptureResult } from './settle.ts'
import { type AttemptRow, findKeptAttempt } from './store.ts'

/** The order, or where the shopper goes on to pay. Refusals are thrown: 402, 404, 409, 422, 429, 503, 504. */
export async function captureCheckout(
  context: Context,
  body: CaptureBody,
  checkoutId: string,
): Promise<Order | PaymentRedirect> {
  const request: CaptureRequest = {
    checkoutId,
    bodyDigest: await digestOf(context, body),
    payment: readPayment(body.payment),
  }
  const result = await resumeOrBegin(context, request, body)
  if (result.kind === 'order') return viewCaptured(context.caller, result)
  // The shopper has yet to pay: the capture that is sent again afterwards gives the order.
  context.notFinal()
  const { redirect_url: url } = result.redirect
  return url.startsWith('/') ? { ...result.redirect, redirect_url: context.origin + url } : result.redirect
}

/** Keyed, because it is kept, and the body may hold the number of a card. */
const digestOf = async ({ signingSecret }: Pick<Context, 'signingSecret'>, body: CaptureBody) =>
  jsonDigest(await signingSecret('captures'), body)

/** True if the attempt was begun with this very body, and so by the same shopper. */
export const isBegunWith = async (
  context: Pick<Context, 'signingSecret'>,
  { body_digest }: Pick<AttemptRow, 'body_digest'>,
  body: CaptureBody,
): Promise<boolean> => body_digest.equals(await digestOf(context, body))

/** How often another capture of the token may begin or end while this one is looked at. */
const ROUNDS = 3

/**
 * What an earlier capture of the token has come to, else the body is read, checked and priced, all refusals at once, and then tried. A
 * refusal leaves an attempt that waits for the shopper as it is.
 *
 * The same capture may be sent twice in one moment, or while somebody finishes or gives up an earlier one. It must not be refused for what
 * the other has taken since, or has given back, as the last use of a code: where there is another attempt than before, or none any more, it
 * is looked at anew.
 */
async function resumeOrBegin(context: Context, request: CaptureRequest, body: CaptureBody): Promise<CaptureResult> {
  const { db, caller } = context
  let seen = await look(context, request)
  for (let round = 1; round <= ROUNDS; round++) {
    const { result, waiting } = await resumeCapture(context, request, seen.attempt)
    if (result !== null) return result
    const token = seen.bare && (await completeCheckout(db, caller, seen.bare))
    const prepared = await prepareCapture(context, request, token, body, waiting).catch(keepRefusal)
    if (!(prepared instanceof ApiError)) return runCapture(context, prepared, waiting)
    const before = seen.attempt
    seen = await look(context, request)
    if (seen.attempt?.id === before?.id && seen.attempt?.state === before?.state) throw prepared
  }
  throw beingCaptured()
}

/** The attempt of the token that was not released, and the token itself. */
async function look({ db, clock, caller }: Context, { checkoutId }: CaptureRequest) {
  const [attempt, bare] = await db.together((all) => [
    findKeptAttempt(all, caller, checkoutId),
    findBareCheckout(all, caller, checkoutId, clock.now()),
  ])
  return { attempt, bare }
}

/** One that another capture of the token may be the reason of: what is bought is gone, or costs another sum. */
function keepRefusal(error: unknown): ApiError {
  if (error instanceof ApiError && (error.status === 422 || error.status === 409)) return error
  throw error
}

/** An order, and the payment method of the merchant's own that it is to be paid by, by hand; null where it is not. */
type Receipt = { readonly order: Order; readonly manualMethodId: string | null; readonly isOfLink: boolean }

/**
 * For a key. Everybody who has opened the link of a cart knows the token that the link made, and a public key is known to everybody: they find no receipt
 * by it, but on our pages, which ask who they are.
 */
export async function readReceiptByKey(context: Context, checkoutId: string): Promise<Order> {
  const { order, isOfLink } = await readReceipt(context, checkoutId)
  if (isOfLink && !context.caller.isSecret) throw notFound('receipt')
  return order
}

/** Throws `notFound` where nothing was ordered. */
export async function readReceipt(context: Context, checkoutId: string): Promise<Receipt> {
  const owner = await ownerOf(context)
  const row = await findOrderByCheckout(context.db, owner, checkoutId)
  // A token that was not captured is answered as one that does not exist: neither has a receipt.
  if (row === null) throw notFound('receipt')
  const order = viewOrder(row, owner.addresses, context.clock.now())
  const byHand = row.transactions.find(
    ({ gateway, status }) => status === 'pending' && findGateway(gateway ?? '')?.page.kind === 'details',
  )
  return {
    order: viewCaptured(context.caller, { order, isEmailGiven: wasEmailGiven(row.content) }),
    manualMethodId: byHand?.payment_method_id ?? null,
    isOfLink: row.content.is_of_link ?? false,
  }
}

/**
 * A public key is in every shopper's browser: whoever knows the token sees what was given with the order and what has become of it, and
 * nothing that the merchant has written about it or knows of the customer.
 */
function viewCaptured(
  { isSecret }: Pick<Caller, 'isSecret'>,
  { order, isEmailGiven }: Omit<CapturedOrder, 'kind'>,
): Order {
  if (isSecret) return order
  return {
    ...order,
    cancel_reason: null,
    customer: { ...order.customer, email: isEmailGiven ? order.customer.email : '' },
    refunds: order.refunds.map((refund) => ({ ...refund, reason: null })),
    transactions: order.transactions.map((transaction) => ({ ...transaction, notes: '', reason: null, meta: null })),
  }
}
