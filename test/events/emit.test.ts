// Events, one by one and many by one statement, and how long they are kept.

import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Statement, statement, type Values } from '../../src/db/db.ts'
import { type EmittedEvent, emit, emitMany } from '../../src/events/emit.ts'
import { sweepOldEvents } from '../../src/events/store.ts'
import { testDatabase } from '../support/database.ts'

const NOW = new Date('2026-03-01T12:00:00.123Z')
const DAY_MS = 86_400_000
const db = await testDatabase()

const addMerchant = statement<{ id: number }>(
  'test.merchant',
  `insert into merchants (name, currency, support_email, api_version, created_at, updated_at)
   values ('Shop', 'EUR', 'shop@example.com', '2026-01-01', :created_at, :created_at) returning merchant_id as id`,
)
const selectEvents = statement<Record<string, unknown>>(
  'test.events',
  `select merchant_id, id, name, kind, sandbox, payload::text as payload, response_code, created_at
   from events where merchant_id = any(:merchant_ids) order by name`,
)
const clear = statement('test.clear', 'delete from events where merchant_id = any(:merchant_ids)')

let merchants: number[] = []
let scope = { merchant_id: 0, is_sandbox: true }
beforeAll(async () => {
  merchants = [(await db.one(addMerchant, { created_at: NOW })).id]
  scope = { merchant_id: merchants[0] ?? 0, is_sandbox: true }
})
beforeEach(() => db.run(clear, { merchant_ids: merchants }))

const written = async () =>
  (await db.many(selectEvents, { merchant_ids: merchants })).map(({ id, ...event }) => {
    expect(id).toMatch(/^evt_[0-9A-Za-z]{26}$/)
    return event
  })

const NAMES = [
  'attributes.create',
  'customers.delete',
  'customers.update',
  'orders.create',
  'orders.physical.shipment',
] as const

const events = () =>
  [
    { zebra: 1, apple: { y: [], b: 1.5, a: null }, mango: 'é\u0000"\ud800', Apple: 1e21 },
    { text: 'a "quoted", {braced}, back\\slashed, NULL\nline', list: [[1], ['2']] },
    [],
    'NULL',
    null,
  ].map((payload, index): EmittedEvent => ({ name: NAMES[index % NAMES.length] ?? 'orders.create', payload }))

describe('emitMany', () => {
  it('writes what emit would have written, to the byte', async () => {
    await db.transaction(async (tx) => {
      for (const { name, payload } of events()) await emit(tx, scope, name, payload, NOW)
    })
    const oneByOne = await written()
    expect(oneByOne[1]).toMatchObject({
      name: 'customers.delete',
      kind: 'customer',
      sandbox: true,
      response_code: 204,
      created_at: NOW,
    })
    await db.run(clear, { merchant_ids: merchants })
    await db.transaction((tx) => emitMany(tx, scope, events(), NOW))
    expect(await written()).toEqual(oneByOne)
    expect(oneByOne.map(({ payload }) => payload)).toEqual(events().map(({ payload }) => JSON.stringify(payload)))
  })

  it.each([
    [0, 0],
    [1, 1],
    [3_000, 1],
  ])('sends for %i events %i statements', async (count, expected) => {
    const [event] = events()
    if (event === undefined) throw new Error('There is no event.')
    const sent: string[] = []
    await db.transaction((tx) => {
      const run = (named: Statement<never>, values: Values) => {
        sent.push(named.name)
        return tx.run(named, values)
      }
      return emitMany({ ...tx, run }, scope, Array(count).fill(event), NOW)
    })
    expect([sent.length, (await written()).length]).toEqual([expected, count])
  })
})

it('events are deleted when they are older than 30 days', async () => {
  const moments = [30 * DAY_MS + 1, 30 * DAY_MS, DAY_MS].map((age) => new Date(NOW.getTime() - age))
  await db.transaction(async (tx) => {
    for (const moment of moments) await emit(tx, scope, 'attributes.create', {}, moment)
  })
  expect(await sweepOldEvents(30).run({ db, clock: { now: () => NOW }, signal: new AbortController().signal })).toBe(1)
  expect((await written()).map(({ created_at: at }) => at).sort()).toEqual(moments.slice(1))
})
