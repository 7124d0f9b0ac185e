// @alone
// Entries of gift cards that were written before 0065, and what the migration makes of them: their orders are found by it.

import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { listEntries } from '../../src/api/gift-cards/ledger-store.ts'
import { migrate, readMigrations } from '../../src/db/migrate.ts'
import { openPool } from '../../src/db/pool.ts'
import { administer, PATIENT_POOL } from '../support/database.ts'

const LAST_OF_BEFORE = '0064'

const { template: _migrated, ...server } = inject('postgres')
const connection = { ...server, database: `test_${randomBytes(8).toString('hex')}` }

const MERCHANT = `insert into merchants (name, currency, support_email, api_version, created_at, updated_at)
  values ('Shop', 'USD', 'shop@example.com', '2020-01-01', now(), now())`

const order = (merchant: number, name: string) =>
  `insert into orders (
     merchant_id, id, is_sandbox, checkout_id, attempt_id, body_digest, customer_id, customer_reference, email, content, currency,
     order_value, total_due, status_payment, status_fulfillment, created_at, updated_at
   )
   values (${merchant}, 'ord_${name}', true, 'chkt_${name}', 'atmpt_${name}', '', 'cstmr_1', 'SHP-${name}', 'a@b.example', '{}',
     'USD', 0, 0, 'paid', 'fulfilled', now(), now())`

const entry = (merchant: number, amount: number, reason: string, subject: string | null) =>
  `insert into gift_card_entries (merchant_id, gift_card_id, is_sandbox, amount, reason, subject_id, created_at)
   values (${merchant}, 'gift_1', true, ${amount}, '${reason}', ${subject === null ? 'null' : `'${subject}'`}, now())`

const card = (merchant: number, balance: number) =>
  `insert into gift_cards (merchant_id, id, code, initial_value, created_at, updated_at)
   values (${merchant}, 'gift_1', 'CARD', 5000, now(), now());
   insert into gift_card_balances (merchant_id, gift_card_id, is_sandbox, balance) values (${merchant}, 'gift_1', true, ${balance})`

beforeAll(async () => {
  await administer(server, `create database ${connection.database} template template0`)
  const all = await readMigrations()
  await migrate(
    connection,
    all.filter(({ name }) => name.slice(0, 4) <= LAST_OF_BEFORE),
  )
  for (const text of [
    ...[MERCHANT, MERCHANT, card(1, 2_000), card(2, 5_000)],
    // Another shop's order of the same attempt is nobody's here.
    ...[order(1, 'a'), order(2, 'b'), entry(1, 5_000, 'issued', null), entry(2, 5_000, 'issued', null)],
    ...[entry(1, -3_000, 'reserved', 'atmpt_a'), entry(1, -500, 'reserved', 'atmpt_b')],
    ...[entry(1, 500, 'returned', 'atmpt_b')],
  ])
    await administer(connection, text)
  await migrate(connection, all)
}, 120_000)

afterAll(() => administer(server, `drop database if exists ${connection.database} with (force)`))

it('names the orders that were paid before there was anything to find them by', async () => {
  const db = openPool(connection, PATIENT_POOL)
  try {
    const { rows } = await listEntries(db, { merchantId: 1, isSandbox: true }, 'gift_1', {
      limit: 10,
      page: 1,
      offset: 0,
    })
    expect(rows.map(({ reason, balance, order: made }) => [reason, balance, made?.customer_reference ?? null])).toEqual(
      [
        ['returned', 2_000, null],
        ['reserved', 1_500, null],
        ['reserved', 2_000, 'SHP-a'],
        ['issued', 5_000, null],
      ],
    )
  } finally {
    await db.close()
  }
})
