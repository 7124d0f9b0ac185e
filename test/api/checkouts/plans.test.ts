// The statements of checkouts find every row by an index, however many tokens, carts and products there are.

import pg from 'pg'
import { afterAll, expect, it } from 'vitest'
import { sweepExpiredCheckouts } from '../../../src/api/checkouts/checkout.ts'
import { findChosenLine, lockToken, writeLine } from '../../../src/api/checkouts/checks/store.ts'
import { findCartToBuy, findCheckout, findDetails, findProductToBuy } from '../../../src/api/checkouts/read-store.ts'
import { insertCheckout, saveDiscount } from '../../../src/api/checkouts/store.ts'
import type { Database, Db, Statement, Tx } from '../../../src/db/db.ts'
import { cloneDatabase, isOnCitus } from '../../support/database.ts'

const client = new pg.Client(await cloneDatabase())
await client.connect()
afterAll(() => client.end())

/** The text that a store sends. */
async function sentBy(send: (db: Db) => Promise<unknown>): Promise<string> {
  let text = ''
  const note = async <Row>(statement: Statement<Row>) => {
    text = statement.text
    return { goods: { stamp: 0, lines: [] }, offers: [], is_alive: true } as Row
  }
  await send({ many: note, maybe: note, one: note, run: note } as unknown as Db)
  return text
}

const now = new Date(0)
const sight = { merchantId: 1, isSandbox: true, isSecret: false }
const at = { merchantId: 1, isSandbox: true, now }
const token = { id: '', cartId: null, cartRevision: null, discountId: null, meta: null, expiresAt: now, lines: [] }

const sweep = (db: Db) => {
  const noneFound: Db['many'] = (statement, values) => db.many(statement, values).then(() => [])
  const context = {
    db: { many: noneFound } as Database,
    clock: { now: () => now },
    signal: new AbortController().signal,
  }
  return sweepExpiredCheckouts.run(context)
}

it.skipIf(isOnCitus()).each<[string, (db: Db) => Promise<unknown>]>([
  ['reading a token', (db) => findCheckout(db, sight, '', now)],
  ['reading a cart', (db) => findCartToBuy(db, sight, { ...at, cartId: '', life: null, makesRow: false })],
  [
    'reading a product by its id',
    (db) => findProductToBuy(db, sight, 'product_id', '', { lineId: '', options: {}, quantity: 1 }),
  ],
  [
    'reading a product by its permalink',
    (db) => findProductToBuy(db, sight, 'permalink', '', { lineId: '', options: {}, quantity: 1 }),
  ],
  ['reading the details', (db) => findDetails(db, at, [])],
  ['writing a token', (db) => insertCheckout(db, at, token)],
  ['locking a token', (db) => lockToken(db, { ...at, id: '' })],
  [
    'reading a line as it would be',
    (db) => findChosenLine(db, { ...at, id: '' }, { lineId: '', chosenId: '', options: [], variantId: '' }),
  ],
  [
    'changing a line',
    async (db) =>
      writeLine(
        { ...db, withCommit: db.run } as unknown as Tx,
        { ...at, id: '' },
        { id: '', quantity: 1, options: {} },
      ),
  ],
  ['saving a choice', (db) => saveDiscount(db, { ...at, id: '' }, '')],
  ['sweeping', sweep],
])('%s looks into indexes alone', async (_, send) => {
  // In small tables the planner reads all rows; without that way, a table that no index leads into still shows.
  await client.query('set enable_seqscan = off')
  const { rows } = await client.query<{ 'QUERY PLAN': string }>(
    `explain (generic_plan, costs off) ${await sentBy(send)}`,
  )
  const plan = rows.map((row) => row['QUERY PLAN'])
  expect(plan.filter((line) => line.includes('Seq Scan'))).toEqual([])
  const scans = plan.flatMap((line, index) => (/Index (Only )?Scan/.test(line) ? [index] : []))
  expect(scans.length).toBeGreaterThan(0)
  // An index that is walked from end to end has no condition.
  expect(scans.filter((index) => !/Index Cond/.test(plan[index + 1] ?? '')).map((index) => plan[index])).toEqual([])
})
