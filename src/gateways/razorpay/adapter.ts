// Charging by Razorpay. The shopper pays in its window, which only sets the money aside: nothing takes it but our capture. There are no keys
// for orders and captures, so that each step looks first. A payment is found by the order that we made under our key or, with stores that
// open the window without one, by the id that they send: then there is no proof but what Razorpay says of it, and all of that is compared.
// There is no letting go: what is not taken Razorpay gives back by itself after some days.

import {
  beforeCharging,
  type GatewayCall,
  type GatewayUnavailable,
  later,
  nothingCharged,
  open,
  type Sum,
} from '../call.ts'
import {
  type AwaitingShopper,
  type ChargeCall,
  type Charged,
  type ChargeOutcome,
  type ChargeRequest,
  type Declined,
  type FoundOutcome,
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
import { stepOf, unsayable } from '../provider/amounts.ts'
import { notMoved } from '../provider/payment.ts'
import { CURRENCIES, modeProblem, type RazorpayPayment, type Refusal, razorpayApi } from './api.ts'
import {
  declinedBy,
  GONE_BACK,
  isUnknownId,
  NO_SUCH_PAYMENT,
  NOT_COMPLETED,
  NOT_VERIFIED,
  notTaken,
  OF_ANOTHER_ORDER,
  OTHER_SUM,
  paidOf,
  refundRefusal,
  refusedFirst,
  refusedLater,
  sumRefusal,
  TAKEN_AND_UNFIT,
  TOO_OLD,
} from './outcomes.ts'
import { confirmationOf, fieldsIn, idSentAlone, isProven, NOT_PROVEN, problemsOf } from './payment.ts'
import { razorpayStory } from './story.ts'

/** Who has paid in the window comes at once. The id of an older payment is one that somebody has kept. */
const OLDEST_MS = 24 * 3_600_000

/** What is known of a charge: how it has ended, a payment that can be taken, an order that nobody has paid yet, or that there is none of it. */
type Seen =
  | { readonly kind: 'ended'; readonly outcome: Charged | Declined }
  | { readonly kind: 'payable'; readonly payment: RazorpayPayment }
  | { readonly kind: 'unpaid'; readonly orderId: string }
  | { readonly kind: 'nothing' }

type Refused = (refusal: Refusal, what: string) => GatewayUnavailable

/** Longer than a capture may take. */
const ON_ITS_WAY_MS = 60_000
/**
 * An order can be paid for ever. Who has its window open pays within a day; what comes later still is told by the webhook alone, for each look
 * without end would ask for every order that was ever left.
 */
const WINDOW_IS_OPEN_MS = 24 * 3_600_000

export function razorpayAdapter(ports: GatewayPorts): GatewayAdapter {
  const api = razorpayApi(ports)

  /** Null: the account that is set up has no such payment. */
  async function find(call: GatewayCall, id: string, refused: Refused = refusedLater): Promise<RazorpayPayment | null> {
    const answer = await api.findPayment(call, id)
    if (answer.ok) return answer.value
    if (isUnknownId(answer.refusal)) return null
    throw refused(answer.refusal, 'does not show the payment')
  }

  async function read(call: GatewayCall, id: string): Promise<RazorpayPayment> {
    const payment = await find(call, id)
    if (payment === null) throw open('Razorpay does not show the payment any more.')
    return payment
  }

  /** The order of our key; the first, should there be several: nobody was told of the others. Null where there is none. */
  async function orderOf(call: ChargeCall, refused: Refused = refusedLater): Promise<string | null> {
    if (call.confirmation !== null) return call.confirmation
    const listed = await api.listOrders(call)
    if (!listed.ok) throw refused(listed.refusal, 'does not list orders')
    const ours = listed.value.filter(({ key, sum }) => key === call.key && sum !== null && isAsAsked(sum, call))
    return ours.map(({ id }) => id).sort()[0] ?? null
  }

  /** By the id that the storefront has sent. `isFirst`: nothing can have been taken for this charge yet. */
  async function seeNamed(call: ChargeCall, id: string, isFirst = false): Promise<Seen> {
    const payment = await find(call, id, isFirst ? refusedFirst : refusedLater)
    // Later it is no answer: the account may be another one by now, and the payment was perhaps taken at the former.
    if (payment === null) return isFirst ? { kind: 'ended', outcome: NO_SUCH_PAYMENT } : { kind: 'nothing' }
    // Of what we have taken ourselves a part may have gone back already; what others have begun to give back pays for nothing.
    const unfit = isFirst && payment.isRefunded ? GONE_BACK : misfit(call, payment, isFirst)
    return unfit === null ? seen(payment) : { kind: 'ended', outcome: unfit }
  }

  /** By the order: of its payments the one that was taken, or one that can be. Those that failed may be followed by others. */
  async function seeOrder(call: ChargeCall, named: string | null = null): Promise<Seen> {
    const orderId = await orderOf(call)
    if (orderId === null) return { kind: 'nothing' }
    const listed = await api.listPaymentsOf(call, orderId)
    if (!listed.ok) throw refusedLater(listed.refusal, 'does not list the payments of an order')
    const best =
      listed.value.find(({ isCaptured }) => isCaptured) ??
      listed.value.find(({ id, status }) => status === 'authorized' && id === named) ??
      listed.value.find(({ status }) => status === 'authorized')
    // One by itself is as it is now, and has its card with it.
    const payment = best !== undefined ? await read(call, best.id) : named === null ? null : await find(call, named)
    if (payment === null) return { kind: 'unpaid', orderId }
    if (payment.orderId !== orderId) return { kind: 'ended', outcome: OF_ANOTHER_ORDER }
    // What is taken already is told as it is: if it is another sum, a person has to look at it.
    if (payment.status === 'authorized' && !isOf(payment, call)) return { kind: 'ended', outcome: OTHER_SUM }
    return payment.status === 'created' ? { kind: 'unpaid', orderId } : seen(payment)
  }

  const see = (call: ChargeCall, named: string | null = null): Promise<Seen> =>
    call.reference === null ? seeOrder(call, named) : seeNamed(call, call.reference)

  /** Takes all of a payment that is authorized. Gives it as it is then; `refusal` where it is still authorized. */
  async function capture(
    call: GatewayCall,
    payment: RazorpayPayment,
    sum: Sum,
  ): Promise<{ payment: RazorpayPayment; refusal: Refusal | null }> {
    const answer = await api.capture(call, payment.id, sum)
    // The answer has no card.
    if (answer.ok) return { payment: { ...answer.value, card: payment.card }, refusal: null }
    // Taken before, or at this moment by another request, is refused in words: the payment itself tells.
    const now = await read(call, payment.id)
    return { payment: now, refusal: now.status === 'authorized' ? answer.refusal : null }
  }

  async function finish(call: ChargeCall, payable: RazorpayPayment): Promise<ChargeOutcome> {
    if (isManual(call)) return paidOf(payable, 'authorized')
    const { payment, refusal } = await capture(call, payable, call)
    if (refusal !== null) return notTaken(refusal)
    const result = seen(payment)
    if (result.kind !== 'ended') throw open('Razorpay has not said what has become of the payment.')
    return result.outcome
  }

  /** Whatever fails here has charged nothing, and never will: who has not heard of an order cannot pay it. */
  async function begin(request: ChargeRequest): Promise<ChargeOutcome> {
    const known = await orderOf(request, refusedFirst)
    if (known !== null) return awaiting(known)
    const answer = await api.createOrder(request, request)
    if (answer.ok) return awaiting(answer.value.id)
    const declined = sumRefusal(answer.refusal)
    if (declined === null) throw refusedFirst(answer.refusal, 'does not make an order')
    return declined
  }

  async function charge(request: ChargeRequest): Promise<ChargeOutcome> {
    refuseOtherMode(request)
    const { paymentId } = fieldsIn(request.payment)
    if (paymentId === null) return beforeCharging(() => begin(request))
    const found = await seeNamed(request, paymentId, true)
    if (found.kind === 'payable') return later(() => finish(request, found.payment))
    if (found.kind !== 'ended') throw open('Razorpay has not said what has become of the payment.')
    return found.outcome
  }

  async function confirm(call: ChargeCall & { payment: PaymentInput | null }): Promise<ChargeOutcome> {
    refuseOtherMode(call)
    const sent = call.payment === null ? null : fieldsIn(call.payment)
    if (sent !== null && call.confirmation === null) return NOT_VERIFIED
    // Sent alone, it was found to be of this order before (`findConfirmation`).
    const isAlone = call.payment !== null && idSentAlone(call.payment) !== null
    // A mistake of the storefront's, or a guess: nothing is known that would end what waits for the right one.
    if (sent !== null && call.confirmation !== null && !isAlone && !isProven(call.config, call.confirmation, sent))
      return { ...awaiting(call.confirmation), problems: NOT_PROVEN }
    const found = await see(call, sent?.paymentId)
    switch (found.kind) {
      case 'ended':
        return found.outcome
      case 'payable':
        return finish(call, found.payment)
      case 'unpaid':
        return awaiting(found.orderId)
      default:
        throw open('Razorpay does not show the order, or the payment, any more.')
    }
  }

  async function lookUp(call: ChargeCall): Promise<FoundOutcome> {
    const found = await see(call)
    switch (found.kind) {
      case 'ended':
        return found.outcome
      case 'payable':
        return isManual(call) ? paidOf(found.payment, 'authorized') : { kind: 'approved' }
      case 'unpaid':
        return awaiting(found.orderId)
      default:
        return { kind: 'unknown' }
    }
  }

  /**
   * There is nothing to call. What is only authorized nobody takes but `charge` and `confirm`, of which one may still be on its way, from another
   * window of the shopper's. What nobody has paid can still be paid, and accounts with direct settlement take it without us, whatever the
   * order says. So both are looked at again when that is over.
   */
  async function cancel(call: ChargeCall): ReturnType<GatewayAdapter['cancel']> {
    const found = await see(call)
    if (found.kind === 'ended') return found.outcome
    // Set aside on purpose: that is as good as paid.
    if (found.kind === 'payable' && isManual(call)) return paidOf(found.payment, 'authorized')
    if (found.kind === 'nothing') return { kind: 'cancelled' }
    const ms = found.kind === 'payable' ? ON_ITS_WAY_MS : WINDOW_IS_OPEN_MS
    return { kind: 'cancelled', payableUntil: new Date(ports.clock.now().getTime() + ms) }
  }

  async function take(request: TakeRequest): Promise<TakeOutcome> {
    const unfit = modeProblem(request)
    if (unfit !== null) return notMoved(unfit)
    const payment = await find(request, request.transactionId)
    if (payment === null) return notMoved('Razorpay knows no such payment in the account that is set up.')
    if (payment.status === 'authorized' && !isOf(payment, request))
      return notMoved('Razorpay takes all that was set aside, or nothing.')
    const ended =
      payment.status === 'authorized' ? await capture(request, payment, request) : { payment, refusal: null }
    if (ended.refusal !== null) return notMoved(notTaken(ended.refusal).message)
    if (ended.payment.isCaptured) return paidOf(ended.payment, 'charged')
    return notMoved(
      ended.payment.status === 'refunded'
        ? 'The payment is not set aside any more: its time is over, and Razorpay has given it back.'
        : 'The payment has failed.',
    )
  }

  async function refund(request: RefundRequest): Promise<RefundOutcome> {
    const { transactionId, currency, key } = request
    const unfit = unsayable(CURRENCIES, request)
    if (unfit !== null) return notMoved(unfit)
    // How long Razorpay remembers a key is not published: a refund that was made is found whenever this is asked again.
    const made = await api.listRefunds(request, transactionId, currency)
    if (!made.ok && !isUnknownId(made.refusal)) throw refusedLater(made.refusal, 'does not list refunds')
    const known = made.ok ? made.value.find((refund) => refund.key === key) : undefined
    const answer = known === undefined ? await api.refund(request) : ({ ok: true, value: known } as const)
    if (!answer.ok) {
      const { status } = answer.refusal
      if (status !== 400 && status !== 404 && status !== 422) throw refusedLater(answer.refusal, 'does not refund')
      return notMoved(refundRefusal(answer.refusal))
    }
    return answer.value.status === 'failed'
      ? notMoved('The refund has failed. Ask Razorpay why.')
      : { kind: 'refunded', transactionId: answer.value.id }
  }

  return {
    problemsOf,
    referenceOf: (payment) => fieldsIn(payment).paymentId,
    confirmationOf,
    charge,
    confirm: (call) => later(() => confirm(call)),
    lookUp: (call) => later(() => lookUp(call)),
    cancel: (call) => later(() => cancel(call)),
    take: (request) => later(() => take(request)),
    refund: (request) => later(() => refund(request)),
    stepIn: (currency) => stepOf(CURRENCIES, currency),
    story: razorpayStory(api),
  }
}

/** Of all that makes or takes something. Giving back is let through: a key reaches the payments of its own mode alone. */
function refuseOtherMode(call: GatewayCall) {
  const problem = modeProblem(call)
  if (problem !== null) throw nothingCharged(problem)
}

/** The storefront opens the window with the order, and comes back with what the window gives. */
const awaiting = (orderId: string): Extract<AwaitingShopper, { kind: 'requires_verification' }> => ({
  kind: 'requires_verification',
  param: orderId,
  confirmation: orderId,
})

const isOf = ({ sum }: RazorpayPayment, asked: Sum): boolean => sum !== null && isAsAsked(sum, asked)

/**
 * Why a payment that a storefront has named may not pay for this. One that belongs to an order belongs to what that was made for; where it was
 * made for a charge of this token that waits, it confirms that one.
 */
function misfit(call: ChargeCall, payment: RazorpayPayment, isFirst: boolean): Declined | null {
  if (payment.orderId !== null) return OF_ANOTHER_ORDER
  // We may have taken it ourselves: declined, it would be paid a second time. It is told as it is, and a person has to look at it.
  if (!isFirst && payment.isCaptured && !isOf(payment, call)) return null
  const isOld = call.begunAt.getTime() - payment.createdAt.getTime() > OLDEST_MS
  const unfit = !isOf(payment, call) ? OTHER_SUM : isOld ? TOO_OLD : null
  return unfit !== null && payment.isCaptured ? TAKEN_AND_UNFIT : unfit
}

function seen(payment: RazorpayPayment): Seen {
  const ended = (outcome: Charged | Declined): Seen => ({ kind: 'ended', outcome })
  switch (payment.status) {
    case 'authorized':
      return { kind: 'payable', payment }
    case 'captured':
      return ended(paidOf(payment, 'charged'))
    case 'refunded':
      // All of it: nothing is paid.
      return ended(GONE_BACK)
    case 'failed':
      return ended(declinedBy(payment))
    case 'created':
      return ended(NOT_COMPLETED)
    default:
      throw open('Razorpay shows the payment in a way that is not known here.')
  }
}
