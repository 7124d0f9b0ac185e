// What one call to a gateway is, what it throws, and the time that it has: ours to keep, whatever the adapter of a gateway does.

import type { Minor } from '../lib/money.ts'

/** What a merchant has set up. Fields that are not set are missing. Those that are secret are sealed, but for whoever calls the gateway. */
export type GatewayConfig = Readonly<Record<string, string>>

/** One call to a gateway. The key is ours, and was written down before: by it the outcome can be asked for later. */
export type GatewayCall = {
  readonly merchantId: number
  readonly key: string
  /** The mode of the payment: some providers have another address for each. */
  readonly isSandbox: boolean
  readonly config: GatewayConfig
  /** Fires when nobody waits any longer. */
  readonly signal: AbortSignal
}

/** How much of what. */
export type Sum = { readonly amount: Minor; readonly currency: string }

/**
 * The gateway cannot be reached, or answered with an error of its own. Its sentence says what there is to know: it has no stack, which would be
 * of our own steps and fill the log of an outage.
 */
export class GatewayUnavailable extends Error {
  override readonly name = 'GatewayUnavailable'
  /** True only when nothing can have been charged, and nothing will be. */
  readonly isNothingCharged: boolean
  /** It could not be reached, has not answered in time, or said that it is broken: the next call will hardly fare better. */
  readonly isOutage: boolean
  /** Whose failure it is, with the mode, for the log: the sentence names a host at most. */
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

export const modeNameOf = (gateway: string | null, isSandbox: boolean): string =>
  `${gateway} (${isSandbox ? 'sandbox' : 'live'})`

/** Notes at what `work` throws whose failure it is. */
export async function namingProvider<T>(
  { gateway, isSandbox }: { readonly gateway: string | null; readonly isSandbox: boolean },
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof GatewayUnavailable) error.provider ??= modeNameOf(gateway, isSandbox)
    throw error
  }
}

/** Nobody knows what has happened. */
export const open = (message: string, cause?: unknown): GatewayUnavailable =>
  new GatewayUnavailable(message, { isNothingCharged: false, cause })

/** Nothing has been charged, and nothing will be. */
export const nothingCharged = (message: string, cause?: unknown): GatewayUnavailable =>
  new GatewayUnavailable(message, { isNothingCharged: true, cause })

/** The same failure, with what it means for the charge. All but `GatewayUnavailable` is left as it is. */
export function toldAs(error: unknown, isNothingCharged: boolean): unknown {
  if (!(error instanceof GatewayUnavailable) || error.isNothingCharged === isNothingCharged) return error
  const { message, isOutage, cause } = error
  return new GatewayUnavailable(message, { isNothingCharged, isOutage, cause })
}

/** For requests that come before the one that moves money: whatever becomes of them, nothing was charged, and nothing will be. */
export const beforeCharging = <T>(work: () => Promise<T>): Promise<T> => failingAs(work, true)

/** For all requests but the first of a charge: whatever keeps one of them from getting there, says nothing of what the earlier have done. */
export const later = <T>(work: () => Promise<T>): Promise<T> => failingAs(work, false)

async function failingAs<T>(work: () => Promise<T>, isNothingCharged: boolean): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw toldAs(error, isNothingCharged)
  }
}

/**
 * Runs `work` for at most `ms`. The end does not depend on its looking at the signal: an adapter that forgets to would otherwise hold
 * the shopper, and the completer, for as long as its processor hangs.
 */
export async function within<T>(ms: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController()
  let timer: NodeJS.Timeout | undefined
  const end = new Promise<never>((_, reject) => {
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
    return await Promise.race([work(controller.signal), end])
  } finally {
    clearTimeout(timer)
  }
}
