// The test vector that docs/webhooks.md gives to those who write a receiver: what is signed is that text, and both public packages accept it.
// And what OpenAPI says of deliveries, compared with those that the signing code makes.

import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { buildSignedDelivery } from '../../../src/api/webhooks/sending/sign.ts'
import { describeEvents } from '../../../src/events/reference.ts'
import { webhookOperations } from '../../../src/http/openapi-webhooks.ts'

const SECRET = 'whsec_Y2FydHdyaWdodC10ZXN0LXNlY3JldC0zMi1ieXRlcyE='
const EVENT_ID = 'evt_0VXrGJ8Q0abcdefghijklmnopq'
const SECONDS = 1_767_225_600
const BODY =
  '{"id":"wbhk_0VXrGJ8Q0ABCDEFGHIJKLMNOPQ","created":1767225600,"event":"test.webhook","response_code":200,"payload":{"message":"Grüße, 5 €"},"signature":"d438484f8c3628a23e3585c32dd3fd087e1b64095e38b52363ae1e5d8aba3b2c"}'
const SIGNATURE = 'v1,ZfJAog+EHNMGtV+0xaEK0qVsSoVmJ/qBoxq8xamlc98='

const delivery = {
  id: 'dlvr_0VXrGJ8Q0abcdefghijABCDEF',
  webhookId: 'wbhk_0VXrGJ8Q0ABCDEFGHIJKLMNOPQ',
  eventId: EVENT_ID,
  event: 'test.webhook',
  responseCode: 200,
  version: '2022-07-21',
  is_sandbox: true,
  attempts: 0,
}
const sending = { userAgent: 'Cartwright-Webhooks/0.1', seconds: SECONDS }
const payload = { message: 'Grüße, 5 €' }

describe('The test vector', () => {
  const made = buildSignedDelivery(delivery, payload, [SECRET], sending)

  it('is what the signing code makes', () => {
    expect(made.body).toBe(BODY)
    expect(Buffer.byteLength(made.body)).toBe(222)
    expect(made.headers).toMatchObject({
      'webhook-id': EVENT_ID,
      'webhook-timestamp': String(SECONDS),
      'webhook-signature': SIGNATURE,
    })
  })

  it('stands in docs/webhooks.md', () => {
    const page = readFileSync(new URL('../../../docs/webhooks.md', import.meta.url), 'utf8')
    for (const text of [SECRET, EVENT_ID, String(SECONDS), BODY, SIGNATURE]) expect(page).toContain(text)
  })
})

it.each(describeEvents())('What OpenAPI says of a delivery $name: is what is sent', (event) => {
  const { post } = webhookOperations([event])[event.name] ?? {}
  const sent = buildSignedDelivery(
    { ...delivery, event: event.name, responseCode: event.responseCode },
    { id: 'x_1' },
    [SECRET],
    sending,
  )
  const named = post?.parameters?.map(({ name }) => name)
  expect([...(named ?? []), 'content-type', 'user-agent'].sort()).toEqual(Object.keys(sent.headers).sort())
  const { requestBody } = post as unknown as {
    requestBody: { content: Record<string, { schema: { properties: object } }> }
  }
  const { properties } = requestBody.content['application/json']?.schema ?? { properties: {} }
  expect(Object.keys(properties)).toEqual(Object.keys(JSON.parse(sent.body)))
})
