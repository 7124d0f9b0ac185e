// POST /v1/customers/issue-token and …/exchange-token: a token is good once, for 15 minutes, for one customer of one shop and mode.

import { createHash } from 'node:crypto'
import { decodeJwt, decodeProtectedHeader } from 'jose'
import { describe, expect, it } from 'vitest'
import { errorBody } from '../../http/harness.ts'
import { testApp } from '../../support/app.ts'
import { changeRows, lockRows, selectRow } from '../../support/rows.ts'
import { atOnce, replyOf } from '../../support/shop.ts'
import { untilLockIsAwaited } from '../waiting-locks.ts'
import { anotherClient, openShop, type Session } from './login-support.ts'

const app = await testApp({ trustProxy: () => true })
const shop = await openShop(app)
const { sandbox, live } = shop.keys
const seconds = () => Math.floor(app.clock.now().getTime() / 1_000)

const TOO_MANY = 'Too many login links did not work. Please try again in a minute.'

const REFUSED = [
  401,
  errorBody(
    401,
    'unauthorized',
    'This login link is not valid: it has been used, or its 15 minutes are over. Ask for another.',
  ),
]

const exchanged = (...request: Parameters<typeof shop.exchange>) => replyOf(shop.exchange(...request))

const get = (id: string, jwt: string) =>
  app.call('GET', `/v1/customers/${id}`, { key: 'undefined', headers: { authorization: `Bearer ${jwt}` } })

it('a token is issued to the merchant for an address, for one exchange within 15 minutes, and only its hash is kept', async () => {
  const id = await shop.customer('Jane@example.com')
  const issue = async (email: string) => {
    const { status, body } = await shop.call('POST', 'customers/issue-token', { email }, { key: sandbox.secret })
    return [status, body]
  }
  const [status, body] = await issue('JANE@example.com ')
  const { token } = body as { token: string }
  expect([status, body]).toEqual([200, { token: expect.stringMatching(/^[0-9A-Za-z]{40}$/) }])
  const hash = createHash('sha256').update(token).digest('hex')
  const expires_at = new Date(app.clock.now().getTime() + 900_000)
  expect(await shop.tokens()).toEqual([{ hash, customer_id: id, email_key: 'jane@example.com', expires_at }])
  expect((await shop.exchange(token)).body).toMatchObject({ customer_id: id })

  await (await openShop(app)).customer('theirs@example.com')
  await shop.customer('live@example.com', live.secret)
  const message = 'There is no customer with that e-mail address.'
  for (const email of ['unknown@example.com', 'theirs@example.com', 'live@example.com'])
    expect(await issue(email)).toEqual([404, errorBody(404, 'not_found', message)])
})

describe('a token', () => {
  it('from the mail is exchanged for a session of the customer, once', async () => {
    const id = await shop.customer('mailed@example.com')
    const token = await shop.mailedToken('mailed@example.com')
    const { status, headers, body } = await shop.exchange(token)
    const { jwt } = body as Session
    expect([status, headers['cache-control'], body]).toEqual([200, 'no-store', { customer_id: id, jwt }])
    const kid = expect.stringMatching(/^skey_[0-9A-Za-z]{26}$/)
    expect(decodeProtectedHeader(jwt)).toEqual({ alg: 'HS256', typ: 'JWT', kid })
    const ofCustomer = { cid: id, merchant: shop.id, sandbox: true, begun: app.clock.now().getTime() }
    const times = { iat: seconds(), exp: seconds() + 86_400 }
    expect(decodeJwt(jwt)).toEqual({ ...ofCustomer, ...times, iss: 'cartwright', aud: 'customer' })
    expect((await get(id, jwt)).body).toMatchObject({ id, email: 'mailed@example.com' })
    expect(await exchanged(token)).toEqual(REFUSED)
    expect(await shop.tokens()).toEqual([])
  })

  it('is exchanged until its 15 minutes are over, with blanks around it too', async () => {
    const id = await shop.customer('in-time@example.com')
    const [first, second] = [await shop.issueToken('in-time@example.com'), await shop.issueToken('in-time@example.com')]
    app.clock.advance(899.999)
    expect(await exchanged(` ${first}\n`)).toEqual([200, { customer_id: id, jwt: expect.any(String) }])
    app.clock.advance(0.001)
    expect(await exchanged(second)).toEqual(REFUSED)
  })

  it('that is unknown, malformed, of another shop or mode, or whose customer is gone is refused in the same bytes', async () => {
    const other = await openShop(app)
    await other.customer('same@example.com')
    const id = await shop.customer('same@example.com')
    await shop.customer('same@example.com', live.secret)
    const [foreign, ofLive] = [
      await other.issueToken('same@example.com'),
      await shop.issueToken('same@example.com', live.secret),
    ]
    const ofDeleted = await shop.issueToken('same@example.com')
    await shop.succeed(204, 'DELETE', `customers/${id}`, undefined, { key: sandbox.secret })
    const texts = new Set<string>()
    for (const token of [foreign, ofLive, ofDeleted, 'x'.repeat(40), '../../etc/passwd', "' or true --", ' ', 'é']) {
      const { status, body, text } = await shop.exchange(token)
      expect([status, body]).toEqual(REFUSED)
      texts.add(text)
    }
    expect(texts.size).toBe(1)
    // None of them is spent by that.
    expect((await other.exchange(foreign)).status).toBe(200)
    expect((await shop.exchange(ofLive, { key: live.public })).status).toBe(200)
  })

  it('opens one session, however many exchange it at the same moment', async () => {
    const id = await shop.customer('rush@example.com')
    const token = await shop.mailedToken('rush@example.com')
    const all = await atOnce(100, () => shop.exchange(token))
    expect(all.filter(({ status }) => status === 200).map(({ body }) => (body as Session).customer_id)).toEqual([id])
    expect(all.filter(({ status }) => status === 401)).toHaveLength(99)
  })

  it('is spent by no GET, as programs that look into mails send one', async () => {
    const id = await shop.customer('scanned@example.com')
    const token = await shop.issueToken('scanned@example.com')
    for (const [path, status] of [
      ['exchange-token', 405],
      [`exchange-token?token=${token}`, 405],
      [`exchange-token/${token}`, 404],
    ] as const)
      expect((await shop.call('GET', `customers/${path}`, undefined, { key: sandbox.secret })).status).toBe(status)
    expect(await exchanged(token)).toEqual([200, { customer_id: id, jwt: expect.any(String) }])
  })
})

it('wrong tokens are refused from the eleventh a minute on, and a right one never is', async () => {
  const id = await shop.customer('guessed@example.com')
  const token = await shop.issueToken('guessed@example.com')
  const from = anotherClient()
  for (let guess = 0; guess < 10; guess++) expect(await exchanged('wrong', { from })).toEqual(REFUSED)
  const { status, headers, body } = await shop.exchange('x'.repeat(40), { from })
  const said = { message: TOO_MANY, code: 'too_many_logins', params: { seconds: 60 }, errors: { token: [TOO_MANY] } }
  const tooMany = { error: { type: 'too_many_requests', ...said }, status_code: 429 }
  expect([status, headers['retry-after'], body]).toEqual([429, '60', tooMany])
  expect(await exchanged(token, { from })).toEqual([200, { customer_id: id, jwt: expect.any(String) }])
  // It is spent, and a wrong one like any other now.
  expect(await exchanged(token, { from })).toEqual([429, tooMany])
  // A server with the secret key speaks for many, unless it says for whom.
  for (let guess = 0; guess < 11; guess++)
    expect(await exchanged('wrong', { from, key: sandbox.secret })).toEqual(REFUSED)
  expect(await exchanged('wrong', { key: sandbox.secret, headers: { 'shopper-address': from } })).toEqual([
    429,
    tooMany,
  ])
  app.clock.advance(60)
  expect(await exchanged('wrong', { from })).toEqual(REFUSED)
})

it('wrong tokens count in every network that the client may hold', async () => {
  const from = (subnet: number) => ({ from: `2001:db8:9:${subnet.toString(16)}::1` })
  for (let guess = 0; guess < 20; guess++) expect(await exchanged('wrong', from(0x100 + guess))).toEqual(REFUSED)
  expect((await shop.exchange('wrong', from(0x1ff))).status).toBe(429)
  for (let guess = 0; guess < 20; guess++) expect(await exchanged('wrong', from(0x200 + guess))).toEqual(REFUSED)
  expect((await shop.exchange('wrong', from(0x300))).status).toBe(429)
  expect(await exchanged('wrong', { from: '2001:db8:a::1' })).toEqual(REFUSED)
})

describe('an address that a customer has changed', () => {
  type Proof = { is_email_proven: boolean; sessions_from: Date | null }
  const proof = (id: string) =>
    selectRow<Proof>(app.db, 'is_email_proven, sessions_from from customers', { merchant_id: shop.id, id })
  const change = (id: string, jwt: string, email: string) =>
    app.call('PUT', `/v1/customers/${id}`, { body: { email }, headers: { authorization: `Bearer ${jwt}` } })

  it.each([
    ['mailed to it', (email: string) => shop.mailedToken(email)],
    ['that the merchant has asked for to mail it there', (email: string) => shop.issueToken(email)],
  ])('is proven by the token %s, which ends earlier sessions and tokens', async (way, tokenFor) => {
    const at = (name: string) => `${name}.${way.length}@example.com`
    const id = await shop.customer(at('old'))
    const toOld = await shop.mailedToken(at('old'))
    const { jwt: earlier } = await shop.session(id)
    const issued = await shop.issueToken(at('old'))
    expect((await change(id, earlier, at('new'))).status).toBe(200)
    // In the same second, so that it is not the second that tells the sessions apart.
    app.clock.advance(0.1)
    expect((await shop.exchange(issued)).status).toBe(200)
    expect(await proof(id)).toEqual({ is_email_proven: false, sessions_from: null })

    const rest = await shop.issueToken(at('new'))
    const toNew = await tokenFor(at('new'))
    const { jwt } = (await shop.exchange(toNew)).body as Session
    expect(await proof(id)).toEqual({ is_email_proven: true, sessions_from: app.clock.now() })
    expect((await get(id, jwt)).status).toBe(200)
    expect((await get(id, earlier)).status).toBe(401)
    for (const token of [toOld, rest]) expect(await exchanged(token)).toEqual(REFUSED)

    // An address that was proven once asks for nothing more.
    app.clock.advance(3_600)
    expect((await shop.exchange(await tokenFor(at('new')))).status).toBe(200)
    expect((await get(id, jwt)).status).toBe(200)
  })

  it('leaves open the session that proves it, also where the clock is set back meanwhile', async () => {
    const id = await shop.customer('back@example.com')
    const { jwt: earlier } = await shop.session(id)
    await change(id, earlier, 'back-again@example.com')
    const token = await shop.issueToken('back-again@example.com')
    const still = app.clock.now.bind(app.clock)
    app.clock.advance(1)
    app.clock.now = () => {
      app.clock.advance(-0.001)
      return still()
    }
    const { jwt } = (await shop.exchange(token)).body as Session
    app.clock.now = still
    expect([(await get(id, jwt)).status, (await get(id, earlier)).status]).toEqual([200, 401])
  })

  it('by the secret key ends the sessions and the links that there are', async () => {
    const id = await shop.customer('thief@example.com')
    const { jwt } = await shop.session(id)
    const tokens = [await shop.mailedToken('thief@example.com'), await shop.issueToken('thief@example.com')]
    app.clock.advance(0.001)
    const set = (body: object) => shop.succeed(200, 'PUT', `customers/${id}`, body, { key: sandbox.secret })
    // Nothing is moved to anybody by that.
    await set({ firstname: 'Same', email: 'Thief@example.com' })
    expect((await get(id, jwt)).status).toBe(200)
    await set({ email: 'owner@example.com' })
    expect((await get(id, jwt)).status).toBe(401)
    for (const token of tokens) expect(await exchanged(token)).toEqual(REFUSED)
    const { jwt: own } = (await shop.exchange(await shop.mailedToken('owner@example.com'))).body as Session
    expect((await get(id, own)).status).toBe(200)
  })
})

it('a customer who is deleted while a token is exchanged waits for nobody, and nobody for him', async () => {
  const id = await shop.customer('deleted@example.com')
  const token = await shop.mailedToken('deleted@example.com')
  let exchange: Promise<unknown> | undefined
  await app.db.transaction(async (tx) => {
    await lockRows(tx, 'customers', { merchant_id: shop.id, id })
    exchange = exchanged(token)
    await untilLockIsAwaited(app.db)
    await changeRows(tx, 'delete from customers', { merchant_id: shop.id, id })
  })
  expect(await exchange).toEqual(REFUSED)
})
