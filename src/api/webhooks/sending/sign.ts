// One attempt of a delivery as it goes over the wire: the event in the version of its webhook, and two signatures by the same secret, one in
// the body as the public verifier of the former service reads it, one in the headers by Standard Webhooks. Made anew for each attempt, as
// receivers refuse what is old.

import { createHmac } from 'node:crypto'
import { EVENTS, type EventName } from '../../../events/catalogue.ts'
import type { TakenDelivery } from '../../../events/deliveries/store.ts'
import type { Credentials } from '../../../keys/credentials.ts'
import type { Versions } from '../../../versions/apply.ts'
import type { Json } from '../../../versions/change.ts'
import { openSecret, secretBytes } from '../secret.ts'

export type SignedDelivery = { readonly headers: Readonly<Record<string, string>>; readonly body: string }

/** What turns a stored event into what its webhook is sent. */
export type Signing = {
  readonly credentials: Credentials
  readonly ageKind: Versions['ageKind']
  /** As deliveries name us. */
  readonly userAgent: string
}

const LOST_SECRET =
  'The signing secret cannot be opened: the key that sealed it is missing. cartwright doctor tells more.'
const NOT_SHAPED = 'The event could not be shaped for the version of this webhook. Please report it.'

const NOT_WANTED = 'The webhook no longer subscribes to login links, and they are sent nowhere else.'

/** Why there is nothing to send. It counts as an attempt that failed: else it would be taken again and again, for ever. */
export type NotSigned = { readonly problem: string }

/** Never throws on account of the delivery. */
export async function signDelivery(
  { credentials, ageKind, userAgent }: Signing,
  delivery: TakenDelivery,
  now: Date,
): Promise<SignedDelivery | NotSigned> {
  const { merchantId, version, kind } = delivery
  if (!delivery.isWanted) return { problem: NOT_WANTED }
  const secrets = await secretsOf(credentials, delivery, now)
  if (secrets === null) return { problem: LOST_SECRET }
  let payload: Json
  try {
    payload = ageKind(version, kind, JSON.parse(delivery.payload), { merchantId, params: {}, facts: {} })
  } catch {
    return { problem: NOT_SHAPED }
  }
  return signed(delivery, payload, secrets, { userAgent, seconds: Math.floor(now.getTime() / 1_000) })
}

/** Those that sign, the older first: until receivers know the new one, the body has the signature of the one they know. */
async function secretsOf(credentials: Credentials, delivery: TakenDelivery, now: Date): Promise<string[] | null> {
  const { secret, previousSecret, previousUntil } = delivery
  const isChanging = previousSecret !== null && previousUntil !== null && previousUntil > now
  const stored = isChanging ? [previousSecret, secret] : [secret]
  const opened = await Promise.all(stored.map((text) => openSecret(credentials, delivery, text)))
  const known = opened.filter((text) => text !== null)
  return known.length === opened.length ? known : null
}

type Sent = Pick<
  TakenDelivery,
  'id' | 'webhookId' | 'eventId' | 'event' | 'responseCode' | 'version' | 'isSandbox' | 'attempts'
>

/** `secrets`: the first of them signs the body, each the headers. */
export function signed(
  delivery: Sent,
  payload: Json,
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
  // The verifier parses, takes the signature away and writes the rest again: so this very text, and nothing after it but the signature.
  const unsigned = JSON.stringify(content)
  const [first = ''] = secrets
  const signature = createHmac('sha256', first).update(unsigned).digest('hex')
  const body = `${unsigned.slice(0, -1)},"signature":"${signature}"}`
  const inHeader = secrets.map((secret) => `v1,${headerSignature(secret, `${eventId}.${seconds}.${body}`)}`)
  return {
    body,
    headers: {
      'content-type': 'application/json',
      'user-agent': userAgent,
      'service-version': delivery.version,
      'webhook-id': eventId,
      'webhook-timestamp': String(seconds),
      'webhook-signature': inHeader.join(' '),
      'cartwright-delivery': delivery.id,
      'cartwright-attempt': String(delivery.attempts + 1),
      'cartwright-mode': delivery.isSandbox ? 'sandbox' : 'live',
    },
  }
}

const headerSignature = (secret: string, content: string): string =>
  createHmac('sha256', secretBytes(secret) ?? secret)
    .update(content)
    .digest('base64')

/** What the request was answered with says so: nothing is left to show. */
const isDeletion = (event: string): boolean => EVENTS[event as EventName]?.responseCode === 204

const idOf = (payload: Json): Json => (payload as { readonly id?: Json } | null)?.id ?? []
