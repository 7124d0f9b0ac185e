// What a provider's messages are known by: a setting of the merchant's, and HMAC with SHA-256, as most providers sign.

import { createHmac, timingSafeEqual } from 'node:crypto'
import type { ConfigField } from '../gateway.ts'

/**
 * What messages of the provider are known by. Missing, none is believed. While the merchant replaces it there are two, and messages of both
 * come: whoever had to enter the new one at the very moment would lose some.
 */
export const messageField = (description: string, { isSecret }: { isSecret: boolean }): ConfigField => ({
  description: `${description} While one replaces the other both, with a comma or a blank between them.`,
  isRequired: false,
  isSecret,
  mayBeTwo: true,
})

/** What a field that may be two (`mayBeTwo`) holds. */
export const eachIn = (value: string | undefined): readonly string[] =>
  (value ?? '').split(/[\s,]+/).filter((each) => each !== '')

export type Signed = {
  /** One of them is enough: while one is being replaced there are two (`eachIn`). */
  readonly secrets: readonly string[]
  /** What was signed, one behind the other: the very bytes that came. */
  readonly parts: readonly (string | Buffer)[]
  /** One of them is enough: a provider that replaces a secret sends two. */
  readonly signatures: readonly string[]
  /** Hexadecimal digits are those in lower case. */
  readonly encoding: 'hex' | 'base64'
}

/** Compared as texts, of which several may stand for the same bytes, and in a time that tells nothing of where they differ. */
export function isSigned({ secrets, parts, signatures, encoding }: Signed): boolean {
  return secrets.some((secret) => {
    const hmac = createHmac('sha256', secret)
    for (const part of parts) hmac.update(part)
    const expected = Buffer.from(hmac.digest(encoding))
    return signatures.some((signature) => {
      const given = Buffer.from(signature)
      return given.length === expected.length && timingSafeEqual(given, expected)
    })
  })
}
