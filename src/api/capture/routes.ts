// The endpoints that end a checkout: its capture, and the receipt of what came of it.

import { Type } from 'typebox'
import { type Caller, type Context, endpoint, metered } from '../../http/endpoint/endpoint.ts'
import { nested } from '../../http/endpoint/schema.ts'
import { ApiError, notFound } from '../../lib/errors.ts'
import { jsonDigest } from '../../lib/json.ts'
import { completeCheckout, findBareCheckout } from '../checkouts/read-store.ts'
import { ownerOf } from '../orders/links.ts'
import { Order } from '../orders/schema.ts'
import { findOrderByCheckout } from '../orders/store.ts'
import { viewOrder } from '../orders/view.ts'
import type { Slice } from '../slice.ts'
import { readPayment } from './body/payment.ts'
import { CaptureBody, CaptureConflict, type PaymentRedirect, PaymentRedirectKind } from './body/schema.ts'
import { wasEmailGiven } from './body/shopper.ts'
import { beingCaptured, resumeCapture, runCapture } from './charge.ts'
import { sweepReleasedAttempts, sweepSettledAttempts } from './completer.ts'
import { giveBackLatePayments, lookAgainAtReleased } from './late.ts'
import { type CaptureRequest, prepareCapture } from './prepare.ts'
import type { CapturedOrder, CaptureResult } from './settle.ts'
import { findKeptAttempt } from './store.ts'

const Token = Type.Object({ id: Type.String({ description: 'The id of a checkout token: chkt_…' }) })

const token = { access: 'public', noStore: true, params: Token, status: 200 } as const

/** Storefronts send the lines back whole, as the token shows them: two to four kilobytes each, and carts of a hundred are real. */
const BODY_LIMIT = 524_288

export const capture: Slice = {
  kinds: [PaymentRedirectKind],
  jobs: (services) => [giveBackLatePayments(services), lookAgainAtReleased(services)],
  sweeps: () => [sweepSettledAttempts, sweepReleasedAttempts],
  endpoints: metered(
    [
      endpoint({
        ...token,
        operation: 'checkouts.capture',
        summary:
          'Pays for a checkout and makes its order. What the body says goes before what the token has; amounts are ours.',
        method: 'POST',
        path: '/v1/checkouts/:id',
        limited: true,
        makes: 'orders',
        bodyLimit: BODY_LIMIT,
        body: CaptureBody,
        conflict: CaptureConflict,
        // The redirect first: whether it is one shows from its first field.
        returns: Type.Unsafe<Order | PaymentRedirect>({
          anyOf: [nested(PaymentRedirectKind), nested(Order)],
          description: 'The order; or where to send the shopper, for a gateway that takes the payment elsewhere.',
        }),
        handle: (context) => captureCheckout(context, context.body, context.params.id),
      }),
      endpoint({
        ...token,
        operation: 'checkouts.receipt',
        summary: 'Gives the order that was made of a checkout token, once it has been captured.',
        method: 'GET',
        path: '/v1/checkouts/:id/receipt',
        returns: Order,
        handle: (context) => viewReceipt(context, context.params.id),
      }),
    ],
    'long',
  ),
}

async function captureCheckout(
  context: Context,
  body: CaptureBody,
  checkoutId: string,
): Promise<Order | PaymentRedirect> {
  const request: CaptureRequest = {
    checkoutId,
    // Keyed, because it is kept, and the body may hold the number of a card.
    bodyDigest: jsonDigest(await context.signingSecret('captures'), body),
    payment: readPayment(body.payment),
  }
  const result = await resumeOrBegin(context, request, body)
  if (result.kind === 'order') return viewCaptured(context.caller, result)
  // The shopper has yet to pay: the capture that is sent again afterwards gives the order.
  context.notFinal()
  const { redirect_url: url } = result.redirect
  return url.startsWith('/') ? { ...result.redirect, redirect_url: context.origin + url } : result.redirect
}

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

async function viewReceipt(context: Context, checkoutId: string): Promise<Order> {
  const owner = await ownerOf(context)
  const row = await findOrderByCheckout(context.db, owner, checkoutId)
  // A token that was not captured is answered as one that does not exist: neither has a receipt.
  if (row === null) throw notFound('receipt')
  const order = viewOrder(row, owner.addresses, context.clock.now())
  return viewCaptured(context.caller, { order, isEmailGiven: wasEmailGiven(row.content) })
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
