// Every table has a merchant_id in each row, or is listed here with the reason.

import { expect, it } from 'vitest'
import { readTables } from './tables.ts'

const OF_NO_MERCHANT: Readonly<Record<string, string>> = {
  schema_migrations: 'what was applied to this database',
  revisions: 'counters that tell every process what has changed',
  schedules: 'sweeps, which go through all merchants',
  signing_secrets: "the service's own keys, which sign addresses of all merchants",
  session_keys: "the service's own keys, which sign sessions of the customers of all merchants",
}

const tables = await readTables()

it('there are tables to look at', () => {
  expect(tables.map(({ name }) => name)).toContain('merchants')
})

it.each(tables.filter(({ hasMerchantId }) => hasMerchantId))(
  'the primary key of $name starts with merchant_id',
  ({ key }) => {
    expect(key[0], 'begin the primary key with merchant_id').toBe('merchant_id')
  },
)

it('a table without merchant_id is listed with its reason', () => {
  const without = tables.filter(({ hasMerchantId }) => !hasMerchantId).map(({ name }) => name)
  expect(without.sort(), 'give the table a merchant_id, or list it in test/tenancy/tables.test.ts').toEqual(
    Object.keys(OF_NO_MERCHANT).sort(),
  )
})
