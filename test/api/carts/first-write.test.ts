// @sampled: the proof tries each race many times.
// What happens at once to a cart that has no row yet, through two servers that share nothing but the database: of all who make the row one does,
// and the others go on with it; and nothing is put into a cart after it was deleted.

import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, describe, expect, it } from 'vitest'
import { addLine } from '../../../src/api/carts/lines.ts'
import { testApp } from '../../support/app.ts'
import { cloneDatabase, isOnCitus } from '../../support/database.ts'
import { size } from '../../support/proof.ts'
import { changeRows, sql } from '../../support/rows.ts'
import { openShop } from '../products/support.ts'
import { untilLockIsAwaited } from '../waiting-locks.ts'
import { meddlingDb, shoppingAt } from './support.ts'

const connection = await cloneDatabase()
const patient = { connection, pool: { waitMs: 90_000 } }
const servers = [await testApp(patient), await testApp(patient)] as const
const [first, second] = servers
const shop = await openShop(first)
const key = shop.keys.sandbox.public
const mug = await shop.create({ name: 'Mug' })
const tea = await shop.create({ name: 'Tea' })

type Cart = { id: string; total_items: number; meta: unknown; line_items: { product_id: string; quantity: number }[] }

const newCart = async () => ((await first.call('GET', '/v1/carts', { key })).body as Cart).id
const read = async (id: string) => (await second.call('GET', `/v1/carts/${id}`, { key })).body as Cart
const serverOf = (client: number) => servers[client % 2] ?? first
const add = (id: string, product: { id: string }, client = 0) =>
  serverOf(client).call('POST', `/v1/carts/${id}`, { key, body: { id: product.id } })
const remove = (id: string, client = 0) => serverOf(client).call('DELETE', `/v1/carts/${id}`, { key })

const findStored = sql<{ is_deleted: boolean; lines: number }>`
  select is_deleted,
    (select count(*) from cart_lines where merchant_id = :merchant_id and cart_id = :id) as lines
  from carts where merchant_id = :merchant_id and id = :id`
const stored = (id: string) => first.db.maybe(findStored, { merchant_id: shop.id, id })

describe('first writes at the same moment', () => {
  it('of every kind arrive: lines, a meta, an emptying, and each answer is a success', async () => {
    for (let round = 0; round < size(3, 10); round++) {
      const id = await newCart()
      const url = `/v1/carts/${id}`
      const answers = await Promise.all([
        add(id, mug, 0),
        serverOf(1).call('PUT', url, { key, body: { meta: { round } } }),
        serverOf(0).call('DELETE', `${url}/items`, { key }),
        add(id, tea, 1),
      ])
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200])
      const { meta, total_items } = await read(id)
      expect(meta).toEqual({ round })
      expect([0, 1, 2]).toContain(total_items)
    }
  })

  /** By how much later the deletion is sent in each round: in the last one it comes after an add, which takes longer on Citus. */
  const LATER_MS = isOnCitus() ? 30 : 1

  it('and a deletion leave nothing behind, whoever comes first', async () => {
    const outcomes = new Set<string>()
    for (let round = 0; round < 30; round++) {
      const id = await newCart()
      const begin = [
        () => add(id, mug, 0),
        () => add(id, tea, 1),
        async () => pause(round * LATER_MS).then(() => remove(id, 0)),
        async () => pause(round * LATER_MS).then(() => remove(id, 1)),
        () => serverOf(1).call('PUT', `/v1/carts/${id}`, { key, body: { meta: { round } } }),
      ]
      // Each is the first to begin in some rounds, and the deletions come later and later.
      const order = begin.map((_, index) => (index + round) % begin.length)
      const answers = new Map(order.map((index) => [index, begin[index]?.()]))
      const statuses = await Promise.all(begin.map(async (_, index) => (await answers.get(index))?.status))
      expect(statuses.filter((status) => ![200, 204, 404].includes(status ?? 0))).toEqual([])
      expect(statuses.slice(2, 4).sort()).toEqual([204, 404])
      outcomes.add(`${statuses[0]}`)
      expect(await stored(id)).toEqual({ is_deleted: true, lines: 0 })
      expect((await add(id, mug, round)).status).toBe(404)
      expect((await first.call('GET', `/v1/carts/${id}`, { key })).status).toBe(404)
    }
    // Both were seen: an add before the deletion, and one after it.
    expect([...outcomes].sort()).toEqual(['200', '404'])
  })
})

describe('what has been read as a cart without a row', () => {
  /** Adds a mug, and does something else right before it is written for the first time. */
  async function addWhile(id: string, writes: string, meddle: () => Promise<unknown>) {
    const meddling = meddlingDb(first.db, writes, meddle)
    const context = shoppingAt(first, shop, meddling.db)
    const answer = await addLine(context, id, { id: mug.id }).catch((error: { status: number }) => error)
    expect(meddling.isDone()).toBe(true)
    return answer
  }

  it('may have one when it is written: the line joins what is there', async () => {
    const id = await newCart()
    const answer = await addWhile(id, 'carts.make_with_line', () => add(id, mug, 1))
    expect(answer).toMatchObject({ total_items: 2, line_items: [{ quantity: 2 }] })
    expect((await read(id)).total_items).toBe(2)
  })

  it('may have a meta when it is written, and keeps it', async () => {
    const id = await newCart()
    const set = () => second.call('PUT', `/v1/carts/${id}`, { key, body: { meta: { a: 1 } } })
    expect(await addWhile(id, 'carts.make_with_line', set)).toMatchObject({ total_items: 1, meta: { a: 1 } })
  })

  it('may be deleted when it is written, and is then unknown', async () => {
    const id = await newCart()
    expect(await addWhile(id, 'carts.make_with_line', () => remove(id, 1))).toMatchObject({ status: 404 })
    expect(await stored(id)).toEqual({ is_deleted: true, lines: 0 })
  })

  it('may have had a row that quotas took away: it gets another, also where all take turns', async () => {
    const id = await newCart()
    expect((await add(id, tea)).status).toBe(200)
    const swept = () => changeRows(first.db, 'delete from carts', { merchant_id: shop.id, id })
    expect(await addWhile(id, 'carts.put_line', swept)).toMatchObject({ total_items: 1 })
    // From now on the cart is locked before it is read.
    await swept()
    expect((await add(id, tea, 0)).status).toBe(200)
    expect(await read(id)).toMatchObject({ total_items: 1, line_items: [{ product_id: tea.id }] })
  })
})

describe('what waits for somebody else', async () => {
  const client = new pg.Client(connection)
  await client.connect()
  afterAll(() => client.end())

  const held = `insert into carts (merchant_id, id, is_sandbox, created_at, updated_at, expires_at, is_deleted)
    values ($1, $2, true, $3::timestamptz, $3::timestamptz, $3::timestamptz + interval '30 days', $4)`

  it('a deletion that waits for a first line takes it away', async () => {
    const id = await newCart()
    await client.query('begin')
    await client.query(held, [shop.id, id, first.clock.now(), false])
    await client.query(
      `insert into cart_lines (merchant_id, cart_id, id, product_id, name, options, quantity)
       values ($1, $2, 'item_1', $3, 'Mug', '{}', 1)`,
      [shop.id, id, mug.id],
    )
    const deletion = remove(id)
    await untilLockIsAwaited(first.db)
    await client.query('commit')
    expect((await deletion).status).toBe(204)
    expect(await stored(id)).toEqual({ is_deleted: true, lines: 0 })
  })

  it.each([
    ['is refused', 'commit', 404, { is_deleted: true, lines: 0 }],
    ['arrives where that is taken back', 'rollback', 200, { is_deleted: false, lines: 1 }],
  ])('a first line that waits for a deletion %s', async (_what, end, status, expected) => {
    const id = await newCart()
    await client.query('begin')
    await client.query(held, [shop.id, id, first.clock.now(), true])
    const line = add(id, mug)
    await untilLockIsAwaited(first.db)
    await client.query(end)
    expect((await line).status).toBe(status)
    expect(await stored(id)).toEqual(expected)
  })
})
