// Whether something was signed with a secret that the merchant has entered: HMAC with SHA-256, as most providers sign their messages.

import { createHmac, timingSafeEqual } from 'node:crypto'

export type Signed = {
  /** One of them is enough: while one is being replaced there are two (`eachIn` of settings.ts). */
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
