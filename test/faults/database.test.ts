// @proof @alone: it stops a PostgreSQL of its own.
// F9 and F11: PostgreSQL stops hard under load, and servers are killed while they deliver events. Nothing acknowledged is lost.

import { createServer } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, describe, expect, it } from 'vitest'
import { statement } from '../../src/db/db.ts'
import { administer, patient } from '../support/database.ts'
import { listenOn } from '../support/waiting.ts'
import { openOwnPostgres } from './own-postgres.ts'
import { type Server, tempFolder } from './processes.ts'
import { beginProof, seconds, timeout } from './prove.ts'
import { cardPayment, openWorld, tally, times } from './world.ts'

const { connection, stopHard, startAgain } = await openOwnPostgres()
const shop = await openWorld(connection)

describe('a database', { timeout }, () => {
  it('that is stopped hard under load and started again has every order that was acknowledged', async () => {
    const [restarts, workers] = [2, 16]
    const conclude = beginProof(
      'F9',
      'PostgreSQL stopped with `immediate` and started again, and sessions ended at random, under a load of captures and carts; two servers that are not restarted',
      `${restarts} restarts, ${workers} clients`,
    )
    const servers = [await shop.start({ settleSeconds: 3 }), await shop.start({ settleSeconds: 3 })]
    const product = await shop.product(100_000)
    const seen: Seen[] = []
    const acknowledged: { token: string; order: string }[] = []
    const added: { cart: string; acknowledged: number; sent: number }[] = []
    let isOver = false
    const ask = async (...request: Parameters<typeof shop.ask>) => {
      const reply = await shop.ask(...request)
      seen.push({ at: performance.now(), status: reply.status })
      if (reply.status >= 500) await pause(50)
      return reply
    }
    const untilItIs = async (status: number, ...request: Parameters<typeof shop.ask>) => {
      for (;;) {
        const reply = await ask(...request)
        if (reply.status === status) return reply.body as { id: string }
      }
    }
    const captures = times(workers, async () => {
      while (!isOver) {
        const { id: token } = await untilItIs(201, 'GET', `/v1/checkouts/${product}?type=product_id`)
        const body = shop.body(cardPayment())
        const { id } = await untilItIs(200, 'POST', `/v1/checkouts/${token}`, { body })
        acknowledged.push({ token, order: id })
      }
    })
    const carts = times(2, async () => {
      const { id: cart } = await untilItIs(201, 'GET', '/v1/carts')
      const entry = { cart, acknowledged: 0, sent: 0 }
      added.push(entry)
      while (!isOver) {
        entry.sent += 1
        const { status } = await ask('POST', `/v1/carts/${cart}`, { body: { id: product, quantity: 1 } })
        if (status === 200) entry.acknowledged += 1
      }
    })
    const windows: number[] = []
    const afterwards: number[] = []
    for (let restart = 0; restart < restarts; restart++) {
      await enough(acknowledged, 20)
      const stoppedAt = performance.now()
      await stopHard()
      await startAgain()
      const backAt = performance.now()
      await enough(acknowledged, 20)
      windows.push(errorWindow(seen, stoppedAt))
      const first = seen.find(({ at, status }) => at > backAt && status < 300)
      afterwards.push(Math.max(0, (first?.at ?? backAt) - backAt) / 1_000)
    }
    const ended = await endSessions(20)
    await enough(acknowledged, 20)
    isOver = true
    await Promise.all([captures, carts])

    await shop.settled(performance.now())
    const kept = new Map((await shop.db.many(everyOrder, {})).map(({ checkout_id, id }) => [checkout_id, id]))
    expect(acknowledged.filter(({ token, order }) => kept.get(token) !== order)).toEqual([])
    for (const { cart, acknowledged: least, sent } of added) {
      const { body } = await shop.ask('GET', `/v1/carts/${cart}`)
      const { total_items: items } = body as { total_items: number }
      expect(items).toBeGreaterThanOrEqual(least)
      expect(items).toBeLessThanOrEqual(sent)
    }
    // 402: rolled back, since nothing was charged, and then sent again. 408: the machine was too busy to read the request in time.
    expect(seen.filter(({ status }) => ![200, 201, 402, 408, 409, 503, 504].includes(status))).toEqual([])
    expect(Math.max(...windows)).toBeLessThan(patient(30))
    await shop.expectOracles()
    for (const server of servers) expect(await Promise.race([server.ended, 'runs'])).toBe('runs')
    for (const server of servers) await shop.kill(server, 'SIGTERM')
    conclude(
      `${acknowledged.length} captures and ${added.reduce((sum, one) => sum + one.acknowledged, 0)} adds acknowledged, 0 lost; errors for at most ${seconds(Math.max(...windows))} per restart, ${seconds(Math.max(...afterwards))} of it after the database was back; ${ended} sessions ended; ${tally(seen)}`,
    )
  })
})

/** After this time another server sends the deliveries that a dead one had claimed. The other server's clock is further ahead. */
const BEYOND_LEASES_MS = 180_000

type Receiver = { readonly url: string; readonly ids: Map<string, number> }

async function openReceiver(): Promise<Receiver> {
  const ids = new Map<string, number>()
  const server = createServer((request, response) => {
    const id = String(request.headers['webhook-id'])
    request.resume().once('end', () => {
      ids.set(id, (ids.get(id) ?? 0) + 1)
      response.writeHead(204).end()
    })
  })
  afterAll(() => void server.close())
  return { url: `http://127.0.0.1:${await listenOn(server)}/`, ids }
}

const committed = statement<{ id: string }>(
  'test.committed_events',
  'select id from events where merchant_id = :merchant_id',
)
const open = statement<{ count: number }>(
  'test.open_deliveries',
  `select count(*)::integer as count from deliveries where state <> 'delivered'`,
)

describe('events', { timeout }, () => {
  it('are all delivered, whichever server or database dies', async () => {
    const [kills, clients] = [12, 8]
    const conclude = beginProof(
      'F11',
      'two servers killed in turn by SIGKILL, and every fifth time PostgreSQL stopped with `immediate`, while shoppers buy and a merchant changes products; two webhooks',
      `${kills} kills, ${clients} clients`,
    )
    const shared = { dataDir: tempFolder(), allowPrivateAddresses: true, settleSeconds: 1 }
    const start = () => shop.start(shared)
    const servers: Server[] = [await start(), await start()]
    const receivers = [await openReceiver(), await openReceiver()]
    for (const { url } of receivers)
      await shop.create('webhooks', { url, subscribed_events: ['*', 'customers.login.token'] })
    const before = new Set((await shop.db.many(committed, { merchant_id: shop.id })).map(({ id }) => id))
    const product = await shop.product(null)
    let isOver = false
    const untilItIs = async (status: number, ...request: Parameters<typeof shop.ask>) => {
      while (!isOver) {
        const reply = await shop.ask(...request)
        if (reply.status === status) return reply.body as { id: string }
        await pause(50)
      }
      return { id: '' }
    }
    const shoppers = times(clients, async () => {
      while (!isOver) {
        const { id: token } = await untilItIs(201, 'GET', `/v1/checkouts/${product}?type=product_id`)
        await untilItIs(200, 'POST', `/v1/checkouts/${token}`, { body: shop.body(cardPayment()) })
      }
    })
    const merchant = times(2, async () => {
      for (let price = 1; !isOver; price++) {
        await shop.ask('PUT', `/v1/products/${product}`, { body: { price: 1 + (price % 50) }, key: shop.secret })
        await pause(20)
      }
    })
    const arrived = () => receivers.reduce((sum, { ids }) => sum + ids.size, 0)
    for (let kill = 1; kill <= kills; kill++) {
      const enough = arrived() + 10
      const end = performance.now() + patient(20_000)
      while (arrived() < enough && performance.now() < end) await pause(20)
      if (kill % 5 === 0) {
        await stopHard()
        await startAgain()
        continue
      }
      const [victim] = servers.splice(0, 1)
      if (victim !== undefined) await shop.kill(victim)
      servers.push(await start())
    }
    isOver = true
    await Promise.all([shoppers, merchant])
    for (const server of servers) await shop.kill(server)
    await shop.start({ ...shared, clockAheadMs: BEYOND_LEASES_MS })
    await expect
      .poll(async () => (await shop.db.one(open, {})).count, { timeout: patient(120_000), interval: 100 })
      .toBe(0)
    const events = (await shop.db.many(committed, { merchant_id: shop.id })).filter(({ id }) => !before.has(id))
    const ids = events.map(({ id }) => id).sort()
    for (const receiver of receivers) expect([...receiver.ids.keys()].sort()).toEqual(ids)
    const doubles = receivers.flatMap((receiver) => [...receiver.ids.values()]).filter((count) => count > 1).length
    conclude(
      `${ids.length} events to 2 webhooks, 0 lost, 0 invented; ${doubles} arrived more than once, under the same webhook-id`,
    )
  })
})

type Seen = { at: number; status: number }

/** Returns the seconds from the first error after `since` to the last one. */
function errorWindow(seen: readonly Seen[], since: number): number {
  const failed = seen.filter(({ at, status }) => at > since && status >= 500).map(({ at }) => at)
  return failed.length === 0 ? 0 : ((failed.at(-1) ?? 0) - (failed[0] ?? 0)) / 1_000
}

/** Waits until the list has grown by this many entries. */
async function enough(list: readonly unknown[], more: number) {
  const wanted = list.length + more
  const end = performance.now() + patient(60_000)
  while (list.length < wanted) {
    if (performance.now() > end)
      throw new Error(`Only ${list.length} of ${wanted} captures were acknowledged within minutes.`)
    await pause(20)
  }
}

const everyOrder = statement<{ checkout_id: string; id: string }>(
  'test.every_order',
  'select checkout_id, id from orders',
)

const END_ONE = `select pg_terminate_backend(pid)
  from (select pid from pg_stat_activity where application_name = 'cartwright' order by random() limit 1) one`

/** Ends sessions of the servers, one every 200 ms. */
async function endSessions(count: number): Promise<number> {
  let ended = 0
  for (; ended < count; ended++) {
    await administer(connection, END_ONE)
    await pause(200)
  }
  return ended
}
