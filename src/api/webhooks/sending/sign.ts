// Builds the signed request of one attempt: the event in the webhook's version, with two signatures by the same secret. The signature in
// the body has the format of the former service's verifier; the one in the headers follows Standard Webhooks. Each attempt is signed anew,
// because receivers reject old timestamps.

import { createHmac } from 'node:crypto'
import { EVENTS, type EventName } from '../../../events/catalogue.ts'
import type { LeasedDelivery } from '../../../events/deliveries/store.ts'
import type { Credentials } from '../../../keys/credentials.ts'
import type { Versions } from '../../../versions/apply.ts'
import type { JsonData } from '../../../versions/change.ts'
import { decryptSecret, secretBytes } from '../secret.ts'

export type SignedDelivery = { readonly headers: Readonly<Record<string, string>>; readonly body: string }

/** The services that turn a stored event into a signed request. */
export type SigningServices = {
  readonly credentials: Credentials
  readonly ageKind: Versions['ageKind']
  /** Value of the User-Agent header. */
  readonly userAgent: string
}

const LOST_SECRET = 'The signing secret cannot be decrypted: its key is missing. Run cartwright doctor for details.'
const NOT_SHAPED = 'The event could not be converted to the API version of this webhook. Please report it.'

const NOT_WANTED = 'The webhook no longer subscribes to login links, so this one is not sent.'

/** Reason why a delivery cannot be sent. It counts as a failed attempt; otherwise the delivery would be retried for ever. */
export type SigningProblem = { readonly problem: string }

/** Never throws because of the delivery's data. */
export async function signDelivery(
  { credentials, ageKind, userAgent }: SigningServices,
  delivery: LeasedDelivery,
  now: Date,
): Promise<SignedDelivery | SigningProblem> {
  const { merchant_id, version, kind } = delivery
  if (!delivery.isWanted) return { problem: NOT_WANTED }
  const secrets = await secretsOf(credentials, delivery, now)
  if (secrets === null) return { problem: LOST_SECRET }
  let payload: JsonData
  try {
    payload = ageKind(version, kind, JSON.parse(delivery.payload), { merchant_id, params: {}, facts: {} })
  } catch {
    return { problem: NOT_SHAPED }
  }
  return buildSignedDelivery(delivery, payload, secrets, { userAgent, seconds: Math.floor(now.getTime() / 1_000) })
}

/**
 * The signing secrets, older first. During a rotation the older one signs the body, because receivers may not know the new one yet. Returns
 * null if a secret cannot be decrypted.
 */
async function secretsOf(credentials: Credentials, delivery: LeasedDelivery, now: Date): Promise<string[] | null> {
  const { secret, previousSecret, previousUntil } = delivery
  const isRotating = previousSecret !== null && previousUntil !== null && previousUntil > now
  const storedSecrets = isRotating ? [previousSecret, secret] : [secret]
  const secrets = await Promise.all(storedSecrets.map((text) => decryptSecret(credentials, delivery, text)))
  const validSecrets = secrets.filter((text) => text !== null)
  return validSecrets.length === secrets.length ? validSecrets : null
}

type SignedFields = Pick<
  LeasedDelivery,
  'id' | 'webhookId' | 'eventId' | 'event' | 'responseCode' | 'version' | 'is_sandbox' | 'attempts'
>

/** Builds the body and the headers. All secrets sign the headers; the first one also signs the body. */
export function buildSignedDelivery(
  delivery: SignedFields,
  payload: JsonData,
  secrets: readonly string[],
  { userAgent, seconds }: { readonly userAgent: string; readonly seconds: number },
): SignedDelivery {
  const { webhookId, event, eventId } = delivery
  const content = {
    id: webhookId,
    created: seconds,
    event,
    response_code: delivery.responseCode,
    payload,
    ...(isDeletion(event) && { model_ids: [idOf(payload)].flat() }),
  }
  // The verifier parses the body, removes the signature and serializes the rest. Exactly the signed text must remain, so the signature is
  // the last field.
  const unsigned = JSON.stringify(content)
  const [first = ''] = secrets
  const signature = createHmac('sha256', first).update(unsigned).digest('hex')
  const body = `${unsigned.slice(0, -1)},"signature":"${signature}"}`
  const headerSignatures = secrets.map((secret) => `v1,${headerSignature(secret, `${eventId}.${seconds}.${body}`)}`)
  return {
    body,
    headers: {
      'content-type': 'application/json',
      'user-agent': userAgent,
      'service-version': delivery.version,
      'webhook-id': eventId,
      'webhook-timestamp': String(seconds),
      'webhook-signature': headerSignatures.join(' '),
      'cartwright-delivery': delivery.id,
      'cartwright-attempt': String(delivery.attempts + 1),
      'cartwright-mode': delivery.is_sandbox ? 'sandbox' : 'live',
    },
  }
}

const headerSignature = (secret: string, content: string): string =>
  createHmac('sha256', secretBytes(secret) ?? secret)
    .update(content)
    .digest('base64')

/** True if the event reports a deletion: its response code is 204. */
const isDeletion = (event: string): boolean => EVENTS[event as EventName]?.responseCode === 204

const idOf = (payload: JsonData): JsonData => (payload as { readonly id?: JsonData } | null)?.id ?? []
