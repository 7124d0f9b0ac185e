// Payments with Razorpay. The shopper pays in its window, which only sets the money aside; our capture takes it.
// Orders and captures have no idempotency keys, so each step first checks the current state.
// We find a payment by the order that we created under our key. Some stores open the window without an order and send a payment id. That id
// proves nothing, so we compare all that Razorpay says about the payment.
// There is no release: Razorpay refunds an untaken payment by itself after some days.

import {
  failAsNothingCharged,
  failAsUnknownOutcome,
  type GatewayCall,
  type GatewayUnavailable,
  type Money,
  nothingChargedError,
  unknownOutcomeError,
} from '../call.ts'
import { isManualCapture } from '../config-fields.ts'
import {
  type AwaitingShopper,
  type ChargeCall,
  type ChargedOutcome,
  type ChargeOutcome,
  type ChargeRequest,
  type DeclinedOutcome,
  type GatewayAdapter,
  type GatewayPorts,
  isExpectedSum,
  type LookupOutcome,
  type PaymentInput,
  type RefundOutcome,
  type RefundRequest,
  type TakeOutcome,
  type TakeRequest,
} from '../gateway.ts'
import { findSumProblem, stepOf } from '../provider/amounts.ts'
import { declineMovement } from '../provider/payment.ts'
import { modeProblem, RAZORPAY_CURRENCIES, type RazorpayPayment, type RazorpayRefusal, razorpayApi } from './api.ts'
import { createRazorpayHistory } from './history.ts'
import {
  ALREADY_REFUNDED,
  CAPTURED_MISMATCH,
  declineForFailure,
  declineOfCapture,
  describeRazorpayRefund,
  isUnknownId,
  NO_SUCH_PAYMENT,
  NOT_COMPLETED,
  NOT_VERIFIED,
  razorpayCharge,
  razorpayNothingCharged,
  razorpayOutcomeUnknown,
  sumRefusal,
  TOO_OLD,
  WRONG_ORDER,
  WRONG_SUM,
} from './outcomes.ts'
import {
  findRazorpayProblems,
  isProven,
  NOT_PROVEN,
  razorpayConfirmation,
  readPaymentFields,
  unprovenPaymentId,
} from './payment.ts'

/** A shopper's payment arrives at once. An older payment id may be a reused one. */
const MAX_PAYMENT_AGE_MS = 24 * 3_600_000

/** State of a charge: finished, a payment that can be taken, an unpaid order, or nothing at all. */
type ChargeState =
  | { readonly kind: 'ended'; readonly outcome: ChargedOutcome | DeclinedOutcome }
  | { readonly kind: 'payable'; readonly payment: RazorpayPayment }
  | { readonly kind: 'unpaid'; readonly orderId: string }
  | { readonly kind: 'nothing' }

type RefusalToError = (refusal: RazorpayRefusal, what: string) => GatewayUnavailable

/** Longer than a capture may take. */
const CAPTURE_IN_FLIGHT_MS = 60_000
/**
 * An order stays payable for ever, but a shopper with an open window pays within a day.
 * Later payments are reported only by the webhook. Endless polls would query every abandoned order.
 */
const WINDOW_OPEN_MS = 24 * 3_600_000

export function razorpayAdapter(ports: GatewayPorts): GatewayAdapter {
  const api = razorpayApi(ports)

  /** Null: the configured account has no such payment. */
  async function findPayment(
    call: GatewayCall,
    id: string,
    toError: RefusalToError = razorpayOutcomeUnknown,
  ): Promise<RazorpayPayment | null> {
    const answer = await api.findPayment(call, id)
    if (answer.ok) return answer.value
    if (isUnknownId(answer.refusal)) return null
    throw toError(answer.refusal, 'does not show the payment')
  }

  async function getPayment(call: GatewayCall, id: string): Promise<RazorpayPayment> {
    const payment = await findPayment(call, id)
    if (payment === null) throw unknownOutcomeError('Razorpay does not show the payment any more.')
    return payment
  }

  /** Finds the order with our key; null if there is none. Of several it takes the first: nobody knows about the others. */
  async function findOrderId(
    call: ChargeCall,
    toError: RefusalToError = razorpayOutcomeUnknown,
  ): Promise<string | null> {
    if (call.confirmation !== null) return call.confirmation
    const orders = await api.listOrders(call)
    if (!orders.ok) throw toError(orders.refusal, 'does not list orders')
    const ours = orders.value.filter(({ key, sum }) => key === call.key && sum !== null && isExpectedSum(sum, call))
    return ours.map(({ id }) => id).sort()[0] ?? null
  }

  /** Reads the payment with the id from the storefront. `isFirst`: nothing can have been taken for this charge yet. */
  async function readNamedPayment(call: ChargeCall, id: string, isFirst = false): Promise<ChargeState> {
    const payment = await findPayment(call, id, isFirst ? razorpayNothingCharged : razorpayOutcomeUnknown)
    // On a later call a missing payment proves nothing. The account may have changed, and the old one may have taken the money.
    if (payment === null) return isFirst ? { kind: 'ended', outcome: NO_SUCH_PAYMENT } : { kind: 'nothing' }
    // A payment that we took may have partial refunds. A new payment with any refund cannot pay for this charge.
    const mismatch = isFirst && payment.isRefunded ? ALREADY_REFUNDED : findMismatch(call, payment, isFirst)
    return mismatch === null ? stateOfPayment(payment) : { kind: 'ended', outcome: mismatch }
  }

  /** Finds the order's payment: the taken one, or one that can be taken. Failed payments may be followed by others. */
  async function readOrder(call: ChargeCall, sentId: string | null = null): Promise<ChargeState> {
    const orderId = await findOrderId(call)
    if (orderId === null) return { kind: 'nothing' }
    const payments = await api.listPaymentsOf(call, orderId)
    if (!payments.ok) throw razorpayOutcomeUnknown(payments.refusal, 'does not list the payments of an order')
    const best =
      payments.value.find(({ isCaptured }) => isCaptured) ??
      payments.value.find(({ id, status }) => status === 'authorized' && id === sentId) ??
      payments.value.find(({ status }) => status === 'authorized')
    // The list may be outdated and lacks the card, so load the payment itself.
    const payment =
      best !== undefined ? await getPayment(call, best.id) : sentId === null ? null : await findPayment(call, sentId)
    if (payment === null) return { kind: 'unpaid', orderId }
    if (payment.orderId !== orderId) return { kind: 'ended', outcome: WRONG_ORDER }
    // A captured payment is returned as it is. If its amount is wrong, a person has to check it.
    if (payment.status === 'authorized' && !hasSum(payment, call)) return { kind: 'ended', outcome: WRONG_SUM }
    return payment.status === 'created' ? { kind: 'unpaid', orderId } : stateOfPayment(payment)
  }

  const readState = (call: ChargeCall, sentId: string | null = null): Promise<ChargeState> =>
    call.reference === null ? readOrder(call, sentId) : readNamedPayment(call, call.reference)

  /** Captures the whole authorized payment and returns its new state. `refusal` is set if it is still authorized. */
  async function capture(
    call: GatewayCall,
    payment: RazorpayPayment,
    sum: Money,
  ): Promise<{ payment: RazorpayPayment; refusal: RazorpayRefusal | null }> {
    const answer = await api.capture(call, payment.id, sum)
    // The reply has no card.
    if (answer.ok) return { payment: { ...answer.value, card: payment.card }, refusal: null }
    // A payment that was captured before, or by a concurrent request, is also refused. Its current state decides.
    const now = await getPayment(call, payment.id)
    return { payment: now, refusal: now.status === 'authorized' ? answer.refusal : null }
  }

  async function capturePayment(call: ChargeCall, payable: RazorpayPayment): Promise<ChargeOutcome> {
    if (isManualCapture(call)) return razorpayCharge(payable, 'authorized')
    const { payment, refusal } = await capture(call, payable, call)
    if (refusal !== null) return declineOfCapture(refusal)
    const result = stateOfPayment(payment)
    if (result.kind !== 'ended') throw unknownOutcomeError('Razorpay has not reported the result of the payment.')
    return result.outcome
  }

  /** If this fails, nothing was charged and nothing will be: nobody can pay an order without its id. */
  async function createOrder(request: ChargeRequest): Promise<ChargeOutcome> {
    const existingOrderId = await findOrderId(request, razorpayNothingCharged)
    if (existingOrderId !== null) return awaitShopper(existingOrderId)
    const answer = await api.createOrder(request, request)
    if (answer.ok) return awaitShopper(answer.value.id)
    const decline = sumRefusal(answer.refusal)
    if (decline === null) throw razorpayNothingCharged(answer.refusal, 'did not create the order')
    return decline
  }

  async function charge(request: ChargeRequest): Promise<ChargeOutcome> {
    refuseOtherMode(request)
    const { paymentId } = readPaymentFields(request.payment)
    if (paymentId === null) return failAsNothingCharged(() => createOrder(request))
    const state = await readNamedPayment(request, paymentId, true)
    if (state.kind === 'payable') return failAsUnknownOutcome(() => capturePayment(request, state.payment))
    if (state.kind !== 'ended') throw unknownOutcomeError('Razorpay has not reported the result of the payment.')
    return state.outcome
  }

  async function confirm(call: ChargeCall & { payment: PaymentInput | null }): Promise<ChargeOutcome> {
    refuseOtherMode(call)
    const fields = call.payment === null ? null : readPaymentFields(call.payment)
    if (fields !== null && call.confirmation === null) return NOT_VERIFIED
    // `findConfirmation` has already matched an id without signature to this order.
    const isIdOnly = call.payment !== null && unprovenPaymentId(call.payment) !== null
    // The storefront made a mistake, or somebody guesses. Keep waiting for the right payment.
    if (fields !== null && call.confirmation !== null && !isIdOnly && !isProven(call.config, call.confirmation, fields))
      return { ...awaitShopper(call.confirmation), problems: NOT_PROVEN }
    const state = await readState(call, fields?.paymentId)
    switch (state.kind) {
      case 'ended':
        return state.outcome
      case 'payable':
        return capturePayment(call, state.payment)
      case 'unpaid':
        return awaitShopper(state.orderId)
      default:
        throw unknownOutcomeError('Razorpay does not show the order, or the payment, any more.')
    }
  }

  async function lookUp(call: ChargeCall): Promise<LookupOutcome> {
    const state = await readState(call)
    switch (state.kind) {
      case 'ended':
        return state.outcome
      case 'payable':
        return isManualCapture(call) ? razorpayCharge(state.payment, 'authorized') : { kind: 'approved' }
      case 'unpaid':
        return awaitShopper(state.orderId)
      default:
        return { kind: 'unknown' }
    }
  }

  /**
   * Razorpay has no cancellation. A concurrent `charge` or `confirm` may still capture an authorized payment.
   * An unpaid order can still be paid, and accounts with direct settlement take the money without us. So we check both again after that
   * time.
   */
  async function cancel(call: ChargeCall): ReturnType<GatewayAdapter['cancel']> {
    const state = await readState(call)
    if (state.kind === 'ended') return state.outcome
    // An authorization was the goal, so it counts as paid.
    if (state.kind === 'payable' && isManualCapture(call)) return razorpayCharge(state.payment, 'authorized')
    if (state.kind === 'nothing') return { kind: 'cancelled' }
    const ms = state.kind === 'payable' ? CAPTURE_IN_FLIGHT_MS : WINDOW_OPEN_MS
    return { kind: 'cancelled', payableUntil: new Date(ports.clock.now().getTime() + ms) }
  }

  async function take(request: TakeRequest): Promise<TakeOutcome> {
    const problem = modeProblem(request)
    if (problem !== null) return declineMovement(problem)
    const payment = await findPayment(request, request.transactionId)
    if (payment === null) return declineMovement('The Razorpay account that is set up has no such payment.')
    if (payment.status === 'authorized' && !hasSum(payment, request))
      return declineMovement('Razorpay can only take the whole amount that was set aside.')
    const result =
      payment.status === 'authorized' ? await capture(request, payment, request) : { payment, refusal: null }
    if (result.refusal !== null) return declineMovement(declineOfCapture(result.refusal).message)
    if (result.payment.isCaptured) return razorpayCharge(result.payment, 'charged')
    return declineMovement(
      result.payment.status === 'refunded'
        ? 'The payment is not set aside any more: it has expired, and Razorpay has refunded it.'
        : 'The payment has failed.',
    )
  }

  async function refund(request: RefundRequest): Promise<RefundOutcome> {
    const { transactionId, currency, key } = request
    const problem = findSumProblem(RAZORPAY_CURRENCIES, request)
    if (problem !== null) return declineMovement(problem)
    // Razorpay does not publish how long it remembers a key. So look for an existing refund first.
    const refunds = await api.listRefunds(request, transactionId, currency)
    if (!refunds.ok && !isUnknownId(refunds.refusal))
      throw razorpayOutcomeUnknown(refunds.refusal, 'does not list refunds')
    const existingRefund = refunds.ok ? refunds.value.find((refund) => refund.key === key) : undefined
    const answer =
      existingRefund === undefined ? await api.refund(request) : ({ ok: true, value: existingRefund } as const)
    if (!answer.ok) {
      const { status } = answer.refusal
      if (status !== 400 && status !== 404 && status !== 422)
        throw razorpayOutcomeUnknown(answer.refusal, 'does not refund')
      return declineMovement(describeRazorpayRefund(answer.refusal))
    }
    return answer.value.status === 'failed'
      ? declineMovement('The refund has failed. Ask Razorpay why.')
      : { kind: 'refunded', transactionId: answer.value.id }
  }

  return {
    problemsOf: findRazorpayProblems,
    referenceOf: (payment) => readPaymentFields(payment).paymentId,
    confirmationOf: razorpayConfirmation,
    charge,
    confirm: (call) => failAsUnknownOutcome(() => confirm(call)),
    lookUp: (call) => failAsUnknownOutcome(() => lookUp(call)),
    cancel: (call) => failAsUnknownOutcome(() => cancel(call)),
    take: (request) => failAsUnknownOutcome(() => take(request)),
    refund: (request) => failAsUnknownOutcome(() => refund(request)),
    stepIn: (currency) => stepOf(RAZORPAY_CURRENCIES, currency),
    history: createRazorpayHistory(api),
  }
}

/** Guards charges and captures. Refunds need no check: a key reaches only payments of its own mode. */
function refuseOtherMode(call: GatewayCall) {
  const problem = modeProblem(call)
  if (problem !== null) throw nothingChargedError(problem)
}

/** The storefront opens the window with the order, and returns the window's result. */
const awaitShopper = (orderId: string): Extract<AwaitingShopper, { kind: 'requires_verification' }> => ({
  kind: 'requires_verification',
  param: orderId,
  confirmation: orderId,
})

const hasSum = ({ sum }: RazorpayPayment, expected: Money): boolean => sum !== null && isExpectedSum(sum, expected)

/**
 * Reason why the storefront's payment may not pay for this charge; null if it may.
 * A payment of an order pays only for that order. If the order waits at this token, the payment confirms its charge instead.
 */
function findMismatch(call: ChargeCall, payment: RazorpayPayment, isFirst: boolean): DeclinedOutcome | null {
  if (payment.orderId !== null) return WRONG_ORDER
  // We may have taken it ourselves, and a decline would make the shopper pay twice. Return it as it is; a person has to check it.
  if (!isFirst && payment.isCaptured && !hasSum(payment, call)) return null
  const isOld = call.begunAt.getTime() - payment.createdAt.getTime() > MAX_PAYMENT_AGE_MS
  const mismatch = !hasSum(payment, call) ? WRONG_SUM : isOld ? TOO_OLD : null
  return mismatch !== null && payment.isCaptured ? CAPTURED_MISMATCH : mismatch
}

function stateOfPayment(payment: RazorpayPayment): ChargeState {
  const endedWith = (outcome: ChargedOutcome | DeclinedOutcome): ChargeState => ({ kind: 'ended', outcome })
  switch (payment.status) {
    case 'authorized':
      return { kind: 'payable', payment }
    case 'captured':
      return endedWith(razorpayCharge(payment, 'charged'))
    case 'refunded':
      // Fully refunded: nothing is paid.
      return endedWith(ALREADY_REFUNDED)
    case 'failed':
      return endedWith(declineForFailure(payment))
    case 'created':
      return endedWith(NOT_COMPLETED)
    default:
      throw unknownOutcomeError('Razorpay shows the payment in an unknown state.')
  }
}
