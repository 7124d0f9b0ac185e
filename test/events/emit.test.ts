import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Db, statement, type Tx } from '../../src/db/db.ts'
import { emit } from '../../src/events/emit.ts'
import { sweepOldEvents } from '../../src/events/store.ts'
import { testDatabase } from '../support/database.ts'

const NOW = new Date('2026-03-01T12:00:00Z')
const DAY_MS = 86_400_000

const db = await testDatabase()

const addMerchant = statement<{ id: number }>(
  'test.merchant',
  `insert into merchants (name, currency, support_email, api_version, created_at, updated_at)
   values ('Shop', 'EUR', 'shop@example.com', '2026-01-01', :created_at, :created_at) returning merchant_id as id`,
)
const removeMerchant = statement('test.remove', 'delete from merchants where merchant_id = :merchant_id')
const selectEvents = statement<Record<string, unknown>>(
  'test.events',
  `select id, name, kind, sandbox, payload::text as payload, response_code, created_at
   from events where merchant_id = :merchant_id order by created_at`,
)
const clear = statement('test.clear', 'delete from events where merchant_id = :merchant_id')
const addEvents = statement(
  'test.add_events',
  `insert into events (merchant_id, id, name, kind, payload, response_code, created_at)
   select :merchant_id, 'evt_' || :prefix || n, 'attributes.create', 'attribute', '{}', 201, :created_at from generate_series(1, :count::int) n`,
)

let merchantId = 0
beforeAll(async () => {
  merchantId = (await db.one(addMerchant, { created_at: NOW })).id
})
beforeEach(() => db.run(clear, { merchant_id: merchantId }))

const created = (tx: Tx, scope = { merchantId }, payload: unknown = { id: 'attr_1' }) =>
  emit(tx, scope, 'attributes.create', payload, NOW)

const eventsOf = (handle: Db) => handle.many(selectEvents, { merchant_id: merchantId })

describe('emit', () => {
  it('writes the event with the body as it is now', async () => {
    await db.transaction((tx) => emit(tx, { merchantId, isSandbox: true }, 'customers.create', { id: 'cstmr_1' }, NOW))
    expect(await eventsOf(db)).toEqual([
      {
        id: expect.stringMatching(/^evt_[0-9A-Za-z]{26}$/),
        name: 'customers.create',
        kind: 'customer',
        sandbox: true,
        payload: '{"id":"cstmr_1"}',
        response_code: 201,
        created_at: NOW,
      },
    ])
  })

  it('loses its events with the merchant', async () => {
    const { id } = await db.one(addMerchant, { created_at: NOW })
    await db.transaction((tx) => created(tx, { merchantId: id }))
    await db.run(removeMerchant, { merchant_id: id })
    expect(await db.many(selectEvents, { merchant_id: id })).toEqual([])
  })
})

describe('the sweep of old events', () => {
  const run = (signal = new AbortController().signal) =>
    sweepOldEvents(30).run({ db, clock: { now: () => NOW }, signal })
  const add = (prefix: string, age: number, count: number) =>
    db.run(addEvents, { merchant_id: merchantId, prefix, created_at: new Date(NOW.getTime() - age), count })

  it('deletes events older than 30 days and leaves the others', async () => {
    await add('old', 30 * DAY_MS + 1, 2)
    await add('edge', 30 * DAY_MS, 1)
    await add('young', DAY_MS, 1)
    expect(await run()).toBe(2)
    expect((await eventsOf(db)).map(({ id }) => id)).toEqual(['evt_edge1', 'evt_young1'])
    expect(await run()).toBe(0)
  })
})
