// @alone
// Gateways and shops that were there before 0069: gateways stay as they are, and shops that have sold live are known to.

import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { listPaymentMethods } from '../../src/api/payment-methods/store.ts'
import { type Db, statement } from '../../src/db/db.ts'
import { migrate, readMigrations } from '../../src/db/migrate.ts'
import { openPool } from '../../src/db/pool.ts'
import { administer, PATIENT_POOL } from '../support/database.ts'

const LAST_OF_BEFORE = '0067'

const { template: _migrated, ...server } = inject('postgres')
const connection = { ...server, database: `test_${randomBytes(8).toString('hex')}` }

const MERCHANT = `insert into merchants (name, currency, support_email, api_version, created_at, updated_at)
  values ('Shop', 'USD', 'shop@example.com', '2020-01-01', now(), now())`

const idOf = (name: string) => `gway_00V76xP9k${name.padEnd(17, '0')}`

const gateway = (merchant: number, code: string, name: string, isSandbox: boolean, isEnabled = true) =>
  `insert into payment_methods (merchant_id, id, code, is_sandbox, config, is_enabled, is_single, created_at, updated_at)
   values (${merchant}, '${idOf(name)}', '${code}', ${isSandbox}, '{"name": "${name}"}', ${isEnabled}, ${code !== 'manual'}, now(), now())`

const count = (merchant: number, total: number) =>
  `insert into kept_counts (merchant_id, list, is_sandbox, slot, total) values (${merchant}, 'payment_methods', false, 3, ${total})`

const order = (merchant: number, isSandbox: boolean) =>
  `insert into order_counters (merchant_id, is_sandbox, last_number) values (${merchant}, ${isSandbox}, 1)`

const [BY_HAND, BY_CARD, SOLD, TRIED] = [1, 2, 3, 4]

beforeAll(async () => {
  await administer(server, `create database ${connection.database} template template0`)
  const all = await readMigrations()
  await migrate(
    connection,
    all.filter(({ name }) => name.slice(0, 4) <= LAST_OF_BEFORE),
  )
  for (const text of [
    ...[MERCHANT, MERCHANT, MERCHANT, MERCHANT],
    ...[gateway(BY_HAND, 'manual', 'Bank', false), gateway(BY_HAND, 'manual', 'Cash', false, false), count(BY_HAND, 2)],
    ...[gateway(BY_CARD, 'stripe', 'Live', false), gateway(BY_CARD, 'stripe', 'Test', true), count(BY_CARD, 2)],
    ...[order(SOLD, false), order(TRIED, true), gateway(TRIED, 'stripe', 'Off', false, false), count(TRIED, 1)],
  ])
    await administer(connection, text)
  await migrate(connection, all)
}, 120_000)

afterAll(() => administer(server, `drop database if exists ${connection.database} with (force)`))

async function withDatabase<T>(work: (db: Db) => Promise<T>): Promise<T> {
  const db = openPool(connection, PATIENT_POOL)
  try {
    return await work(db)
  } finally {
    await db.close()
  }
}

const methodsOf = (merchantId: number) =>
  withDatabase((db) => listPaymentMethods(db, { merchantId }, { limit: 10, page: 1, offset: 0 }))

it('leaves every gateway as it is, so that the release before this one goes on beside it', async () => {
  expect((await methodsOf(BY_HAND)).rows.map(({ id, is_sandbox }) => [id, is_sandbox])).toEqual([
    [idOf('Bank'), false],
    [idOf('Cash'), false],
  ])
  const { rows, total } = await methodsOf(BY_CARD)
  expect([total, rows.map(({ id, is_sandbox }) => [id, is_sandbox])]).toEqual([
    2,
    [
      [idOf('Live'), false],
      [idOf('Test'), true],
    ],
  ])
})

it('knows shops that have a live gateway with credentials switched on, or a live order, as selling live', async () => {
  const sellers = statement<{ merchant_id: number; sells_live: boolean }>(
    'test.live_sellers',
    'select merchant_id, sells_live from merchants order by merchant_id',
  )
  const rows = await withDatabase((db) => db.many(sellers, {}))
  expect(rows.map(({ sells_live }) => sells_live)).toEqual([false, true, true, false])
})
