// Every change of an attribute writes one event, with the body as it was then, and neither exists without the other.

import { afterEach, describe, expect, it } from 'vitest'
import type { Attribute } from '../../../src/api/attributes/schema.ts'
import { statement } from '../../../src/db/db.ts'
import { TestClock, testApp } from '../../support/app.ts'
import { create, draft, eventsOf, rowsOf, UNKNOWN_ID } from './support.ts'

const app = await testApp()

const EVENT_ID = /^evt_[0-9A-Za-z]{26}$/

const event = (name: string, responseCode: number, payload: unknown) => ({
  id: expect.stringMatching(EVENT_ID),
  name,
  kind: 'attribute',
  sandbox: null,
  payload,
  response_code: responseCode,
  created_at: app.clock.now(),
})

const FULL = {
  type: 'options',
  required: true,
  is_multiselect: true,
  options: [{ value: 'oak', label: 'Oak' }],
  default_value: 'oak',
  meta: { z: 1, a: 2 },
}

describe('events of attributes', () => {
  it('are one for each change, with the body that was answered', async () => {
    const { id: merchantId, keys } = await app.merchant()
    const key = keys.sandbox.secret
    const created = await create(app, key, FULL)
    const first = event('attributes.create', 201, created)
    expect(await eventsOf(app.db, merchantId)).toEqual([first])

    app.clock.advance(1)
    const updated = await app.call('PUT', `/v1/attributes/${created.id}`, { key, body: { name: 'New', meta: null } })
    const second = event('attributes.update', 200, updated.body)
    // The first still tells the body as it was then.
    expect(await eventsOf(app.db, merchantId)).toEqual([first, second])

    app.clock.advance(1)
    await app.call('DELETE', `/v1/attributes/${created.id}`, { key })
    const third = event('attributes.delete', 204, updated.body)
    expect(await eventsOf(app.db, merchantId)).toEqual([first, second, third])
  })

  it('hold the bytes of the answer at the newest version, whatever version was asked for', async () => {
    const { id: merchantId, keys } = await app.merchant()
    const version = '2020-02-01'
    await app.call('POST', '/v1/attributes', { key: keys.sandbox.secret, version, body: draft(FULL) })
    const [created] = await eventsOf(app.db, merchantId)
    const read = await app.call('GET', `/v1/attributes/${created?.payload.id}`, { key: keys.sandbox.secret })
    expect(await app.db.one(payloadText, { merchant_id: merchantId })).toEqual({ payload: read.text })
  })

  const payloadText = statement<{ payload: string }>(
    'test.event_payload',
    'select payload::text as payload from events where merchant_id = :merchant_id',
  )

  it('belong to the merchant of the attribute alone', async () => {
    const { keys } = await app.merchant()
    const other = await app.merchant()
    await create(app, keys.sandbox.secret)
    expect(await eventsOf(app.db, other.id)).toEqual([])
  })

  it('are not written by reading', async () => {
    const { id: merchantId, keys } = await app.merchant()
    const { id } = await create(app, keys.sandbox.secret)
    await app.call('GET', `/v1/attributes/${id}`, { key: keys.sandbox.secret })
    await app.call('GET', '/v1/attributes', { key: keys.sandbox.secret })
    expect(await eventsOf(app.db, merchantId)).toHaveLength(1)
  })

  it('are not written by a request that is refused', async () => {
    const { id: merchantId, keys } = await app.merchant()
    const { id } = await create(app, keys.sandbox.secret, FULL)
    const before = await eventsOf(app.db, merchantId)
    const send = (method: 'POST' | 'PUT' | 'DELETE', url: string, body?: unknown, key = keys.sandbox.secret) =>
      app.call(method, url, { key, ...(body === undefined ? {} : { body }) })
    const statuses = [
      (await send('POST', '/v1/attributes', {})).status,
      (await send('POST', '/v1/attributes', draft({ default_value: 7 }))).status,
      (await send('PUT', `/v1/attributes/${id}`, { name: 7 })).status,
      (await send('PUT', `/v1/attributes/${id}`, { type: 'date' })).status,
      (await send('PUT', `/v1/attributes/${UNKNOWN_ID}`, { name: 'x' })).status,
      (await send('DELETE', `/v1/attributes/${UNKNOWN_ID}`)).status,
      (await send('DELETE', `/v1/attributes/${id}`, undefined, keys.sandbox.public)).status,
      (await send('PUT', `/v1/attributes/${id}`, { name: 'x' }, '')).status,
    ]
    expect(statuses).toEqual([422, 422, 422, 422, 404, 404, 403, 401])
    expect(await eventsOf(app.db, merchantId)).toEqual(before)
  })

  it('have ids of their own, also within one millisecond', async () => {
    const { id: merchantId, keys } = await app.merchant()
    await Promise.all(Array.from({ length: 50 }, () => create(app, keys.sandbox.secret)))
    const events = await eventsOf(app.db, merchantId)
    expect(new Set(events.map(({ id }) => id)).size).toBe(50)
    expect(new Set(events.map(({ payload }) => payload.id)).size).toBe(50)
  })
})

describe('a change whose event cannot be written', () => {
  const makeFunction = statement(
    'test.make_refusal',
    `create or replace function refuse_event() returns trigger language plpgsql as
     $$ begin raise exception 'no event today' using errcode = '23514'; end $$`,
  )
  const makeTrigger = statement(
    'test.refuse_events',
    'create trigger refuse_events before insert on events for each row execute function refuse_event()',
  )
  const dropTrigger = statement('test.allow_events', 'drop trigger if exists refuse_events on events')
  afterEach(() => app.db.run(dropTrigger, {}))

  it.each(['POST', 'PUT', 'DELETE'] as const)('is undone: %s', async (method) => {
    const { id: merchantId, keys } = await app.merchant()
    const { id } = await create(app, keys.sandbox.secret, FULL)
    const before = { rows: await rowsOf(app.db, merchantId), events: await eventsOf(app.db, merchantId) }
    await app.db.run(makeFunction, {})
    await app.db.run(makeTrigger, {})
    const url = method === 'POST' ? '/v1/attributes' : `/v1/attributes/${id}`
    const answer = await app.call(method, url, { key: keys.sandbox.secret, body: draft({ ...FULL, name: 'Never' }) })
    expect(answer.status).toBe(500)
    expect(answer.body).toEqual({
      error: {
        type: 'server_error',
        message: `Something went wrong on our side. Please report it with the request id ${answer.headers['x-request-id']}.`,
      },
      status_code: 500,
    })
    expect(answer.text).not.toContain('event today')
    expect({ rows: await rowsOf(app.db, merchantId), events: await eventsOf(app.db, merchantId) }).toEqual(before)

    await app.db.run(dropTrigger, {})
    const again = await app.call('PUT', `/v1/attributes/${id}`, { key: keys.sandbox.secret, body: { name: 'Now' } })
    expect([again.status, (again.body as Attribute).name]).toEqual([200, 'Now'])
  })
})

describe('the clock of an event', () => {
  it('is the clock of the change', async () => {
    const clock = new TestClock(new Date('2030-05-06T07:08:09.123Z'))
    const later = await testApp({ clock })
    const { id: merchantId, keys } = await later.merchant()
    const { created } = await create(later, keys.sandbox.secret)
    const [written] = await eventsOf(later.db, merchantId)
    expect([created, written?.created_at]).toEqual([1_904_281_689, new Date('2030-05-06T07:08:09.123Z')])
  })
})
