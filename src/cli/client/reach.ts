// The service that a command talks to over its API: that of this machine, found by the settings, or another one by --api and --key.

import type { Config } from '../../config.ts'
import { parseUrl } from '../../lib/url.ts'
import { merchantIdFrom, tell, UsageError } from '../help.ts'
import { apiCaller, type Call, type Key, type Place, refuseSilence } from './call.ts'
import { ownKey } from './own-key.ts'

/** For `readArguments`, of every command that talks to a service. */
export const SERVICE_OPTIONS = {
  api: { type: 'string' },
  key: { type: 'string' },
  merchant: { type: 'string' },
  live: { type: 'boolean' },
} as const

export type ServiceValues = {
  readonly api?: string | undefined
  readonly key?: string | undefined
  readonly merchant?: string | undefined
  readonly live?: boolean | undefined
}

export type Service = Place & { readonly isSandbox: boolean; readonly call: Call }

export async function reachService(config: Config, values: ServiceValues): Promise<Service> {
  const isSandbox = !(values.live ?? false)
  const place = placeOf(config, values, isSandbox)
  const given = values.key ?? config.command.key
  if (given !== null) {
    refuseKey(given, isSandbox)
    if (values.merchant !== undefined) throw new UsageError('A key is of one shop: leave --merchant out.')
    return { ...place, isSandbox, call: apiCaller(place, { current: () => given, renew: async () => null }) }
  }
  if (!place.isLocal)
    throw new UsageError('--api needs a secret key of that service: CARTWRIGHT_KEY in the environment, or --key sk_….')
  const merchantId = values.merchant === undefined ? null : merchantIdFrom(values.merchant)
  // Before the database: where no service runs, the embedded one would be started for nothing.
  await refuseSilence(place)
  return { ...place, isSandbox, call: apiCaller(place, await keptKey(config, { merchantId, isSandbox })) }
}

/** Where the command would go, without asking whether anybody is there. */
export function placeOf(config: Config, { api }: ServiceValues, isSandbox: boolean): Place {
  const named = api ?? config.command.api
  if (named !== null) return { origin: originFrom(named), isLocal: false, acceptsAnyCertificate: false }
  const { tls, publicUrl, port, host } = config
  // Live keys are refused over plain HTTP: then it must be the way by which shoppers come.
  if (!isSandbox && tls === null) {
    if (publicUrl?.startsWith('https:')) return { origin: publicUrl, isLocal: true, acceptsAnyCertificate: false }
    throw new UsageError('Live keys work over HTTPS only: set TLS_CERT and TLS_KEY, or PUBLIC_URL to an https address.')
  }
  if (port === 0)
    throw new UsageError('PORT is 0, so nobody knows where the service listens: name it with --api URL, or set PORT.')
  const origin = `${tls === null ? 'http' : 'https'}://${reachable(host)}:${port}`
  return { origin, isLocal: true, acceptsAnyCertificate: true }
}

/** An address one can connect to: "all addresses" is not one. */
function reachable(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1'
  if (host === '::') return '[::1]'
  return host.includes(':') ? `[${host}]` : host
}

function originFrom(text: string): string {
  const url = parseUrl(text)
  const isPlain = url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.search === ''
  if (isPlain && /^\/(?:v1\/?)?$/.test(url.pathname)) return url.origin
  throw new UsageError('--api is the scheme and host of a service, such as https://api.shop.example.')
}

function refuseKey(key: string, isSandbox: boolean): void {
  if (key.startsWith('pk_')) throw new UsageError('This needs a secret key (sk_…): a public one may not do it.')
  if (!key.startsWith('sk_')) throw new UsageError('The key must be a secret key of the shop, sk_test_… or sk_….')
  const isOfSandbox = key.startsWith('sk_test_')
  if (isOfSandbox === isSandbox) return
  throw new UsageError(
    isSandbox ? 'This is a live key: say so with --live.' : '--live needs a live key; this is one of the sandbox.',
  )
}

/** Made anew once it is refused: whoever revoked it took it for somebody else's, or the database is another one. */
async function keptKey(config: Config, wish: Parameters<typeof ownKey>[1]): Promise<Key> {
  let current = await takeAndTell(config, wish)
  return {
    current: () => current,
    async renew() {
      current = await takeAndTell(config, wish)
      return current
    },
  }
}

async function takeAndTell(config: Config, wish: Parameters<typeof ownKey>[1]): Promise<string> {
  const { text, note } = await ownKey(config, wish)
  if (note !== null) tell(note)
  return text
}
