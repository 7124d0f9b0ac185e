// A server in a process of its own, for idempotency-failures.test.ts to kill. Its notes are committed, and then it never answers.

import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Type } from 'typebox'
import type { Slice } from '../../src/api/slice.ts'
import { createApp } from '../../src/app.ts'
import { statement } from '../../src/db/db.ts'
import { readMigrations } from '../../src/db/migrate.ts'
import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { createLog } from '../../src/http/server/log.ts'
import type { Clock } from '../../src/lib/clock.ts'
import { versions } from '../../src/versions/index.ts'

const addNote = statement<{ id: number }>('test.add_note', 'insert into notes default values returning id')

/** POST /v1/notes makes a note; what comes `then` is up to the test. */
export const notes = (then: () => Promise<void>): Slice => ({
  kinds: [],
  endpoints: [
    endpoint({
      operation: 'notes.create',
      summary: 'For tests.',
      access: 'public',
      method: 'POST',
      path: '/v1/notes',
      body: Type.Object({}),
      status: 201,
      returns: Type.Object({ id: Type.Integer() }),
      handle: async ({ db }) => {
        const note = await db.transaction((tx) => tx.one(addNote, {}))
        await then()
        return note
      },
    }),
  ],
})

const { CARTWRIGHT_TEST_SERVER } = process.env
if (CARTWRIGHT_TEST_SERVER) {
  const { connection, now } = JSON.parse(CARTWRIGHT_TEST_SERVER)
  const clock: Clock = { now: () => new Date(now) }
  const { server } = await createApp({
    connection,
    clock,
    migrations: await readMigrations(),
    dataDir: join(tmpdir(), `cartwright-killed-${process.pid}`),
    log: createLog('silent'),
    slices: [notes(() => new Promise(() => undefined))],
    versions: versions.map(({ date }) => ({ date, changes: [] })),
  })
  const address = await server.listen({ host: '127.0.0.1', port: 0 })
  process.send?.(address)
}
