// Finds the service that a command calls: that of this machine, by the settings, or another one by --api and --key.

import type { Config } from '../../config.ts'
import { parseUrl } from '../../lib/url.ts'
import { parseMerchantId, printNote, UsageError } from '../help.ts'
import { type Call, type CommandKey, createApiCaller, requireRunningService, type ServiceAddress } from './call.ts'
import { obtainCommandKey } from './own-key.ts'

/** Options for `readArguments`, for every command that calls a service. */
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

export type Service = ServiceAddress & { readonly is_sandbox: boolean; readonly call: Call }

export async function connectToService(config: Config, values: ServiceValues): Promise<Service> {
  const is_sandbox = !(values.live ?? false)
  const place = resolveServiceAddress(config, values, is_sandbox)
  const givenKey = values.key ?? config.command.key
  if (givenKey !== null) {
    refuseKey(givenKey, is_sandbox)
    if (values.merchant !== undefined) throw new UsageError('A key belongs to one shop: omit --merchant.')
    return { ...place, is_sandbox, call: createApiCaller(place, { current: () => givenKey, renew: async () => null }) }
  }
  if (!place.isLocal)
    throw new UsageError('--api needs a secret key of that service: add --key sk_…, or set CARTWRIGHT_KEY.')
  const merchant_id = values.merchant === undefined ? null : parseMerchantId(values.merchant)
  // Check this before opening the database: without a service, the embedded one would be started for nothing.
  await requireRunningService(place)
  return {
    ...place,
    is_sandbox,
    call: createApiCaller(place, await openStoredKey(config, { merchant_id, is_sandbox })),
  }
}

/** Address of the service, without checking if it answers. */
export function resolveServiceAddress(config: Config, { api }: ServiceValues, is_sandbox: boolean): ServiceAddress {
  const givenAddress = api ?? config.command.api
  if (givenAddress !== null) return { origin: originFrom(givenAddress), isLocal: false, acceptsAnyCertificate: false }
  const { tls, publicUrl, port, host } = config
  // Live keys are refused over plain HTTP, so use the address of the shoppers.
  if (!is_sandbox && tls === null) {
    if (publicUrl?.startsWith('https:')) return { origin: publicUrl, isLocal: true, acceptsAnyCertificate: false }
    throw new UsageError('Live keys work over HTTPS only: set TLS_CERT and TLS_KEY, or PUBLIC_URL to an https address.')
  }
  if (port === 0) throw new UsageError('PORT is 0, so the port of the service is unknown: add --api URL, or set PORT.')
  const origin = `${tls === null ? 'http' : 'https'}://${toConnectableHost(host)}:${port}`
  return { origin, isLocal: true, acceptsAnyCertificate: true }
}

/** An address that one can connect to, which "all addresses" is not. */
function toConnectableHost(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1'
  if (host === '::') return '[::1]'
  return host.includes(':') ? `[${host}]` : host
}

function originFrom(text: string): string {
  const url = parseUrl(text)
  const isPlain = url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.search === ''
  if (isPlain && /^\/(?:v1\/?)?$/.test(url.pathname)) return url.origin
  throw new UsageError('--api must be the scheme and host of a service, such as https://api.shop.example.')
}

function refuseKey(key: string, is_sandbox: boolean): void {
  if (key.startsWith('pk_')) throw new UsageError('Use a secret key (sk_…): a public key may not do this.')
  if (!key.startsWith('sk_')) throw new UsageError('The key must be a secret key of the shop, sk_test_… or sk_….')
  const isOfSandbox = key.startsWith('sk_test_')
  if (isOfSandbox === is_sandbox) return
  throw new UsageError(
    is_sandbox ? 'This is a live key: add --live to use it.' : '--live needs a live key; this is a sandbox key.',
  )
}

/** Takes a new key if the current one is refused: it was revoked, or the database is another one. */
async function openStoredKey(
  config: Config,
  requestedKey: Parameters<typeof obtainCommandKey>[1],
): Promise<CommandKey> {
  let current = await takeOwnKey(config, requestedKey)
  return {
    current: () => current,
    async renew() {
      current = await takeOwnKey(config, requestedKey)
      return current
    },
  }
}

async function takeOwnKey(config: Config, requestedKey: Parameters<typeof obtainCommandKey>[1]): Promise<string> {
  const { text, note } = await obtainCommandKey(config, requestedKey)
  if (note !== null) printNote(note)
  return text
}
