// Ids that prove themselves: some of their random characters are a signature, so that a thing can be told from a made-up one before anything of
// it is stored. They look like all other ids, and sort by their time like them.

import { createHmac, timingSafeEqual } from 'node:crypto'
import { type IdKind, idBeginning, idCharacter, isId, RANDOM_LENGTH, timeOfId } from '../lib/ids.ts'

// 62^9 is 2^53.6, and what is left to chance is 62^8, 2^47.6, within one millisecond. Who does not have the secret guesses both.
const SIGNATURE_LENGTH = 9

/** Who signs, and what an id holds for beside itself: with other facts it is not the same id. */
export type Signer = { readonly secret: Uint8Array; readonly facts: readonly unknown[] }

export function newSignedId(kind: IdKind, now: Date, signer: Signer): string {
  const signed = idBeginning(kind, now, RANDOM_LENGTH - SIGNATURE_LENGTH)
  return signed + signatureOf(signed, signer)
}

/** The milliseconds at which an id was made; null for one that this signer has not made. */
export function timeOfSignedId(kind: IdKind, id: string, signer: Signer): number | null {
  if (!isId(kind, id)) return null
  const right = signatureOf(id.slice(0, -SIGNATURE_LENGTH), signer)
  // In constant time: how long a comparison takes must not tell how much of a guess was right.
  return timingSafeEqual(Buffer.from(right), Buffer.from(id.slice(-SIGNATURE_LENGTH))) ? timeOfId(kind, id) : null
}

// As JSON, because joined by any character two different lists of facts could read the same.
function signatureOf(signed: string, { secret, facts }: Signer): string {
  const digest = createHmac('sha256', secret)
    .update(JSON.stringify([signed, ...facts]))
    .digest()
  let text = ''
  for (let position = 0; position < SIGNATURE_LENGTH; position++) text += idCharacter(digest.readUInt16BE(2 * position))
  return text
}
