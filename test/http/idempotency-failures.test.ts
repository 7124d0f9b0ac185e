// @proof @alone: it waits for deadlines.
// `Idempotency-Key` when things go wrong: clients that leave, requests that are late, a database that fails.

import { setTimeout as pause } from 'node:timers/promises'
import { Type } from 'typebox'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { statement } from '../../src/db/db.ts'
import { testApp } from '../support/app.ts'
import { administer, cloneDatabase } from '../support/database.ts'
import { Connection, conflict, gate, listen, probe, STILL_RUNNING, slice, until } from './harness.ts'
import { holdTimers } from './held-timers.ts'

/** Long enough for whatever does not wait for anything, on a machine with much to do. */
const HANDLER_MS = 3_000
/** How long a key is held that nobody renews. */
const LEASE_SECONDS = 14

let handled = 0
let late = gate()
const connection = await cloneDatabase()
await administer(connection, 'create table notes (id integer primary key generated always as identity)')
const addNote = statement<{ id: number }>('test.add_note', 'insert into notes default values returning id')
/** POST /v1/notes makes a note and answers when the gate is open. */
const waiting = slice([
  probe({
    operation: 'notes.create',
    method: 'POST',
    path: '/v1/notes',
    body: Type.Object({}),
    status: 201,
    returns: Type.Object({ id: Type.Integer() }),
    handle: async ({ db }) => {
      const note = await db.transaction((tx) => tx.one(addNote, {}))
      handled += 1
      await late.opened
      return note
    },
  }),
])
const app = await testApp({ connection, slices: [waiting] })
const port = await listen(app)
const shop = await app.merchant()
const key = shop.keys.sandbox.secret
// Further processes, as far as the database and their own memory tell; one has little patience.
const twin = await testApp({ connection, slices: [waiting] })
const hasty = await testApp({ connection, slices: [waiting], limits: { handlerMs: HANDLER_MS } })

const countNotes = statement<{ count: number }>('test.count_notes', 'select count(*) from notes')
const noteCount = async () => (await app.db.one(countNotes, {})).count

const findKey = statement<{ key: string }>('test.find_key', 'select key from idempotency_keys where key = :key')
const isKnown = async (name: string) => (await app.db.maybe(findKey, { key: name })) !== null

const readLease = statement<{ running_until: Date }>(
  'test.read_lease',
  'select running_until from idempotency_keys where key = :key',
)
const leasedFor = async (name: string) =>
  ((await app.db.one(readLease, { key: name })).running_until.getTime() - app.clock.now().getTime()) / 1_000

const countWaiting = statement<{ count: number }>(
  'test.count_waiting',
  "select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
)
const waitingCount = async () => (await app.db.one(countWaiting, {})).count

let last = 0
const fresh = () => `key-${++last}`
const post = (name: string, on = app) =>
  on.call('POST', '/v1/notes', { key, body: {}, headers: { 'idempotency-key': name } })
/** The request as bytes, for a client that leaves. */
const raw = (name: string) =>
  `POST /v1/notes HTTP/1.1\r\nHost: x\r\nX-Authorization: ${key}\r\nIdempotency-Key: ${name}\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}`

beforeEach(async () => {
  await administer(connection, 'truncate notes restart identity')
  late = gate()
  handled = 0
})

describe('a client that leaves', () => {
  it('before the answer finds it when it comes back', async () => {
    const name = fresh()
    const client = new Connection(port).send(raw(name))
    await until(() => handled === 1, 'the request runs')
    client.socket.destroy()
    await client.closed
    expect((await post(name)).body).toEqual(STILL_RUNNING)
    late.open()
    await expect
      .poll(() => post(name))
      .toMatchObject({ status: 201, body: { id: 1 }, headers: { 'idempotency-replayed': 'true' } })
    expect(await noteCount()).toBe(1)
  })
})

const TOO_LATE =
  'The first request with this Idempotency-Key ended with status 201, but its answer was too large or too late to be stored. Check what it did before you send it again with another key.'

describe('a request that takes too long', () => {
  it('holds its key after its 503 for as long as it runs, and what it did is not done again', async () => {
    const name = fresh()
    expect((await post(name, hasty)).status).toBe(503)
    expect((await post(name, hasty)).body).toEqual(STILL_RUNNING)
    late.open()
    await expect.poll(async () => (await post(name, hasty)).body).toEqual(conflict(TOO_LATE))
    expect(await noteCount()).toBe(1)
  })

  it('and is stopped before it does anything leaves its key free', async () => {
    const name = fresh()
    const hold = await lockNotes()
    expect((await post(name, hasty)).status).toBe(503)
    await hold.release()
    late.open()
    await expect.poll(() => post(name, hasty)).toMatchObject({ status: 201 })
    expect(await noteCount()).toBe(1)
  })
})

describe('a request that runs for long', () => {
  it('holds its key for as long as it runs, whatever time passes', async () => {
    const name = fresh()
    const first = post(name)
    await until(() => handled === 1, 'the request runs')
    for (let times = 0; times < 3; times++) {
      app.clock.advance(LEASE_SECONDS - 1)
      // Its process renews the lease every other second.
      await expect.poll(() => leasedFor(name)).toBe(LEASE_SECONDS)
      expect((await post(name, twin)).body).toEqual(STILL_RUNNING)
    }
    late.open()
    expect((await first).body).toEqual({ id: 1 })
    expect(await post(name, twin)).toMatchObject({ status: 201, body: { id: 1 } })
    expect(await noteCount()).toBe(1)
  })

  it('commits nothing once its process has lost the key, as after a pause', async () => {
    const name = fresh()
    const hold = await lockNotes()
    const paused = holdTimers(2_000)
    const first = post(name)
    await expect.poll(() => isKnown(name)).toBe(true)
    await expect.poll(waitingCount).toBe(1)
    // Nothing is renewed while the process stands still, and the commit is yet to be sent.
    app.clock.advance(LEASE_SECONDS)
    await hold.release()
    expect((await first).status).toBe(503)
    expect(await noteCount()).toBe(0)
    paused()
    late.open()
    expect(await post(name)).toMatchObject({ status: 201 })
    expect(await noteCount()).toBe(1)
  })
})

describe('a database', () => {
  const { one, run } = hasty.db
  afterEach(() => vi.restoreAllMocks())

  it('that fails after the request was done takes nothing from its answer, and frees the key by time', async () => {
    const name = fresh()
    late.open()
    vi.spyOn(hasty.db, 'run').mockRejectedValue(new Error('gone'))
    expect(await post(name, hasty)).toMatchObject({ status: 201, body: { id: 1 } })
    expect((await post(name, hasty)).body).toEqual(STILL_RUNNING)
    hasty.clock.advance(LEASE_SECONDS)
    expect(await post(name, hasty)).toMatchObject({ status: 201, body: { id: 2 } })
    const told = hasty.logged.filter((line) => line.includes('the answer for an Idempotency-Key was not stored'))
    expect(told).toHaveLength(2)
  })

  it('that is slow to keep an answer does not lose it to the deadline', async () => {
    const name = fresh()
    late.open()
    vi.spyOn(hasty.db, 'run').mockImplementation((...given) => pause(HANDLER_MS + 100).then(() => run(...given)))
    for (const _ of ['first', 'again']) expect(await post(name, hasty)).toMatchObject({ status: 201, body: { id: 1 } })
  })

  it('that is slow to give the key has the request given up before it runs, and the key is free', async () => {
    const name = fresh()
    late.open()
    vi.spyOn(hasty.db, 'one').mockImplementation(async (...given) => {
      const row = await one(...given)
      return given[0].name === 'idempotency_keys.claim' ? pause(HANDLER_MS + 100, row) : row
    })
    expect([(await post(name, hasty)).status, handled]).toEqual([503, 0])
    vi.restoreAllMocks()
    await expect.poll(() => post(name, hasty)).toMatchObject({ status: 201 })
    expect(await noteCount()).toBe(1)
  })
})

/** A table that nobody can write to until it is let go of. */
async function lockNotes() {
  const held = gate()
  const taken = gate()
  const done = twin.db.transaction(async (tx) => {
    await tx.run(statement('test.lock_notes', 'lock table notes in exclusive mode'), {})
    taken.open()
    await held.opened
  })
  await taken.opened
  return {
    release: () => {
      held.open()
      return done
    },
  }
}
