// @sampled: the proof changes two hundred products in one batch.
// Many products at once: each by itself, told one by one, and never twice. Batches and imports of a shop wait for one another, ten at most,
// and delay nobody else.

import { describe, expect, it, onTestFinished } from 'vitest'
import type { ProductBatch } from '../../../src/api/products/batch/schema.ts'
import { batchSweep } from '../../../src/api/products/batch/store.ts'
import type { Product } from '../../../src/api/products/schema.ts'
import { enqueue } from '../../../src/jobs/queue.ts'
import { gate, pause, until } from '../../jobs/harness.ts'
import { testApp } from '../../support/app.ts'
import { patient } from '../../support/database.ts'
import { size } from '../../support/proof.ts'
import { changeRows, countRows, lockRows } from '../../support/rows.ts'
import { atOnce, malformedField, missing, notValidField, refusedFields } from '../../support/shop.ts'
import { runJobs } from '../assets/support.ts'
import { addCategory, openShop, type Shop, UNKNOWN_ID } from './support.ts'

/** Jobs that are stopped at a lock, and what holds the lock, have a connection each. */
const app = await testApp({ trustProxy: ['127.0.0.1'], clientRequestsPerSecond: 0, pool: { size: 20 } })
const shop = await openShop(app)

const start = (body: unknown, by: Shop = shop) => by.succeed<ProductBatch>(202, 'POST', '/batch', body)
const read = (id: string, by: Shop = shop) => by.succeed<ProductBatch>(200, 'GET', `/batch/${id}`)

async function done(body: unknown, by: Shop = shop): Promise<ProductBatch> {
  const { id } = await start(body, by)
  await runJobs(app)
  const batch = await read(id, by)
  expect(batch.state).toBe('done')
  return batch
}

const create = async (count: number, body: Record<string, unknown> = {}, by: Shop = shop) => {
  const made: Product[] = []
  for (let index = 0; index < count; index++) made.push(await by.create(body))
  return made
}
const ids = (products: readonly Product[]) => products.map(({ id }) => id)
const WHOLE = { line: null, errors: [] }

describe('a batch', () => {
  it('is told before it is done and when it is, product by product', async () => {
    const [one, other] = await create(2, { active: true })
    const body = { ids: [other?.id, UNKNOWN_ID, one?.id], changes: { active: false } }
    const begun = await start(body)
    const entry = (id: string | undefined, state: string, message: string | null = null) =>
      expect.objectContaining({ id, name: id === UNKNOWN_ID ? null : 'Thing', state, message, ...WHOLE })
    expect(begun).toMatchObject({ state: 'running', total: 3, done: 0, refused: 0, dry_run: false })
    expect(begun.results).toEqual([other?.id, UNKNOWN_ID, one?.id].map((id) => entry(id, 'waiting')))
    await runJobs(app)
    expect(await read(begun.id)).toEqual({
      ...begun,
      state: 'done',
      done: 3,
      refused: 1,
      results: [
        entry(other?.id, 'changed'),
        entry(UNKNOWN_ID, 'refused', 'There is no product with that id.'),
        entry(one?.id, 'changed'),
      ],
    })
    expect([(await shop.get(one?.id ?? '')).active, (await shop.get(other?.id ?? '')).active]).toEqual([false, false])
    const twice = await done({ ids: [one?.id, other?.id], changes: { permalink: 'only-one' } })
    const taken = 'permalink is taken by another product; it must be unique among your products.'
    expect(twice.results.map(({ state, message }) => [state, message])).toEqual([
      ['changed', null],
      ['refused', taken],
    ])
  })

  it('of another shop or mode is none, and changes nothing of theirs', async () => {
    const stranger = await openShop(app)
    const [mine] = await create(1, { name: 'Mine' })
    const batch = await done({ ids: [mine?.id], changes: { name: 'Taken' } }, stranger)
    expect(batch.results).toEqual([
      { id: mine?.id, name: null, state: 'refused', message: 'There is no product with that id.', ...WHOLE },
    ])
    expect((await shop.get(mine?.id ?? '')).name).toBe('Mine')
    for (const key of [shop.keys.sandbox.secret, stranger.keys.live.secret])
      expect(await stranger.ask('GET', `/batch/${batch.id}`, undefined, key)).toEqual([404, missing('batch')])
  })

  it('of two hundred goes through, and so does a second one that was sent at the same time', {
    timeout: patient(120_000),
  }, async () => {
    const count = size(30, 200)
    const made = await create(count, { price: '1.00' })
    const [first, second] = await Promise.all([
      start({ ids: ids(made), price: { add: 1 } }),
      start({ ids: ids(made).reverse(), price: { add: '0.10' } }),
    ])
    await runJobs(app)
    for (const { id } of [first, second])
      expect(await read(id)).toMatchObject({ state: 'done', done: count, refused: 0 })
    const newest = `?limit=${count}&sortBy=created&sortDirection=desc`
    const { data } = await shop.succeed<{ data: Product[] }>(200, 'GET', newest)
    expect([data.length, new Set(data.map(({ price }) => price.raw))]).toEqual([count, new Set([2.1])])
  })

  it('goes on where a killed process left it, and adds nothing twice', async () => {
    const made = await create(3, { price: 10 })
    const { id } = await start({ ids: ids(made), price: { add: 1 } })
    const done = { merchant_id: shop.id, batch_id: id, position: 2 }
    await changeRows(app.db, "update product_batch_entries set state = 'changed'", done)
    // Two workers, as when the lease of one has run out.
    await Promise.all([runJobs(app), runJobs(app)])
    expect((await read(id)).done).toBe(3)
    expect(await Promise.all(ids(made).map(async (each) => (await shop.get(each)).price.raw))).toEqual([11, 10, 11])
  })

  it('is gone after a week', async () => {
    const own = await openShop(app)
    const [thing] = await create(1, {}, own)
    const { id } = await done({ ids: [thing?.id], delete: true }, own)
    app.clock.advance(8 * 86_400)
    await batchSweep.run({ db: app.db, clock: app.clock, signal: new AbortController().signal })
    expect((await own.call('GET', `/batch/${id}`)).status).toBe(404)
  })
})

describe('a price', () => {
  const changed = async (price: string, change: object, by: Shop = shop) => {
    const [made] = await create(1, { price }, by)
    const batch = await done({ ids: [made?.id], price: change }, by)
    return [(await by.get(made?.id ?? '')).price.raw, batch.results[0]?.message]
  }

  it('is multiplied and added to exactly, and rounded a half up', async () => {
    expect(await changed('19.99', { multiply: 1.1 })).toEqual([21.99, null])
    expect(await changed('0.05', { multiply: '0.5' })).toEqual([0.03, null])
    expect(await changed('1.005'.slice(0, 4), { multiply: '1.005' })).toEqual([1.01, null])
    expect(await changed('0.10', { add: 0.2 })).toEqual([0.3, null])
    expect(await changed('10', { multiply: '0.9', add: '-0.01' })).toEqual([8.99, null])
    expect(await changed('9999999999.99', { multiply: 0 })).toEqual([0, null])
    const yen = await openShop(app, { currency: 'JPY' })
    expect(await changed('99', { multiply: '1.015' }, yen)).toEqual([100, null])
  })

  it('never falls below 0, nor rises above what there is', async () => {
    expect(await changed('1.00', { add: '-1.01' })).toEqual([
      1,
      'The price of 1.00 USD would fall below 0. It stays as it is.',
    ])
    expect(await changed('9999999999', { multiply: 1000 })).toEqual([
      9_999_999_999,
      'The price of 9,999,999,999.00 USD would rise above 10,000,000,000.00 USD. It stays as it is.',
    ])
  })

  it('is refused where it is no number of the currency', async () => {
    const asked = (price: unknown) => shop.ask('POST', '/batch', { ids: ['a'], price })
    expect(await asked({ add: '0.001' })).toEqual(
      malformedField('price.add', 'must have at most 2 decimals, as USD has.'),
    )
    const rule = 'must be a number or a decimal string from 0 to 1000 with at most 6 decimals, such as 1.1.'
    for (const multiply of [-1, 1000.1, '1.1234567', 'ten', '1e3', 1e-9])
      expect(await asked({ multiply })).toEqual(malformedField('price.multiply', rule))
    expect(await asked({})).toEqual(malformedField('price', 'must have add, multiply, or both.'))
  })
})

describe('categories', () => {
  it('are put on and taken off, and all others stay', async () => {
    const made: string[] = []
    for (const slug of ['a', 'b', 'c']) made.push((await addCategory(app, shop, slug)).id)
    const [a = '', b = '', c = ''] = made
    const [one] = await create(1, { categories: [a, b] })
    const [other] = await create(1, { categories: [c] })
    await done({ ids: [one?.id, other?.id], categories: { add: [c], remove: [b] } })
    const of = async (product?: Product) => (await shop.get(product?.id ?? '')).categories.map(({ id }) => id).sort()
    expect([await of(one), await of(other)]).toEqual([[a, c].sort(), [c]])
    expect(await shop.ask('POST', '/batch', { ids: [one?.id], categories: { add: ['cat_x'] } })).toEqual(
      notValidField('categories.add.0', 'is not the id of one of your categories.'),
    )
  })
})

describe('what is asked for', () => {
  const change = { changes: { active: true } }
  it.each<[object, string]>([
    [{ ids: ['a', 'b', 'a'], ...change }, 'ids.2'],
    [{ ids: ['a'] }, 'changes'],
    [{ ids: ['a'], changes: {} }, 'changes'],
    [{ ids: ['a'], delete: true, ...change }, 'delete'],
    [{ ids: ['a'], changes: { price: 1 }, price: { add: 1 } }, 'price'],
    [{ ids: ['a'], categories: {} }, 'categories'],
    [{ ids: ['a'], delete: false }, 'changes'],
  ])('is products, each once, and something to do with them: %j', async (body, field) => {
    expect(await refusedFields(shop.call('POST', '/batch', body))).toEqual([422, [field]])
  })
})

const CSV = 'name,price\nThing,1.00\n'
const importInto = (shop: Shop, csv = CSV) => shop.call('POST', '/import', { csv })
const startImport = (shop: Shop, csv: string) => shop.succeed<ProductBatch>(202, 'POST', '/import', { csv })
const lines = (count: number) => `name,price\n${'Thing,1.00\n'.repeat(count)}`

const kept = async ({ id: merchant_id }: Shop) => ({
  batches: await countRows(app.db, 'product_batches', { merchant_id }),
  entries: await countRows(app.db, 'product_batch_entries', { merchant_id }),
})

/** Holds an entry, so that the job stops at it. Resolves once it is held, to what lets it go. */
async function hold(shop: Shop, batchId: string, position: number): Promise<() => Promise<void>> {
  const isHeld = gate()
  let hasEnded = false
  const holding = app.db.transaction(async (tx) => {
    // Again and again: a transaction that says nothing for a while is ended by the server.
    while (!hasEnded) {
      await lockRows(tx, 'product_batch_entries', { merchant_id: shop.id, batch_id: batchId, position })
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

describe('batches and imports that wait', () => {
  it('are ten; a further one is refused with the field and the rule, and leaves nothing', async () => {
    const shop = await openShop(app)
    const { id } = await shop.create()
    for (let n = 0; n < 10; n++) expect((await importInto(shop)).status).toBe(202)
    const message =
      'This shop has 10 imports or batches of products waiting, which is the maximum. Send this again when one of them is done.'
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
    const statuses = (await atOnce(50, () => importInto(shop))).map(({ status }) => status)
    expect(statuses.sort()).toEqual([...Array(10).fill(202), ...Array(40).fill(429)])
    expect(await kept(shop)).toEqual({ batches: 10, entries: 10 })
    await runJobs(app)
    expect((await shop.succeed<{ data: unknown[] }>(200, 'GET', '')).data).toHaveLength(10)
  })
})

describe('bulk work', () => {
  it('of a shop is done one after the other, the next begins when the one before has ended', async () => {
    const [shop, other] = [await openShop(app), await openShop(app)]
    const first = await startImport(shop, lines(30))
    app.clock.advance(1)
    const second = await startImport(shop, lines(2))
    // In its second part, which goes before the batch that came later.
    const letGo = await hold(shop, first.id, 28)
    const elsewhere = await startImport(other, lines(28))
    const worker = app.startJobs()
    await until(async () => (await read(elsewhere.id, other)).state === 'done')
    await until(async () => (await read(first.id, shop)).done === 27)
    expect(await read(second.id, shop)).toMatchObject({ state: 'running', done: 0 })
    await letGo()
    await until(async () => (await read(second.id, shop)).state === 'done')
    expect(await read(first.id, shop)).toMatchObject({ state: 'done', done: 30, refused: 0 })
    await worker.stop()
  })

  it('of several shops that hangs delays neither refunds nor mails of others', async () => {
    const shops = [await openShop(app), await openShop(app), await openShop(app)]
    const releases: (() => Promise<void>)[] = []
    for (const shop of shops) {
      const { id } = await startImport(shop, lines(1))
      await startImport(shop, lines(1))
      releases.push(await hold(shop, id, 1))
    }
    const other = await openShop(app)
    const kinds = ['orders.settle_refunds', 'dashboard.account_mail']
    const worker = app.startJobs()
    await until(async () => (await Promise.all(shops.map(isRunning))).filter(Boolean).length === 2)
    // About an order and an account that are not there: it is enough that they run.
    const payload = { orderId: 'ord_x', isSandbox: true, origin: '', accountId: 'x', type: 'reset', lastingOrigin: '' }
    for (const kind of kinds) await enqueue(app.db, { merchant_id: other.id, kind, payload, runAt: app.clock.now() })
    for (const kind of kinds)
      await until(async () => (await countRows(app.db, 'jobs', { merchant_id: other.id, kind })) === 0)
    for (const release of releases) await release()
    await worker.stop()
    await runJobs(app)
  })
})

const isRunning = async ({ id }: Shop) => (await countRows(app.db, 'jobs', { merchant_id: id }, 'and is_running')) > 0
