// The time that every call to a gateway has: ours to keep, whatever the adapter of a gateway does.

import { GatewayUnavailable } from './gateway.ts'

/**
 * Runs `work` for at most `ms`. The end does not depend on its looking at the signal: an adapter that forgets to would otherwise hold
 * the shopper, and the completer, for as long as its processor hangs.
 */
export async function within<T>(ms: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController()
  let timer: NodeJS.Timeout | undefined
  const end = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      const error = new GatewayUnavailable('The gateway has not answered in time.', { isNothingCharged: false })
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
