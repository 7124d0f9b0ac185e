// The keys that seal the credentials of payment gateways, as an operator writes them: in CREDENTIALS_KEY and in the file of the data folder
// alike. The settings judge them before anything else is loaded, so that this stands below both.

export const KEY_BYTES = 32

const KEY_IN_HEX = /^[\da-f]{64}$/i
const KEY_IN_BASE64 = /^[\w+/-]{43}=?$/

/**
 * Keys of 32 bytes in hex or base64, with commas or blanks between them; null where there is none, or anything else among them. Nothing between
 * two commas is something else: it may be meant for a key that was lost on the way here.
 */
export function keysFrom(text: string): Uint8Array[] | null {
  const words = text.trim().split(/\s*,\s*|\s+/)
  const keys = words.flatMap((word) => {
    if (KEY_IN_HEX.test(word)) return [Buffer.from(word, 'hex')]
    return KEY_IN_BASE64.test(word) ? [Buffer.from(word, 'base64')] : []
  })
  return keys.length === words.length ? keys : null
}
