// X10 and L12: how long it takes to ask for a login link tells nobody whether an address is known, and one link opens one session, from
// two processes. Only in full: time is measured, and `npm test` proves the same by the statements (test/api/customers).

import { Agent, request } from 'node:http'
import { afterAll, describe, expect, it } from 'vitest'
import { type OpenedMerchant, openMerchant } from '../../src/api/merchants/merchant.ts'
import { statement } from '../../src/db/db.ts'
import { openPool } from '../../src/db/pool.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { cloneDatabase } from '../support/database.ts'
import { mannWhitney } from './mann-whitney.ts'
import { startServer } from './processes.ts'
import { isFull, prove, quantile } from './prove.ts'

const SAMPLES = 2_000

describe('the rank test', () => {
  const spread = (shift: number) => Array.from({ length: 500 }, (_, index) => ((index * 7_919) % 1_009) / 1_009 + shift)

  it('tells lists apart of which one is shifted, and not those that are the same', () => {
    expect(mannWhitney(spread(0), spread(0))).toBeCloseTo(1, 6)
    expect(mannWhitney(spread(0), spread(0.005))).toBeGreaterThan(0.01)
    expect(mannWhitney(spread(0), spread(0.1))).toBeLessThan(0.001)
    expect(mannWhitney(spread(0.1), spread(0))).toBeLessThan(0.001)
    expect(mannWhitney([1, 2], [3, 4])).toBeCloseTo(0.1213, 4)
  })
})

// What starts servers runs only where they are asked.
const shop = isFull ? await openShop() : (null as never)

describe.runIf(isFull)('a login link', () => {
  it('takes the same time to be asked for, whether or not the address is known', { timeout: 600_000 }, async () => {
    const { db, server, merchant } = shop
    await prove(
      {
        id: 'X10',
        done: 'login links asked for with a public key, for known and unknown addresses by turns at random, mails being sent meanwhile; Mann–Whitney test of how long the answers took',
        size: `${SAMPLES} known, ${SAMPLES} unknown`,
      },
      async () => {
        const tried: string[] = []
        // Of times that are the same, one comparison in a hundred says otherwise; of times that differ, both do.
        for (let round = 0; round < 2; round++) {
          const times = await measure(round)
          const p = mannWhitney(times.known, times.unknown)
          const median = (of: readonly number[]) => `${quantile(of, 0.5).toFixed(2)} ms`
          tried.push(`p = ${p.toFixed(3)}, medians ${median(times.known)} and ${median(times.unknown)}`)
          if (p > 0.01) return `${tried.join('; then ')}; all 200 with the same body`
        }
        throw new Error(tried.join('; then '))
      },
    )

    async function measure(round: number) {
      const times = { known: [] as number[], unknown: [] as number[] }
      await db.run(forgetCounts, [merchant.id])
      for (let index = 0; index < SAMPLES; index++) {
        const order = Math.random() < 0.5 ? (['known', 'unknown'] as const) : (['unknown', 'known'] as const)
        for (const kind of order) {
          const email = `${kind === 'known' ? 'is' : 'no'}-${String(index).padStart(5, '0')}@example.com`
          const body = { email, base_url: 'https://shop.example/' }
          const started = performance.now()
          const reply = await post(server.url, 'email-token', merchant.keys.sandbox.public, body)
          times[kind].push(performance.now() - started)
          expect([round, email, reply]).toEqual([round, email, { status: 200, text: '{"success":true}' }])
        }
        // The limits are kept all the same: of twenty an hour for a client these are all.
        if (index % 10 === 9) await db.run(forgetCounts, [merchant.id])
      }
      return times
    }
  })

  it('opens one session, however many exchange it at once in two processes', { timeout: 600_000 }, async () => {
    const [count, rounds] = [100, 20]
    const { server, other, merchant } = shop
    await prove(
      { id: 'L12', done: 'one login token exchanged at once, in two processes', size: `${count} × ${rounds}` },
      async () => {
        const { secret } = merchant.keys.sandbox
        let refused = 0
        for (let round = 0; round < rounds; round++) {
          const issued = await post(server.url, 'issue-token', secret, { email: 'is-00000@example.com' })
          const { token } = JSON.parse(issued.text) as { token: string }
          const replies = await Promise.all(
            Array.from({ length: count }, (_, index) =>
              post(index % 2 === 0 ? server.url : other.url, 'exchange-token', secret, { token }),
            ),
          )
          expect(replies.filter(({ status }) => status === 200)).toHaveLength(1)
          refused += replies.filter(({ status }) => status === 401).length
        }
        expect(refused).toBe((count - 1) * rounds)
        return `1 session of each token, ${refused} × 401`
      },
    )
  })
})

async function openShop() {
  const connection = await cloneDatabase()
  const db = openPool(connection, { size: 2 })
  afterAll(() => db.close())
  const merchant: OpenedMerchant = await db.transaction((tx) =>
    openMerchant(tx, systemClock, { name: 'Shop', email: 'shop@example.com' }),
  )
  await db.run(insertCustomers(), [merchant.id, SAMPLES])
  return { db, merchant, server: await startServer({ connection }), other: await startServer({ connection }) }
}

function insertCustomers() {
  return statement(
    'test.insert_customers',
    `insert into customers (merchant_id, is_sandbox, id, email, email_key, created_at, updated_at)
   select $1, true, 'cstmr_' || index, address, address, '2026-01-02', '2026-01-02'
   from generate_series(0, $2::integer - 1) as index,
     lateral (select 'is-' || lpad(index::text, 5, '0') || '@example.com' as address) as named`,
  )
}

const forgetCounts = statement('test.forget_counts', 'delete from attempts where merchant_id = $1')

const agent = new Agent({ keepAlive: true, maxSockets: 100 })

const post = (url: string, path: string, key: string, body: object): Promise<{ status: number; text: string }> =>
  new Promise((resolve, reject) => {
    const headers = { 'x-authorization': key, 'content-type': 'application/json' }
    const sent = request(`${url}/v1/customers/${path}`, { method: 'POST', headers, agent }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (part: string) => {
        text += part
      })
      response.once('end', () => resolve({ status: response.statusCode ?? 0, text })).once('error', reject)
    })
    sent.once('error', reject).end(JSON.stringify(body))
  })
