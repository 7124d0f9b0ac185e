// Payments with Stripe. A charge is two requests: one creates an intent under our key from the stored charge, the other confirms it with
// the card. Only the second moves money.
// The first request can be repeated at any time and then returns the existing intent.
// The intent's own state prevents a second confirmation, capture or cancellation.

import { type GatewayCall, nothingChargedError, unknownOutcomeError } from '../call.ts'
import { isManualCapture } from '../config-fields.ts'
import type {
  ChargeCall,
  ChargeOutcome,
  ChargeRequest,
  DeclinedOutcome,
  GatewayAdapter,
  GatewayPorts,
  PaymentInput,
  RefundOutcome,
  RefundRequest,
  TakeOutcome,
  TakeRequest,
} from '../gateway.ts'
import { findSumProblem, stepOf, sumProblems, toProviderUnits } from '../provider/amounts.ts'
import { declineMovement, declineOutcome } from '../provider/payment.ts'
import { requestRefusedError, type StripeApi, type StripeRefusal, stripeApi } from './api.ts'
import { findIntent, requireOwnIntent } from './find.ts'
import { createStripeHistory } from './history.ts'
import type { StripeRefund } from './objects.ts'
import { isUnexpectedState, requireDecidedOutcome, stripeCharge, stripeDecline, stripeOutcome } from './outcomes.ts'
import { paymentProblems, readPaymentMeans, stripeConfirmation } from './payment.ts'
import { STRIPE_CURRENCIES } from './sums.ts'

export function stripeCharging(ports: GatewayPorts): GatewayAdapter {
  const apiFor = (call: GatewayCall) => stripeApi(ports, call)
  const findIntentOfCharge = (api: StripeApi, call: ChargeCall) => findIntent(api, call, ports.clock.now())

  return {
    problemsOf: (payment: PaymentInput, sum) => ({
      ...sumProblems(STRIPE_CURRENCIES, sum),
      ...paymentProblems(payment),
    }),
    confirmationOf: stripeConfirmation,
    charge: (request) => charge(apiFor(request), request),

    async lookUp(call) {
      const intent = await findIntentOfCharge(apiFor(call), call)
      return intent === null ? { kind: 'unknown' } : stripeOutcome(intent)
    },

    async confirm(call) {
      const api = apiFor(call)
      const intent = await findIntentOfCharge(api, call)
      if (intent === null) throw unknownOutcomeError('Stripe does not know the payment to confirm.')
      if (intent.status !== 'requires_confirmation') return requireDecidedOutcome(intent)
      // The bank has confirmed the shopper. An outage or a rate limit is no reason to cancel.
      return confirmIntent(api, intent.id, {}, 'open')
    },

    async cancel(call) {
      const api = apiFor(call)
      const intent = await findIntentOfCharge(api, call)
      // Nobody has the intent's id, so nobody can confirm it.
      if (intent === null) return { kind: 'cancelled' }
      switch (intent.status) {
        case 'canceled':
          return { kind: 'cancelled' }
        // Do not cancel: that would release money held for an order.
        case 'requires_capture':
        case 'succeeded':
        case 'processing':
          return requireDecidedOutcome(intent)
        default:
          return cancelIntent(api, intent.id)
      }
    },

    take: (request) => take(apiFor(request), request),
    takesParts: true,

    async release(call) {
      const api = apiFor(call)
      const answer = await api.cancelIntent(call.transactionId)
      if (answer.kind === 'done') return { kind: 'released' }
      if (!isUnexpectedState(answer)) return notReleased(`Stripe has refused to release the payment${codeIn(answer)}.`)
      const { status } = await api.getIntent(call.transactionId)
      return status === 'canceled' ? { kind: 'released' } : notReleased('The money is not held any more: it was taken.')
    },

    refund: (request) => refund(apiFor(request), request),
    stepIn: (currency) => stepOf(STRIPE_CURRENCIES, currency),
    history: createStripeHistory(ports),
  }
}

async function charge(api: StripeApi, request: ChargeRequest): Promise<ChargeOutcome> {
  const method = await methodFor(api, request)
  if (typeof method !== 'string') return method
  const creation = await api.createIntent(request, 'nothing_charged')
  if (creation.kind === 'stored_failure')
    throw unknownOutcomeError('Stripe repeats the internal error of an earlier call.')
  if (creation.kind === 'refused') return stripeDecline(creation) ?? throwUnexpected(creation)
  const { id } = creation.object
  if (creation.isReplayed) {
    // This charge was started before. A result is returned and not tried a second time.
    const intent = requireOwnIntent(await api.getIntent(id), request)
    if (stripeOutcome(intent).kind !== 'unknown') return requireDecidedOutcome(intent)
  }
  const fields = { payment_method: method, capture_method: isManualCapture(request) ? 'manual' : 'automatic' }
  return confirmIntent(api, id, fields, 'as_told')
}

/** Payment method that the shopper sent, or the decline. */
async function methodFor(api: StripeApi, { payment, key }: ChargeRequest): Promise<string | DeclinedOutcome> {
  const means = readPaymentMeans(payment)
  if (means === null) throw nothingChargedError('The payment names nothing that Stripe could charge.')
  if (means.kind === 'method') return means.id
  const answer = await api.createMethod(means.id, key)
  return answer.kind === 'done' ? answer.object : (stripeDecline(answer) ?? throwUnexpected(answer))
}

async function confirmIntent(
  api: StripeApi,
  id: string,
  fields: Readonly<Record<string, string>>,
  onFailure: 'as_told' | 'open',
): Promise<ChargeOutcome> {
  const answer = await api.confirmIntent(id, fields, onFailure)
  if (answer.kind === 'done') return requireDecidedOutcome(answer.object)
  // The intent was confirmed or cancelled before this request arrived.
  if (isUnexpectedState(answer)) return requireDecidedOutcome(await api.getIntent(id))
  return stripeDecline(answer) ?? throwUnexpected(answer)
}

/** The refusal is not about the card. Nothing was charged, and the merchant must fix something. */
function throwUnexpected(answer: StripeRefusal): never {
  // Stripe has the key with another body. That is our bug, and does not say if the first request charged.
  throw requestRefusedError(answer, answer.error.type !== 'idempotency_error')
}

async function cancelIntent(api: StripeApi, id: string): Promise<ChargeOutcome | { readonly kind: 'cancelled' }> {
  const answer = await api.cancelIntent(id)
  const isCancelled = answer.kind === 'done' && answer.object.status === 'canceled'
  if (isCancelled) return { kind: 'cancelled' }
  if (answer.kind === 'refused' && !isUnexpectedState(answer)) throw requestRefusedError(answer)
  // Another request was faster.
  const intent = await api.getIntent(id)
  return intent.status === 'canceled' ? { kind: 'cancelled' } : requireDecidedOutcome(intent)
}

async function take(api: StripeApi, { transactionId, ...sum }: TakeRequest): Promise<TakeOutcome> {
  const problem = findSumProblem(STRIPE_CURRENCIES, sum)
  if (problem !== null) return declineMovement(problem)
  const answer = await api.captureIntent(transactionId, toProviderUnits(STRIPE_CURRENCIES, sum))
  if (answer.kind === 'done') return { ...stripeCharge(answer.object, answer.object.amountReceived), kind: 'charged' }
  if (!isUnexpectedState(answer)) return declineMovement(takeRefusal(answer))
  const intent = await api.getIntent(transactionId)
  return intent.status === 'succeeded'
    ? { ...stripeCharge(intent, intent.amountReceived), kind: 'charged' }
    : declineMovement('The money is not held any more: it was released, or the authorization has expired.')
}

const takeRefusal = (answer: StripeRefusal): string => {
  if (/expired/.test(answer.error.code ?? '')) return 'The money is not held any more: the authorization has expired.'
  if (answer.error.code === 'amount_too_large') return 'The amount is more than is held.'
  return `Stripe has refused to take the money${codeIn(answer)}.`
}

async function refund(api: StripeApi, { transactionId, key, ...sum }: RefundRequest): Promise<RefundOutcome> {
  const problem = findSumProblem(STRIPE_CURRENCIES, sum)
  if (problem !== null) return declineMovement(problem)
  // Stripe forgets keys after a day, but a refund may be repeated later. So look for an existing refund first.
  const earlierRefund = await findRefund(api, transactionId, key)
  if (earlierRefund !== null) return refundOutcome(earlierRefund)
  const answer = await api.createRefund(transactionId, toProviderUnits(STRIPE_CURRENCIES, sum), key)
  if (answer.kind === 'done') return refundOutcome(answer.object)
  if (answer.error.type === 'idempotency_error') throw requestRefusedError(answer)
  const concurrentRefund = await findRefund(api, transactionId, key)
  return concurrentRefund === null ? declineMovement(refundRefusal(answer)) : refundOutcome(concurrentRefund)
}

async function findRefund(api: StripeApi, transactionId: string, key: string): Promise<StripeRefund | null> {
  const refunds = await api.listRefunds(transactionId)
  return refunds.find((each) => each.key === key) ?? null
}

/** A pending refund counts as made. If it fails later, Stripe reports it. */
const refundOutcome = ({ id, status }: StripeRefund): RefundOutcome =>
  status === 'failed' || status === 'canceled'
    ? declineMovement('The bank has rejected the refund. You still have the money: refund it in another way.')
    : { kind: 'refunded', transactionId: id }

const refundRefusal = (answer: StripeRefusal): string => {
  switch (answer.error.code) {
    case 'charge_already_refunded':
      return 'The payment was already refunded at Stripe.'
    case 'charge_disputed':
      return 'The shopper disputes the payment: while the bank decides, it cannot be refunded.'
    default:
      return `Stripe has refused the refund${codeIn(answer)}. It may be more than is left of the payment, or than your balance.`
  }
}

const codeIn = ({ error }: StripeRefusal): string => (error.code === null ? '' : ` (${error.code})`)

const notReleased = (message: string): DeclinedOutcome => declineOutcome('payment_declined', message)
