// Credentials of merchants at payment gateways, sealed for the database by AES-256-GCM. Whoever has a copy of the database, and not the key,
// has nothing of them; and a sealed text opens only in the place it was sealed for: copied to another merchant, gateway or field it is no
// credential.

import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import type { CredentialKey, CredentialKeys } from './credential-keys.ts'

/** Where a credential stands: the field of a gateway that a merchant has set up. */
export type CredentialPlace = { readonly merchantId: number; readonly id: string; readonly field: string }

export type Credentials = {
  /** Null where there is no key to seal with. `hint` is what may be shown of the secret; it is kept readable, and cannot be altered either. */
  seal(place: CredentialPlace, secret: string, hint: string): Promise<string | null>
  /** Null when its key is not there, or when it was not sealed for this place. */
  open(place: CredentialPlace, sealed: string): Promise<string | null>
}

/** What can be read of a sealed text without its key. */
type SealedText = { readonly keyId: string; readonly hint: string; readonly bytes: Buffer }

const PREFIX = 'sealed:1:'
const FORM = /^sealed:1:([\w-]{12}):([\w-]*):([\w-]+)$/
const ALGORITHM = 'aes-256-gcm'
const NONCE_BYTES = 12
const TAG_BYTES = 16

/** Null for a text that is not sealed. */
export function sealedText(text: string): SealedText | null {
  if (!text.startsWith(PREFIX)) return null
  const [, keyId, hint, bytes] = FORM.exec(text) ?? []
  if (keyId === undefined || hint === undefined || bytes === undefined) return null
  return { keyId, hint: Buffer.from(hint, 'base64url').toString('utf8'), bytes: Buffer.from(bytes, 'base64url') }
}

export const credentialsWith = (keys: Pick<CredentialKeys, 'first' | 'find'>): Credentials => ({
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
  // As it will be read again: a text may hold half a character, which no encoding can.
  const shown = Buffer.from(hint, 'utf8')
  cipher.setAAD(boundTo(place, key.id, shown.toString('utf8')))
  const bytes = Buffer.concat([nonce, cipher.update(secret, 'utf8'), cipher.final(), cipher.getAuthTag()])
  return `${PREFIX}${key.id}:${shown.toString('base64url')}:${bytes.toString('base64url')}`
}

function openWith(key: CredentialKey, place: CredentialPlace, { hint, bytes }: SealedText): string | null {
  if (bytes.length < NONCE_BYTES + TAG_BYTES) return null
  const opener = createDecipheriv(ALGORITHM, key.bytes, bytes.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES })
  opener.setAAD(boundTo(place, key.id, hint))
  opener.setAuthTag(bytes.subarray(-TAG_BYTES))
  const secret = opener.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES))
  try {
    return Buffer.concat([secret, opener.final()]).toString('utf8')
  } catch {
    // Of another place, or altered: what was deciphered is of no use, and is not looked at.
    return null
  }
}

// As JSON, because joined by any character two different places could read the same.
const boundTo = ({ merchantId, id, field }: CredentialPlace, keyId: string, hint: string): Buffer =>
  Buffer.from(JSON.stringify([PREFIX, keyId, hint, merchantId, id, field]))
