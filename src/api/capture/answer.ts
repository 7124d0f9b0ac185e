// The answers of a capture: the outcome of an attempt becomes an order, a redirect or an error. A public key sees fewer fields of an order.
// Also reads the receipt of a token.

import { findGateway } from '../../gateways/index.ts'
import { ProviderPaused } from '../../gateways/provider/breaker.ts'
import type { Caller, Context } from '../../http/endpoint/endpoint.ts'
import {
  conflict,
  gatewayError,
  notFound,
  notValid,
  paymentNotMade,
  providerDown,
  requiresVerification,
} from '../../lib/errors.ts'
import { refusal } from '../../lib/words/refusals.ts'
import { resolveOrderOwner } from '../orders/links.ts'
import type { Order } from '../orders/schema.ts'
import { findOrderByCheckout } from '../orders/store.ts'
import { viewOrder } from '../orders/view.ts'
import { toTimeoutError } from '../payments/call-gateway.ts'
import type { AttemptOutcome } from './attempt.ts'
import type { PaymentRedirect } from './body/schema.ts'
import { type CapturedOrder, wasEmailGiven } from './order.ts'
import type { AttemptRow } from './store.ts'

/** The answer of a capture. */
export type CaptureResult = CapturedOrder | { readonly kind: 'redirect'; readonly redirect: PaymentRedirect }

/** Throws the error of a payment that was not made, and `requiresVerification` while the shopper has to act. */
export function answerAttemptOutcome({ gateway }: Pick<AttemptRow, 'gateway'>, outcome: AttemptOutcome): CaptureResult {
  switch (outcome.kind) {
    case 'order':
      return outcome
    case 'redirect':
      return {
        kind: 'redirect',
        redirect: {
          payment_redirect: true,
          gateway: gateway ?? '',
          payment_id: outcome.payKey,
          paykey: outcome.payKey,
          redirect_url: outcome.url,
        },
      }
    case 'requires_verification':
      throw outcome.problems === undefined ? requiresVerification(outcome.param) : notValid(outcome.problems)
    case 'declined':
      throw gatewayError(outcome.message, outcome.reason)
    case 'failed':
      throw paymentFailed()
    case 'expired':
      throw paymentNotMade(
        'The payment was not completed in time, and nothing was paid. Send the capture again to pay.',
        refusal('payment_expired'),
      )
    case 'too_late':
      throw paymentNotMade(
        'The payment was made after its time was over, and is being given back. Send the capture again to pay.',
        refusal('payment_given_back'),
      )
  }
}

const paymentFailed = (cause?: unknown) =>
  Object.assign(
    paymentNotMade(
      'The payment gateway has failed, and nothing was paid. Try again, or pay in another way.',
      refusal('payment_not_made'),
    ),
    { cause },
  )

/**
 * The error for a gateway that failed, with its hold released. If another capture is just trying a provider that was down, this one gets the
 * same answer as all others. Other causes are logged with the request, because the merchant may have to correct its credentials.
 */
export const gatewayFailed = (cause: unknown) =>
  cause instanceof ProviderPaused ? providerDown(cause) : paymentFailed(cause)

/** Seconds after which a capture without an outcome should be sent again. */
const RETRY_SECONDS = 2

/** Throws the error for a gateway that did not answer. */
export const throwNotAnswered = (cause: unknown): never => {
  throw toTimeoutError({ cause }, RETRY_SECONDS)
}

export const alreadyCaptured = () =>
  conflict(
    'There is an order for this checkout token already, and it was captured with another body.',
    undefined,
    refusal('already_ordered'),
  )

export const beingCaptured = () =>
  conflict(
    'This checkout token is being captured at the moment. Send the same capture again shortly.',
    RETRY_SECONDS,
    refusal('being_ordered'),
  )

/** `manualMethodId`: the merchant's own payment method, if the order is paid by hand. */
type Receipt = { readonly order: Order; readonly manualMethodId: string | null; readonly isOfLink: boolean }

/**
 * The link of a cart makes a token, and everybody who opened the link knows that token. So a public key finds no receipt for it. Our own
 * pages do, because they ask for the buyer's address.
 */
export async function readReceiptByKey(context: Context, checkoutId: string): Promise<Order> {
  const { order, isOfLink } = await readReceipt(context, checkoutId)
  if (isOfLink && !context.caller.isSecret) throw notFound('receipt')
  return order
}

/** Throws `notFound` if the token has no order. */
export async function readReceipt(context: Context, checkoutId: string): Promise<Receipt> {
  const owner = await resolveOrderOwner(context)
  const row = await findOrderByCheckout(context.db, owner, checkoutId)
  // The same answer as for an unknown token: neither has a receipt.
  if (row === null) throw notFound('receipt')
  const order = viewOrder(row, owner.addresses, context.clock.now())
  const byHand = row.transactions.find(
    ({ gateway, status }) => status === 'pending' && findGateway(gateway ?? '')?.page.kind === 'details',
  )
  return {
    order: viewCapturedOrder(context.caller, { order, isEmailGiven: wasEmailGiven(row.content) }),
    manualMethodId: byHand?.payment_method_id ?? null,
    isOfLink: row.content.is_of_link ?? false,
  }
}

/**
 * A public key is in the browser of every shopper. It sees what was sent with the order, and the state of the order. It does not see the
 * merchant's notes, or what the merchant knows of the customer.
 */
export function viewCapturedOrder(
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
