// The only way to move money at a gateway, once the movement is decided.
// The planned call is recorded first, together with the task that ends it if this process dies. The gateway is then called with no
// transaction open and within one deadline. Its answer is recorded last.
// A charge is recorded as the attempt of a capture, which the completer ends (../capture). A take of held money, a refund or a release is
// recorded at its order with a job, which ends it.
// Each has its own idempotency key at the gateway, so that a repeated call takes effect once.

import { type GatewayCall, GatewayUnavailable } from '../../gateways/call.ts'
import {
  type CancelledOutcome,
  type ChargeCall,
  type ChargeOutcome,
  type ChargeRequest,
  type DeclinedOutcome,
  type GatewayAdapter,
  isUndecided,
  type LookupOutcome,
  type RefundOutcome,
  type RefundRequest,
  type TakeOutcome,
  type TakeRequest,
} from '../../gateways/gateway.ts'
import { ProviderPaused } from '../../gateways/provider/breaker.ts'
import type { PaymentStateQuery, ProviderHistory, ProviderPaymentState } from '../../gateways/provider/history.ts'
import { requireExpectedSum } from '../../gateways/provider/payment.ts'
import type { Context } from '../../http/endpoint/endpoint.ts'
import { hasChangedAccount } from '../payment-methods/account.ts'
import {
  type AbortableContext,
  type ChargeWork,
  callGateway,
  declinedIfGone,
  type GatewayContext,
  type GatewayEntry,
  type GatewayWork,
  timeLeft,
  tryCall,
  type UndecidedAnswer,
  unknownGateway,
  withStoredConfig,
} from './call-gateway.ts'

/** A take or a refund, and when it was recorded. */
export type MovementEntry = GatewayEntry & Pick<ChargeCall, 'begunAt'>

/** A charge, with everything that was recorded about it. */
export type ChargeEntry = GatewayEntry &
  Pick<ChargeCall, 'amount' | 'currency' | 'begunAt' | 'confirmation' | 'reference'>

/** `failed`: nothing was charged, and nothing will be. */
export type ChargeAnswer = ChargeOutcome | { readonly kind: 'failed'; readonly cause: unknown } | UndecidedAnswer

/** Context in which a request or a job moves the money of an order. */
export type PaymentContext = Pick<Context, 'db' | 'clock' | 'payments' | 'signal'>

/** A request that moves the money of an order. */
export type PaymentRequest = PaymentContext & Pick<Context, 'caller' | 'origin' | 'lastingOrigin' | 'signingSecret'>

/** Timeout of a call that moves no money. */
const LOOK_UP_MS = 5_000
/** No gateway answers in less time, and a timer may fire slightly early. */
const LEAST_LOOK_UP_MS = 5

/**
 * Charges, or resumes a charge that waited for the shopper. Never throws an error of the gateway.
 * The request's signal does not abort it: a slow answer must not leave a charge half done.
 */
export async function requestCharge(
  { db, payments }: GatewayContext,
  entry: ChargeEntry,
  begunAt: number,
  work: ChargeWork<ChargeOutcome>,
): Promise<ChargeAnswer> {
  const context = { db, payments }
  const fullEntry = await withStoredConfig(context, entry)
  const answer = await tryCall(context, fullEntry, workOnCharge(entry, work), begunAt)
  if (answer.kind !== 'open') return answer
  if (answer.cause instanceof GatewayUnavailable && answer.cause.isNothingCharged)
    return { kind: 'failed', cause: answer.cause }
  // A gateway that breaks off has often done the work, and a lookup can tell at once.
  const msLeft = timeLeft(context, begunAt)
  const outcome = msLeft < LEAST_LOOK_UP_MS ? null : await lookUpPayment(context, fullEntry, msLeft).catch(() => null)
  return outcome === null || isUndecided(outcome) ? answer : outcome
}

/** Uses neither the config nor the current time. A provider that stores a key with its request must get the same request again. */
const chargeDetails = ({ key, amount, currency, begunAt, confirmation, reference }: ChargeEntry) => ({
  amount,
  currency,
  // Not the token's id, because anybody who knows it can act on the checkout.
  description: `Payment ${key}`,
  begunAt,
  confirmation,
  reference,
})

/** A call about a charge. It passes everything that was recorded, and checks that the outcome is of the requested amount. */
const workOnCharge =
  <Outcome extends LookupOutcome | CancelledOutcome>(
    entry: ChargeEntry,
    work: ChargeWork<Outcome>,
  ): GatewayWork<Outcome> =>
  async (adapter, call) =>
    requireExpectedSum(await work(adapter, { ...call, ...chargeDetails(entry) }), entry)

/** Looks up a charge at its gateway. Throws the gateway's errors, also if it confirms another amount. */
export const lookUpPayment = (
  { db, payments }: GatewayContext,
  entry: ChargeEntry,
  ms = LOOK_UP_MS,
): Promise<LookupOutcome> =>
  callGateway({ db, payments }, entry, Math.min(ms, LOOK_UP_MS), workOnCharge(entry, lookUpCharge))

const lookUpCharge: ChargeWork<LookupOutcome> = (adapter, call) => adapter.lookUp(call)

/** Looks up a charge that was given up: money of any amount is refunded. */
export const lookUpPaymentOfAnySum = ({ db, payments }: GatewayContext, entry: ChargeEntry): Promise<LookupOutcome> =>
  callGateway({ db, payments }, entry, LOOK_UP_MS, (to, call) => to.lookUp({ ...call, ...chargeDetails(entry) }))

/** Cancels a charge that is waiting or unknown. Throws the gateway's errors. */
export async function requestChargeCancel({ db, payments }: GatewayContext, entry: ChargeEntry) {
  const context = { db, payments }
  await refuseIfElsewhere(context, entry)
  const cancel = workOnCharge<CancelledOutcome | ChargeOutcome>(entry, (adapter, call) => adapter.cancel(call))
  return callGateway(context, entry, LOOK_UP_MS, cancel)
}

/** Throws if the payment may be at the account that was configured before. The current account then cannot decide about it. */
async function refuseIfElsewhere(context: GatewayContext, entry: ChargeEntry): Promise<void> {
  if ((await hasChangedAccount(context.db, entry)) && (await lookUpPayment(context, entry)).kind === 'unknown')
    throw accountChanged(entry)
}

const accountChanged = ({ gateway }: GatewayEntry) =>
  new GatewayUnavailable(
    `The credentials of ${gateway} were replaced after this payment began, and the new account does not have it.`,
    { isNothingCharged: false },
  )

/** Resumes a charge after its shopper has returned. `payment` is null if the shopper has agreed at the provider instead. */
export async function requestChargeConfirmation(
  context: GatewayContext,
  entry: ChargeEntry,
  begunAt: number,
  payment: ChargeRequest['payment'] | null,
): Promise<ChargeAnswer> {
  const answer = await requestCharge(context, entry, begunAt, (adapter, call) => {
    if (adapter.confirm === undefined) throw new Error(`${entry.gateway} cannot confirm a charge.`)
    return adapter.confirm({ ...call, payment })
  })
  // A charge that the shopper agreed to is not cancelled because the provider was not called. It is made when the provider is back.
  if (answer.kind === 'failed' && answer.cause instanceof ProviderPaused) return { ...answer, kind: 'open' }
  if (answer.kind !== 'declined') return answer
  return refuseIfElsewhere(context, entry).then(
    () => answer,
    (cause: unknown): UndecidedAnswer => ({ kind: 'open', cause }),
  )
}

/** Fields of a request without those of the call itself. */
type Details<Request> = Omit<Request, keyof GatewayCall>

export const requestTake = (
  context: AbortableContext,
  entry: MovementEntry,
  details: Details<TakeRequest>,
): Promise<TakeOutcome | UndecidedAnswer> =>
  tryCall(context, entry, (adapter, request) => {
    if (adapter.take === undefined) throw unknownGateway(entry)
    return adapter.take({ ...request, ...details })
  })
    .then((answer) => openIfElsewhere(context, entry, details, answer))
    .then(declinedIfGone)

/** `entry` is the refund; the details name the charge. */
export const requestRefund = (
  context: AbortableContext,
  entry: MovementEntry,
  details: Details<RefundRequest>,
): Promise<RefundOutcome | UndecidedAnswer> =>
  tryCall(context, entry, (adapter, request) => adapter.refund({ ...request, ...details }))
    .then((answer) => openIfElsewhere(context, entry, details, answer))
    .then(declinedIfGone)

/**
 * An account that does not know the payment refuses the call. The outcome stays open then, because the account configured before may have
 * made it.
 */
async function openIfElsewhere<Outcome extends { readonly kind: string }>(
  context: AbortableContext,
  entry: MovementEntry,
  payment: Parameters<typeof readPaymentState>[2],
  answer: Outcome | UndecidedAnswer,
): Promise<Outcome | UndecidedAnswer> {
  if (answer.kind !== 'declined') return answer
  try {
    if (await hasChangedAccount(context.db, entry)) await readPaymentState(context, entry, payment)
    return answer
  } catch (cause) {
    const isRefused = cause instanceof GatewayUnavailable && !cause.isOutage && !(cause instanceof ProviderPaused)
    return { kind: 'open', cause: isRefused ? accountChanged(entry) : cause }
  }
}

/** A gateway without a release call lets go of the money by itself after some days. */
export const requestRelease = (
  context: AbortableContext,
  entry: GatewayEntry,
  transactionId: string,
): Promise<{ kind: 'released' } | DeclinedOutcome | UndecidedAnswer> =>
  tryCall(
    context,
    entry,
    async ({ release }, request) => (await release?.({ ...request, transactionId })) ?? { kind: 'released' },
  )

/** Reads the state of a payment from its provider while nobody waits for it. Moves no money. Throws the gateway's errors. */
export const readProviderHistory = <Told>(
  context: AbortableContext,
  entry: GatewayEntry,
  work: (history: ProviderHistory, call: GatewayCall) => Promise<Told>,
): Promise<Told> => {
  const readHistory = ({ history }: GatewayAdapter, call: GatewayCall) => {
    if (history === undefined) throw unknownGateway(entry)
    return work(history, call)
  }
  return callGateway(context, entry, LOOK_UP_MS, readHistory, 'runUnrecorded')
}

/** State of a payment at its provider. */
export const readPaymentState = (
  context: AbortableContext,
  entry: GatewayEntry,
  details: Details<PaymentStateQuery>,
): Promise<ProviderPaymentState> =>
  readProviderHistory(context, entry, (history, call) => history.getPaymentState({ ...call, ...details }))
