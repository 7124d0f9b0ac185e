// The tokens by which requests are known as a merchant's: one for each pair of credentials and mode, kept in memory until shortly before its
// end, and fetched by one request at a time however many wait for it.

import { createHash } from 'node:crypto'
import { beforeCharging, type GatewayCall, GatewayUnavailable, nothingCharged } from '../call.ts'
import type { GatewayPorts } from '../gateway.ts'
import { objectOf } from '../provider/json.ts'

export type Account = Pick<GatewayCall, 'config' | 'isSandbox' | 'signal'>

export type Tokens = {
  /** Throws `GatewayUnavailable`: nothing has been asked yet, and so nothing charged. */
  of(account: Account): Promise<string>
  /** It was refused: the next one is fetched. One that others have fetched since stays. */
  drop(account: Account, token: string): void
  /** Asks PayPal, whatever is kept, and keeps nothing. False: it does not know the credentials there. */
  isKnown(account: Account): Promise<boolean>
}

const HOSTS = { live: 'https://api-m.paypal.com', sandbox: 'https://api-m.sandbox.paypal.com' } as const

/** Where the API is, for each mode. */
export const hostOf = ({ isSandbox }: Pick<Account, 'isSandbox'>): string => (isSandbox ? HOSTS.sandbox : HOSTS.live)

/** Before its end: a request must not be on its way when it comes. */
const MARGIN_MS = 60_000
/** Longer than any shopper waits. It is not ended with the request that began it: others wait for the same token. */
const LONGEST_MS = 10_000
/** Of merchants. More than that, and the oldest is fetched again. */
const MOST = 10_000

type Kept = { readonly token: string; readonly endsAt: number }

export function openTokens({ http, address, clock }: Pick<GatewayPorts, 'http' | 'address' | 'clock'>): Tokens {
  const kept = new Map<string, Kept>()
  const coming = new Map<string, Promise<Kept>>()

  async function fetchToken({ config, isSandbox }: Account, signal: AbortSignal): Promise<Kept | null> {
    const { client_id: id = '', client_secret: secret = '' } = config
    const request = {
      method: 'POST',
      url: `${address(hostOf({ isSandbox }))}/v1/oauth2/token`,
      headers: {
        // Whoever copies them often copies a blank too.
        authorization: `Basic ${Buffer.from(`${id.trim()}:${secret.trim()}`).toString('base64')}`,
        'content-type': 'application/x-www-form-urlencoded',
      },
      body: 'grant_type=client_credentials',
      signal,
    } as const
    const { status, body } = await beforeCharging(() => http(request))
    if (status === 400 || status === 401 || status === 403) return null
    const { access_token: token, expires_in: seconds } = objectOf(body)
    if (status !== 200 || typeof token !== 'string' || typeof seconds !== 'number')
      throw nothingCharged(`PayPal gave no token: it answered with ${status}.`)
    return { token, endsAt: clock.now().getTime() + seconds * 1_000 - MARGIN_MS }
  }

  async function refresh(name: string, account: Account): Promise<Kept> {
    const fresh = await fetchToken(account, AbortSignal.timeout(LONGEST_MS))
    if (fresh === null) throw refusedCredentials(account)
    kept.delete(name)
    kept.set(name, fresh)
    const [oldest] = kept.keys()
    if (kept.size > MOST && oldest !== undefined) kept.delete(oldest)
    return fresh
  }

  return {
    async of(account) {
      const name = nameOf(account)
      const known = kept.get(name)
      if (known !== undefined && clock.now().getTime() < known.endsAt) return known.token
      const fetching = coming.get(name) ?? refresh(name, account).finally(() => coming.delete(name))
      coming.set(name, fetching)
      const { token } = await untilAborted(fetching, account.signal)
      return token
    },
    drop(account, token) {
      const name = nameOf(account)
      if (kept.get(name)?.token === token) kept.delete(name)
    },
    isKnown: async (account) => (await fetchToken(account, account.signal)) !== null,
  }
}

/** Without the credentials themselves. */
const nameOf = ({ config: { client_id = '', client_secret = '' }, isSandbox }: Account): string =>
  `${isSandbox} ${createHash('sha256')
    .update(JSON.stringify([client_id, client_secret]))
    .digest('base64')}`

export const refusedCredentials = ({ isSandbox }: Pick<Account, 'isSandbox'>) =>
  nothingCharged(
    `PayPal does not accept the credentials of the gateway paypal (${isSandbox ? 'sandbox' : 'live'}). Enter them again.`,
  )

function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const leave = () =>
      reject(
        new GatewayUnavailable('PayPal gave no token in time.', {
          isNothingCharged: true,
          isOutage: true,
          cause: signal.reason,
        }),
      )
    if (signal.aborted) return leave()
    signal.addEventListener('abort', leave, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave))
  })
}
