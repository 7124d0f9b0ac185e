// A receiver of webhooks: a real server that keeps what it was sent and answers as it is told.

import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, expect } from 'vitest'
import type { TestApp } from '../../support/app.ts'
import { callsOf, type Keys, openShop } from '../../support/shop.ts'

export type Received = {
  readonly headers: IncomingHttpHeaders
  readonly text: string
  readonly body: {
    id: string
    created: number
    event: string
    response_code: number
    payload: unknown
    signature: string
  }
}

export type Reply = (received: Received, response: ServerResponse) => void

export type Receiver = { readonly url: string; readonly received: Received[]; reply: Reply }

export const answerWith =
  (status: number, headers: Record<string, string> = {}, text = ''): Reply =>
  (_, response) =>
    void response.writeHead(status, headers).end(text)

export async function openReceiver(reply: Reply = answerWith(204)): Promise<Receiver> {
  const received: Received[] = []
  const receiver = { url: '', received, reply }
  const server = createServer(async (request, response) => {
    let text = ''
    for await (const chunk of request.setEncoding('utf8')) text += chunk
    const one = { headers: request.headers, text, body: JSON.parse(text) }
    received.push(one)
    receiver.reply(one, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  afterAll(() => {
    server.closeAllConnections()
    server.close()
  })
  receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`
  return receiver
}

export type Webhook = {
  id: string
  url: string | null
  state: string
  active: boolean
  disabled_reason: string | null
  signing_key: string
  version: string
  subscribed_events: string[]
  failing_since: number | null
  previous_key_until: number | null
  history: { data: Delivery[] }
}

export type Delivery = {
  created: number
  id: string
  webhook_id: string
  event_id: string
  event: string
  object_id: string | null
  state: string
  attempts_made: number
  last_status: number | null
  last_error: string | null
  next_attempt: number | null
}

export type DeliveryDetails = Delivery & {
  payload: unknown
  request_id: string | null
  attempts: {
    number: number
    status: number | null
    error: string | null
    ms: number
    answer: string | null
    request_headers: Record<string, string>
  }[]
}

/** Calls that belong to webhooks, of one shop. */
export function webhooksOf(app: TestApp, keys: Keys) {
  const { call, succeed } = callsOf(app, '', keys.sandbox.secret)
  const create = (body: Record<string, unknown>, key?: string) =>
    succeed<Webhook>(201, 'POST', 'webhooks', { subscribed_events: ['*'], ...body }, key)
  const deliveries = async (id: string, query = '') =>
    (await succeed<{ data: Delivery[] }>(200, 'GET', `webhooks/${id}/deliveries${query}`)).data
  return {
    call,
    succeed,
    create,
    deliveries,
    get: (id: string) => succeed<Webhook>(200, 'GET', `webhooks/${id}`),
    delivery: (webhookId: string, id: string) =>
      succeed<DeliveryDetails>(200, 'GET', `webhooks/${webhookId}/deliveries/${id}`),
    attribute: (name = 'Colour') =>
      succeed<{ id: string }>(201, 'POST', 'attributes', { name, description: '', type: 'short_text' }),
    settled: (id: string, states = ['delivered', 'failed', 'skipped']) =>
      expect.poll(async () => (await deliveries(id)).every(({ state }) => states.includes(state))).toBe(true),
  }
}

/** A shop with one webhook, whose receiver answers so. */
export async function openHook(app: TestApp, reply?: Reply) {
  const { id: shop, keys } = await openShop(app)
  const hooks = webhooksOf(app, keys)
  const receiver = await openReceiver(reply)
  const { id, signing_key } = await hooks.create({ url: receiver.url })
  return { ...hooks, shop, receiver, id, signing_key }
}
