// How Stripe takes money. A charge is two requests: an intent is made under our key, of nothing but what was written down with the charge, and
// is then confirmed with the card, which moves the money. The first can be sent again at any time and finds what has become of the second. The
// intent's own state guards the rest: it is confirmed, taken and cancelled once.

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
  const find = (api: StripeApi, call: ChargeCall) => findIntent(api, call, ports.clock.now())

  return {
    problemsOf: (payment: PaymentInput, sum) => ({ ...sumProblems(RULES, sum), ...paymentProblems(payment) }),
    confirmationOf,
    charge: (request) => charge(apiFor(request), request),

    async lookUp(call) {
      const intent = await find(apiFor(call), call)
      return intent === null ? { kind: 'unknown' } : outcomeOf(intent)
    },

    async confirm(call) {
      const api = apiFor(call)
      const intent = await find(api, call)
      if (intent === null) throw open('Stripe does not know the payment that is to be confirmed.')
      if (intent.status !== 'requires_confirmation') return decidedOutcome(intent)
      // The bank is content: an outage, or too many requests, are no reason to call it off.
      return confirmIntent(api, intent.id, {}, 'open')
    },

    async cancel(call) {
      const api = apiFor(call)
      const intent = await find(api, call)
      // Nobody has its id, and without one nobody can confirm it.
      if (intent === null) return { kind: 'cancelled' }
      switch (intent.status) {
        case 'canceled':
          return { kind: 'cancelled' }
        // Told, and not touched: cancelling would let go of money that is held for an order.
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
      if (!isUnexpectedState(answer)) return notReleased(`Stripe has refused to let go of it${codeIn(answer)}.`)
      const { status } = await api.getIntent(call.transactionId)
      return status === 'canceled' ? { kind: 'released' } : notReleased('It is not held any more: it was taken.')
    },

    refund: (request) => refund(apiFor(request), request),
    stepIn: (currency) => stepOf(RULES, currency),
    story: stripeStory(ports),
  }
}

async function charge(api: StripeApi, request: ChargeRequest): Promise<ChargeOutcome> {
  const method = await methodFor(api, request)
  if (typeof method !== 'string') return method
  const made = await api.createIntent(request, 'nothing_charged')
  if (made.kind === 'stored_failure') throw open('Stripe repeats a failure of its own.')
  if (made.kind === 'refused') return declineIn(made) ?? failed(made)
  const { id } = made.object
  if (made.isReplayed) {
    // This charge was begun before. What has come of it is not tried a second time.
    const intent = ownIntent(await api.getIntent(id), request)
    if (outcomeOf(intent).kind !== 'unknown') return decidedOutcome(intent)
  }
  const fields = { payment_method: method, capture_method: isManual(request) ? 'manual' : 'automatic' }
  return confirmIntent(api, id, fields, 'as_told')
}

/** Of what the shopper has sent, or why there is none. */
async function methodFor(api: StripeApi, { payment, key }: ChargeRequest): Promise<string | Declined> {
  const means = meansIn(payment)
  if (means === null) throw nothingCharged('The payment names nothing that Stripe could charge.')
  if (means.kind === 'method') return means.id
  const answer = await api.createMethod(means.id, key)
  return answer.kind === 'done' ? answer.object : (declineIn(answer) ?? failed(answer))
}

async function confirmIntent(
  api: StripeApi,
  id: string,
  fields: Readonly<Record<string, string>>,
  failing: 'as_told' | 'open',
): Promise<ChargeOutcome> {
  const answer = await api.confirmIntent(id, fields, failing)
  if (answer.kind === 'done') return decidedOutcome(answer.object)
  // It was confirmed, or called off, before this request got there.
  if (isUnexpectedState(answer)) return decidedOutcome(await api.getIntent(id))
  return declineIn(answer) ?? failed(answer)
}

/** Refused for another reason than the card: nothing was charged by it, and the merchant has something to mend. */
function failed(answer: Refused): never {
  // Stripe has the key with another body. That is a mistake of ours, and says nothing of what the first has charged.
  throw refusedQuestion(answer, answer.error.type !== 'idempotency_error')
}

async function cancelIntent(api: StripeApi, id: string): Promise<ChargeOutcome | { readonly kind: 'cancelled' }> {
  const answer = await api.cancelIntent(id)
  const isCancelled = answer.kind === 'done' && answer.object.status === 'canceled'
  if (isCancelled) return { kind: 'cancelled' }
  if (answer.kind === 'refused' && !isUnexpectedState(answer)) throw refusedQuestion(answer)
  // Somebody was faster.
  const intent = await api.getIntent(id)
  return intent.status === 'canceled' ? { kind: 'cancelled' } : decidedOutcome(intent)
}

async function take(api: StripeApi, { transactionId, ...sum }: TakeRequest): Promise<TakeOutcome> {
  const unfit = unsayable(RULES, sum)
  if (unfit !== null) return notMoved(unfit)
  const answer = await api.captureIntent(transactionId, unitsOf(RULES, sum))
  if (answer.kind === 'done') return { ...paymentOf(answer.object, answer.object.amountReceived), kind: 'charged' }
  if (!isUnexpectedState(answer)) return notMoved(takeRefusal(answer))
  const intent = await api.getIntent(transactionId)
  return intent.status === 'succeeded'
    ? { ...paymentOf(intent, intent.amountReceived), kind: 'charged' }
    : notMoved('The money is not held any more: it was released, or its time is over.')
}

const takeRefusal = (answer: Refused): string => {
  if (/expired/.test(answer.error.code ?? '')) return 'The money is not held any more: its time is over.'
  if (answer.error.code === 'amount_too_large') return 'More was to be taken than is held.'
  return `Stripe has refused to take the money${codeIn(answer)}.`
}

async function refund(api: StripeApi, { transactionId, key, ...sum }: RefundRequest): Promise<RefundOutcome> {
  const unfit = unsayable(RULES, sum)
  if (unfit !== null) return notMoved(unfit)
  // Stripe forgets keys after a day, and a refund may be asked for again after longer: what it has is looked at first.
  const before = await findRefund(api, transactionId, key)
  if (before !== null) return refundOutcome(before)
  const answer = await api.createRefund(transactionId, unitsOf(RULES, sum), key)
  if (answer.kind === 'done') return refundOutcome(answer.object)
  if (answer.error.type === 'idempotency_error') throw refusedQuestion(answer)
  const found = await findRefund(api, transactionId, key)
  return found === null ? notMoved(refundRefusal(answer)) : refundOutcome(found)
}

async function findRefund(api: StripeApi, transactionId: string, key: string): Promise<Refund | null> {
  const refunds = await api.listRefunds(transactionId)
  return refunds.find((each) => each.key === key) ?? null
}

/** A pending one counts: should it fail later, Stripe tells. */
const refundOutcome = ({ id, status }: Refund): RefundOutcome =>
  status === 'failed' || status === 'canceled'
    ? notMoved('The bank has not taken the refund. The money is with you still: give it back in another way.')
    : { kind: 'refunded', transactionId: id }

const refundRefusal = (answer: Refused): string => {
  switch (answer.error.code) {
    case 'charge_already_refunded':
      return 'The payment has been refunded already, at Stripe itself.'
    case 'charge_disputed':
      return 'The shopper disputes the payment: while the bank decides, it cannot be refunded.'
    default:
      return `Stripe has refused the refund${codeIn(answer)}. It may be more than is left of the payment, or than your balance.`
  }
}

const codeIn = ({ error }: Refused): string => (error.code === null ? '' : ` (${error.code})`)

const notReleased = (message: string): Declined => decline('payment_declined', message)
