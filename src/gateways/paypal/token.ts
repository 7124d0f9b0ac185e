// Access tokens of merchants, cached in memory for each pair of credentials and mode.
// A token is fetched again shortly before it ends. Concurrent callers share one request.

import { createHash } from 'node:crypto'
import { failAsNothingCharged, type GatewayCall, GatewayUnavailable, nothingChargedError } from '../call.ts'
import type { GatewayPorts } from '../gateway.ts'
import { objectOrEmpty } from '../provider/json.ts'

export type PaypalAccount = Pick<GatewayCall, 'config' | 'is_sandbox' | 'signal'>

export type PaypalTokens = {
  /** Throws `GatewayUnavailable` with nothing charged: no payment request was sent yet. */
  get(account: PaypalAccount): Promise<string>
  /** Forgets a rejected token, so that the next one is fetched. A newer token stays. */
  drop(account: PaypalAccount, token: string): void
  /** Asks PayPal without using the cache. False: PayPal does not know the credentials for this mode. */
  isKnown(account: PaypalAccount): Promise<boolean>
}

const HOSTS = { live: 'https://api-m.paypal.com', sandbox: 'https://api-m.sandbox.paypal.com' } as const

/** API host for each mode. */
export const hostOf = ({ is_sandbox }: Pick<PaypalAccount, 'is_sandbox'>): string =>
  is_sandbox ? HOSTS.sandbox : HOSTS.live

/** Safety margin before the end: a token must not end while a request is in flight. */
const MARGIN_MS = 60_000
/** Longer than any shopper waits. The first caller's abort does not end it, because others wait for the same token. */
const FETCH_TIMEOUT_MS = 10_000
/** Maximum number of cached tokens. Above it the oldest is dropped and fetched again. */
const MAX_TOKENS = 10_000

type CachedToken = { readonly token: string; readonly endsAt: number }

export function openPaypalTokens({
  http,
  address,
  clock,
}: Pick<GatewayPorts, 'http' | 'address' | 'clock'>): PaypalTokens {
  const cache = new Map<string, CachedToken>()
  const pendingFetches = new Map<string, Promise<CachedToken>>()

  async function fetchToken({ config, is_sandbox }: PaypalAccount, signal: AbortSignal): Promise<CachedToken | null> {
    const { client_id: id = '', client_secret: secret = '' } = config
    const request = {
      method: 'POST',
      url: `${address(hostOf({ is_sandbox }))}/v1/oauth2/token`,
      headers: {
        // Copied credentials often contain a blank.
        authorization: `Basic ${Buffer.from(`${id.trim()}:${secret.trim()}`).toString('base64')}`,
        'content-type': 'application/x-www-form-urlencoded',
      },
      body: 'grant_type=client_credentials',
      signal,
    } as const
    const { status, body } = await failAsNothingCharged(() => http(request))
    if (status === 400 || status === 401 || status === 403) return null
    const { access_token: token, expires_in: seconds } = objectOrEmpty(body)
    if (status !== 200 || typeof token !== 'string' || typeof seconds !== 'number')
      throw nothingChargedError(`PayPal gave no token: it answered with ${status}.`)
    return { token, endsAt: clock.now().getTime() + seconds * 1_000 - MARGIN_MS }
  }

  async function refresh(name: string, account: PaypalAccount): Promise<CachedToken> {
    const fetchedToken = await fetchToken(account, AbortSignal.timeout(FETCH_TIMEOUT_MS))
    if (fetchedToken === null) throw credentialsRefusedError(account)
    cache.delete(name)
    cache.set(name, fetchedToken)
    const [oldest] = cache.keys()
    if (cache.size > MAX_TOKENS && oldest !== undefined) cache.delete(oldest)
    return fetchedToken
  }

  return {
    async get(account) {
      const name = cacheKeyOf(account)
      const cachedToken = cache.get(name)
      if (cachedToken !== undefined && clock.now().getTime() < cachedToken.endsAt) return cachedToken.token
      const fetching = pendingFetches.get(name) ?? refresh(name, account).finally(() => pendingFetches.delete(name))
      pendingFetches.set(name, fetching)
      const { token } = await untilAborted(fetching, account.signal)
      return token
    },
    drop(account, token) {
      const name = cacheKeyOf(account)
      if (cache.get(name)?.token === token) cache.delete(name)
    },
    isKnown: async (account) => (await fetchToken(account, account.signal)) !== null,
  }
}

/** Cache key without the credentials themselves. */
const cacheKeyOf = ({ config: { client_id = '', client_secret = '' }, is_sandbox }: PaypalAccount): string =>
  `${is_sandbox} ${createHash('sha256')
    .update(JSON.stringify([client_id, client_secret]))
    .digest('base64')}`

export const credentialsRefusedError = ({ is_sandbox }: Pick<PaypalAccount, 'is_sandbox'>) =>
  nothingChargedError(
    `PayPal does not accept the credentials of the gateway paypal (${is_sandbox ? 'sandbox' : 'live'}). Enter them again.`,
  )

function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const rejectNow = () =>
      reject(
        new GatewayUnavailable('PayPal gave no token in time.', {
          isNothingCharged: true,
          isOutage: true,
          cause: signal.reason,
        }),
      )
    if (signal.aborted) return rejectNow()
    signal.addEventListener('abort', rejectNow, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', rejectNow))
  })
}
