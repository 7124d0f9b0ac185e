// Which part of a config is sealed, and by whom it is opened: what a gateway calls secret is stored sealed, everything else as it is. Configs are
// opened here alone, for a call to their gateway. Also what a merchant is shown of a secret.

import { type GatewayConfig, GatewayUnavailable } from '../../gateways/call.ts'
import type { ConfigCredentials } from '../../gateways/gateway.ts'
import { findGateway } from '../../gateways/index.ts'
import type { Log } from '../../jobs/job.ts'
import { type Credentials, sealedText } from '../../keys/credentials.ts'
import { notValid } from '../../lib/errors.ts'

/** The row that a config stands in. */
type ConfigRow = { readonly merchantId: number; readonly id: string }

export const MASK = '********'
const VISIBLE = 4
/** The last characters of a shorter secret would be too much of it. */
const LONG_ENOUGH = 16

/** Only what is needed to tell two secrets apart. It is kept beside the sealed one: nothing is opened to show it. */
const hintOf = (secret: string): string => (secret.length < LONG_ENOUGH ? '' : secret.slice(-VISIBLE))

/** What is shown of a secret as it is stored. */
export const maskOf = (stored: string): string => MASK + (sealedText(stored)?.hint ?? hintOf(stored))

/** The secrets of a config, as they are stored, by their fields. None of a gateway that only a newer release knows. */
export const storedSecrets = (code: string, config: GatewayConfig): [field: string, stored: string][] =>
  Object.entries(findGateway(code)?.config ?? {}).flatMap(([field, { isSecret }]): [string, string][] => {
    const stored = isSecret ? config[field] : undefined
    return stored === undefined ? [] : [[field, stored]]
  })

/** Null where there is no key to seal with. */
export async function sealSecrets(
  credentials: Credentials,
  row: ConfigRow,
  secrets: Readonly<Record<string, string>>,
): Promise<Record<string, string> | null> {
  const sealed: Record<string, string> = {}
  for (const [field, secret] of Object.entries(secrets)) {
    const text = await credentials.seal({ ...row, field }, secret, hintOf(secret))
    if (text === null) return null
    sealed[field] = text
  }
  return sealed
}

const noKey = (fields: readonly string[]) =>
  notValid(
    Object.fromEntries(
      fields.map((field) => [
        `config.${field}`,
        [
          `config.${field} cannot be kept: this service has no key to seal credentials with. Whoever runs it has to set CREDENTIALS_KEY first.`,
        ],
      ]),
    ),
  )

/** Every secret of a config, opened; null where one cannot be. One that an earlier release has left readable is as it is. */
export async function openSecrets(
  credentials: Credentials,
  row: ConfigRow,
  code: string,
  config: GatewayConfig,
): Promise<Record<string, string> | null> {
  const opened: Record<string, string> = {}
  for (const [field, stored] of storedSecrets(code, config)) {
    const secret = sealedText(stored) === null ? stored : await credentials.open({ ...row, field }, stored)
    if (secret === null) return null
    opened[field] = secret
  }
  return opened
}

/** What cannot be opened is logged, and thrown before the gateway has heard of anything. */
export const configCredentials = (credentials: Credentials, log?: Log): ConfigCredentials => ({
  async seal({ merchantId, methodId, gateway }, config, entered) {
    // What was sent is sealed whatever it looks like. What an earlier release has left readable is sealed with it.
    const readable = storedSecrets(gateway, config).filter(
      ([field, value]) => entered.has(field) || sealedText(value) === null,
    )
    const sealed = await sealSecrets(credentials, { merchantId, id: methodId }, Object.fromEntries(readable))
    if (sealed !== null) return { ...config, ...sealed }
    const refused = readable.map(([field]) => field).filter((field) => entered.has(field))
    if (refused.length > 0) throw noKey(refused)
    return config
  },
  async open({ merchantId, methodId, gateway }, config) {
    if (methodId === null || gateway === null) return config
    const secrets = await openSecrets(credentials, { merchantId, id: methodId }, gateway, config)
    if (secrets !== null) return { ...config, ...secrets }
    log?.error({ merchant_id: merchantId, gateway, payment_method: methodId }, LOST)
    throw new GatewayUnavailable(`The credentials of ${gateway} cannot be opened.`, { isNothingCharged: true })
  },
})

const LOST =
  'The credentials of a gateway cannot be opened: their key is not among those of this service. Bring the key back, or enter them again.'

/** For whoever sets up gateways that have no secrets. */
export const NO_KEY = configCredentials({ seal: async () => null, open: async () => null })
