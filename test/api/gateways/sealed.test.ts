// Credentials in the database: whatever is done with a gateway, no row, log line or answer holds them; they reach the gateway, and only by their
// own row and key. Where a key is missing nothing is charged, and nothing is entered.

import { randomBytes } from 'node:crypto'
import { afterAll, describe, expect, it } from 'vitest'
import type { GatewayRecord } from '../../../src/api/payment-methods/schema.ts'
import type { GatewayConfig } from '../../../src/gateways/call.ts'
import type { GatewayAdapter } from '../../../src/gateways/gateway.ts'
import { razorpay } from '../../../src/gateways/razorpay/razorpay.ts'
import { keysInFile, keysOfSetting } from '../../../src/keys/credential-keys.ts'
import { createCredentials } from '../../../src/keys/credentials.ts'
import { everyRow } from '../../faults/card-scan.ts'
import { brokenOracles } from '../../faults/oracles.ts'
import { type TestApp, testApp } from '../../support/app.ts'
import { cloneDatabase } from '../../support/database.ts'
import { changeRows, selectValue, sql } from '../../support/rows.ts'
import { notValidFields, replyOf } from '../../support/shop.ts'
import { digital, digitalBody, openCaptureShop } from '../checkouts/capture-support.ts'

/** What the gateway was called with. */
const called: { config: GatewayConfig }[] = []

const adapter: GatewayAdapter = {
  problemsOf: () => ({}),
  async charge(call) {
    called.push(call)
    const source = { type: 'card', brand: null, country: null, zip: null }
    const { amount, currency, key } = call
    return { kind: 'charged', amount, currency, transactionId: `their_${key}`, reference: null, source }
  },
  async lookUp(call) {
    called.push(call)
    return { kind: 'unknown' }
  },
  cancel: async () => ({ kind: 'cancelled' }),
  async refund(call) {
    called.push(call)
    return { kind: 'refunded', transactionId: `their_${call.key}` }
  },
}

// A provider with credentials that can be charged. Other files of this process see it as it was.
const { createAdapter: usual } = razorpay
razorpay.createAdapter = () => adapter
afterAll(() => {
  if (usual === undefined) delete razorpay.createAdapter
  else razorpay.createAdapter = usual
})

const connection = await cloneDatabase()
const app = await testApp({ connection, trustProxy: () => true })

const FIRST = 'first-hidden-secret-0001'
const SECOND = 'second-hidden-secret-0002'
const LAST = 'third-hidden-secret-0003'
const PAID = digitalBody({ payment: { gateway: 'razorpay', razorpay: { payment_id: 'pay_1' } } })

type ErrorBody = { error: { type: string; message: string } }

/** A shop with something to sell, and its razorpay. */
async function shopOf(of: TestApp) {
  const shop = await openCaptureShop(of)
  const { secret } = shop.keys.sandbox
  const product = await shop.product({ ...digital, inventory: { managed: true, available: 10 } })
  return {
    ...shop,
    product,
    secret,
    gateway: (key_secret: string) => {
      const draft = { code: 'razorpay', config: { key_id: 'rzp_1', key_secret } }
      return shop.succeed<GatewayRecord>(201, 'POST', 'gateways', draft, secret)
    },
    change: (id: string, body: object) => shop.succeed<GatewayRecord>(200, 'PUT', `gateways/${id}`, body, secret),
    token: async () => (await shop.ofCart((await shop.cart([{ id: product.id }])).id)).id,
    available: async () =>
      (await shop.succeed<{ inventory: { available: number } }>(200, 'GET', `products/${product.id}`)).inventory
        .available,
  }
}

const stored = (of: TestApp, merchant_id: number, id: string) =>
  selectValue<Record<string, string>>(of.db, 'config', 'payment_methods', { merchant_id, id })
const store = (of: TestApp, merchant_id: number, id: string, config: object) =>
  changeRows(
    of.db,
    'update payment_methods set config = :config',
    { merchant_id, id },
    { config: JSON.stringify(config) },
  )

/** Everything that a copy of the database holds, and what others can see of it at work. */
async function wholeDatabase(): Promise<string> {
  const parts: string[] = []
  for await (const { row } of everyRow(connection)) parts.push(row)
  const sent = sql<{ query: string }>`select query from pg_stat_activity`
  parts.push(...(await app.db.many(sent, {})).map(({ query }) => query))
  return parts.join('\n')
}

/** As it is, as bytea shows it, and as base64 does, wherever it begins. */
const formsOf = (secret: string) => [
  secret,
  Buffer.from(secret).toString('hex'),
  ...['', 'x', 'xx'].map((before) =>
    Buffer.from(before + secret)
      .toString('base64')
      .slice(4, -4),
  ),
]

describe('a secret that was entered', () => {
  it('is in no row of any table after all that can be done with its gateway, in no log line, and in no answer', async () => {
    const shop = await shopOf(app)
    const answers: string[] = []
    const tell = <T>(answer: T): T => {
      answers.push(JSON.stringify(answer))
      return answer
    }
    const body = { code: 'razorpay', config: { key_id: 'rzp_1', key_secret: FIRST } }
    const post = () =>
      app.call('POST', '/v1/gateways', { key: shop.secret, body, headers: { 'idempotency-key': 'one-and-the-same' } })
    const made = tell(await post())
    expect(made.status).toBe(201)
    const { id } = made.body as GatewayRecord
    const again = tell(await post())
    expect([again.headers['idempotency-replayed'], again.body]).toEqual(['true', made.body])
    // Refused, and the refusal kept.
    const refused = await app.call('POST', '/v1/gateways', {
      key: shop.secret,
      body: { code: 'razorpay', config: { key_id: 'rzp_2', key_secret: LAST } },
      headers: { 'idempotency-key': 'another' },
    })
    expect(tell(refused).status).toBe(422)

    const order = tell(await shop.order(await shop.ofCart((await shop.cart([{ id: shop.product.id }])).id), PAID))
    expect(called.at(-1)?.config).toEqual({ key_id: 'rzp_1', key_secret: FIRST })
    tell(await shop.change(id, { config: { key_secret: SECOND } }))
    tell(await shop.succeed(200, 'POST', `orders/${order.id}/refund`, {}, shop.secret))
    expect(called.at(-1)?.config).toEqual({ key_id: 'rzp_1', key_secret: SECOND })
    tell(await shop.succeed(200, 'GET', 'gateways', undefined, shop.secret))

    const config = await stored(app, shop.id, id)
    expect(config).toEqual({
      key_id: 'rzp_1',
      key_secret: expect.stringMatching(/^sealed:1:[\w-]{12}:[\w-]{6}:[\w-]+$/),
    })
    const database = await wholeDatabase()
    // The scan sees what is there.
    expect(database).toContain('rzp_1')
    expect(database).toContain(config.key_secret)
    const told = [database, ...answers, ...app.logged].join('\n')
    for (const secret of [FIRST, SECOND, LAST])
      for (const form of formsOf(secret)) expect(told.includes(form), `${form} of ${secret}`).toBe(false)
  })

  it('opens by the key in the data folder, in its own row alone', async () => {
    const [own, other] = [await shopOf(app), await shopOf(app)]
    const [{ id }, { id: otherId }] = [await own.gateway(FIRST), await other.gateway(SECOND)]
    const { key_secret: sealed = '' } = await stored(app, own.id, id)
    const { open } = createCredentials(keysInFile(app.dataDir))
    expect(await open({ merchant_id: own.id, id, field: 'key_secret' }, sealed)).toBe(FIRST)

    await store(app, other.id, otherId, { key_id: 'rzp_1', key_secret: sealed })
    const before = called.length
    const answer = await other.call('POST', `checkouts/${await other.token()}`, PAID)
    expect([answer.status, (answer.body as ErrorBody).error.type]).toEqual([402, 'gateway_error'])
    expect(called).toHaveLength(before)
  })

  it('is kept sealed as it is when other fields change, and by its mask', async () => {
    const shop = await shopOf(app)
    const gateway = await shop.gateway(FIRST)
    const { key_secret } = await stored(app, shop.id, gateway.id)
    await shop.change(gateway.id, { config: { key_id: 'rzp_9' } })
    await shop.change(gateway.id, { config: gateway.config })
    expect(await stored(app, shop.id, gateway.id)).toEqual({ key_id: 'rzp_1', key_secret })
    expect(gateway.config).toEqual({ key_id: 'rzp_1', key_secret: '********0001', webhook_secret: null, capture: null })
  })

  it('is sealed also when it looks as if it were', async () => {
    const shop = await shopOf(app)
    const { key_secret: sealed = '' } = await stored(app, shop.id, (await shop.gateway(FIRST)).id)
    const other = await shopOf(app)
    const { id } = await other.gateway(sealed)
    expect((await stored(app, other.id, id)).key_secret).not.toBe(sealed)
    await other.order({ id: await other.token() }, PAID)
    expect(called.at(-1)?.config.key_secret).toBe(sealed)
  })

  it('that an earlier release has left readable pays, and is sealed by the next change', async () => {
    const shop = await shopOf(app)
    const { id } = await shop.gateway(FIRST)
    await store(app, shop.id, id, { key_id: 'rzp_1', key_secret: SECOND })
    await shop.order({ id: await shop.token() }, PAID)
    expect(called.at(-1)?.config.key_secret).toBe(SECOND)
    expect((await shop.change(id, { enabled: true })).config.key_secret).toBe('********0002')
    const config = await stored(app, shop.id, id)
    expect(config.key_secret).toMatch(/^sealed:1:/)
    await shop.order({ id: await shop.token() }, PAID)
    expect(called.at(-1)?.config.key_secret).toBe(SECOND)
  })
})

describe('where the key was lost', () => {
  it('nothing is charged, all is given back, the log names the gateway, and entering it anew mends it', async () => {
    const shop = await shopOf(app)
    const { id } = await shop.gateway(FIRST)
    const other = await testApp({
      connection,
      trustProxy: () => true,
      credentialKeys: keysOfSetting([randomBytes(32)]),
    })
    const token = await shop.token()
    const capture = () => other.call('POST', `/v1/checkouts/${token}`, { key: shop.keys.sandbox.public, body: PAID })
    const before = called.length
    const answer = await capture()
    expect([answer.status, (answer.body as ErrorBody).error]).toMatchObject([402, { type: 'gateway_error' }])
    expect(called).toHaveLength(before)
    expect(await shop.available()).toBe(10)
    const line = other.logged.find((text) => text.includes('cannot be decrypted')) ?? ''
    expect(JSON.parse(line)).toMatchObject({
      level: 'error',
      merchant_id: shop.id,
      gateway: 'razorpay',
      payment_method: id,
    })

    const body = { config: { key_secret: SECOND } }
    expect((await other.call('PUT', `/v1/gateways/${id}`, { key: shop.secret, body })).status).toBe(200)
    expect((await capture()).status).toBe(200)
    expect(called.at(-1)?.config.key_secret).toBe(SECOND)
    expect(await brokenOracles(app.db, { now: app.clock.now() })).toEqual([])
  })
})

describe('without a key', () => {
  it('no credentials are entered or changed, and everything else works', async () => {
    const without = await testApp({ connection, trustProxy: () => true, credentialKeys: keysOfSetting([]) })
    const shop = await shopOf(without)
    const config = { key_id: 'rzp_1', key_secret: FIRST }
    const rule =
      'cannot be stored: this service has no key to encrypt credentials. The operator must set CREDENTIALS_KEY first.'
    const refused = (...request: Parameters<typeof shop.call>) => replyOf(shop.call(...request))
    const expected = notValidFields({ 'config.key_secret': rule })
    expect(await refused('POST', 'gateways', { code: 'razorpay', config }, shop.secret)).toEqual(expected)
    expect(await shop.succeed(200, 'GET', 'gateways', undefined, shop.secret)).toMatchObject({ data: [] })

    // As an earlier release has left it.
    const draft = { code: 'razorpay', simulated: true }
    const { id } = await shop.succeed<GatewayRecord>(201, 'POST', 'gateways', draft, shop.secret)
    await store(without, shop.id, id, config)
    await shop.change(id, { simulated: false, config: { key_id: 'rzp_2' }, enabled: true })
    const update = { config: { key_secret: SECOND } }
    expect(await refused('PUT', `gateways/${id}`, update, shop.secret)).toEqual(expected)
    expect(await stored(without, shop.id, id)).toEqual({ key_id: 'rzp_2', key_secret: FIRST })
    await shop.order({ id: await shop.token() }, PAID)
    expect(called.at(-1)?.config).toEqual({ key_id: 'rzp_2', key_secret: FIRST })
    expect([...without.logged].filter((line) => line.includes('hidden'))).toEqual([])
  })
})
