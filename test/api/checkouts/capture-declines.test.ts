// Declined payments are counted: whoever tries out cards is stopped, and nobody else is.

import { afterEach, describe, expect, it } from 'vitest'
import { completeDue } from '../../../src/api/capture/completer.ts'
import { sweepDeclineCounters } from '../../../src/api/capture/declines/store.ts'
import type { CheckoutToken } from '../../../src/api/checkouts/schema.ts'
import { onCheckpoint } from '../../../src/lib/checkpoint.ts'
import { gate } from '../../http/harness.ts'
import { type Answer, type TestApp, testApp } from '../../support/app.ts'
import { cloneDatabase } from '../../support/database.ts'
import { lockRows, sql } from '../../support/rows.ts'
import { countWaitingLocks } from '../waiting-locks.ts'
import { SETTLE_MS, servicesOn } from './capture-engine-support.ts'
import { type CaptureShop, digital, digitalBody, openCaptureShop } from './capture-support.ts'

const connection = await cloneDatabase()
const settings = {
  connection,
  trustProxy: () => true,
  clientRequestsPerSecond: 0,
  captureSettleSeconds: SETTLE_MS / 1_000,
}
const app = await testApp(settings)
const secondProcess = await testApp({ ...settings, clock: app.clock })
/** One of the two in turn. */
const processOf = (index: number) => (index % 2 === 0 ? app : secondProcess)

afterEach(() => onCheckpoint(null))

const DECLINED = '4000000000000002'
const GOOD = '4242424242424242'
const TO_VERIFY = '4000000000003220'
const FAILING = '4000000000000119'

const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index))

let lastAddress = 0
/** An address that nobody has come from before. */
const newAddress = () => `203.0.113.${++lastAddress}`

const pay = (number: string, more: object = {}) =>
  digitalBody({ payment: { gateway: 'test_gateway', card: { number, expires: '01/22', cvc: 123 } }, ...more })

type Client = {
  readonly address?: string
  readonly key?: string
  readonly shopperAddress?: string
  readonly on?: TestApp
}

function capture(shop: CaptureShop, token: { id: string }, body: unknown, client: Client = {}): Promise<Answer> {
  const { address = '198.51.100.1', key = shop.keys.sandbox.public, shopperAddress, on = app } = client
  const headers: Record<string, string> = { 'x-forwarded-for': address }
  if (shopperAddress !== undefined) headers['shopper-address'] = shopperAddress
  return on.call('POST', `/v1/checkouts/${token.id}`, { key, body, headers })
}

async function openDigitalShop() {
  const shop = await openCaptureShop(app)
  const file = await shop.product({ name: 'File', price: 10, ...digital })
  return { ...shop, fileToken: (): Promise<CheckoutToken> => shop.token({ id: file.id }) }
}

type DigitalShop = Awaited<ReturnType<typeof openDigitalShop>>

/** Sends so many payments from one place that are declined, ten with each token. */
async function declineEach(shop: DigitalShop, count: number, client: Client) {
  for (let done = 0; done < count; ) {
    const token = await shop.fileToken()
    for (let nth = 0; nth < 10 && done < count; nth++, done++)
      expect((await capture(shop, token, pay(DECLINED), client)).status).toBe(402)
  }
}

const addDeclines = sql`
  update decline_counters set declines = declines + :count where merchant_id = :merchant_id and subject = :subject`

/** Thirty payments from one IPv4 address are declined. The first and the last are real, the others are only counted. */
async function declineThirty(shop: DigitalShop, client: Client) {
  const subject = `sandbox from ${client.shopperAddress ?? client.address}`
  await declineEach(shop, 1, client)
  expect(await app.db.run(addDeclines, { merchant_id: shop.id, subject, count: 28 })).toBe(1)
  await declineEach(shop, 1, client)
}

const summary = ({ status, headers }: Answer) => [status, headers['retry-after'] ?? null]

const tooMany = (code: string, message: string, params: object = {}) => ({
  error: { type: 'too_many_requests', message, code, params, errors: { payment: [message] } },
  status_code: 429,
})

describe('a checkout token', () => {
  it('takes no payment after ten that were declined, whatever the card, and says so beside the payment', async () => {
    const shop = await openDigitalShop()
    const token = await shop.fileToken()
    for (const number of times(10, (index) => ['0002', '9995', '0069', '0127'][index % 4]))
      expect((await capture(shop, token, pay(`400000000000${number}`))).status).toBe(402)
    const refused = await capture(shop, token, pay(GOOD))
    expect(refused.body).toEqual(
      tooMany('checkout_spent', 'Too many payments were declined in this checkout. Please start again from your cart.'),
    )
    expect(summary(refused)).toEqual([429, null])
    expect((await capture(shop, await shop.fileToken(), pay(GOOD))).status).toBe(200)
  })

  it('takes no eleventh where many are sent for it at the same moment, from two processes and many networks', async () => {
    const shop = await openDigitalShop()
    const token = await shop.fileToken()
    const answers: Answer[] = []
    for (let round = 0; round < 4; round++) {
      const sent = times(12, (index) => {
        const body = pay(DECLINED, { meta: { round, index } })
        return capture(shop, token, body, { address: newAddress(), on: processOf(index) })
      })
      answers.push(...(await Promise.all(sent)))
    }
    while (answers.at(-1)?.status !== 429) answers.push(await capture(shop, token, pay(DECLINED)))
    expect(answers.filter(({ status }) => status === 402)).toHaveLength(10)
  })

  it('is not spent by what nobody has declined: a wrong body, or a gateway that fails', async () => {
    const shop = await openDigitalShop()
    const token = await shop.fileToken()
    for (let nth = 0; nth < 11; nth++) {
      expect((await capture(shop, token, pay(FAILING))).body).toMatchObject({ error: { code: 'payment_not_made' } })
      expect((await capture(shop, token, pay('1234'))).status).toBe(422)
    }
    expect((await capture(shop, token, pay(GOOD))).status).toBe(200)
  })
})

describe('a network', () => {
  it('has thirty declines an hour, then waits that grow, and those of other networks do not wait', async () => {
    const shop = await openDigitalShop()
    const tester = { address: newAddress() }
    const token = await shop.fileToken()
    await declineThirty(shop, tester)
    const refused = await capture(shop, token, pay(GOOD), tester)
    expect(refused.body).toEqual(
      tooMany('too_many_declines', 'Too many payments were declined. Please try again in a minute.', { seconds: 60 }),
    )
    expect(summary(refused)).toEqual([429, '60'])
    expect((await capture(shop, await shop.fileToken(), pay(GOOD), { address: newAddress() })).status).toBe(200)

    const waits: unknown[] = []
    for (let wait = 60; waits.length < 6; ) {
      const next = await shop.fileToken()
      app.clock.advance(wait)
      expect((await capture(shop, next, pay(DECLINED), tester)).status).toBe(402)
      const [status, seconds] = summary(await capture(shop, token, pay(DECLINED), tester))
      expect(status).toBe(429)
      waits.push(seconds)
      wait = Number(seconds)
    }
    expect(waits).toEqual(['120', '240', '480', '900', '900', '900'])
    app.clock.advance(900)
    expect((await capture(shop, await shop.fileToken(), pay(GOOD), tester)).status).toBe(200)
    // A payment that succeeds makes nobody wait.
    expect((await capture(shop, await shop.fileToken(), pay(GOOD), tester)).status).toBe(200)
    app.clock.advance(3_600)
    await declineThirty(shop, tester)
    expect(summary(await capture(shop, token, pay(GOOD), tester))).toEqual([429, '60'])
  })

  it('has no more where forty are sent at the same moment, to two processes', async () => {
    const shop = await openDigitalShop()
    const tokens = await Promise.all(times(40, shop.fileToken))
    const address = newAddress()
    const answers = await Promise.all(
      tokens.map((token, index) => capture(shop, token, pay(DECLINED), { address, on: processOf(index) })),
    )
    expect(answers.map(({ status }) => status).toSorted()).toEqual([...Array(30).fill(402), ...Array(10).fill(429)])
    for (const { headers } of answers.filter(({ status }) => status === 429)) expect(headers['retry-after']).toBe('60')
  })

  it('of many who pay at the same moment refuses none of them', async () => {
    const shop = await openDigitalShop()
    const tokens = await Promise.all(times(40, shop.fileToken))
    const address = newAddress()
    const answers = await Promise.all(tokens.map((token) => capture(shop, token, pay(GOOD), { address })))
    expect(answers.map(({ status }) => status)).toEqual(Array(40).fill(200))
    expect(await underWay(shop)).toBe(0)
  })

  it('is counted by Shopper-Address where a server says whom it speaks for', async () => {
    const shop = await openDigitalShop()
    const server = { key: shop.keys.sandbox.secret, shopperAddress: newAddress() }
    const token = await shop.fileToken()
    await declineThirty(shop, server)
    expect(summary(await capture(shop, token, pay(GOOD), server))).toEqual([429, '60'])
    const other = { ...server, shopperAddress: newAddress() }
    expect((await capture(shop, await shop.fileToken(), pay(GOOD), other)).status).toBe(200)
  })

  it('of IPv6 is a /64, and a wider one has twice as many', async () => {
    const shop = await openDigitalShop()
    const at = (subnet: string, host: number) => ({ address: `2001:db8:1:${subnet}::${host}` })
    for (let host = 1; host <= 3; host++) await declineEach(shop, 10, at('1', host))
    expect((await capture(shop, await shop.fileToken(), pay(GOOD), at('1', 9))).status).toBe(429)
    await declineEach(shop, 30, at('2', 1))
    // Both are in one /56.
    expect((await capture(shop, await shop.fileToken(), pay(GOOD), at('3', 1))).status).toBe(429)
    expect((await capture(shop, await shop.fileToken(), pay(GOOD), at('101', 1))).status).toBe(200)
  })

  it('counts in its own shop and mode, and counters that mean nothing any more are swept', async () => {
    const shop = await openDigitalShop()
    const tester = { address: newAddress() }
    await declineThirty(shop, tester)
    const other = await openDigitalShop()
    expect((await capture(other, await other.fileToken(), pay(GOOD), tester)).status).toBe(200)
    const subjects = (await countersOf(shop)).map(({ subject }) => subject)
    expect(subjects).toContain(`sandbox from ${tester.address}`)
    app.clock.advance(31 * 86_400)
    await sweepDeclineCounters.run({ ...app, signal: new AbortController().signal, log: app.server.log } as never)
    expect(await countersOf(shop)).toEqual([])
  })

  it('may still order what is free, or paid by hand', async () => {
    const shop = await openDigitalShop()
    const tester = { address: newAddress() }
    await declineThirty(shop, tester)
    const free = await shop.product({ name: 'Gift', price: 0, ...digital })
    const body = { customer: { email: 'ada@example.com' } }
    expect((await capture(shop, await shop.token({ id: free.id }), body, tester)).status).toBe(200)
    const { secret } = shop.keys.sandbox
    const method = { code: 'manual', config: { name: 'Bank transfer', details: 'IBAN' } }
    const bank = await shop.succeed<{ id: string }>(201, 'POST', 'gateways', method, secret)
    const byHand = digitalBody({ payment: { gateway: 'manual', manual: { id: bank.id } } })
    expect((await capture(shop, await shop.fileToken(), byHand, tester)).status).toBe(200)
  })
})

const paramOf = ({ body }: Answer) => (body as { error: { param: string } }).error.param
const confirmationOf = (asked: Answer) =>
  digitalBody({ payment: { gateway: 'test_gateway', test_gateway: { payment_intent_id: paramOf(asked) } } })

describe('a payment that the shopper has to confirm', () => {
  it('is neither declined nor under way while it waits, and is not confirmed by a network that has to wait', async () => {
    const shop = await openDigitalShop()
    const tester = { address: newAddress() }
    const waiting = await shop.fileToken()
    const asked = await capture(shop, waiting, pay(TO_VERIFY), tester)
    expect([asked.status, await underWay(shop)]).toEqual([402, 0])
    await declineThirty(shop, tester)
    const confirmed = confirmationOf(asked)
    expect(summary(await capture(shop, waiting, confirmed, tester))).toEqual([429, expect.stringMatching(/^[56]\d$/)])
    app.clock.advance(60)
    expect((await capture(shop, waiting, confirmed, tester)).status).toBe(200)
    expect(await underWay(shop)).toBe(0)
  })

  it('counts where it is declined then, also where forty are confirmed at the same moment', async () => {
    const shop = await openDigitalShop()
    await shop.succeed(201, 'POST', 'gateways', { code: 'stripe', simulated: true }, shop.keys.sandbox.secret)
    const stripe = (fields: object) => digitalBody({ payment: { gateway: 'stripe', stripe: fields } })
    const tester = { address: newAddress() }
    const tokens = await Promise.all(times(40, shop.fileToken))
    const intents: string[] = []
    for (const token of tokens) {
      const body = stripe({ payment_method_id: 'pm_card_threeDSecureRequiredChargeDeclined' })
      intents.push(intentIn(paramOf(await capture(shop, token, body, tester))))
    }
    const answers = await Promise.all(
      tokens.map((token, index) =>
        capture(shop, token, stripe({ payment_intent_id: intents[index] }), { ...tester, on: processOf(index) }),
      ),
    )
    expect(answers.map(({ status }) => status).toSorted()).toEqual([...Array(30).fill(402), ...Array(10).fill(429)])
    expect(await underWay(shop)).toBe(0)
  })
})

describe('slots', () => {
  /** Stops the next capture at the checkpoint until it is opened. */
  function stopNextAt(checkpoint: string) {
    const [reached, end] = [gate(), gate()]
    let isStopped = false
    onCheckpoint(async (name) => {
      if (isStopped || name !== checkpoint) return
      isStopped = true
      reached.open()
      await end.opened
    })
    return { reached: reached.opened, goOn: end.open }
  }

  it('of a confirmation under way are not given back by the same body sent again, nor twice', async () => {
    const shop = await openDigitalShop()
    const tester = { address: newAddress() }
    const other = await shop.fileToken()
    const waiting = await shop.fileToken()
    const asked = await capture(shop, waiting, pay(TO_VERIFY), tester)
    const stopOther = stopNextAt('capture.charged')
    const paying = capture(shop, other, pay(GOOD), tester)
    await stopOther.reached
    const stop = stopNextAt('capture.confirming')
    const confirming = capture(shop, waiting, confirmationOf(asked), tester)
    await stop.reached
    expect(await underWay(shop)).toBe(2)
    expect((await capture(shop, waiting, pay(TO_VERIFY), tester)).status).toBe(402)
    expect(await underWay(shop)).toBe(2)
    stop.goOn()
    expect((await confirming).status).toBe(200)
    // The other shopper's is still taken.
    expect(await underWay(shop)).toBe(1)
    stopOther.goOn()
    expect((await paying).status).toBe(200)
    expect(await underWay(shop)).toBe(0)
  })

  it('are taken once by two who confirm the same payment at the same moment, and given back', async () => {
    const shop = await openDigitalShop()
    const tester = { address: newAddress() }
    const waiting = await shop.fileToken()
    const confirmation = confirmationOf(await capture(shop, waiting, pay(TO_VERIFY), tester))
    const answers = await app.db.transaction(async (tx) => {
      await lockRows(tx, 'capture_attempts', { merchant_id: shop.id, checkout_id: waiting.id })
      const confirming = [app, secondProcess].map((on) => capture(shop, waiting, confirmation, { ...tester, on }))
      await expect.poll(() => countWaitingLocks(secondProcess.db)).toBe(2)
      return confirming
    })
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([200, 200])
    expect(await underWay(shop)).toBe(0)
  })
})

/** The id of the intent in the secret that a storefront hands to Stripe. */
const intentIn = (param: string) => param.split('_secret')[0] ?? ''

it('a process that dies leaves no payment counted as under way: whoever settles it gives its slot back, or counts it as declined', async () => {
  const shop = await openDigitalShop()
  const { services, log } = servicesOn(app, app.db)
  const tester = { address: newAddress() }
  const [paid, refused] = [await shop.fileToken(), await shop.fileToken()]
  onCheckpoint((name) => {
    if (name === 'capture.charged') throw new Error('The process has died.')
  })
  expect((await capture(shop, paid, pay(GOOD), tester)).status).toBe(500)
  expect((await capture(shop, refused, pay(DECLINED), tester)).status).toBe(500)
  onCheckpoint(null)
  const subject = `sandbox from ${tester.address}`
  expect(await countersOf(shop)).toContainEqual({ subject, declines: 0, under_way: 2 })
  app.clock.advance(SETTLE_MS / 1_000 + 1)
  await completeDue(services, log)
  expect(await countersOf(shop)).toContainEqual({ subject, declines: 1, under_way: 0 })
})

const findCounters = sql<{ subject: string; declines: number; under_way: number }>`
  select subject, declines, under_way from decline_counters where merchant_id = :merchant_id order by subject`
const countersOf = ({ id }: { id: number }) => app.db.many(findCounters, { merchant_id: id })
const underWay = async (shop: { id: number }) =>
  (await countersOf(shop)).reduce((sum, { under_way }) => sum + under_way, 0)
