// What a merchant sets up for a gateway: judged against the fields the gateway names, merged, and shown without its secrets.

import type { ConfigField, Gateway, GatewayConfig } from '../../gateways/gateway.ts'
import type { FieldErrors } from '../../lib/errors.ts'

const LONGEST = 10_000
const MASK = '********'
const SHOWN = 4
/** Of a shorter secret the last characters would be too much of it. */
const LONG_ENOUGH = 16

/** Only what is needed to tell two secrets apart. */
export const masked = (secret: string): string => (secret.length < LONG_ENOUGH ? MASK : MASK + secret.slice(-SHOWN))

/** Every field the gateway has, those that are not set as null. */
export const shownConfig = (gateway: Gateway, config: GatewayConfig): Record<string, string | null> =>
  Object.fromEntries(
    Object.entries(gateway.config).map(([name, { isSecret }]) => {
      const value = config[name]
      if (value === undefined) return [name, null]
      return [name, isSecret ? masked(value) : value]
    }),
  )

/** Fields that are sent replace, those left out stay, null takes away. What the gateway does not name is left out. */
export function mergedConfig(
  gateway: Gateway,
  current: GatewayConfig,
  sent: Readonly<Record<string, unknown>>,
  malformed: FieldErrors,
): Record<string, string> {
  const config: Record<string, string> = {}
  for (const [name, field] of Object.entries(gateway.config)) {
    const { isRequired, isSecret } = field
    const path = `config.${name}`
    const before = current[name]
    // A record that is read, edited and sent back carries masks: they stand for the secrets behind them.
    const isKept = isSecret && before !== undefined && sent[name] === masked(before)
    const isNew = sent[name] !== undefined && !isKept
    const value = isNew ? sent[name] : before
    const problem = value === undefined || value === null ? isRequired && 'is required' : isNew && refuse(value, field)
    if (problem) malformed[path] = [`${path} ${problem}.`]
    else if (typeof value === 'string') config[name] = value
  }
  return config
}

/** No sentence repeats the value: it may be a secret, also in a field that asks for none. */
function refuse(value: unknown, { isSecret, beginsWith }: ConfigField): string | null {
  if (typeof value !== 'string') return 'must be a string'
  if (value.trim() === '') return 'must not be empty'
  if (value.length > LONGEST) return `must be at most ${LONGEST} characters long`
  // Kept as it is, it would replace a secret that works by asterisks.
  if (isSecret && value.startsWith(MASK))
    return 'is masked; send the whole secret, or leave it out to keep the one there is'
  if (beginsWith && !beginsWith.some((prefix) => value.startsWith(prefix)))
    return `must begin with ${beginsWith.join(' or ')}`
  return null
}
