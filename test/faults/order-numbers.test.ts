// @proof @alone: it kills a PostgreSQL of its own.
// PostgreSQL dies between allocating an order number and storing its order. Even if it loses the number, no two orders have the same one.

import { expect, it } from 'vitest'
import { takeOrderNumber } from '../../src/api/orders/store.ts'
import { type Database, type Db, statement } from '../../src/db/db.ts'
import { openPool } from '../../src/db/pool.ts'
import { newId } from '../../src/lib/ids.ts'
import { administer, openMerchant, PATIENT_POOL } from '../support/database.ts'
import { openOwnPostgres } from './own-postgres.ts'

// WAL that no commit waits for is written late, so that a crash is sure to lose it.
const { connection, stopHard, startAgain } = await openOwnPostgres({ wal_writer_delay: '10s' })
const crash = async () => {
  await stopHard()
  await startAgain()
}

const open = () => openPool(connection, { ...PATIENT_POOL, size: 2, onError: () => undefined })

const note = statement(
  'test.note_number',
  `insert into jobs (merchant_id, id, kind, payload, due_at)
   values (:merchant_id, :id, 'test.number', json_build_object('number', :number::integer), now())`,
)

/** Stands in for the order: a row that is committed durably. */
const keep = (tx: Db, merchant_id: number, number: number) =>
  tx.run(note, { merchant_id, id: newId('job', new Date()), number })

const kept = statement<{ number: number }>(
  'test.kept_numbers',
  `select (payload ->> 'number')::integer as number from jobs where merchant_id = :merchant_id and kind = 'test.number' order by 1`,
)

it('a number that a crash forgot is given again, and nobody else can use it any more', async () => {
  const db = open()
  const { id: merchant_id } = await openMerchant(db)
  const scope = { merchant_id, is_sandbox: true }
  const make = (by: Database, between = async () => {}) =>
    by.transactionAfter(
      async (outside) => {
        const number = await takeOrderNumber(outside, scope)
        await between()
        return number
      },
      async (tx, number) => {
        await keep(tx, merchant_id, number)
        return number
      },
    )
  expect([await make(db), await make(db)]).toEqual([1, 2])
  await administer(connection, 'checkpoint')

  // A number that is taken when the server dies is lost. The next capture gets it, while its first owner still holds it and continues.
  let again = 0
  const first = make(db, async () => {
    await crash()
    const other = open()
    again = await make(other)
    await other.close()
  })
  await expect(first).rejects.toMatchObject({ status: 503 })
  expect(again).toBe(3)
  expect(await make(db)).toBe(4)

  // A number with a durable order survives.
  await crash()
  expect(await make(db)).toBe(5)
  const numbers = (await db.many(kept, { merchant_id })).map(({ number }) => number)
  expect(numbers).toEqual([1, 2, 3, 4, 5])
  await db.close()
})
