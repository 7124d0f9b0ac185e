// Charging by Square: approve, then complete. The first request only sets the money aside, and nothing completes it but the second: whatever
// dies in between is found by our key, and either completed or called off; Square itself lets go after an hour.

import type { FieldErrors } from '../../lib/errors.ts'
import { type GatewayCall, later, open, type Sum } from '../call.ts'
import {
  type ChargeCall,
  type ChargeOutcome,
  type ChargeRequest,
  type GatewayAdapter,
  type GatewayPorts,
  isAsAsked,
  isManual,
  type PaymentInput,
  type RefundOutcome,
  type RefundRequest,
  type TakeOutcome,
  type TakeRequest,
} from '../gateway.ts'
import { sumProblems } from '../provider/amounts.ts'
import { cardNumberProblem, decline, fieldIn, isLikeCardNumber, notMoved, problem } from '../provider/payment.ts'
import {
  CURRENCIES,
  LOCATION_CURRENCY,
  moneyOf,
  type Refusal,
  type SquarePayment,
  type SquareRefund,
  squareApi,
} from './api.ts'
import { declinedFirst, declineIn, outcomeOf, paidOf, refundRefusal, refusedLater, troubleIn } from './outcomes.ts'
import { FAILED_REFUND, refundKeyIn, refundReason, squareStory } from './story.ts'

/** After which Square lets go of what nobody has completed. Long enough for an outage of ours, and short for the shopper's money. */
const AUTOMATIC_HOLD = 'PT1H'
/** What is set aside for longer than this was not to be taken at once: then Square holds it for a week. */
const LONGEST_AUTOMATIC_MS = 2 * 3_600_000

/** By the payment itself: the merchant may have changed how the gateway captures since it was made. */
const isSetAside = (call: ChargeCall, { heldMs }: SquarePayment): boolean =>
  heldMs === null ? isManual(call) : heldMs > LONGEST_AUTOMATIC_MS

/** Lists are "several seconds" behind, Square says. A payment that they do not show by then was never made. */
const LIST_LAG_MS = 60_000
/** Square's clock and ours may differ by so much. */
const CLOCK_SKEW_MS = 2 * 60_000
/** A request is given up after seconds. One that has wandered about for longer than this would find its charge given up long ago. */
const LATEST_MS = 15 * 60_000

/** Of the states of several payments under one key, which there are only after one was called off: the one that tells what was paid. */
const WEIGHTS = ['CANCELED', 'FAILED', 'PENDING', 'APPROVED', 'COMPLETED']

const NO_SUCH_PAYMENT = 'Square knows no such payment in the account that is set up.'

export function squareAdapter(ports: GatewayPorts): GatewayAdapter {
  const api = squareApi(ports)

  /** The payment of our key, as it is now. Null: there is none, for sure. */
  async function find(call: ChargeCall): Promise<SquarePayment | null> {
    const { begunAt, key } = call
    const now = ports.clock.now().getTime()
    const latest = begunAt.getTime() + LATEST_MS
    const listed = await api.listPayments(
      call,
      new Date(begunAt.getTime() - CLOCK_SKEW_MS),
      latest < now ? new Date(latest) : null,
    )
    if (!listed.ok) throw refusedLater(listed.refusal, 'does not list payments')
    const weightOf = ({ status }: SquarePayment) => WEIGHTS.indexOf(status)
    const [found] = listed.value
      .filter(({ referenceId }) => referenceId === key)
      .sort((one, other) => weightOf(other) - weightOf(one))
    // Also where the clocks of two processes differ, and it has not begun yet.
    if (found === undefined && now - begunAt.getTime() < LIST_LAG_MS)
      throw open('Square shows no such payment yet, and may do so in a moment.')
    return found === undefined ? null : read(call, found.id)
  }

  /** Null: the account that is set up has no such payment. */
  async function findById(call: GatewayCall, id: string): Promise<SquarePayment | null> {
    const answer = await api.findPayment(call, id)
    if (answer.ok) return answer.value
    if (answer.refusal.status === 404) return null
    throw refusedLater(answer.refusal, 'does not show the payment')
  }

  async function read(call: GatewayCall, id: string): Promise<SquarePayment> {
    const payment = await findById(call, id)
    if (payment === null) throw open('Square does not show the payment any more.')
    return payment
  }

  /** Takes what is set aside, if it is the sum. Gives the payment as it is then; `refusal` where it is still set aside. */
  async function complete(
    call: GatewayCall,
    payment: SquarePayment,
    sum: Sum,
  ): Promise<{ payment: SquarePayment; refusal: Refusal | null }> {
    let [current, refusal]: [SquarePayment, Refusal | null] = [payment, null]
    // A second time only where somebody has changed it between our looking and our asking.
    for (let round = 1; round <= 2 && current.status === 'APPROVED'; round++) {
      if (current.total === null || !isAsAsked(current.total, sum))
        throw open('Square has set another sum aside than was asked for. It is not taken.')
      const answer = await api.completePayment(call, current)
      if (answer.ok) return { payment: answer.value, refusal: null }
      refusal = answer.refusal
      const trouble = troubleIn(refusal)
      if (trouble !== null) throw trouble
      current = await read(call, payment.id)
    }
    return { payment: current, refusal: current.status === 'APPROVED' ? refusal : null }
  }

  /** Completes a charge. One whose card is refused at this point is let go of, so that the shopper can pay in another way at once. */
  async function finish(call: ChargeCall, approved: SquarePayment): Promise<ChargeOutcome> {
    const { payment, refusal } = await complete(call, approved, call)
    if (refusal === null) return outcomeOf(payment)
    const declined = declineIn(refusal)
    if (declined === null) throw refusedLater(refusal, 'does not complete the payment')
    const voided = await letGo(call, payment.id)
    return voided === null || voided.status === 'CANCELED' ? declined : outcomeOf(voided)
  }

  /** Lets go of what is set aside. Gives the payment as it is then; null where there is none. */
  async function letGo(call: GatewayCall, id: string): Promise<SquarePayment | null> {
    const answer = await api.cancelPayment(call, id)
    if (answer.ok) return answer.value
    const trouble = troubleIn(answer.refusal)
    if (trouble !== null) throw trouble
    const payment = await findById(call, id)
    if (payment?.status === 'APPROVED') throw refusedLater(answer.refusal, 'does not let go of the payment')
    return payment
  }

  async function charge(request: ChargeRequest): Promise<ChargeOutcome> {
    const answer = await api.createPayment(request, bodyOf(request))
    if (!answer.ok) return declinedFirst(answer.refusal)
    const payment = answer.value
    if (payment.status !== 'APPROVED') return outcomeOf(payment)
    return isSetAside(request, payment) ? paidOf(payment, 'authorized') : later(() => finish(request, payment))
  }

  async function cancel(call: ChargeCall): ReturnType<GatewayAdapter['cancel']> {
    const found = await find(call)
    if (found !== null && found.status !== 'APPROVED') return closed(found)
    // Set aside on purpose: that is as good as paid.
    if (found !== null && isSetAside(call, found)) return paidOf(found, 'authorized')
    // By the key, so that also one is let go of that no list has shown. What arrives still later is approved at most, which nobody
    // completes: the time of its request is over.
    const answer = await api.cancelByKey(call)
    if (!answer.ok && found === null) throw refusedLater(answer.refusal, 'does not call the payment off')
    if (found === null) return { kind: 'cancelled' }
    const after = await read(call, found.id)
    return closed(after.status === 'APPROVED' ? await letGo(call, found.id) : after)
  }

  async function take(request: TakeRequest): Promise<TakeOutcome> {
    const { key, transactionId, amount, currency } = request
    let payment = await findById(request, transactionId)
    if (payment === null) return notMoved(NO_SUCH_PAYMENT)
    if (payment.status === 'APPROVED' && payment.total?.currency === currency && payment.total.amount !== amount) {
      if (amount > payment.total.amount) return notMoved('That is more than Square has set aside for this payment.')
      // Taking has no amount at Square: what is set aside is lowered first.
      const lowered = await api.changeAmount(request, payment.id, `${key}_${amount.toString(36)}`, { amount, currency })
      if (!lowered.ok) throw refusedLater(lowered.refusal, 'does not lower the sum of the payment')
      // Asked for again under its key, that may be an old answer.
      payment = await read(request, payment.id)
    }
    const { payment: ended, refusal } = await complete(request, payment, { amount, currency })
    if (refusal !== null) return notMoved(declineIn(refusal)?.message ?? 'Square does not take the payment.')
    const outcome = outcomeOf(ended)
    if (outcome.kind === 'charged') return { ...outcome, kind: 'charged' }
    const reason =
      ended.status === 'CANCELED' ? 'is not set aside any more: its time is over, or it was let go' : 'has failed'
    return notMoved(`The payment ${reason}.`)
  }

  /** The refund of our key. By the payment, which names its refunds at once: lists are seconds behind. Null: there is none. */
  async function findRefund(request: RefundRequest): Promise<SquareRefund | null> {
    const payment = await findById(request, request.transactionId)
    const answers = await Promise.all((payment?.refundIds ?? []).map((id) => api.findRefund(request, id)))
    const refunds = answers.map((answer) => {
      if (answer.ok) return answer.value
      throw refusedLater(answer.refusal, 'does not show a refund')
    })
    return refunds.find(({ reason }) => refundKeyIn(reason) === request.key) ?? null
  }

  async function refund(request: RefundRequest): Promise<RefundOutcome> {
    // How long Square remembers a key is not published: a refund that was made is found whenever this is asked again.
    const made = await findRefund(request)
    const answer =
      made === null ? await api.refund(request, refundReason(request.key)) : ({ ok: true, value: made } as const)
    if (!answer.ok) {
      const trouble = troubleIn(answer.refusal)
      if (trouble !== null) throw trouble
      return notMoved(refundRefusal(answer.refusal))
    }
    const { id, status } = answer.value
    return FAILED_REFUND.includes(status)
      ? notMoved('The refund was rejected. Ask Square why.')
      : { kind: 'refunded', transactionId: id }
  }

  return {
    problemsOf,
    onlyCurrency: (config) => config[LOCATION_CURRENCY] ?? null,
    charge,
    confirm: (call) =>
      later(async () => {
        const found = await find(call)
        if (found === null) throw open('Square does not show the payment any more.')
        if (found.status !== 'APPROVED') return outcomeOf(found)
        return isSetAside(call, found) ? paidOf(found, 'authorized') : finish(call, found)
      }),
    lookUp: (call) =>
      later(async () => {
        const found = await find(call)
        if (found === null) return { kind: 'unknown' }
        if (found.status !== 'APPROVED') return outcomeOf(found)
        return isSetAside(call, found) ? paidOf(found, 'authorized') : { kind: 'approved' }
      }),
    cancel: (call) => later(() => cancel(call)),
    take: (request) => later(() => take(request)),
    takesParts: true,
    release: (call) =>
      later(async () => {
        const payment = await letGo(call, call.transactionId)
        if (payment !== null && payment.status !== 'COMPLETED') return { kind: 'released' }
        return decline('payment_declined', payment === null ? NO_SUCH_PAYMENT : 'Square has taken the payment already.')
      }),
    refund: (request) => later(() => refund(request)),
    story: squareStory(api),
  }
}

/** What is told of a payment that is to be given up. */
function closed(payment: SquarePayment | null): ChargeOutcome | { kind: 'cancelled' } {
  return payment === null || payment.status === 'CANCELED' ? { kind: 'cancelled' } : outcomeOf(payment)
}

/** The same for every request of one key: another body under it would be refused. */
function bodyOf(request: ChargeRequest) {
  const { key, config, payment, description } = request
  const { statement_description_identifier: statement } = config
  const { token, verificationToken } = tokensIn(payment)
  return {
    source_id: token ?? '',
    idempotency_key: key,
    amount_money: moneyOf(request),
    autocomplete: false,
    ...(isManual(request) ? {} : { delay_duration: AUTOMATIC_HOLD }),
    delay_action: 'CANCEL',
    location_id: config.location_id ?? '',
    reference_id: key,
    ...(verificationToken === null ? {} : { verification_token: verificationToken }),
    note: description.slice(0, 500),
    ...(statement === undefined ? {} : { statement_description_identifier: statement.trim().slice(0, 20) }),
  }
}

// What storefronts send: `square.token`, with `square.verification_token` where their script is an older one; before 2020 `card.nonce`.

type Tokens = { readonly path: string; readonly token: string | null; readonly verificationToken: string | null }

function tokensIn({ card, details }: PaymentInput): Tokens {
  const token = fieldIn(details.square, 'token')
  const nonce = card?.nonce?.trim() || null
  const isNonce = token === null && nonce !== null
  return {
    path: isNonce ? 'payment.card.nonce' : 'payment.square.token',
    token: isNonce ? nonce : token,
    verificationToken: fieldIn(details.square, 'verification_token'),
  }
}

/**
 * What Square's script makes of a card. Nothing else is let through: "CASH" or "EXTERNAL" in the same place would record a payment that
 * nobody has made, and "ccof:…" is a card that somebody else may have left with the seller.
 */
const CARD_TOKEN = /^cnon:[\w:.~+/=-]{1,500}$/

function problemsOf(payment: PaymentInput, sum: Sum): FieldErrors {
  const hint = 'a token that its script makes of the card in the browser (cnon:…)'
  const { path, token } = tokensIn(payment)
  const ofCard = cardNumberProblem(payment, `Square takes ${hint} in payment.square.token`)
  if (ofCard !== null) return ofCard
  const rule =
    token === null
      ? `is required: ${hint}`
      : isLikeCardNumber(token)
        ? `must not be the number of a card: Square takes ${hint}`
        : !CARD_TOKEN.test(token) && `must be ${hint}`
  return { ...(rule === false ? {} : problem(path, rule)), ...sumProblems(CURRENCIES, sum) }
}
