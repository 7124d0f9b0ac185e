// What the deliveries of a webhook are signed with: made, read, and kept sealed where the service has a key to seal with. Without one it is kept
// as it is, as the only thing that it protects is who may speak to the receiver.

import { randomBytes } from 'node:crypto'
import { type Credentials, sealedText } from '../../keys/credentials.ts'

const PREFIX = 'whsec_'
const NEW_BYTES = 32
const FEWEST_BYTES = 24
const MOST_BYTES = 64
const FORM = /^whsec_([A-Za-z0-9+/]+={0,2})$/

/** What a secret must look like, as a sentence says it. */
export const SECRET_RULE = `must be ${PREFIX} and ${FEWEST_BYTES} to ${MOST_BYTES} bytes in base64`

export const newSecret = (): string => PREFIX + randomBytes(NEW_BYTES).toString('base64')

/** The bytes of a secret; null for a text that is none. */
export function secretBytes(secret: string): Buffer | null {
  const [, text = ''] = FORM.exec(secret) ?? []
  const bytes = Buffer.from(text, 'base64')
  // Written again it must be the same: Node passes over what is no base64.
  const isWhole = bytes.toString('base64') === text
  return isWhole && bytes.length >= FEWEST_BYTES && bytes.length <= MOST_BYTES ? bytes : null
}

export type WebhookKey = { readonly merchantId: number; readonly webhookId: string }

const placeOf = ({ merchantId, webhookId }: WebhookKey) => ({ merchantId, id: webhookId, field: 'signing_key' })

export const sealSecret = async (credentials: Credentials, webhook: WebhookKey, secret: string): Promise<string> =>
  (await credentials.seal(placeOf(webhook), secret, '')) ?? secret

/** Null where it was sealed with a key that the service does not have any more. */
export const openSecret = async (
  credentials: Credentials,
  webhook: WebhookKey,
  stored: string,
): Promise<string | null> => (sealedText(stored) === null ? stored : credentials.open(placeOf(webhook), stored))
