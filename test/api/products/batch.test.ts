// Many products at once: each by itself, told one by one, and never twice.

import { describe, expect, it } from 'vitest'
import type { ProductBatch } from '../../../src/api/products/batch/schema.ts'
import { batchSweep } from '../../../src/api/products/batch/store.ts'
import type { Product } from '../../../src/api/products/schema.ts'
import { statement } from '../../../src/db/db.ts'
import { testApp } from '../../support/app.ts'
import { patient } from '../../support/database.ts'
import { malformed, missing, notValid } from '../../support/shop.ts'
import { runJobs } from '../assets/support.ts'
import { openShop, type Shop, UNKNOWN_ID } from './support.ts'

const app = await testApp({ trustProxy: ['127.0.0.1'] })
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
const states = ({ results }: ProductBatch) => results.map(({ state }) => state)
const WHOLE = { line: null, errors: [] }

describe('a batch', () => {
  it('is told before it is done and when it is, product by product', async () => {
    const [one, other] = await create(2, { active: true })
    const body = { ids: [other?.id, UNKNOWN_ID, one?.id], changes: { active: false } }
    const begun = await start(body)
    const waiting = (product?: Product) => ({
      id: product?.id,
      name: 'Thing',
      state: 'waiting',
      message: null,
      ...WHOLE,
    })
    expect(begun).toEqual({
      id: expect.stringMatching(/^bat_[0-9A-Za-z]{26}$/),
      state: 'running',
      total: 3,
      done: 0,
      refused: 0,
      dry_run: false,
      created: Math.floor(app.clock.now().getTime() / 1_000),
      results: [waiting(other), { ...waiting(), id: UNKNOWN_ID, name: null }, waiting(one)],
    })
    await runJobs(app)
    expect(await read(begun.id)).toEqual({
      ...begun,
      state: 'done',
      done: 3,
      refused: 1,
      results: [
        { ...waiting(other), state: 'changed' },
        { id: UNKNOWN_ID, name: null, state: 'refused', message: 'There is no product with that id.', ...WHOLE },
        { ...waiting(one), state: 'changed' },
      ],
    })
    expect([(await shop.get(one?.id ?? '')).active, (await shop.get(other?.id ?? '')).active]).toEqual([false, false])
  })

  it('refuses one in the words that it would be refused with alone, and does the others', async () => {
    const [fixed, held] = await create(2, { inventory: { managed: true, available: 5 } })
    const batch = await done({ ids: ids([fixed as Product, held as Product]), changes: { permalink: 'only-one' } })
    expect(states(batch)).toEqual(['changed', 'refused'])
    expect(batch.results[1]?.message).toBe('permalink must be unique, and another of your products has this one.')
  })

  it('of another shop or mode is none, and changes nothing of theirs', async () => {
    const stranger = await openShop(app)
    const [mine] = await create(1, { name: 'Mine' })
    const batch = await done({ ids: [mine?.id], changes: { name: 'Taken' } }, stranger)
    expect(batch.results).toEqual([
      { id: mine?.id, name: null, state: 'refused', message: 'There is no product with that id.', ...WHOLE },
    ])
    expect((await shop.get(mine?.id ?? '')).name).toBe('Mine')
    for (const key of [shop.keys.sandbox.secret, stranger.keys.live.secret]) {
      const answer = await stranger.call('GET', `/batch/${batch.id}`, undefined, key)
      expect([answer.status, answer.body]).toEqual([404, missing('batch')])
    }
    const foreign = (await stranger.call('GET', '', undefined)).status
    expect(foreign).toBe(200)
  })

  it(
    'of two hundred goes through, and so does a second one that was sent at the same time',
    async () => {
      const made = await create(200, { price: '1.00' })
      const [first, second] = await Promise.all([
        start({ ids: ids(made), price: { add: 1 } }),
        start({ ids: ids(made).reverse(), price: { add: '0.10' } }),
      ])
      await runJobs(app)
      for (const { id } of [first, second])
        expect(await read(id)).toMatchObject({ state: 'done', done: 200, refused: 0 })
      const { data } = await shop.succeed<{ data: Product[] }>(
        200,
        'GET',
        '?limit=200&sortBy=created&sortDirection=desc',
      )
      expect(new Set(data.map(({ price }) => price.raw))).toEqual(new Set([2.1]))
    },
    patient(120_000),
  )

  it('goes on where a killed process left it, and adds nothing twice', async () => {
    const made = await create(3, { price: 10 })
    const { id } = await start({ ids: ids(made), price: { add: 1 } })
    const claim = statement(
      'test.half_done',
      `update product_batch_entries set state = 'changed' where merchant_id = :merchant_id and batch_id = :id and position = 2`,
    )
    await app.db.run(claim, { merchant_id: shop.id, id })
    // Two workers, as when the lease of one has run out.
    await Promise.all([runJobs(app), runJobs(app)])
    expect((await read(id)).done).toBe(3)
    const prices = await Promise.all(ids(made).map(async (each) => (await shop.get(each)).price.raw))
    expect(prices).toEqual([11, 10, 11])
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
    const asked = async (price: unknown) => (await shop.call('POST', '/batch', { ids: ['a'], price })).body
    expect(await asked({ add: '0.001' })).toEqual(
      malformed({ 'price.add': ['price.add must have at most 2 decimals, as USD has.'] }),
    )
    const rule =
      'price.multiply must be a number or a decimal string from 0 to 1000 with at most six decimals, such as 1.1.'
    for (const multiply of [-1, 1000.1, '1.1234567', 'ten', '1e3', 1e-9])
      expect(await asked({ multiply })).toEqual(malformed({ 'price.multiply': [rule.replace('six', '6')] }))
    expect(await asked({})).toEqual(malformed({ price: ['price must have add, multiply, or both.'] }))
  })
})

describe('categories', () => {
  it('are put on and taken off, and all others stay', async () => {
    const made = await Promise.all(
      ['a', 'b', 'c'].map(async (slug) => {
        const answer = await app.call('POST', '/v1/categories', {
          key: shop.keys.sandbox.secret,
          body: { slug: `${slug}-${Math.floor(app.clock.now().getTime())}`, name: slug },
        })
        return (answer.body as { id: string }).id
      }),
    )
    const [a = '', b = '', c = ''] = made
    const [one] = await create(1, { categories: [a, b] })
    const [other] = await create(1, { categories: [c] })
    await done({ ids: [one?.id, other?.id], categories: { add: [c], remove: [b] } })
    const of = async (product?: Product) => (await shop.get(product?.id ?? '')).categories.map(({ id }) => id).sort()
    expect([await of(one), await of(other)]).toEqual([[a, c].sort(), [c]])
    const wrong = await shop.call('POST', '/batch', { ids: [one?.id], categories: { add: ['cat_x'] } })
    expect(wrong.body).toEqual(
      notValid({ 'categories.add.0': ['categories.add.0 is not the id of one of your categories.'] }),
    )
  })
})

describe('what is asked for', () => {
  it('is one to two hundred products, each once, and something to do with them', async () => {
    const refused = async (body: unknown) => {
      const { status, body: said } = await shop.call('POST', '/batch', body)
      return [status, Object.keys((said as { error: { errors: object } }).error.errors)]
    }
    const change = { changes: { active: true } }
    expect(await refused({ ids: [], ...change })).toEqual([422, ['ids']])
    expect(await refused({ ids: Array.from({ length: 201 }, (_, index) => `p${index}`), ...change })).toEqual([
      422,
      ['ids'],
    ])
    expect(await refused({ ids: ['a', 'b', 'a'], ...change })).toEqual([422, ['ids.2']])
    expect(await refused({ ids: 'a', ...change })).toEqual([422, ['ids']])
    expect(await refused({ ids: [1], ...change })).toEqual([422, ['ids.0']])
    expect(await refused({ ids: ['a'] })).toEqual([422, ['changes']])
    expect(await refused({ ids: ['a'], changes: {} })).toEqual([422, ['changes']])
    expect(await refused({ ids: ['a'], changes: { active: 'yes' } })).toEqual([422, ['changes.active']])
    expect(await refused({ ids: ['a'], delete: true, ...change })).toEqual([422, ['delete']])
    expect(await refused({ ids: ['a'], changes: { price: 1 }, price: { add: 1 } })).toEqual([422, ['price']])
    expect(await refused({ ids: ['a'], categories: {} })).toEqual([422, ['categories']])
    expect(await refused({ ids: ['a'], delete: false })).toEqual([422, ['changes']])
  })
})
