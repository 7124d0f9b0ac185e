// Parses the keys that seal gateway credentials, from CREDENTIALS_KEY and from the key file in the data folder.
// The settings validate them before anything else is loaded. So this file has no imports.

export const KEY_BYTES = 32

const KEY_IN_HEX = /^[\da-f]{64}$/i
const KEY_IN_BASE64 = /^[\w+/-]{43}=?$/

/**
 * Parses 32-byte keys in hex or base64, separated by commas or blanks. Null if there is none, or if any part is invalid.
 * An empty part between two commas is invalid too: a key may have been lost there.
 */
export function parseCredentialKeys(text: string): Uint8Array[] | null {
  const words = text.trim().split(/\s*,\s*|\s+/)
  const keys = words.flatMap((word) => {
    if (KEY_IN_HEX.test(word)) return [Buffer.from(word, 'hex')]
    return KEY_IN_BASE64.test(word) ? [Buffer.from(word, 'base64')] : []
  })
  return keys.length === words.length ? keys : null
}
