// What has happened, as a merchant sees it: newest first, page by page, one with its payload and its deliveries, and sent again.

import { describe, expect, it } from 'vitest'
import { testApp } from '../../support/app.ts'
import { callsOf, missing, openShop } from '../../support/shop.ts'
import { type Delivery, webhooksOf } from '../webhooks/support.ts'

const app = await testApp({ trustProxy: ['0.0.0.0/0', '::/0'] })

type Event = {
  id: string
  event: string
  object_id: string | null
  sandbox: boolean | null
  request_id: string | null
  response_code: number
  created: number
}
type EventPage = { data: Event[]; next: string | null }
type EventDetails = Event & { payload: unknown; deliveries: Delivery[] }

/** A shop with calls of its own; `happens` makes attributes, apart in time. */
async function eventsOf() {
  const { keys } = await openShop(app)
  const hooks = webhooksOf(app, keys)
  const { call, succeed } = callsOf(app, 'events', keys.sandbox.secret)
  const list = (query = '', key?: string) => succeed<EventPage>(200, 'GET', query, undefined, key)
  const get = (id: string) => succeed<EventDetails>(200, 'GET', `/${id}`)
  const happens = async (count: number): Promise<{ id: string }[]> => {
    const made: { id: string }[] = []
    for (let n = 1; n <= count; n++) {
      app.clock.advance(1)
      made.push(await hooks.attribute(`Number ${n}`))
    }
    return made
  }
  return { keys, hooks, call, succeed, list, get, happens }
}

const listening = { transport: 'listen' }

describe('GET /v1/events', () => {
  it('lists what has happened, newest first, without payloads', async () => {
    const { list, happens } = await eventsOf()
    const [first, second] = await happens(2)
    const { data, next } = await list()
    expect(next).toBeNull()
    expect(data.map(({ event, object_id }) => [event, object_id])).toEqual(
      [second, first].map((made) => ['attributes.create', made?.id]),
    )
    expect(data[0]).not.toHaveProperty('payload')
    expect(new Set(data.map(({ request_id }) => request_id)).size).toBe(2)
  })

  it('shows those of one name, or about one thing', async () => {
    const { hooks, list, happens } = await eventsOf()
    const [first] = await happens(2)
    app.clock.advance(1)
    await hooks.succeed(204, 'DELETE', `attributes/${first?.id}`)
    expect((await list('?event=attributes.delete')).data).toMatchObject([{ object_id: first?.id, response_code: 204 }])
    expect((await list(`?object=${first?.id}`)).data.map(({ event }) => event)).toEqual([
      'attributes.delete',
      'attributes.create',
    ])
    expect(await list(`?object=${first?.id}&event=products.create`)).toEqual({ data: [], next: null })
  })

  it('keeps sandbox and live apart, and shows both what they share', async () => {
    const { keys, hooks, list, happens } = await eventsOf()
    await happens(1)
    app.clock.advance(1)
    await hooks.succeed(201, 'POST', 'customers', { email: 'ada@example.com' })
    const names = async (key: string) => (await list('', key)).data.map(({ event }) => event)
    expect(await names(keys.sandbox.secret)).toEqual(['customers.create', 'attributes.create'])
    expect(await names(keys.live.secret)).toEqual(['attributes.create'])
  })
})

describe('GET /v1/events/{id}', () => {
  it('gives the object as it was at that moment, and what became of each delivery', async () => {
    const { hooks, list, get, happens } = await eventsOf()
    const webhook = await hooks.create(listening)
    const [made] = await happens(1)
    app.clock.advance(1)
    await hooks.succeed(200, 'PUT', `attributes/${made?.id}`, { name: 'Renamed' })
    const [, created] = (await list()).data
    const event = await get(created?.id ?? '')
    expect(event).toEqual({
      ...created,
      payload: made,
      deliveries: await hooks.deliveries(webhook.id, '?event=attributes.create'),
    })
    expect(event.deliveries).toMatchObject([{ state: 'pending', event_id: event.id, object_id: made?.id }])
  })
})

describe('POST /v1/events/{id}/resend', () => {
  it('sends it to every webhook that is on and wants it, also to one that came later', async () => {
    const { hooks, succeed, list, get, happens } = await eventsOf()
    const one = await hooks.create(listening)
    await happens(1)
    await answered(hooks, one.id)
    const later = await hooks.create({ ...listening, subscribed_events: ['attributes.create'] })
    await hooks.create({ ...listening, subscribed_events: ['products.create'] })
    await hooks.create({ ...listening, active: false })
    const id = (await list()).data[0]?.id ?? ''
    const { data } = await succeed<{ data: Delivery[] }>(202, 'POST', `/${id}/resend`, {})
    expect(data.map(({ webhook_id, state, attempts_made }) => [webhook_id, state, attempts_made])).toEqual([
      [one.id, 'pending', 1],
      [later.id, 'pending', 0],
    ])
    expect((await get(id)).deliveries).toEqual(data)
    expect(await answered(hooks, one.id)).toMatchObject([{ attempt: 2, headers: { 'webhook-id': id } }])
  })

  it('sends it to one webhook alone, also to one that does not want such events', async () => {
    const { hooks, succeed, list, happens } = await eventsOf()
    await hooks.create(listening)
    const other = await hooks.create({ ...listening, subscribed_events: ['products.create'] })
    await happens(1)
    const id = (await list()).data[0]?.id ?? ''
    const { data } = await succeed<{ data: Delivery[] }>(202, 'POST', `/${id}/resend`, { webhook_id: other.id })
    expect(data).toMatchObject([{ webhook_id: other.id, event: 'attributes.create', state: 'pending' }])
  })

  it('refuses a webhook that is off, one of another shop, and a test without a webhook', async () => {
    const { hooks, call, list, happens } = await eventsOf()
    const off = await hooks.create({ ...listening, active: false })
    const foreign = await (await eventsOf()).hooks.create(listening)
    await happens(1)
    const id = (await list()).data[0]?.id ?? ''
    expect(await call('POST', `/${id}/resend`, { webhook_id: off.id })).toMatchObject({ status: 422 })
    expect(await call('POST', `/${id}/resend`, { webhook_id: foreign.id })).toMatchObject({ body: missing('webhook') })
    const { event } = await hooks.succeed<{ event: string }>(
      202,
      'POST',
      `webhooks/${(await hooks.create(listening)).id}/test`,
    )
    expect(await call('POST', `/${event}/resend`, {})).toMatchObject({
      status: 422,
      body: { error: { errors: { webhook_id: ['webhook_id must be the id of the webhook to test.'] } } },
    })
  })
})

type Hooks = ReturnType<typeof webhooksOf>

/** What waits for whoever listens, fetched and said to have arrived. */
async function answered(hooks: Hooks, webhookId: string) {
  type Pulled = { delivery: string; attempt: number; headers: Record<string, string> }
  const { data } = await hooks.succeed<{ data: Pulled[] }>(200, 'POST', `webhooks/${webhookId}/pull`, {})
  for (const { delivery, attempt } of data)
    await hooks.succeed(200, 'POST', `webhooks/${webhookId}/deliveries/${delivery}/answer`, {
      attempt,
      status: 200,
      ms: 3,
      error: null,
    })
  return data
}
