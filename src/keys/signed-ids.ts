// Ids that prove that we created them. Carts need this, because an empty cart has no row: only its id shows that it is
// genuine, and for which shop and mode. The last characters are a signature in place of random ones. So these ids look like
// all others, and sort by time.

import { createHmac, timingSafeEqual } from 'node:crypto'
import { type IdKind, idCharacter, isId, RANDOM_LENGTH, startOfId, timeOfId } from '../lib/ids.ts'

// The signature has 62^9 (2^53.6) possible values, and the random part 62^8 (2^47.6) per millisecond. Without the secret, an
// attacker must guess both to find an existing id.
const SIGNATURE_LENGTH = 9

/** The secret, and the values that the signature covers besides the id. An id is valid only for the same values. */
export type Signer = { readonly secret: Uint8Array; readonly signedValues: readonly unknown[] }

export function newSignedId(kind: IdKind, now: Date, signer: Signer): string {
  const unsignedPart = startOfId(kind, now, RANDOM_LENGTH - SIGNATURE_LENGTH)
  return unsignedPart + signatureOf(unsignedPart, signer)
}

/** Verifies the signature. Returns the creation time of the id in milliseconds, or null if this signer did not create the id. */
export function verifySignedId(kind: IdKind, id: string, signer: Signer): number | null {
  if (!isId(kind, id)) return null
  const expected = signatureOf(id.slice(0, -SIGNATURE_LENGTH), signer)
  // Constant time: the duration must not reveal how much of a guess was right.
  return timingSafeEqual(Buffer.from(expected), Buffer.from(id.slice(-SIGNATURE_LENGTH))) ? timeOfId(kind, id) : null
}

// Uses JSON, because two different lists joined by a separator could give the same text.
function signatureOf(unsignedPart: string, { secret, signedValues }: Signer): string {
  const digest = createHmac('sha256', secret)
    .update(JSON.stringify([unsignedPart, ...signedValues]))
    .digest()
  let text = ''
  for (let position = 0; position < SIGNATURE_LENGTH; position++) text += idCharacter(digest.readUInt16BE(2 * position))
  return text
}
