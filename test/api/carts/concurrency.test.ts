// @sampled: the proof sends 200 requests at once and plays 150 histories.
// Many clients change one cart at once, through two servers that share nothing but the database. What every client was told
// must be true in some order, one after the other, and nobody is ever answered with a failure of ours.

import { expect, it } from 'vitest'
import { addLine, updateLine } from '../../../src/api/carts/lines.ts'
import { type TestApp, testApp } from '../../support/app.ts'
import { cloneDatabase, patient } from '../../support/database.ts'
import { size } from '../../support/proof.ts'
import { openShop } from '../products/support.ts'
import { type Cart, ENVELOPES, expectExplained, optionOf, SHIRT } from './histories.ts'
import { meddlingDb, shoppingAt } from './support.ts'

// Requests wait their turn here however long it takes: what is tested is who wins, not how fast.
const connection = await cloneDatabase()
const unhurried = { connection, clientRequestsPerSecond: 0 }
const servers = [await testApp(unhurried), await testApp(unhurried)] as const
const [first] = servers
/** As they are started: a request waits two seconds at most for one of the connections, and is then answered 503. */
const asStarted = { connection, pool: { waitMs: 2_000 } }
const usual = [await testApp(asStarted), await testApp(asStarted)] as const
const shop = await openShop(first)
const key = shop.keys.sandbox.public

const shirt = await shop.create(SHIRT)
const [group] = shirt.variant_groups
const mug = await shop.create({ name: 'Mug' })

const serverOf = (client: number): TestApp => servers[client % servers.length] ?? first

async function newCart(): Promise<Cart> {
  const { status, body } = await first.call('GET', '/v1/carts', { key })
  expect(status).toBe(201)
  return body as Cart
}

const read = async (id: string) => (await first.call('GET', `/v1/carts/${id}`, { key })).body as Cart

// On two busy cores this takes about a second. Whoever is told to come again, by a machine that is slower or pauses, has added nothing.
it.each([
  ['servers as they are started', usual],
  ['servers that wait their turn', servers],
])('200 adds of one at the same moment make one line of 200: %s', async (_which, pair) => {
  const count = size(40, 200)
  const { id } = await newCart()
  const body = { id: mug.id }
  const adds = Array.from({ length: count }, async (_, client) => {
    const add = () => (pair[client % 2] ?? first).call('POST', `/v1/carts/${id}`, { key, body })
    let answer = await add()
    while (pair === usual && answer.headers['retry-after'] !== undefined) answer = await add()
    return answer
  })
  expect((await Promise.all(adds)).filter(({ status }) => status !== 200)).toEqual([])
  const { line_items, total_items } = await read(id)
  expect([total_items, line_items.map(({ quantity }) => quantity)]).toEqual([count, [count]])
})

it('a cart that another process changes while a change is decided is read again: nothing is lost, and the answer shows both', async () => {
  const told: unknown[] = []
  const green = { id: shirt.id, options: { [group?.id ?? '']: optionOf(shirt, 'Green') } }
  const quantities = ({ line_items }: Pick<Cart, 'line_items'>) => line_items.map(({ quantity }) => quantity)
  const red = { id: shirt.id, quantity: 7, options: { [group?.id ?? '']: optionOf(shirt, 'Red') } }
  const blue = { options: { [group?.id ?? '']: optionOf(shirt, 'Blue') } }
  type Change = (at: Parameters<typeof addLine>[0], id: string, line: string) => Promise<unknown>
  const changes: [Change, number[]][] = [
    [(at, id) => addLine(at, id, { id: mug.id, quantity: 3 }), [1, 3, 7]],
    [(at, id, line) => updateLine(at, id, line, { quantity: 4 }), [1, 4]],
    [(at, id, line) => updateLine(at, id, line, blue), [1, 7]],
  ]
  for (const [change, expected] of changes) {
    const { id } = await newCart()
    const before = (await first.call('POST', `/v1/carts/${id}`, { key, body: red })).body as Cart
    // Before the change is written for the first time, the other server adds a line.
    const meddling = meddlingDb(first.db, 'carts.put_line', async () => {
      expect((await servers[1].call('POST', `/v1/carts/${id}`, { key, body: green })).status).toBe(200)
    })
    const shopping = shoppingAt(first, shop, meddling.db, (facts) => void told.push(facts))
    const answer = await change(shopping, id, before.line_items[0]?.id ?? '')
    expect(meddling.isDone()).toBe(true)
    expect(quantities(answer as Cart)).toEqual(quantities(await read(id)))
    expect(quantities(await read(id)).sort()).toEqual(expected)
  }
  expect(told).toMatchObject([
    { event: 'Cart.Item.Added', product_id: mug.id, quantity: 3 },
    { event: 'Cart.Item.Updated', product_id: shirt.id, quantity: 4 },
    { event: 'Cart.Item.Updated', product_id: shirt.id, quantity: 7 },
  ])
})

it('a cart that is changed and deleted at the same moment is deleted once, and is then gone for all', async () => {
  for (let round = 0; round < size(3, 10); round++) {
    const { id } = await newCart()
    const added = await first.call('POST', `/v1/carts/${id}`, { key, body: { id: mug.id, quantity: 5 } })
    const line = `/v1/carts/${id}/items/${(added.body as Cart).line_items[0]?.id}`
    const answers = await Promise.all([
      serverOf(0).call('PUT', line, { key, body: { quantity: 7 } }),
      serverOf(1).call('DELETE', line, { key }),
      serverOf(1).call('POST', `/v1/carts/${id}`, { key, body: { id: mug.id, quantity: 2 } }),
      serverOf(0).call('DELETE', `/v1/carts/${id}`, { key }),
      serverOf(1).call('DELETE', `/v1/carts/${id}`, { key }),
    ])
    const statuses = answers.map(({ status }) => status)
    expect(statuses.filter((status) => ![200, 204, 404].includes(status))).toEqual([])
    // One deletes the cart; to the other it is gone.
    expect(statuses.slice(3).sort()).toEqual([204, 404])
    expect((await first.call('GET', `/v1/carts/${id}`, { key })).status).toBe(404)
  }
})

it('adds, changes of the cart and changes of the catalogue at the same moment are none of them a failure of ours', async () => {
  const secret = shop.keys.sandbox.secret
  const { id } = await newCart()
  const lamp = await shop.create({ name: 'Lamp' })
  const product = `/v1/products/${lamp.id}`
  const add = (client: number) =>
    serverOf(client).call('POST', `/v1/carts/${id}`, { key, body: { id: client % 4 < 2 ? lamp.id : mug.id } })
  const others = (client: number) => [
    serverOf(client).call('PUT', product, { key: secret, body: { price: client } }),
    serverOf(client).call('PUT', `/v1/carts/${id}`, { key, body: { meta: { client } } }),
    ...(client === 24 ? [serverOf(client).call('DELETE', product, { key: secret })] : []),
  ]
  const clients = Array.from({ length: 32 }, (_, client) => ({
    added: add(client),
    others: client % 8 === 0 ? others(client) : [],
  }))
  const added = await Promise.all(clients.map((client) => client.added))
  const answers = [...added, ...(await Promise.all(clients.flatMap((client) => client.others)))]
  expect(answers.map(({ status }) => status).filter((status) => ![200, 204, 404, 422].includes(status))).toEqual([])
  expect((await read(id)).total_items).toBe(added.filter(({ status }) => status === 200).length)
})

// A night's run sets ten thousand.
const HISTORIES = Number(process.env.CART_HISTORIES ?? size(12, 150))
const SLOWEST_HISTORY_MS = 500

it(
  'whatever clients do to a cart at once, some order of it gives each its answer and leaves the cart as it is',
  () =>
    expectExplained(
      {
        id: shop.id,
        db: first.db,
        shirt,
        mug,
        call: (client, method, url, body) => serverOf(client).call(method, url, { key, version: ENVELOPES, body }),
      },
      HISTORIES,
    ),
  patient(60_000 + HISTORIES * SLOWEST_HISTORY_MS),
)
