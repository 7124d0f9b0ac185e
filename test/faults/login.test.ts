// @proof @alone: it measures time. `npm test` proves the same by the statements (test/api/customers) and by the order of calls
// (test/api/orders/receipt.test.ts).
// X10 and F15: response times do not reveal whether an address is known, and no request waits for the mail server.

import { Agent, request } from 'node:http'
import { connect, createServer } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, describe, expect, it } from 'vitest'
import { statement } from '../../src/db/db.ts'
import { openPool } from '../../src/db/pool.ts'
import { mailServer, refusal } from '../mail/mail-server.ts'
import { cloneDatabase, openMerchant, PATIENT_POOL } from '../support/database.ts'
import { gate, listenOn } from '../support/waiting.ts'
import { mannWhitney } from './mann-whitney.ts'
import { type StartOptions, startServer } from './processes.ts'
import { beginProof, quantile, timeout } from './prove.ts'

const SAMPLES = 1_000

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

const shop = await openShop()

describe('a login link', () => {
  it('takes the same time to be asked for, whether or not the address is known', { timeout }, async () => {
    const { db, server, merchant } = shop
    const conclude = beginProof(
      'X10',
      'login links asked for with a public key, for known and unknown addresses by turns at random, mails being sent meanwhile; Mann–Whitney test of how long the answers took',
      `${SAMPLES} known, ${SAMPLES} unknown`,
    )
    const tried: string[] = []
    // At p = 0.01, one comparison of equal times in a hundred fails. With different times both rounds fail.
    for (let round = 0; round < 2; round++) {
      const times = await measure(round)
      const p = mannWhitney(times.known, times.unknown)
      const median = (of: readonly number[]) => `${quantile(of, 0.5).toFixed(2)} ms`
      tried.push(`p = ${p.toFixed(3)}, medians ${median(times.known)} and ${median(times.unknown)}`)
      if (p > 0.01) return conclude(`${tried.join('; then ')}; all 200 with the same body`)
    }
    throw new Error(tried.join('; then '))

    async function measure(round: number) {
      const times = { known: [] as number[], unknown: [] as number[] }
      await db.run(forgetCounts, { merchant_id: merchant.id })
      for (let index = 0; index < SAMPLES; index++) {
        const order = Math.random() < 0.5 ? (['known', 'unknown'] as const) : (['unknown', 'known'] as const)
        for (const kind of order) {
          const email = `${kind === 'known' ? 'is' : 'no'}-${String(index).padStart(5, '0')}@example.com`
          const body = { email, base_url: 'https://shop.example/' }
          const started = performance.now()
          const reply = await send(server.url, 'customers/email-token', merchant.keys.sandbox.public, body)
          times[kind].push(performance.now() - started)
          expect([round, email, reply]).toEqual([round, email, { status: 200, text: '{"success":true}' }])
        }
        // Reset the counts: the limits allow only twenty of these 600 requests an hour per network.
        if (index % 10 === 9) await db.run(forgetCounts, { merchant_id: merchant.id })
      }
      return times
    }
  })
})

describe('a mail server', () => {
  it('that is in trouble is not waited for by requests, and gets each link once', { timeout }, async () => {
    const [count, slowMs, longestMs] = [60, 15_000, 10_000]
    const mails = await mailServer()
    const { db, server, merchant } = await openShop({ mailServer: mails.settings({ url: await line() }) })
    const { public: key } = merchant.keys.sandbox
    const restore = () => {
      held.open()
      mails.onRecipient = mails.onMail = async () => undefined
      isDown = false
    }
    const faults: readonly Fault[] = [
      { name: 'down', begin: goDown, end: restore },
      { name: '451', begin: () => refuse(451), end: restore },
      { name: '550', begin: () => refuse(550), end: restore, isFinal: true },
      { name: 'hanging', begin: hang, end: restore },
      { name: 'late', begin: slowDown, end: restore },
    ]
    /** Number of requests that have hit the fault. */
    let felt = 0
    let isDown = false
    let held = gate()

    const conclude = beginProof(
      'F15',
      'login links asked for and products read while the mail server is down, refuses for now, refuses for good, hangs, and takes very long; then every mail that was not refused is waited for',
      `${faults.length} faults × ${count} links and ${count} reads`,
    )
    // Warm up: the first requests of a process are slow, with or without mails.
    await askFor(0, 20)
    await untilSettled()
    const found: string[] = []
    let next = 20
    for (const { name, begin, end, isFinal = false } of faults) {
      await db.run(forgetCounts, { merchant_id: merchant.id })
      const [before, failed] = [mails.deliveries.length, await failedJobs()]
      felt = 0
      begin()
      const times = await askFor(next, next + count)
      // A fault that no request hits proves nothing.
      await expect.poll(() => felt).toBeGreaterThan(0)
      if (isFinal) await untilSettled()
      end()
      await untilSettled()
      next += count
      const longest = Math.max(...times)
      found.push(`${name}: ${longest.toFixed(0)} ms`)
      if (longest > longestMs) throw new Error(`An answer took longer than ${longestMs} ms: ${found.join(', ')}`)
      const delivered = isFinal ? 0 : count
      expect([name, mails.deliveries.length - before, (await failedJobs()) - failed]).toEqual([
        name,
        delivered,
        count - delivered,
      ])
    }
    const links = mails.deliveries.map(({ mail }) => /localhost:3000\/\w{40}/.exec(mail.text ?? '')?.[0])
    expect([new Set(links).size, links.includes(undefined)]).toEqual([links.length, false])
    conclude(
      `the slowest answer: ${found.join(', ')}; ${links.length} mails, each of another token; those refused for good given up at once`,
    )

    async function askFor(from: number, to: number): Promise<number[]> {
      const times: number[] = []
      for (let index = from; index < to; index++) {
        if (index % 10 === 0) await db.run(forgetCounts, { merchant_id: merchant.id })
        const body = { email: `is-${String(index).padStart(5, '0')}@example.com`, base_url: 'http://localhost:3000/' }
        for (const [path, asked] of [['customers/email-token', body], ['products']] as const) {
          const started = performance.now()
          const { status } = await send(server.url, path, key, asked)
          times.push(performance.now() - started)
          expect([path, status]).toEqual([path, 200])
        }
      }
      return times
    }

    /** A proxy to the mail server whose connections can be cut. */
    async function line() {
      const proxy = createServer((client) => {
        client.on('error', () => undefined)
        if (isDown) {
          felt += 1
          client.destroy()
          return
        }
        const upstream = connect(mails.port, '127.0.0.1').on('error', () => undefined)
        client.pipe(upstream).pipe(client)
      })
      afterAll(() => void proxy.close())
      return `smtp://127.0.0.1:${await listenOn(proxy)}`
    }

    function goDown() {
      isDown = true
    }
    function refuse(code: number) {
      mails.onRecipient = async () => {
        felt += 1
        throw refusal(code)
      }
    }
    function hang() {
      held = gate()
      mails.onRecipient = () => {
        felt += 1
        return held.opened
      }
    }
    function slowDown() {
      // One for each of the worker's mail slots.
      mails.onMail = async () => {
        felt += 1
        if (felt <= 4) await pause(slowMs)
      }
    }
    async function untilSettled() {
      await expect
        .poll(async () => (await db.one(waitingJobs, { merchant_id: merchant.id })).count, { timeout: 300_000 })
        .toBe(0)
    }
    async function failedJobs() {
      return (await db.one(givenUpJobs, { merchant_id: merchant.id })).count
    }
  })
})

type Fault = {
  readonly name: string
  readonly begin: () => unknown
  readonly end: () => unknown
  /** True if the fault permanently rejects the mails that hit it. */
  readonly isFinal?: boolean
}

async function openShop(options: Partial<StartOptions> = {}) {
  const connection = await cloneDatabase()
  const db = openPool(connection, { ...PATIENT_POOL, size: 2 })
  afterAll(() => db.close())
  const merchant = await openMerchant(db)
  await db.run(insertCustomers(), { merchant_id: merchant.id, count: SAMPLES })
  return { db, merchant, server: await startServer({ connection, ...options }) }
}

function insertCustomers() {
  return statement(
    'test.insert_customers',
    // Their addresses are vouched for, like those of real logins. Otherwise the limit would be sixty mails an hour from this machine.
    `insert into customers (merchant_id, is_sandbox, id, email, email_key, is_email_vouched, created_at, updated_at)
   select :merchant_id, true, 'cstmr_' || index, address, address, true, '2026-01-02', '2026-01-02'
   from generate_series(0, :count::integer - 1) as index,
     lateral (select 'is-' || lpad(index::text, 5, '0') || '@example.com' as address) as named`,
  )
}

const forgetCounts = statement('test.forget_counts', 'delete from attempts where merchant_id = :merchant_id')

const waitingJobs = statement<{ count: number }>(
  'test.waiting_jobs',
  'select count(*) from jobs where merchant_id = :merchant_id and failed_at is null',
)
const givenUpJobs = statement<{ count: number }>(
  'test.given_up_jobs',
  'select count(*) from jobs where merchant_id = :merchant_id and failed_at is not null',
)

const agent = new Agent({ keepAlive: true, maxSockets: 100 })

/** Sends a GET without a body, else a POST. */
const send = (url: string, path: string, key: string, body?: object): Promise<{ status: number; text: string }> =>
  new Promise((resolve, reject) => {
    const headers = { 'x-authorization': key, ...(body && { 'content-type': 'application/json' }) }
    const sent = request(`${url}/v1/${path}`, { method: body ? 'POST' : 'GET', headers, agent }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (part: string) => {
        text += part
      })
      response.once('end', () => resolve({ status: response.statusCode ?? 0, text })).once('error', reject)
    })
    sent.once('error', reject).end(body && JSON.stringify(body))
  })
