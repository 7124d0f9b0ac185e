// Payments with Square in two steps: approve, then complete. The first request only sets the money aside, and only the second completes it.
// After a crash in between we find the payment by our key, and complete or cancel it. Square itself releases it after an hour.

import type { FieldErrors } from '../../lib/errors.ts'
import { failAsUnknownOutcome, type GatewayCall, type Money, unknownOutcomeError } from '../call.ts'
import { isManualCapture } from '../config-fields.ts'
import {
  type ChargeCall,
  type ChargeOutcome,
  type ChargeRequest,
  type GatewayAdapter,
  type GatewayPorts,
  isExpectedSum,
  type PaymentInput,
  type RefundOutcome,
  type RefundRequest,
  type TakeOutcome,
  type TakeRequest,
} from '../gateway.ts'
import { sumProblems } from '../provider/amounts.ts'
import {
  cardNumberProblem,
  declineMovement,
  declineOutcome,
  fieldProblem,
  isLikeCardNumber,
  readPaymentField,
} from '../provider/payment.ts'
import {
  LOCATION_CURRENCY,
  SQUARE_CURRENCIES,
  type SquarePayment,
  type SquareRefund,
  type SquareRefusal,
  squareApi,
  toSquareMoney,
} from './api.ts'
import { createSquareHistory, FAILED_SQUARE_REFUNDS, refundReason, squareRefundKey } from './history.ts'
import {
  declineFirstRequest,
  describeSquareRefund,
  squareCharge,
  squareDecline,
  squareOutcome,
  squareOutcomeUnknown,
  undecidedError,
} from './outcomes.ts'

/** Time after which Square releases an uncompleted payment. Long enough for an outage of ours, and short for the shopper's money. */
const AUTOMATIC_HOLD = 'PT1H'
/** A payment held for longer than this was meant to be taken later: Square holds those for a week. */
const MAX_AUTOMATIC_HOLD_MS = 2 * 3_600_000

/** Decides by the payment itself: the merchant may have changed the capture setting since then. */
const isAuthorizeOnly = (call: ChargeCall, { heldMs }: SquarePayment): boolean =>
  heldMs === null ? isManualCapture(call) : heldMs > MAX_AUTOMATIC_HOLD_MS

/** Square's lists are "several seconds" behind. A payment missing after this time does not exist. */
const LIST_LAG_MS = 60_000
/** Maximum difference between Square's clock and ours. */
const CLOCK_SKEW_MS = 2 * 60_000
/** We give up a request after seconds. A payment created later than this would find its charge cancelled long ago. */
const MAX_REQUEST_MS = 15 * 60_000

/**
 * Order of preference if a key has several payments, which happens only after a cancellation. The last status is the best proof of payment.
 */
const WEIGHTS = ['CANCELED', 'FAILED', 'PENDING', 'APPROVED', 'COMPLETED']

const NO_SUCH_PAYMENT = 'The Square account that is set up has no such payment.'

export function squareAdapter(ports: GatewayPorts): GatewayAdapter {
  const api = squareApi(ports)

  /** Finds the current payment with our key. Null: there certainly is none. */
  async function findPayment(call: ChargeCall): Promise<SquarePayment | null> {
    const { begunAt, key } = call
    const now = ports.clock.now().getTime()
    const latest = begunAt.getTime() + MAX_REQUEST_MS
    const payments = await api.listPayments(
      call,
      new Date(begunAt.getTime() - CLOCK_SKEW_MS),
      latest < now ? new Date(latest) : null,
    )
    if (!payments.ok) throw squareOutcomeUnknown(payments.refusal, 'does not list payments')
    const weightOf = ({ status }: SquarePayment) => WEIGHTS.indexOf(status)
    const [bestMatch] = payments.value
      .filter(({ referenceId }) => referenceId === key)
      .sort((one, other) => weightOf(other) - weightOf(one))
    // Also covers clocks that differ, so that the charge seems to start in the future.
    if (bestMatch === undefined && now - begunAt.getTime() < LIST_LAG_MS)
      throw unknownOutcomeError('Square does not show the payment yet. It may appear in a moment.')
    return bestMatch === undefined ? null : getPayment(call, bestMatch.id)
  }

  /** Null: the configured account has no such payment. */
  async function findById(call: GatewayCall, id: string): Promise<SquarePayment | null> {
    const answer = await api.findPayment(call, id)
    if (answer.ok) return answer.value
    if (answer.refusal.status === 404) return null
    throw squareOutcomeUnknown(answer.refusal, 'does not show the payment')
  }

  async function getPayment(call: GatewayCall, id: string): Promise<SquarePayment> {
    const payment = await findById(call, id)
    if (payment === null) throw unknownOutcomeError('Square does not show the payment any more.')
    return payment
  }

  /** Completes an approved payment of the expected amount, and returns its new state. `refusal` is set if it is still approved. */
  async function completePayment(
    call: GatewayCall,
    payment: SquarePayment,
    sum: Money,
  ): Promise<{ payment: SquarePayment; refusal: SquareRefusal | null }> {
    let [current, refusal]: [SquarePayment, SquareRefusal | null] = [payment, null]
    // Retry only if the payment was changed between our lookup and the request.
    for (let round = 1; round <= 2 && current.status === 'APPROVED'; round++) {
      if (current.total === null || !isExpectedSum(current.total, sum))
        throw unknownOutcomeError('Square has set aside another amount than was requested. It is not taken.')
      const answer = await api.completePayment(call, current)
      if (answer.ok) return { payment: answer.value, refusal: null }
      refusal = answer.refusal
      const trouble = undecidedError(refusal)
      if (trouble !== null) throw trouble
      current = await getPayment(call, payment.id)
    }
    return { payment: current, refusal: current.status === 'APPROVED' ? refusal : null }
  }

  /** Completes a charge. If the card is refused now, it releases the money. The shopper can then pay in another way at once. */
  async function completeOrRelease(call: ChargeCall, approved: SquarePayment): Promise<ChargeOutcome> {
    const { payment, refusal } = await completePayment(call, approved, call)
    if (refusal === null) return squareOutcome(payment)
    const decline = squareDecline(refusal)
    if (decline === null) throw squareOutcomeUnknown(refusal, 'does not complete the payment')
    const releasedPayment = await releasePayment(call, payment.id)
    return releasedPayment === null || releasedPayment.status === 'CANCELED' ? decline : squareOutcome(releasedPayment)
  }

  /** Releases an approved payment and returns its new state; null if there is none. */
  async function releasePayment(call: GatewayCall, id: string): Promise<SquarePayment | null> {
    const answer = await api.cancelPayment(call, id)
    if (answer.ok) return answer.value
    const trouble = undecidedError(answer.refusal)
    if (trouble !== null) throw trouble
    const payment = await findById(call, id)
    if (payment?.status === 'APPROVED') throw squareOutcomeUnknown(answer.refusal, 'does not release the payment')
    return payment
  }

  async function charge(request: ChargeRequest): Promise<ChargeOutcome> {
    const answer = await api.createPayment(request, buildPaymentBody(request))
    if (!answer.ok) return declineFirstRequest(answer.refusal)
    const payment = answer.value
    if (payment.status !== 'APPROVED') return squareOutcome(payment)
    return isAuthorizeOnly(request, payment)
      ? squareCharge(payment, 'authorized')
      : failAsUnknownOutcome(() => completeOrRelease(request, payment))
  }

  async function cancel(call: ChargeCall): ReturnType<GatewayAdapter['cancel']> {
    const payment = await findPayment(call)
    if (payment !== null && payment.status !== 'APPROVED') return outcomeOfCancelled(payment)
    // An authorization was the goal, so it counts as paid.
    if (payment !== null && isAuthorizeOnly(call, payment)) return squareCharge(payment, 'authorized')
    // Cancelling by key also reaches a payment that no list shows yet. A payment that arrives later stays approved at most. Nobody
    // completes it, because its request has timed out.
    const answer = await api.cancelByKey(call)
    if (!answer.ok && payment === null) throw squareOutcomeUnknown(answer.refusal, 'does not cancel the payment')
    if (payment === null) return { kind: 'cancelled' }
    const currentPayment = await getPayment(call, payment.id)
    return outcomeOfCancelled(
      currentPayment.status === 'APPROVED' ? await releasePayment(call, payment.id) : currentPayment,
    )
  }

  async function take(request: TakeRequest): Promise<TakeOutcome> {
    const { key, transactionId, amount, currency } = request
    let payment = await findById(request, transactionId)
    if (payment === null) return declineMovement(NO_SUCH_PAYMENT)
    if (payment.status === 'APPROVED' && payment.total?.currency === currency && payment.total.amount !== amount) {
      if (amount > payment.total.amount)
        return declineMovement('The amount is more than Square has set aside for this payment.')
      // Completing has no amount at Square, so lower the approved amount first.
      const amountReply = await api.changeAmount(request, payment.id, `${key}_${amount.toString(36)}`, {
        amount,
        currency,
      })
      if (!amountReply.ok) throw squareOutcomeUnknown(amountReply.refusal, 'does not lower the amount of the payment')
      // A repeated request returns an old reply, so load the payment.
      payment = await getPayment(request, payment.id)
    }
    const { payment: finalPayment, refusal } = await completePayment(request, payment, { amount, currency })
    if (refusal !== null) return declineMovement(squareDecline(refusal)?.message ?? 'Square does not take the payment.')
    const outcome = squareOutcome(finalPayment)
    if (outcome.kind === 'charged') return { ...outcome, kind: 'charged' }
    const reason =
      finalPayment.status === 'CANCELED' ? 'is not set aside any more: it has expired or was released' : 'has failed'
    return declineMovement(`The payment ${reason}.`)
  }

  /**
   * Finds the refund with our key; null if there is none. It uses the payment's own list of refunds, because Square's lists are seconds
   * behind.
   */
  async function findRefund(request: RefundRequest): Promise<SquareRefund | null> {
    const payment = await findById(request, request.transactionId)
    const answers = await Promise.all((payment?.refundIds ?? []).map((id) => api.findRefund(request, id)))
    const refunds = answers.map((answer) => {
      if (answer.ok) return answer.value
      throw squareOutcomeUnknown(answer.refusal, 'does not show a refund')
    })
    return refunds.find(({ reason }) => squareRefundKey(reason) === request.key) ?? null
  }

  async function refund(request: RefundRequest): Promise<RefundOutcome> {
    // Square does not publish how long it remembers a key. So look for an existing refund first.
    const existingRefund = await findRefund(request)
    const answer =
      existingRefund === null
        ? await api.refund(request, refundReason(request.key))
        : ({ ok: true, value: existingRefund } as const)
    if (!answer.ok) {
      const trouble = undecidedError(answer.refusal)
      if (trouble !== null) throw trouble
      return declineMovement(describeSquareRefund(answer.refusal))
    }
    const { id, status } = answer.value
    return FAILED_SQUARE_REFUNDS.includes(status)
      ? declineMovement('The refund was rejected. Ask Square why.')
      : { kind: 'refunded', transactionId: id }
  }

  return {
    problemsOf,
    onlyCurrency: (config) => config[LOCATION_CURRENCY] ?? null,
    charge,
    confirm: (call) =>
      failAsUnknownOutcome(async () => {
        const payment = await findPayment(call)
        if (payment === null) throw unknownOutcomeError('Square does not show the payment any more.')
        if (payment.status !== 'APPROVED') return squareOutcome(payment)
        return isAuthorizeOnly(call, payment) ? squareCharge(payment, 'authorized') : completeOrRelease(call, payment)
      }),
    lookUp: (call) =>
      failAsUnknownOutcome(async () => {
        const payment = await findPayment(call)
        if (payment === null) return { kind: 'unknown' }
        if (payment.status !== 'APPROVED') return squareOutcome(payment)
        return isAuthorizeOnly(call, payment) ? squareCharge(payment, 'authorized') : { kind: 'approved' }
      }),
    cancel: (call) => failAsUnknownOutcome(() => cancel(call)),
    take: (request) => failAsUnknownOutcome(() => take(request)),
    takesParts: true,
    release: (call) =>
      failAsUnknownOutcome(async () => {
        const payment = await releasePayment(call, call.transactionId)
        if (payment !== null && payment.status !== 'COMPLETED') return { kind: 'released' }
        return declineOutcome(
          'payment_declined',
          payment === null ? NO_SUCH_PAYMENT : 'Square has taken the payment already.',
        )
      }),
    refund: (request) => failAsUnknownOutcome(() => refund(request)),
    history: createSquareHistory(api),
  }
}

/** Outcome of a payment that should be cancelled. */
function outcomeOfCancelled(payment: SquarePayment | null): ChargeOutcome | { kind: 'cancelled' } {
  return payment === null || payment.status === 'CANCELED' ? { kind: 'cancelled' } : squareOutcome(payment)
}

/** Built only from stored data: Square refuses another body under the same key. */
function buildPaymentBody(request: ChargeRequest) {
  const { key, config, payment, description } = request
  const { statement_description_identifier: statement } = config
  const { token, verificationToken } = tokensIn(payment)
  return {
    source_id: token ?? '',
    idempotency_key: key,
    amount_money: toSquareMoney(request),
    autocomplete: false,
    ...(isManualCapture(request) ? {} : { delay_duration: AUTOMATIC_HOLD }),
    delay_action: 'CANCEL',
    location_id: config.location_id ?? '',
    reference_id: key,
    ...(verificationToken === null ? {} : { verification_token: verificationToken }),
    note: description.slice(0, 500),
    ...(statement === undefined ? {} : { statement_description_identifier: statement.trim().slice(0, 20) }),
  }
}

// Storefronts send `square.token`, and older scripts also `square.verification_token`. Before 2020 it was `card.nonce`.

type Tokens = { readonly path: string; readonly token: string | null; readonly verificationToken: string | null }

function tokensIn({ card, details }: PaymentInput): Tokens {
  const token = readPaymentField(details.square, 'token')
  const nonce = card?.nonce?.trim() || null
  const isNonce = token === null && nonce !== null
  return {
    path: isNonce ? 'payment.card.nonce' : 'payment.square.token',
    token: isNonce ? nonce : token,
    verificationToken: readPaymentField(details.square, 'verification_token'),
  }
}

/**
 * Card token from Square's script. Other sources are rejected: "CASH" or "EXTERNAL" would record a payment that nobody made, and "ccof:…"
 * may be another person's stored card.
 */
const CARD_TOKEN = /^cnon:[\w:.~+/=-]{1,500}$/

function problemsOf(payment: PaymentInput, sum: Money): FieldErrors {
  const hint = 'a token that its script makes of the card in the browser (cnon:…)'
  const { path, token } = tokensIn(payment)
  const cardProblems = cardNumberProblem(payment, `Square takes ${hint} in payment.square.token`)
  if (cardProblems !== null) return cardProblems
  const rule =
    token === null
      ? `is required: ${hint}`
      : isLikeCardNumber(token)
        ? `must not be the number of a card: Square takes ${hint}`
        : !CARD_TOKEN.test(token) && `must be ${hint}`
  return { ...(rule === false ? {} : fieldProblem(path, rule)), ...sumProblems(SQUARE_CURRENCIES, sum) }
}
