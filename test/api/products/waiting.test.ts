// Batches and imports of a shop wait for one another, ten at most, and delay nobody else.

import { describe, expect, it, onTestFinished } from 'vitest'
import type { ProductBatch } from '../../../src/api/products/batch/schema.ts'
import { statement } from '../../../src/db/db.ts'
import { enqueue } from '../../../src/jobs/queue.ts'
import { gate, pause, until } from '../../jobs/harness.ts'
import { testApp } from '../../support/app.ts'
import { runJobs } from '../assets/support.ts'
import { openShop, type Shop } from './support.ts'

/** Jobs that are stopped at a lock, and what holds the lock, have a connection each. */
const app = await testApp({ trustProxy: ['127.0.0.1'], clientRequestsPerSecond: 0, pool: { size: 20 } })

const CSV = 'name,price\nThing,1.00\n'
const importInto = (shop: Shop, csv = CSV) => shop.call('POST', '/import', { csv })
const start = (shop: Shop, csv: string) => shop.succeed<ProductBatch>(202, 'POST', '/import', { csv })
const read = (shop: Shop, id: string) => shop.succeed<ProductBatch>(200, 'GET', `/batch/${id}`)
const lines = (count: number) => `name,price\n${'Thing,1.00\n'.repeat(count)}`

const countBatches = statement<{ batches: number; entries: number }>(
  'test.count_batches',
  `select
     (select count(*) from product_batches where merchant_id = :merchant_id) as batches,
     (select count(*) from product_batch_entries where merchant_id = :merchant_id) as entries`,
)
const kept = (shop: Shop) => app.db.one(countBatches, { merchant_id: shop.id })

const lockEntry = statement<{ position: number }>(
  'test.lock_entry',
  `select position from product_batch_entries
   where merchant_id = :merchant_id and batch_id = :batch_id and position = :position
   for update`,
)
/** Holds an entry, so that the job stops at it. Resolves once it is held, to what lets it go. */
async function hold(shop: Shop, batchId: string, position: number): Promise<() => Promise<void>> {
  const isHeld = gate()
  let hasEnded = false
  const holding = app.db.transaction(async (tx) => {
    // Again and again: a transaction that says nothing for a while is ended by the server.
    while (!hasEnded) {
      await tx.one(lockEntry, { merchant_id: shop.id, batch_id: batchId, position })
      isHeld.open()
      await pause(20)
    }
  })
  await isHeld.opened
  const letGo = async () => {
    hasEnded = true
    await holding
  }
  onTestFinished(letGo)
  return letGo
}

const countJobs = statement<{ count: number }>(
  'test.count_jobs_of_kind',
  'select count(*) from jobs where merchant_id = :merchant_id and kind = :kind',
)

describe('batches and imports that wait', () => {
  it('are ten; a further one is refused with the field and the rule, and leaves nothing', async () => {
    const shop = await openShop(app)
    const { id } = await shop.create()
    for (let n = 0; n < 10; n++) expect((await importInto(shop)).status).toBe(202)
    const message =
      'This shop has 10 imports or batches of products waiting, and no more may wait. Send this again when one of them is done.'
    for (const [field, answer] of [
      ['csv', await importInto(shop)],
      ['csv', await shop.call('POST', '/import', { csv: CSV, dry_run: true })],
      ['ids', await shop.call('POST', '/batch', { ids: [id], changes: { active: false } })],
    ] as const) {
      expect([answer.status, answer.headers['retry-after']]).toEqual([429, '15'])
      expect(answer.body).toMatchObject({
        error: { type: 'too_many_requests', message, errors: { [field]: [message] } },
      })
    }
    expect(await kept(shop)).toEqual({ batches: 10, entries: 10 })
    const other = await openShop(app)
    expect((await importInto(other)).status).toBe(202)
    await runJobs(app)
    expect((await importInto(shop)).status).toBe(202)
    await runJobs(app)
  })

  it('are ten, also where fifty are sent at the same moment', async () => {
    const shop = await openShop(app)
    const answers = await Promise.all(Array.from({ length: 50 }, () => importInto(shop)))
    const statuses = answers.map(({ status }) => status)
    expect([statuses.filter((status) => status === 202).length, new Set(statuses)]).toEqual([10, new Set([202, 429])])
    expect(await kept(shop)).toEqual({ batches: 10, entries: 10 })
    await runJobs(app)
    expect((await shop.succeed<{ data: unknown[] }>(200, 'GET', '')).data).toHaveLength(10)
  })
})

describe('bulk work', () => {
  it('of a shop is done one after the other, the next begins when the one before has ended', async () => {
    const [shop, other] = [await openShop(app), await openShop(app)]
    const first = await start(shop, lines(30))
    app.clock.advance(1)
    const second = await start(shop, lines(2))
    // In its second part, which goes before the batch that came later.
    const letGo = await hold(shop, first.id, 28)
    const elsewhere = await start(other, lines(60))
    const worker = app.startJobs()
    await until(async () => (await read(other, elsewhere.id)).state === 'done')
    await until(async () => (await read(shop, first.id)).done === 27)
    expect(await read(shop, second.id)).toMatchObject({ state: 'running', done: 0 })
    await letGo()
    await until(async () => (await read(shop, second.id)).state === 'done')
    expect(await read(shop, first.id)).toMatchObject({ state: 'done', done: 30, refused: 0 })
    await worker.stop()
  })

  it('of several shops that hangs delays neither refunds nor mails of others', async () => {
    const shops = [await openShop(app), await openShop(app), await openShop(app)]
    const releases: (() => Promise<void>)[] = []
    for (const shop of shops) {
      const { id } = await start(shop, lines(1))
      await start(shop, lines(1))
      releases.push(await hold(shop, id, 1))
    }
    const other = await openShop(app)
    const kinds = ['orders.settle_refunds', 'dashboard.account_mail']
    const worker = app.startJobs()
    await until(async () => (await Promise.all(shops.map(isRunning))).filter(Boolean).length === 2)
    // About an order and an account that are not there: it is enough that they run.
    const payload = { orderId: 'ord_x', isSandbox: true, origin: '', accountId: 'x', type: 'reset', lastingOrigin: '' }
    for (const kind of kinds) await enqueue(app.db, { merchantId: other.id, kind, payload, runAt: app.clock.now() })
    for (const kind of kinds)
      await until(async () => (await app.db.one(countJobs, { merchant_id: other.id, kind })).count === 0)
    for (const release of releases) await release()
    await worker.stop()
    await runJobs(app)
  })
})

const findRunning = statement<{ count: number }>(
  'test.running_jobs',
  'select count(*) from jobs where merchant_id = :merchant_id and is_running',
)
const isRunning = async (shop: Shop) => (await app.db.one(findRunning, { merchant_id: shop.id })).count > 0
