// The one way by which money is moved at a gateway once that is decided. What is about to be asked is noted, together with what will end it
// should this process die; the gateway is asked with no transaction open, within one deadline; its answer is recorded. A charge is noted as
// a capture's attempt, which the completer ends (../capture). A take, a refund or a release is noted at its order with a job, which ends it.
// Each has a key of its own at the gateway: asked twice, it is done once.

import {
  type GatewayCall,
  type GatewayConfig,
  GatewayUnavailable,
  namingProvider,
  within,
} from '../../gateways/call.ts'
import {
  type Cancelled,
  type ChargeCall,
  type ChargeOutcome,
  type ChargeRequest,
  type Declined,
  type FoundOutcome,
  type GatewayAdapter,
  isUndecided,
  type RefundOutcome,
  type RefundRequest,
  type TakeOutcome,
  type TakeRequest,
} from '../../gateways/gateway.ts'
import { ProviderLeftAlone } from '../../gateways/provider/breaker.ts'
import { hasAnswered } from '../../gateways/provider/client.ts'
import { asAsked } from '../../gateways/provider/payment.ts'
import type { PaymentStanding, ProviderStory, StandingQuestion } from '../../gateways/provider/story.ts'
import type { Context, Services } from '../../http/endpoint/endpoint.ts'
import { ApiError, gatewayTimeout } from '../../lib/errors.ts'
import { hasChangedAccount, providerOf } from '../payment-methods/account.ts'
import { findKeptMethod } from '../payment-methods/store.ts'

/** A charge or a refund in the books of its gateway. */
export type GatewayEntry = {
  readonly merchantId: number
  /** Ours, and written down before the gateway hears of it. */
  readonly key: string
  readonly isSandbox: boolean
  readonly gateway: string | null
  readonly methodId: string | null
  /** Kept with the payment: the method may have changed since, or be gone. */
  readonly isSimulated: boolean
  /** As it is stored, where the caller has it; otherwise that of the method is read. It is opened for the call. */
  readonly config?: GatewayConfig
}

/** A take or a refund, and when it was noted. */
export type MovementEntry = GatewayEntry & Pick<ChargeCall, 'begunAt'>

/** A charge, with all that was written down of it. */
export type ChargeEntry = GatewayEntry &
  Pick<ChargeCall, 'amount' | 'currency' | 'begunAt' | 'confirmation' | 'reference'>

/** Nobody knows what the gateway has done. It is asked again, under the same key. */
export type OpenAnswer = { readonly kind: 'open'; readonly cause: unknown }

/** `failed`: nothing was charged, and nothing will be. */
export type ChargeAnswer = ChargeOutcome | { readonly kind: 'failed'; readonly cause: unknown } | OpenAnswer

type GatewayContext = Pick<Services, 'db' | 'payments'>

/** What a request, or a job, moves the money of an order with. */
export type PaymentContext = Pick<Context, 'db' | 'clock' | 'payments' | 'signal'>

/** A request that moves the money of an order. */
export type PaymentRequest = PaymentContext & Pick<Context, 'caller' | 'origin' | 'lastingOrigin' | 'signingSecret'>

/** How long we wait for an answer that moves no money. */
const LOOK_UP_MS = 5_000
/** No gateway answers in less; and a timer may end a moment early. */
const LEAST_LOOK_UP_MS = 5

/**
 * The deadline of all that moves money: two thirds of the time after which somebody else sees to it, so that the two do not ask at once.
 * `begunAt`: when it was noted, by `performance.now()`.
 */
const timeLeft = ({ payments }: GatewayContext, begunAt: number): number =>
  (payments.settleAfterMs * 2) / 3 - (performance.now() - begunAt)

/**
 * Charges, or goes on with a charge that waited for the shopper. Throws nothing that a gateway throws. The request's signal does not end
 * it: a charge is not left halfway because the answer takes long.
 */
export async function askCharge(
  { db, payments }: GatewayContext,
  entry: ChargeEntry,
  begunAt: number,
  work: ChargeWork<ChargeOutcome>,
): Promise<ChargeAnswer> {
  const context = { db, payments }
  const whole = await withConfig(context, entry)
  const answer = await ask(context, whole, ofCharge(entry, work), begunAt)
  if (answer.kind !== 'open') return answer
  if (answer.cause instanceof GatewayUnavailable && answer.cause.isNothingCharged)
    return { kind: 'failed', cause: answer.cause }
  // A gateway that breaks off has often done what was asked, and can say so at once.
  const left = timeLeft(context, begunAt)
  const found = left < LEAST_LOOK_UP_MS ? null : await lookUp(context, whole, left).catch(() => null)
  return found === null || isUndecided(found) ? answer : found
}

/** Not from the config, nor from the moment: a provider that remembers a key with its request must hear the same again. */
const chargeDetails = ({ key, amount, currency, begunAt, confirmation, reference }: ChargeEntry) => ({
  amount,
  currency,
  // Not the token's id: whoever knows that may act on the checkout.
  description: `Payment ${key}`,
  begunAt,
  confirmation,
  reference,
})

/** A call about a charge: with all that was written down of it, and an outcome that is of the sum that was asked for. */
const ofCharge =
  <Outcome extends FoundOutcome | Cancelled>(entry: ChargeEntry, work: ChargeWork<Outcome>): GatewayWork<Outcome> =>
  async (charging, call) =>
    asAsked(await work(charging, { ...call, ...chargeDetails(entry) }), entry)

/** Looks up a charge at its gateway. Throws what the gateway throws, also when it confirms another sum. */
export const lookUp = ({ db, payments }: GatewayContext, entry: ChargeEntry, ms = LOOK_UP_MS): Promise<FoundOutcome> =>
  callGateway({ db, payments }, entry, Math.min(ms, LOOK_UP_MS), ofCharge(entry, lookUpCharge))

const lookUpCharge: ChargeWork<FoundOutcome> = (charging, call) => charging.lookUp(call)

/** The same for a charge that was given up: money of any sum goes back. */
export const lookUpAnySum = ({ db, payments }: GatewayContext, entry: ChargeEntry): Promise<FoundOutcome> =>
  callGateway({ db, payments }, entry, LOOK_UP_MS, (to, call) => to.lookUp({ ...call, ...chargeDetails(entry) }))

/** Gives up a charge that is waiting or unknown. Throws what the gateway throws. */
export async function askCancel({ db, payments }: GatewayContext, entry: ChargeEntry) {
  const context = { db, payments }
  await refuseIfElsewhere(context, entry)
  const cancel = ofCharge<Cancelled | ChargeOutcome>(entry, (charging, call) => charging.cancel(call))
  return callGateway(context, entry, LOOK_UP_MS, cancel)
}

/** Throws where the payment may be at the account that was set up before: what this one says of it decides nothing. */
async function refuseIfElsewhere(context: GatewayContext, entry: ChargeEntry): Promise<void> {
  if ((await hasChangedAccount(context.db, entry)) && (await lookUp(context, entry)).kind === 'unknown')
    throw accountChanged(entry)
}

const accountChanged = ({ gateway }: GatewayEntry) =>
  new GatewayUnavailable(
    `The credentials of ${gateway} were replaced after the payment was begun, and the account that they are of does not know it.`,
    { isNothingCharged: false },
  )

/** Goes on with a charge: its shopper is back with a payment, or has agreed at the provider, and there is none. */
export async function askConfirm(
  context: GatewayContext,
  entry: ChargeEntry,
  begunAt: number,
  payment: ChargeRequest['payment'] | null,
): Promise<ChargeAnswer> {
  const answer = await askCharge(context, entry, begunAt, (charging, call) => {
    if (charging.confirm === undefined) throw new Error(`${entry.gateway} cannot confirm a charge.`)
    return charging.confirm({ ...call, payment })
  })
  // What the shopper has agreed to is not called off because nobody was asked: it is taken when the provider is back.
  if (answer.kind === 'failed' && answer.cause instanceof ProviderLeftAlone) return { ...answer, kind: 'open' }
  if (answer.kind !== 'declined') return answer
  return refuseIfElsewhere(context, entry).then(
    () => answer,
    (cause: unknown): OpenAnswer => ({ kind: 'open', cause }),
  )
}

/** What a request says beside the call itself. */
type Details<Request> = Omit<Request, keyof GatewayCall>

type AbortableContext = GatewayContext & { readonly signal?: AbortSignal | undefined }

export const askTake = (
  context: AbortableContext,
  entry: MovementEntry,
  details: Details<TakeRequest>,
): Promise<TakeOutcome | OpenAnswer> =>
  ask(context, entry, (charging, request) => {
    if (charging.take === undefined) throw notKnown(entry)
    return charging.take({ ...request, ...details })
  })
    .then((answer) => openIfElsewhere(context, entry, details, answer))
    .then(declinedIfGone)

/** `entry` is the refund; the details name the charge. */
export const askRefund = (
  context: AbortableContext,
  entry: MovementEntry,
  details: Details<RefundRequest>,
): Promise<RefundOutcome | OpenAnswer> =>
  ask(context, entry, (charging, request) => charging.refund({ ...request, ...details }))
    .then((answer) => openIfElsewhere(context, entry, details, answer))
    .then(declinedIfGone)

/** What an account refuses that does not know the payment may have been done at the one that was set up before. */
async function openIfElsewhere<Outcome extends { readonly kind: string }>(
  context: AbortableContext,
  entry: MovementEntry,
  payment: Parameters<typeof askStanding>[2],
  answer: Outcome | OpenAnswer,
): Promise<Outcome | OpenAnswer> {
  if (answer.kind !== 'declined') return answer
  try {
    if (await hasChangedAccount(context.db, entry)) await askStanding(context, entry, payment)
    return answer
  } catch (cause) {
    const isRefused = cause instanceof GatewayUnavailable && !cause.isOutage && !(cause instanceof ProviderLeftAlone)
    return { kind: 'open', cause: isRefused ? accountChanged(entry) : cause }
  }
}

/** A gateway that cannot be told to lets go by itself after some days. */
export const askRelease = (
  context: AbortableContext,
  entry: GatewayEntry,
  transactionId: string,
): Promise<{ kind: 'released' } | Declined | OpenAnswer> =>
  ask(
    context,
    entry,
    async ({ release }, request) => (await release?.({ ...request, transactionId })) ?? { kind: 'released' },
  )

/** What a provider says when nobody waits for it. Moves no money. Throws what the gateway throws. */
export const askStory = <Told>(
  context: AbortableContext,
  entry: GatewayEntry,
  work: (story: ProviderStory, call: GatewayCall) => Promise<Told>,
): Promise<Told> => {
  const ask = ({ story }: GatewayAdapter, call: GatewayCall) => {
    if (story === undefined) throw notKnown(entry)
    return work(story, call)
  }
  return callGateway(context, entry, LOOK_UP_MS, ask, 'runAside')
}

/** How a payment stands at its provider. */
export const askStanding = (
  context: AbortableContext,
  entry: GatewayEntry,
  details: Details<StandingQuestion>,
): Promise<PaymentStanding> => askStory(context, entry, (story, call) => story.standingOf({ ...call, ...details }))

/** For a job: throws what has kept the gateway from answering, and so is tried again later. */
export function throwIfOpen<Outcome extends { readonly kind: string }>(
  answer: Outcome | OpenAnswer,
): asserts answer is Exclude<Outcome, OpenAnswer> {
  if (isOpen(answer)) throw answer.cause
}

export const isOpen = (answer: { readonly kind: string }): answer is OpenAnswer => answer.kind === 'open'

/** Throws nothing: whatever the gateway throws, and its silence too, leave it open what it has done. */
async function ask<Outcome>(
  context: AbortableContext,
  entry: GatewayEntry,
  work: GatewayWork<Outcome>,
  begunAt = performance.now(),
): Promise<Outcome | OpenAnswer> {
  try {
    const left = timeLeft(context, begunAt)
    if (left < 1) throw new Error('Too late to ask the gateway.')
    return await callGateway(context, entry, left, work)
  } catch (cause) {
    return { kind: 'open', cause }
  }
}

type GatewayWork<Outcome> = (charging: GatewayAdapter, call: GatewayCall) => Promise<Outcome>
type ChargeWork<Outcome> = (charging: GatewayAdapter, call: ChargeCall) => Promise<Outcome>

/** Throws what the gateway throws, and when it takes too long. */
const callGateway = <Outcome>(...asked: Parameters<typeof callOpened<Outcome>>): Promise<Outcome> =>
  namingProvider(asked[1], () => callOpened(...asked))

async function callOpened<Outcome>(
  context: AbortableContext,
  entry: GatewayEntry,
  ms: number,
  work: GatewayWork<Outcome>,
  run: 'run' | 'runAside' = 'run',
): Promise<Outcome> {
  const { merchantId, key, gateway, isSandbox, isSimulated } = entry
  const charging = context.payments.charging(gateway ?? '', isSimulated)
  if (charging === undefined) throw notKnown(entry)
  const kept = await configOf(context, entry)
  if (kept === null) throw new GatewayGone(entry)
  const config = await context.payments.credentials.open(entry, kept)
  let asked: AbortSignal | undefined
  const call = () =>
    within(ms, (deadline) => {
      const signal = context.signal === undefined ? deadline : AbortSignal.any([context.signal, deadline])
      asked = signal
      return work(charging, { merchantId, key, isSandbox, config, signal })
    })
  const provider = providerOf(entry)
  if (provider === null) return call()
  const { breaker, accountPlaces } = context.payments
  // Some know without asking: of a payment that has no name at PayPal yet there is nothing to look up.
  const isUp = () => asked !== undefined && hasAnswered(asked)
  const guarded = () => breaker[run](provider, call, isUp)
  // The place first: to wait for one is no answer of the provider's.
  return accountPlaces === undefined ? guarded() : accountPlaces.run(provider, guarded)
}

/** Null where it is gone with the credentials that the gateway cannot be asked without. */
async function configOf({ db }: GatewayContext, entry: GatewayEntry): Promise<GatewayConfig | null> {
  const { merchantId, methodId, config } = entry
  if (config !== undefined) return config
  const method = methodId === null ? null : await findKeptMethod(db, { merchantId }, methodId)
  return method?.config ?? (providerOf(entry) === null ? {} : null)
}

/** The merchant has deleted it long ago. */
export class GatewayGone extends GatewayUnavailable {
  constructor({ gateway }: GatewayEntry) {
    super(`The gateway ${gateway} was deleted, and its credentials with it.`, { isNothingCharged: false })
  }
}

/** What would be asked for again and again to no avail: the merchant does it at the provider. */
const declinedIfGone = <Outcome extends { readonly kind: string }>(
  answer: Outcome | OpenAnswer,
): Outcome | OpenAnswer | Pick<Declined, 'kind' | 'message'> =>
  isOpen(answer) && answer.cause instanceof GatewayGone
    ? { kind: 'declined', message: `${answer.cause.message} Do it at the provider itself.` }
    : answer

/** The entry with the config of its method, for whoever must not begin before that could be read. */
export async function withConfig<Entry extends GatewayEntry>(context: GatewayContext, entry: Entry): Promise<Entry> {
  const config = await configOf(context, entry)
  return config === null ? entry : { ...entry, config }
}

/** A newer release, which knows the gateway, will settle it. */
const notKnown = ({ gateway }: GatewayEntry) =>
  new GatewayUnavailable(`${gateway} is not known here.`, { isNothingCharged: false })

/** With its cause, which is logged. An outage of ours, as a database without a free connection, is told as that, not as the gateway's. */
export const notAnswered = ({ cause }: Pick<OpenAnswer, 'cause'>, retryAfterSeconds: number): ApiError =>
  cause instanceof ApiError ? cause : Object.assign(gatewayTimeout(retryAfterSeconds), { cause })
