// The numbers of orders: they count for each shop and mode, none is given twice, and no capture waits for the order of another.

import pg from 'pg'
import { expect, it } from 'vitest'
import type { Order } from '../../../src/api/orders/schema.ts'
import { takeOrderNumber } from '../../../src/api/orders/store.ts'
import { databaseOf } from '../../../src/db/db.ts'
import { openPool } from '../../../src/db/pool.ts'
import { onCheckpoint } from '../../../src/lib/checkpoint.ts'
import { gate } from '../../http/harness.ts'
import { testApp } from '../../support/app.ts'
import { cloneDatabase, PATIENT_POOL } from '../../support/database.ts'
import { atOnce } from '../../support/shop.ts'
import { digital, digitalBody, openCaptureShop } from '../checkouts/capture-support.ts'

const connection = await cloneDatabase()
const app = await testApp({ connection, trustProxy: () => true })

async function openNumberedShop(name: string) {
  const shop = await openCaptureShop(app, { name })
  const { id } = await shop.product({ ...digital, price: 0 })
  const buy = async (key?: string): Promise<Order> => {
    const cart = await shop.cart([{ id }], key)
    // Each a customer of its own: captures of one customer wait for each other.
    const customer = { email: `${cart.id}@example.com` }
    return shop.order(await shop.ofCart(cart.id, key), digitalBody({ customer, payment: null }), key)
  }
  return { ...shop, buy, reference: async (key?: string) => (await buy(key)).customer_reference }
}

it('begin at 1 for each shop and mode, and rise by one', async () => {
  const [one, other] = [await openNumberedShop('Corner Shop'), await openNumberedShop('Smith & Söhne (24/7)')]
  const live = one.keys.live.public
  const seen = []
  for (const ask of [one.reference, other.reference, one.reference, one.reference, other.reference])
    seen.push(await ask())
  expect(seen).toEqual(['CRNRSHP-1', 'SMTHSHN247-1', 'CRNRSHP-2', 'CRNRSHP-3', 'SMTHSHN247-2'])
  expect([await one.reference(live), await one.reference(live), await one.reference()]).toEqual([
    'CRNRSHP-1',
    'CRNRSHP-2',
    'CRNRSHP-4',
  ])
})

it('stay with their orders and go on when the shop gets another name', async () => {
  const shop = await openNumberedShop('First')
  const before = await shop.buy()
  await shop.settings({ name: '日本' })
  expect(await shop.reference()).toBe('ORDER-2')
  const { body } = await shop.call('GET', `orders/${before.id}`, undefined, shop.keys.sandbox.secret)
  expect((body as Order).customer_reference).toBe('FRST-1')
})

it('are different for several processes', async () => {
  const shop = await openNumberedShop('Processes')
  const scope = { merchant_id: shop.id, is_sandbox: true }
  const pools = [1, 2].map(() => openPool(connection, { ...PATIENT_POOL, size: 2 }))
  const taken = await atOnce(20, (index) => takeOrderNumber(pools[index % 2] ?? app.db, scope))
  expect(taken.sort((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, index) => index + 1))
  for (const pool of pools) await pool.close()
})

it('are not waited for while the order of another capture is being made', async () => {
  const shop = await openNumberedShop('Convoy')
  const [held, end] = [gate(), gate()]
  let isFirst = true
  onCheckpoint((name) => {
    if (name !== 'capture.finishing' || !isFirst) return undefined
    isFirst = false
    held.open()
    return end.opened
  })
  const first = shop.reference()
  await held.opened
  // The first has its number and its rows, and has not committed.
  expect(await shop.reference()).toBe('CNVY-2')
  end.open()
  expect(await first).toBe('CNVY-1')
  onCheckpoint(null)
})

it('are left out when a capture fails after it has taken one', async () => {
  const shop = await openNumberedShop('Gaps')
  await expect(
    app.db.transactionAfter(
      (db) => takeOrderNumber(db, { merchant_id: shop.id, is_sandbox: true }),
      async () => {
        throw new Error('The order was not made.')
      },
    ),
  ).rejects.toThrow('The order was not made.')
  expect(await shop.reference()).toBe('GPS-2')
})

it('leave the durability of everything else as it is, and are not taken inside a transaction', async () => {
  const shop = await openNumberedShop('Durable')
  const scope = { merchant_id: shop.id, is_sandbox: true }
  const client = new pg.Client(connection)
  await client.connect()
  const setting = async () => (await client.query('show synchronous_commit')).rows[0].synchronous_commit
  const before = await setting()
  const one = async (statement: { text: string; parameters: readonly string[] }, values: Record<string, unknown>) => {
    const ordered = statement.parameters.map((name) => values[name])
    return (await client.query(statement.text, ordered)).rows[0]
  }
  expect(Number(await takeOrderNumber({ one } as never, scope))).toBe(1)
  expect(await setting()).toBe(before)
  await client.end()
  const within = app.db.transaction((tx) =>
    databaseOf(tx).transactionAfter(
      (db) => takeOrderNumber(db, scope),
      async () => undefined,
    ),
  )
  await expect(within).rejects.toThrow('A transaction cannot contain another that commits on its own.')
})
