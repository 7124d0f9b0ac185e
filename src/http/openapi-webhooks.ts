// The part of the OpenAPI document about webhooks: headers and body of each event, and the effect of each answer.

import type { Operation } from './openapi-shared.ts'

/** An event that is sent to webhooks. */
export type WebhookDescription = {
  readonly name: string
  /** Sentence that says when it is sent. */
  readonly when: string
  /** Kind of its payload. */
  readonly kind: string
  readonly responseCode: number
  /** True for events about objects that both modes share. */
  readonly isShared: boolean
  readonly isDeletion: boolean
}

/** Component name and meaning of each answer. */
export const WEBHOOK_ANSWERS = {
  received: 'Received: any answer from 200 to 299 within 15 seconds. It is not sent again.',
  gone: 'The webhook is switched off, and nothing more is sent to it.',
  not_now: 'Sent again after the Retry-After of the answer, 24 hours at most; without one, as after any other failure.',
  not_received:
    'Any other answer, redirects included, and none: sent again after 5 seconds, 5 and 30 minutes, 2, 5, 10, 14, 20 and 24 hours.',
} as const

type Answer = keyof typeof WEBHOOK_ANSWERS

const answer = (name: Answer) => ({ description: WEBHOOK_ANSWERS[name] })

export const webhookOperations = (events: readonly WebhookDescription[]): Record<string, Record<string, Operation>> =>
  Object.fromEntries(events.map((webhook) => [webhook.name, { post: operationOf(webhook) }]))

function operationOf(webhook: WebhookDescription): Operation {
  const { name, when, isShared } = webhook
  const modes = isShared
    ? 'Webhooks of both modes are sent it: sandbox and live share the object.'
    : 'Only webhooks of the mode in which it happened are sent it.'
  return {
    // Prefixed, because an operation of the API may have the name of the event.
    operationId: `webhook.${name}`,
    summary: when,
    description: modes,
    tags: [name.split('.')[0] ?? ''],
    security: [],
    parameters: HEADERS,
    requestBody: { required: true, content: { 'application/json': { schema: bodyOf(webhook) } } },
    responses: {
      '2XX': answer('received'),
      410: answer('gone'),
      429: answer('not_now'),
      503: answer('not_now'),
      default: answer('not_received'),
    },
  }
}

const header = (name: string, description: string, schema: object = { type: 'string' }) => ({
  name,
  in: 'header',
  required: true,
  description,
  schema,
})

const HEADERS = [
  header(
    'webhook-id',
    'The event: evt_…, the same in every retry and replay. Keep it, and pass over what comes twice.',
  ),
  header('webhook-timestamp', 'When this attempt was sent, in Unix seconds. Refuse what is older than five minutes.'),
  header(
    'webhook-signature',
    'By Standard Webhooks: v1, and base64 of HMAC-SHA256 over "{webhook-id}.{webhook-timestamp}.{body}", with the bytes of the signing key. Two with a blank between while the key is changed.',
  ),
  header('service-version', 'The API version that the payload is shaped for.'),
  header('cartwright-delivery', 'The delivery, under which the API shows what came of it: dlvr_…'),
  header('cartwright-attempt', 'Which attempt of the delivery it is; 1 is the first.', { type: 'integer', minimum: 1 }),
  header('cartwright-mode', "The webhook's mode.", { type: 'string', enum: ['sandbox', 'live'] }),
]

function bodyOf({ name, kind, responseCode, isDeletion }: WebhookDescription) {
  const properties = {
    id: { type: 'string', description: 'The webhook: wbhk_…' },
    created: { type: 'integer', description: 'When this attempt was sent, in Unix seconds.' },
    event: { type: 'string', const: name },
    response_code: {
      type: 'integer',
      const: responseCode,
      description: 'What the request that caused it was answered with.',
    },
    payload: { $ref: `#/components/schemas/${kind}` },
    ...(isDeletion && {
      model_ids: { type: 'array', items: { type: 'string' }, description: 'The id of what was deleted.' },
    }),
    signature: {
      type: 'string',
      pattern: '^[0-9a-f]{64}$',
      description:
        'Hex of HMAC-SHA256 over the body without this field, as JSON.stringify writes it, with the text of the signing key.',
    },
  }
  return { type: 'object', required: Object.keys(properties), properties }
}
