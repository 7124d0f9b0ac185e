// The signing secrets of webhooks: generating, parsing and sealing them. Without a sealing key a secret is stored in plain text, because it
// only proves to the receiver that we are the sender.

import { randomBytes } from 'node:crypto'
import { type Credentials, sealedText } from '../../keys/credentials.ts'

const PREFIX = 'whsec_'
const NEW_BYTES = 32
const FEWEST_BYTES = 24
const MAX_BYTES = 64
const FORM = /^whsec_([A-Za-z0-9+/]+={0,2})$/

/** The required form of a secret, for error messages. */
export const SECRET_RULE = `must be ${PREFIX} and ${FEWEST_BYTES} to ${MAX_BYTES} bytes in base64`

export const newSecret = (): string => PREFIX + randomBytes(NEW_BYTES).toString('base64')

/** The bytes of a secret. Null if the text is not a valid secret. */
export function secretBytes(secret: string): Buffer | null {
  const [, text = ''] = FORM.exec(secret) ?? []
  const bytes = Buffer.from(text, 'base64')
  // Encodes the bytes again for comparison, because Node skips invalid base64 characters.
  const isWhole = bytes.toString('base64') === text
  return isWhole && bytes.length >= FEWEST_BYTES && bytes.length <= MAX_BYTES ? bytes : null
}

export type WebhookKey = { readonly merchant_id: number; readonly webhookId: string }

const placeOf = ({ merchant_id, webhookId }: WebhookKey) => ({ merchant_id, id: webhookId, field: 'signing_key' })

export const sealSecret = async (credentials: Credentials, webhook: WebhookKey, secret: string): Promise<string> =>
  (await credentials.seal(placeOf(webhook), secret, '')) ?? secret

/** Null if it was sealed with a key that the service no longer has. */
export const openSecret = async (
  credentials: Credentials,
  webhook: WebhookKey,
  stored: string,
): Promise<string | null> => (sealedText(stored) === null ? stored : credentials.open(placeOf(webhook), stored))
