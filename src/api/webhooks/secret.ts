// The signing secrets of webhooks: generates, parses, encrypts and decrypts them. If the service has no key, a secret is stored in plain
// text. That is acceptable, because the secret only proves to the receiver that we are the sender.

import { randomBytes } from 'node:crypto'
import { type Credentials, sealedText } from '../../keys/credentials.ts'

const PREFIX = 'whsec_'
const NEW_BYTES = 32
const MIN_BYTES = 24
const MAX_BYTES = 64
const SECRET_FORMAT = /^whsec_([A-Za-z0-9+/]+={0,2})$/

/** Required format of a secret, for error messages. */
export const SECRET_RULE = `must be ${PREFIX} and ${MIN_BYTES} to ${MAX_BYTES} bytes in base64`

export const newSecret = (): string => PREFIX + randomBytes(NEW_BYTES).toString('base64')

/** Bytes of a secret; null if the text is not a valid secret. */
export function secretBytes(secret: string): Buffer | null {
  const [, text = ''] = SECRET_FORMAT.exec(secret) ?? []
  const bytes = Buffer.from(text, 'base64')
  // Node skips invalid base64 characters, so the bytes are encoded again and compared.
  const isBase64 = bytes.toString('base64') === text
  return isBase64 && bytes.length >= MIN_BYTES && bytes.length <= MAX_BYTES ? bytes : null
}

export type WebhookKey = { readonly merchant_id: number; readonly webhookId: string }

const credentialPlace = ({ merchant_id, webhookId }: WebhookKey) => ({
  merchant_id,
  id: webhookId,
  field: 'signing_key',
})

/** Returns the secret itself if the service has no key. */
export const encryptSecret = async (credentials: Credentials, webhook: WebhookKey, secret: string): Promise<string> =>
  (await credentials.seal(credentialPlace(webhook), secret, '')) ?? secret

/** Returns null if the secret was encrypted with a key that the service no longer has. */
export const decryptSecret = async (
  credentials: Credentials,
  webhook: WebhookKey,
  stored: string,
): Promise<string | null> => (sealedText(stored) === null ? stored : credentials.open(credentialPlace(webhook), stored))
