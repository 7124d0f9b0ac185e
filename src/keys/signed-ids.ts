// Ids that prove their origin: some of their random characters are a signature. So we recognise a genuine id before anything is stored
// under it.
// They look like all other ids and sort by time.

import { createHmac, timingSafeEqual } from 'node:crypto'
import { type IdKind, idCharacter, isId, RANDOM_LENGTH, startOfId, timeOfId } from '../lib/ids.ts'

// The signature has 62^9 (2^53.6) values, and the random part 62^8 (2^47.6) per millisecond. Without the secret an attacker must guess
// both.
const SIGNATURE_LENGTH = 9

/** Secret that signs, and facts that the signature covers. Other facts give another id. */
export type Signer = { readonly secret: Uint8Array; readonly facts: readonly unknown[] }

export function newSignedId(kind: IdKind, now: Date, signer: Signer): string {
  const unsignedPart = startOfId(kind, now, RANDOM_LENGTH - SIGNATURE_LENGTH)
  return unsignedPart + signatureOf(unsignedPart, signer)
}

/** Creation time in milliseconds; null if this signer did not create the id. */
export function timeOfSignedId(kind: IdKind, id: string, signer: Signer): number | null {
  if (!isId(kind, id)) return null
  const expected = signatureOf(id.slice(0, -SIGNATURE_LENGTH), signer)
  // Constant time: the duration must not reveal how much of a guess was right.
  return timingSafeEqual(Buffer.from(expected), Buffer.from(id.slice(-SIGNATURE_LENGTH))) ? timeOfId(kind, id) : null
}

// JSON, because two different lists joined by any separator could give the same text.
function signatureOf(unsignedPart: string, { secret, facts }: Signer): string {
  const digest = createHmac('sha256', secret)
    .update(JSON.stringify([unsignedPart, ...facts]))
    .digest()
  let text = ''
  for (let position = 0; position < SIGNATURE_LENGTH; position++) text += idCharacter(digest.readUInt16BE(2 * position))
  return text
}
