// Verifies a provider's messages: the merchant's setting for it, and HMAC-SHA-256, which most providers use.

import { createHmac, timingSafeEqual } from 'node:crypto'
import type { GatewayConfigField } from '../config-fields.ts'

/**
 * Setting that verifies the provider's messages. Without it no message is trusted. It holds two values during a replacement, because
 * messages with both arrive then. A single value would have to change at exactly the right moment.
 */
export const messageField = (description: string, { isSecret }: { isSecret: boolean }): GatewayConfigField => ({
  description: `${description} While one replaces the other both, with a comma or a blank between them.`,
  isRequired: false,
  isSecret,
  mayBeTwo: true,
})

/** Values of a field that may hold two (`mayBeTwo`). */
export const splitValues = (value: string | undefined): readonly string[] =>
  (value ?? '').split(/[\s,]+/).filter((each) => each !== '')

export type HmacInput = {
  /** One match is enough: there are two secrets during a replacement (`splitValues`). */
  readonly secrets: readonly string[]
  /** Signed content in order, as the exact received bytes. */
  readonly parts: readonly (string | Buffer)[]
  /** One match is enough: a provider that replaces a secret sends two. */
  readonly signatures: readonly string[]
  /** Hexadecimal digits are in lower case. */
  readonly encoding: 'hex' | 'base64'
}

/** Compares the encoded texts, because several texts can decode to the same bytes. The comparison takes constant time. */
export function hasValidHmac({ secrets, parts, signatures, encoding }: HmacInput): boolean {
  return secrets.some((secret) => {
    const hmac = createHmac('sha256', secret)
    for (const part of parts) hmac.update(part)
    const expected = Buffer.from(hmac.digest(encoding))
    return signatures.some((signature) => {
      const actual = Buffer.from(signature)
      return actual.length === expected.length && timingSafeEqual(actual, expected)
    })
  })
}
