// Seals the secret fields of a gateway's config, and opens them. Other fields are stored as they are. Configs are opened only here, for a
// call to their gateway. Also masks secrets for display.

import { type GatewayConfig, GatewayUnavailable } from '../../gateways/call.ts'
import type { ConfigCredentials } from '../../gateways/gateway.ts'
import { findGateway } from '../../gateways/index.ts'
import type { WorkerLog } from '../../jobs/job.ts'
import { type Credentials, sealedText } from '../../keys/credentials.ts'
import { notValid } from '../../lib/errors.ts'

/** The row that holds the config. */
type ConfigRow = { readonly merchant_id: number; readonly id: string }

export const MASK = '********'
const VISIBLE = 4
/** A shorter secret shows none of its characters, because they would reveal too much. */
const LONG_ENOUGH = 16

/** Just enough to tell two secrets apart. It is stored beside the sealed secret, so that nothing is opened to show it. */
const hintOf = (secret: string): string => (secret.length < LONG_ENOUGH ? '' : secret.slice(-VISIBLE))

/** Masked form of a stored secret. */
export const maskSecret = (stored: string): string => MASK + (sealedText(stored)?.hint ?? hintOf(stored))

/** The stored secrets of a config, by field. Empty for a gateway that only a newer release knows. */
export const storedSecrets = (code: string, config: GatewayConfig): [field: string, stored: string][] =>
  Object.entries(findGateway(code)?.config ?? {}).flatMap(([field, { isSecret }]): [string, string][] => {
    const stored = isSecret ? config[field] : undefined
    return stored === undefined ? [] : [[field, stored]]
  })

/** Null if there is no key to seal with. */
export async function sealSecrets(
  credentials: Credentials,
  row: ConfigRow,
  secrets: Readonly<Record<string, string>>,
): Promise<Record<string, string> | null> {
  const sealedFields: Record<string, string> = {}
  for (const [field, secret] of Object.entries(secrets)) {
    const text = await credentials.seal({ ...row, field }, secret, hintOf(secret))
    if (text === null) return null
    sealedFields[field] = text
  }
  return sealedFields
}

const noKey = (fields: readonly string[]) =>
  notValid(
    Object.fromEntries(
      fields.map((field) => [
        `config.${field}`,
        [
          `config.${field} cannot be stored: this service has no key to encrypt credentials. The operator must set CREDENTIALS_KEY first.`,
        ],
      ]),
    ),
  )

/** All secrets of a config, opened; null if one cannot be. A plain secret of an earlier release stays as it is. */
export async function openSecrets(
  credentials: Credentials,
  row: ConfigRow,
  code: string,
  config: GatewayConfig,
): Promise<Record<string, string> | null> {
  const secrets: Record<string, string> = {}
  for (const [field, stored] of storedSecrets(code, config)) {
    const secret = sealedText(stored) === null ? stored : await credentials.open({ ...row, field }, stored)
    if (secret === null) return null
    secrets[field] = secret
  }
  return secrets
}

/** A config that cannot be opened is logged, and the error is thrown before the gateway is called. */
export const configCredentials = (credentials: Credentials, log?: WorkerLog): ConfigCredentials => ({
  async seal({ merchant_id, methodId, gateway }, config, entered) {
    // Entered values are sealed whatever they look like. Plain secrets of an earlier release are sealed with them.
    const readable = storedSecrets(gateway, config).filter(
      ([field, value]) => entered.has(field) || sealedText(value) === null,
    )
    const sealedFields = await sealSecrets(credentials, { merchant_id, id: methodId }, Object.fromEntries(readable))
    if (sealedFields !== null) return { ...config, ...sealedFields }
    const refusedFields = readable.map(([field]) => field).filter((field) => entered.has(field))
    if (refusedFields.length > 0) throw noKey(refusedFields)
    return config
  },
  async open({ merchant_id, methodId, gateway }, config) {
    if (methodId === null || gateway === null) return config
    const secrets = await openSecrets(credentials, { merchant_id, id: methodId }, gateway, config)
    if (secrets !== null) return { ...config, ...secrets }
    log?.error({ merchant_id, gateway, payment_method: methodId }, LOST)
    throw new GatewayUnavailable(`The credentials of ${gateway} cannot be decrypted.`, { isNothingCharged: true })
  },
})

const LOST =
  'The credentials of a gateway cannot be decrypted: this service does not have their key. Restore the key, or enter the credentials again.'

/** For code that sets up gateways without secrets. */
export const NO_SEALING_KEY = configCredentials({ seal: async () => null, open: async () => null })
