// @proof @alone: it kills servers.
// kill -9 of the server in the middle of an import: the next process continues it within 15 seconds, and imports no line twice.

import { expect, it } from 'vitest'
import type { ProductBatch } from '../../src/api/products/batch/schema.ts'
import { statement } from '../../src/db/db.ts'
import { openPool } from '../../src/db/pool.ts'
import { gate, jobsOf, until } from '../jobs/harness.ts'
import { cloneDatabase, openMerchant, PATIENT_POOL, patient } from '../support/database.ts'
import { type Server, startServer } from './processes.ts'

const connection = await cloneDatabase()
const db = openPool(connection, PATIENT_POOL)

const LINES = 40
/** In the second part of the import. */
const HELD = 30

const lockEntry = statement<{ position: number }>(
  'test.hold_entry',
  'select position from product_batch_entries where merchant_id = :merchant_id and position = :position for update',
)

it('an import goes on within 15 seconds after its process was killed, and adds no product twice', {
  timeout: patient(120_000),
}, async () => {
  const { id: merchant_id, keys } = await openMerchant(db)
  const call = async <T>({ url }: Server, path: string, body?: object): Promise<T> => {
    const answer = await fetch(`${url}/v1/products${path}`, {
      headers: { 'x-authorization': keys.sandbox.secret, 'content-type': 'application/json' },
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
    })
    return (await answer.json()) as T
  }
  const victim = await startServer({ connection, withJobs: false })
  const csv = `name,price\n${Array.from({ length: LINES }, (_, n) => `Thing ${n},1.00\n`).join('')}`
  const { id } = await call<ProductBatch>(victim, '/import', { csv })
  await victim.kill()

  const [isHeld, end] = [gate(), gate()]
  const holding = db.transaction(async (tx) => {
    await tx.one(lockEntry, { merchant_id, position: HELD })
    isHeld.open()
    await end.opened
  })
  await isHeld.opened
  const worker = await startServer({ connection })
  await until(async () => (await call<ProductBatch>(worker, `/batch/${id}`)).done === HELD - 1)
  expect(await worker.kill()).toMatchObject({ signal: 'SIGKILL' })
  const killedAt = Date.now()
  end.open()
  await holding

  // The longest wait is the lease plus the time until the next poll.
  const [job] = await jobsOf(db, merchant_id)
  expect(job?.isRunning).toBe(true)
  expect(Number(job?.dueAt) - killedAt).toBeLessThan(14_000)
  const next = await startServer({ connection, clockAheadMs: 15_000 })
  await until(async () => (await call<ProductBatch>(next, `/batch/${id}`)).state === 'done')
  const { data } = await call<{ data: { name: string }[] }>(next, '?limit=200')
  expect(new Set(data.map(({ name }) => name)).size).toBe(LINES)
  expect(data).toHaveLength(LINES)
  expect(await call<ProductBatch>(next, `/batch/${id}`)).toMatchObject({ total: LINES, done: LINES, refused: 0 })
  await next.kill('SIGTERM')
})
