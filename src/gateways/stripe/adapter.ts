// Payments with Stripe. A charge is two requests: one creates an intent under our key from the stored charge, the other confirms it with
// the card. Only the second moves money.
// The first request can be repeated at any time and then returns the existing intent.
// The intent's own state prevents a second confirmation, capture or cancellation.

import { type GatewayCall, nothingCharged, open } from '../call.ts'
import {
  type ChargeCall,
  type ChargeOutcome,
  type ChargeRequest,
  type Declined,
  type GatewayAdapter,
  type GatewayPorts,
  isManual,
  type PaymentInput,
  type RefundOutcome,
  type RefundRequest,
  type TakeOutcome,
  type TakeRequest,
} from '../gateway.ts'
import { stepOf, sumProblems, unitsOf, unsayable } from '../provider/amounts.ts'
import { decline, notMoved } from '../provider/payment.ts'
import { type Refused, refusedQuestion, type StripeApi, stripeApi } from './api.ts'
import { findIntent, ownIntent } from './find.ts'
import type { Refund } from './objects.ts'
import { decidedOutcome, declineIn, isUnexpectedState, outcomeOf, paymentOf } from './outcomes.ts'
import { confirmationOf, meansIn, paymentProblems } from './payment.ts'
import { stripeStory } from './story.ts'
import { RULES } from './sums.ts'

export function stripeCharging(ports: GatewayPorts): GatewayAdapter {
  const apiFor = (call: GatewayCall) => stripeApi(ports, call)
  const findIntentOfCharge = (api: StripeApi, call: ChargeCall) => findIntent(api, call, ports.clock.now())

  return {
    problemsOf: (payment: PaymentInput, sum) => ({ ...sumProblems(RULES, sum), ...paymentProblems(payment) }),
    confirmationOf,
    charge: (request) => charge(apiFor(request), request),

    async lookUp(call) {
      const intent = await findIntentOfCharge(apiFor(call), call)
      return intent === null ? { kind: 'unknown' } : outcomeOf(intent)
    },

    async confirm(call) {
      const api = apiFor(call)
      const intent = await findIntentOfCharge(api, call)
      if (intent === null) throw open('Stripe does not know the payment to confirm.')
      if (intent.status !== 'requires_confirmation') return decidedOutcome(intent)
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
          return decidedOutcome(intent)
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
    stepIn: (currency) => stepOf(RULES, currency),
    story: stripeStory(ports),
  }
}

async function charge(api: StripeApi, request: ChargeRequest): Promise<ChargeOutcome> {
  const method = await methodFor(api, request)
  if (typeof method !== 'string') return method
  const creation = await api.createIntent(request, 'nothing_charged')
  if (creation.kind === 'stored_failure') throw open('Stripe repeats the internal error of an earlier call.')
  if (creation.kind === 'refused') return declineIn(creation) ?? throwUnexpected(creation)
  const { id } = creation.object
  if (creation.isReplayed) {
    // This charge was started before. A result is returned and not tried a second time.
    const intent = ownIntent(await api.getIntent(id), request)
    if (outcomeOf(intent).kind !== 'unknown') return decidedOutcome(intent)
  }
  const fields = { payment_method: method, capture_method: isManual(request) ? 'manual' : 'automatic' }
  return confirmIntent(api, id, fields, 'as_told')
}

/** Payment method that the shopper sent, or the decline. */
async function methodFor(api: StripeApi, { payment, key }: ChargeRequest): Promise<string | Declined> {
  const means = meansIn(payment)
  if (means === null) throw nothingCharged('The payment names nothing that Stripe could charge.')
  if (means.kind === 'method') return means.id
  const answer = await api.createMethod(means.id, key)
  return answer.kind === 'done' ? answer.object : (declineIn(answer) ?? throwUnexpected(answer))
}

async function confirmIntent(
  api: StripeApi,
  id: string,
  fields: Readonly<Record<string, string>>,
  onFailure: 'as_told' | 'open',
): Promise<ChargeOutcome> {
  const answer = await api.confirmIntent(id, fields, onFailure)
  if (answer.kind === 'done') return decidedOutcome(answer.object)
  // The intent was confirmed or cancelled before this request arrived.
  if (isUnexpectedState(answer)) return decidedOutcome(await api.getIntent(id))
  return declineIn(answer) ?? throwUnexpected(answer)
}

/** The refusal is not about the card. Nothing was charged, and the merchant must fix something. */
function throwUnexpected(answer: Refused): never {
  // Stripe has the key with another body. That is our bug, and does not say if the first request charged.
  throw refusedQuestion(answer, answer.error.type !== 'idempotency_error')
}

async function cancelIntent(api: StripeApi, id: string): Promise<ChargeOutcome | { readonly kind: 'cancelled' }> {
  const answer = await api.cancelIntent(id)
  const isCancelled = answer.kind === 'done' && answer.object.status === 'canceled'
  if (isCancelled) return { kind: 'cancelled' }
  if (answer.kind === 'refused' && !isUnexpectedState(answer)) throw refusedQuestion(answer)
  // Another request was faster.
  const intent = await api.getIntent(id)
  return intent.status === 'canceled' ? { kind: 'cancelled' } : decidedOutcome(intent)
}

async function take(api: StripeApi, { transactionId, ...sum }: TakeRequest): Promise<TakeOutcome> {
  const problem = unsayable(RULES, sum)
  if (problem !== null) return notMoved(problem)
  const answer = await api.captureIntent(transactionId, unitsOf(RULES, sum))
  if (answer.kind === 'done') return { ...paymentOf(answer.object, answer.object.amountReceived), kind: 'charged' }
  if (!isUnexpectedState(answer)) return notMoved(takeRefusal(answer))
  const intent = await api.getIntent(transactionId)
  return intent.status === 'succeeded'
    ? { ...paymentOf(intent, intent.amountReceived), kind: 'charged' }
    : notMoved('The money is not held any more: it was released, or the authorization has expired.')
}

const takeRefusal = (answer: Refused): string => {
  if (/expired/.test(answer.error.code ?? '')) return 'The money is not held any more: the authorization has expired.'
  if (answer.error.code === 'amount_too_large') return 'The amount is more than is held.'
  return `Stripe has refused to take the money${codeIn(answer)}.`
}

async function refund(api: StripeApi, { transactionId, key, ...sum }: RefundRequest): Promise<RefundOutcome> {
  const problem = unsayable(RULES, sum)
  if (problem !== null) return notMoved(problem)
  // Stripe forgets keys after a day, but a refund may be repeated later. So look for an existing refund first.
  const earlierRefund = await findRefund(api, transactionId, key)
  if (earlierRefund !== null) return refundOutcome(earlierRefund)
  const answer = await api.createRefund(transactionId, unitsOf(RULES, sum), key)
  if (answer.kind === 'done') return refundOutcome(answer.object)
  if (answer.error.type === 'idempotency_error') throw refusedQuestion(answer)
  const concurrentRefund = await findRefund(api, transactionId, key)
  return concurrentRefund === null ? notMoved(refundRefusal(answer)) : refundOutcome(concurrentRefund)
}

async function findRefund(api: StripeApi, transactionId: string, key: string): Promise<Refund | null> {
  const refunds = await api.listRefunds(transactionId)
  return refunds.find((each) => each.key === key) ?? null
}

/** A pending refund counts as made. If it fails later, Stripe reports it. */
const refundOutcome = ({ id, status }: Refund): RefundOutcome =>
  status === 'failed' || status === 'canceled'
    ? notMoved('The bank has rejected the refund. You still have the money: refund it in another way.')
    : { kind: 'refunded', transactionId: id }

const refundRefusal = (answer: Refused): string => {
  switch (answer.error.code) {
    case 'charge_already_refunded':
      return 'The payment was already refunded at Stripe.'
    case 'charge_disputed':
      return 'The shopper disputes the payment: while the bank decides, it cannot be refunded.'
    default:
      return `Stripe has refused the refund${codeIn(answer)}. It may be more than is left of the payment, or than your balance.`
  }
}

const codeIn = ({ error }: Refused): string => (error.code === null ? '' : ` (${error.code})`)

const notReleased = (message: string): Declined => decline('payment_declined', message)
