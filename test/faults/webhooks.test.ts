// @alone
// F11: servers killed and their database stopped hard while they deliver events. Every event that was committed arrives at every receiver,
// under its own webhook-id, and none that was not.

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, describe, expect, it } from 'vitest'
import { statement } from '../../src/db/db.ts'
import { startEmbedded } from '../../src/db/embedded/start.ts'
import { migrate, readMigrations } from '../../src/db/migrate.ts'
import { patient } from '../support/database.ts'
import { newFolder, type Server, tempFolder } from './processes.ts'
import { prove, size } from './prove.ts'
import { cardPayment, openWorld, times } from './world.ts'

const timeout = patient(size(120_000, 1_200_000))
const dataDir = newFolder()
let postgres = await startEmbedded({ dataDir, purpose: 'server' })
const abandon = () => postgres.stopNow()
process.once('exit', abandon)
afterAll(async () => {
  await postgres.stop()
  process.off('exit', abandon)
})
await migrate(postgres.connection, await readMigrations())
const shop = await openWorld(postgres.connection)

/** What was taken from a server that died is sent by another when this is over; here one whose clock is ahead by more. */
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
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  afterAll(() => void server.close())
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, ids }
}

const committed = statement<{ id: string }>(
  'test.committed_events',
  'select id from events where merchant_id = :merchant_id',
)
const open = statement<{ count: number }>(
  'test.open_deliveries',
  `select count(*)::integer as count from deliveries where state <> 'delivered'`,
)

describe('events', () => {
  it('are all delivered, whichever server or database dies', { timeout }, () => {
    const [kills, clients] = [size(4, 50), size(4, 8)]
    return prove(
      {
        id: 'F11',
        done: 'two servers killed in turn by SIGKILL, and every fifth time PostgreSQL stopped with `immediate`, while shoppers buy and a merchant changes products; two webhooks',
        size: `${kills} kills, ${clients} clients`,
      },
      async () => {
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
          if (kill % 5 === size(4, 0)) {
            postgres.stopNow()
            await postgres.exited
            await postgres.stop()
            postgres = await startEmbedded({ dataDir, purpose: 'server' })
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
        return `${ids.length} events to 2 webhooks, 0 lost, 0 invented; ${doubles} arrived more than once, under the same webhook-id`
      },
    )
  })
})
