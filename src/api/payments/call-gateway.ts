// Calls a gateway within one deadline: its stored credentials, a slot for its provider, and the breaker. calls.ts has a function for each kind of call.

import {
  type GatewayCall,
  type GatewayConfig,
  GatewayUnavailable,
  tagProviderErrors,
  withDeadline,
} from '../../gateways/call.ts'
import type { ChargeCall, DeclinedOutcome, GatewayAdapter } from '../../gateways/gateway.ts'
import { hasAnswered } from '../../gateways/provider/client.ts'
import type { Services } from '../../http/endpoint/endpoint.ts'
import { ApiError, gatewayTimeout } from '../../lib/errors.ts'
import { outageKeyOf } from '../payment-methods/account.ts'
import { findMethodOrDeleted } from '../payment-methods/store.ts'

/** A charge or a refund as its gateway knows it. */
export type GatewayEntry = {
  readonly merchant_id: number
  /** Our idempotency key, stored before the gateway is called. */
  readonly key: string
  readonly is_sandbox: boolean
  readonly gateway: string | null
  readonly methodId: string | null
  /** Stored with the payment, because the method may have changed since or have been deleted. */
  readonly isSimulated: boolean
  /** The stored config, if the caller has it; otherwise the config of the method is read. It is decrypted for the call. */
  readonly config?: GatewayConfig
}

/** The outcome at the gateway is unknown. The gateway is called again with the same key. */
export type UndecidedAnswer = { readonly kind: 'open'; readonly cause: unknown }

export type GatewayContext = Pick<Services, 'db' | 'payments'>
export type AbortableContext = GatewayContext & { readonly signal?: AbortSignal | undefined }

export type GatewayWork<Outcome> = (adapter: GatewayAdapter, call: GatewayCall) => Promise<Outcome>
export type ChargeWork<Outcome> = (adapter: GatewayAdapter, call: ChargeCall) => Promise<Outcome>

/**
 * Time left for a call that moves money. The deadline is two thirds of the time after which another process takes over, so that the two do
 * not call at once.
 * `begunAt`: when the call was recorded, by `performance.now()`.
 */
export const timeLeft = ({ payments }: GatewayContext, begunAt: number): number =>
  (payments.settleAfterMs * 2) / 3 - (performance.now() - begunAt)

/** Never throws: an error or a timeout of the gateway leaves the outcome open. */
export async function tryCall<Outcome>(
  context: AbortableContext,
  entry: GatewayEntry,
  work: GatewayWork<Outcome>,
  begunAt = performance.now(),
): Promise<Outcome | UndecidedAnswer> {
  try {
    const msLeft = timeLeft(context, begunAt)
    if (msLeft < 1) throw new Error('No time is left to call the gateway.')
    return await callGateway(context, entry, msLeft, work)
  } catch (cause) {
    return { kind: 'open', cause }
  }
}

/** Throws the gateway's errors, and a timeout. */
export const callGateway = <Outcome>(...callArguments: Parameters<typeof callOpened<Outcome>>): Promise<Outcome> =>
  tagProviderErrors(callArguments[1], () => callOpened(...callArguments))

async function callOpened<Outcome>(
  context: AbortableContext,
  entry: GatewayEntry,
  ms: number,
  work: GatewayWork<Outcome>,
  run: 'run' | 'runUnrecorded' = 'run',
): Promise<Outcome> {
  const { merchant_id, key, gateway, is_sandbox, isSimulated } = entry
  const adapter = context.payments.findAdapter(gateway ?? '', isSimulated)
  if (adapter === undefined) throw unknownGateway(entry)
  const storedConfig = await configOf(context, entry)
  if (storedConfig === null) throw new GatewayDeleted(entry)
  const config = await context.payments.credentials.open(entry, storedConfig)
  let callSignal: AbortSignal | undefined
  const call = () =>
    withDeadline(ms, (deadline) => {
      const signal = context.signal === undefined ? deadline : AbortSignal.any([context.signal, deadline])
      callSignal = signal
      return work(adapter, { merchant_id, key, is_sandbox, config, signal })
    })
  const provider = outageKeyOf(entry)
  if (provider === null) return call()
  const { breaker, accountSlots } = context.payments
  // Some calls make no request: a payment without an id at PayPal cannot be looked up there. They say nothing about the provider.
  const isUp = () => callSignal !== undefined && hasAnswered(callSignal)
  const callWithBreaker = () => breaker[run](provider, call, isUp)
  // Takes a slot first, because waiting for one says nothing about the provider.
  return accountSlots === undefined ? callWithBreaker() : accountSlots.run(provider, callWithBreaker)
}

/** Null if it was deleted together with the credentials that the gateway needs. */
async function configOf({ db }: GatewayContext, entry: GatewayEntry): Promise<GatewayConfig | null> {
  const { merchant_id, methodId, config } = entry
  if (config !== undefined) return config
  const method = methodId === null ? null : await findMethodOrDeleted(db, { merchant_id }, methodId)
  return method?.config ?? (outageKeyOf(entry) === null ? {} : null)
}

/** The merchant has deleted the gateway. */
export class GatewayDeleted extends GatewayUnavailable {
  constructor({ gateway }: GatewayEntry) {
    super(`The gateway ${gateway} was deleted together with its credentials.`, { isNothingCharged: false })
  }
}

/** Retries would never succeed, so the merchant has to do it at the provider. */
export const declinedIfGone = <Outcome extends { readonly kind: string }>(
  answer: Outcome | UndecidedAnswer,
): Outcome | UndecidedAnswer | Pick<DeclinedOutcome, 'kind' | 'message'> =>
  isUndecidedAnswer(answer) && answer.cause instanceof GatewayDeleted
    ? { kind: 'declined', message: `${answer.cause.message} Do it in the provider's dashboard.` }
    : answer

/** The entry with the config of its method, for callers that must not begin before it is read. */
export async function withStoredConfig<Entry extends GatewayEntry>(
  context: GatewayContext,
  entry: Entry,
): Promise<Entry> {
  const config = await configOf(context, entry)
  return config === null ? entry : { ...entry, config }
}

/** A newer release, which knows the gateway, will settle it. */
export const unknownGateway = ({ gateway }: GatewayEntry) =>
  new GatewayUnavailable(`This release does not support the gateway ${gateway}.`, { isNothingCharged: false })

/**
 * Keeps the cause, which is logged. An outage of this server, such as a database without a free connection, is not reported as the
 * gateway's.
 */
export const toTimeoutError = ({ cause }: Pick<UndecidedAnswer, 'cause'>, retryAfterSeconds: number): ApiError =>
  cause instanceof ApiError ? cause : Object.assign(gatewayTimeout(retryAfterSeconds), { cause })

export const isUndecidedAnswer = (answer: { readonly kind: string }): answer is UndecidedAnswer =>
  answer.kind === 'open'

/** For jobs: throws the error that left the answer open, so that the job is retried. */
export function throwIfUndecided<Outcome extends { readonly kind: string }>(
  answer: Outcome | UndecidedAnswer,
): asserts answer is Exclude<Outcome, UndecidedAnswer> {
  if (isUndecidedAnswer(answer)) throw answer.cause
}
