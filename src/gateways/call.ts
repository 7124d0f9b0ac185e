// A call to a gateway, the errors it throws, and its deadline. We enforce the deadline here, whatever a gateway's adapter does.

import type { Minor } from '../lib/money.ts'

/** Settings of a merchant's gateway; unset fields are missing. Secrets are sealed, except in the copy that is passed to the gateway. */
export type GatewayConfig = Readonly<Record<string, string>>

/** One call to a gateway. We stored the key before the call, so that we can query the outcome by it later. */
export type GatewayCall = {
  readonly merchant_id: number
  readonly key: string
  /** Mode of the payment. Some providers have a separate URL for each. */
  readonly is_sandbox: boolean
  readonly config: GatewayConfig
  /** Fires when nobody waits for the result any longer. */
  readonly signal: AbortSignal
}

/** Amount with its currency. */
export type Money = { readonly amount: Minor; readonly currency: string }

/**
 * The gateway is unreachable or answered with an internal error. The message contains all details. A stack would only show our own code and
 * fill the log during an outage.
 */
export class GatewayUnavailable extends Error {
  override readonly name = 'GatewayUnavailable'
  /** True only if nothing was charged and nothing will be. */
  readonly isNothingCharged: boolean
  /** The gateway is unreachable, too slow or reports that it is broken. The next call will probably fail as well. */
  readonly isOutage: boolean
  /** The failing provider with its mode, for the log. The message names at most a host. */
  provider: string | null

  constructor(
    message: string,
    { isNothingCharged, isOutage = false, cause }: { isNothingCharged: boolean; isOutage?: boolean; cause?: unknown },
  ) {
    super(message, { cause })
    this.isNothingCharged = isNothingCharged
    this.isOutage = isOutage
    this.provider = cause instanceof GatewayUnavailable ? cause.provider : null
    delete this.stack
  }
}

export const modeNameOf = (gateway: string | null, is_sandbox: boolean): string =>
  `${gateway} (${is_sandbox ? 'sandbox' : 'live'})`

/** Records the failing provider in any `GatewayUnavailable` that `work` throws. */
export async function tagProviderErrors<T>(
  { gateway, is_sandbox }: { readonly gateway: string | null; readonly is_sandbox: boolean },
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof GatewayUnavailable) error.provider ??= modeNameOf(gateway, is_sandbox)
    throw error
  }
}

/** The outcome is unknown. */
export const unknownOutcomeError = (message: string, cause?: unknown): GatewayUnavailable =>
  new GatewayUnavailable(message, { isNothingCharged: false, cause })

/** Nothing was charged, and nothing will be. */
export const nothingChargedError = (message: string, cause?: unknown): GatewayUnavailable =>
  new GatewayUnavailable(message, { isNothingCharged: true, cause })

/** Returns the same failure with another meaning for the charge. Other errors are returned unchanged. */
export function withNothingCharged(error: unknown, isNothingCharged: boolean): unknown {
  if (!(error instanceof GatewayUnavailable) || error.isNothingCharged === isNothingCharged) return error
  const { message, isOutage, cause } = error
  return new GatewayUnavailable(message, { isNothingCharged, isOutage, cause })
}

/** For requests before the one that moves money: if one fails, nothing was charged and nothing will be. */
export const failAsNothingCharged = <T>(work: () => Promise<T>): Promise<T> => rethrowAs(work, true)

/** For every request of a charge after the first: its failure does not say what the earlier requests have done. */
export const failAsUnknownOutcome = <T>(work: () => Promise<T>): Promise<T> => rethrowAs(work, false)

async function rethrowAs<T>(work: () => Promise<T>, isNothingCharged: boolean): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw withNothingCharged(error, isNothingCharged)
  }
}

/**
 * Runs `work` for at most `ms`, even if it ignores the signal. Otherwise a hanging processor could block the shopper and the completer
 * through a careless adapter.
 */
export async function withDeadline<T>(ms: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController()
  let timer: NodeJS.Timeout | undefined
  const deadline = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      const error = new GatewayUnavailable('The gateway has not answered in time.', {
        isNothingCharged: false,
        isOutage: true,
      })
      controller.abort(error)
      reject(error)
    }, ms)
  })
  try {
    return await Promise.race([work(controller.signal), deadline])
  } finally {
    clearTimeout(timer)
  }
}
