// Seals merchants' gateway credentials for the database with AES-256-GCM. A copy of the database is useless without the key.
// A sealed text opens only for its own merchant, gateway and field. Copied elsewhere it is worthless.

import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import type { CredentialKey, CredentialKeys } from './credential-keys.ts'

/** Location of a credential: a field of a merchant's gateway. */
export type CredentialPlace = { readonly merchant_id: number; readonly id: string; readonly field: string }

export type Credentials = {
  /** Returns null if there is no key to seal with. `hint` is the readable part of the secret; nobody can change it unnoticed. */
  seal(place: CredentialPlace, secret: string, hint: string): Promise<string | null>
  /** Returns null if the key is missing, or the text was sealed for another location. */
  open(place: CredentialPlace, sealed: string): Promise<string | null>
}

/** Readable parts of a sealed text. */
type SealedText = { readonly keyId: string; readonly hint: string; readonly bytes: Buffer }

const PREFIX = 'sealed:1:'
const SEALED_FORMAT = /^sealed:1:([\w-]{12}):([\w-]*):([\w-]+)$/
const ALGORITHM = 'aes-256-gcm'
const NONCE_BYTES = 12
const TAG_BYTES = 16

/** Returns null for a text that is not sealed. */
export function sealedText(text: string): SealedText | null {
  if (!text.startsWith(PREFIX)) return null
  const [, keyId, hint, bytes] = SEALED_FORMAT.exec(text) ?? []
  if (keyId === undefined || hint === undefined || bytes === undefined) return null
  return { keyId, hint: Buffer.from(hint, 'base64url').toString('utf8'), bytes: Buffer.from(bytes, 'base64url') }
}

export const createCredentials = (keys: Pick<CredentialKeys, 'first' | 'find'>): Credentials => ({
  async seal(place, secret, hint) {
    const key = await keys.first()
    return key === null ? null : sealWith(key, place, secret, hint)
  },
  async open(place, sealed) {
    const text = sealedText(sealed)
    const key = text && (await keys.find(text.keyId))
    return key && openWith(key, place, text)
  },
})

function sealWith(key: CredentialKey, place: CredentialPlace, secret: string, hint: string): string {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv(ALGORITHM, key.bytes, nonce, { authTagLength: TAG_BYTES })
  // Encode the hint once, so that the authenticated text equals the one read back. A lone surrogate would change in encoding.
  const hintBytes = Buffer.from(hint, 'utf8')
  cipher.setAAD(authenticatedData(place, key.id, hintBytes.toString('utf8')))
  const bytes = Buffer.concat([nonce, cipher.update(secret, 'utf8'), cipher.final(), cipher.getAuthTag()])
  return `${PREFIX}${key.id}:${hintBytes.toString('base64url')}:${bytes.toString('base64url')}`
}

function openWith(key: CredentialKey, place: CredentialPlace, { hint, bytes }: SealedText): string | null {
  if (bytes.length < NONCE_BYTES + TAG_BYTES) return null
  const decipher = createDecipheriv(ALGORITHM, key.bytes, bytes.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES })
  decipher.setAAD(authenticatedData(place, key.id, hint))
  decipher.setAuthTag(bytes.subarray(-TAG_BYTES))
  const secret = decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES))
  try {
    return Buffer.concat([secret, decipher.final()]).toString('utf8')
  } catch {
    // Sealed for another place, or altered. The deciphered bytes are discarded unread.
    return null
  }
}

// JSON, because two different places joined by any separator could give the same text.
const authenticatedData = ({ merchant_id, id, field }: CredentialPlace, keyId: string, hint: string): Buffer =>
  Buffer.from(JSON.stringify([PREFIX, keyId, hint, merchant_id, id, field]))
