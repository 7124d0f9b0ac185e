// @proof @alone: it waits for deadlines.
// What becomes of the work of a request that was given up: nothing of it is committed after the 503.

import { Type } from 'typebox'
import { beforeEach, describe, expect, test } from 'vitest'
import { type Database, statement } from '../../src/db/db.ts'
import type { Endpoint } from '../../src/http/endpoint/endpoint.ts'
import { testApp } from '../support/app.ts'
import { administer, cloneDatabase } from '../support/database.ts'
import { errorBody, gate, probe, slice, until } from './harness.ts'

const put = statement('test.put_note', 'insert into notes (id) values (:id)')
const ids = statement<{ id: number }>('test.notes', 'select id from notes order by id')

let late = gate()
let ended: unknown[] = []

/** Does its work, and remembers how that ended. */
const working = (operation: string, method: Endpoint['method'], work: (db: Database) => Promise<unknown>) =>
  probe({
    operation: `probes.${operation}`,
    path: `/v1/${operation}`,
    method,
    ...(method === 'POST' || method === 'PUT' ? { body: Type.Object({}) } : {}),
    handle: async ({ db }) => {
      try {
        await work(db)
        ended.push('done')
      } catch (error) {
        ended.push(error)
        throw error
      }
      return { ok: true }
    },
  })

const waits = async (db: Database) =>
  db.transaction(async (tx) => {
    await tx.run(put, { id: 1 })
    await late.opened
  })

const connection = await cloneDatabase()
await administer(connection, 'create table notes (id integer primary key)')
const app = await testApp({
  connection,
  limits: { handlerMs: 3_000 },
  slices: [
    slice([
      working('waits', 'POST', waits),
      working('reads', 'GET', async (db) => {
        await late.opened
        await db.many(ids, {})
      }),
      working('goes-on', 'POST', (db) =>
        db.transaction(async (tx) => {
          await late.opened
          await tx.run(put, { id: 1 })
        }),
      ),
      working('begins', 'POST', async (db) => {
        await late.opened
        await db.transaction((tx) => tx.run(put, { id: 1 }))
      }),
      working('single', 'POST', async (db) => {
        await late.opened
        await db.run(put, { id: 1 })
      }),
      working('half', 'POST', async (db) => {
        await db.transaction((tx) => tx.run(put, { id: 1 }))
        await late.opened
        await db.transaction((tx) => tx.run(put, { id: 2 }))
      }),
    ]),
  ],
})
const key = (await app.merchant()).keys.sandbox.secret
const notes = async () => (await app.db.many(ids, {})).map(({ id }) => id)

beforeEach(async () => {
  await administer(connection, 'truncate notes')
  late = gate()
  ended = []
})

const TOO_LATE = expect.objectContaining({ name: 'ApiError', status: 503, type: 'unavailable' })

describe('a request that was given up', () => {
  test.each([
    ['waits in its transaction', '/v1/waits'],
    ['goes on in its transaction', '/v1/goes-on'],
    ['begins its transaction too late', '/v1/begins'],
    ['writes without a transaction', '/v1/single'],
  ])('and %s (%s) changes nothing, and lets go of its connection', async (_name, url) => {
    const { status, headers } = await app.call('POST', url, { key, body: {} })
    expect(status).toBe(503)
    late.open()
    await until(() => ended.length > 0 && app.db.usage.total === app.db.usage.idle, 'the handler ends')
    expect(ended).toEqual([TOO_LATE])
    expect(await notes()).toEqual([])
    const lines = app.logged
      .map((line) => JSON.parse(line))
      .filter((line) => line.request_id === headers['x-request-id'])
    expect(lines.map(({ msg, status }) => [msg, status])).toEqual([
      ['request failed', undefined],
      ['request', 503],
    ])
  })

  test('keeps what it had committed by then, and nothing after', async () => {
    expect((await app.call('POST', '/v1/half', { key, body: {} })).status).toBe(503)
    late.open()
    await until(() => ended.length > 0, 'the handler ends')
    expect(ended).toEqual([TOO_LATE])
    expect(await notes()).toEqual([1])
  })

  test('and only reads is left alone', async () => {
    const answer = await app.call('GET', '/v1/reads', { key })
    expect(answer.body).toEqual(errorBody(503, 'unavailable', 'The request took too long and was stopped.'))
    late.open()
    await until(() => ended.length > 0, 'the handler ends')
    expect(ended).toEqual(['done'])
  })
})
