// What the token of a customer opens, and every token that must open nothing (X13). Where tokens are made by hand, it is with the key
// that the service itself signs with: only then is it the claim that is refused and not the signature.

import { decodeJwt, SignJWT } from 'jose'
import { describe, expect, it, vi } from 'vitest'
import { createMerchant } from '../../../src/api/merchants/merchant.ts'
import { keysCommand } from '../../../src/cli/keys.ts'
import { readConfig } from '../../../src/config.ts'
import { systemClock } from '../../../src/lib/clock.ts'
import { testApp } from '../../support/app.ts'
import { cloneDatabase, urlOf } from '../../support/database.ts'
import { sql } from '../../support/rows.ts'
import { bodyOf, replyOf } from '../../support/shop.ts'
import { openShop } from './login-support.ts'
import { SESSION_OVER } from './shop.ts'

/** What the next heartbeat brings, on whatever machine. */
const PATIENT = { timeout: 60_000 }

const connection = await cloneDatabase()
const app = await testApp({ trustProxy: () => true, connection })
const shop = await openShop(app)
const { sandbox, live } = shop.keys
const id = await shop.customer('jane@example.com')
const other = await shop.customer('john@example.com')
const session = async (customerId = id) => (await shop.session(customerId)).jwt

const get = (jwt: string, customerId = id, headers: Record<string, string> = {}) =>
  app.call('GET', `/v1/customers/${customerId}`, { headers: { authorization: `Bearer ${jwt}`, ...headers } })

const newestKey = sql<{ id: string; secret: Buffer }>`
  select id, secret from session_keys order by created_at desc, id desc limit 1`

describe('a session', () => {
  it('reads its own customer, whatever X-Authorization says beside it, and no cache keeps that', async () => {
    const jwt = await session()
    const withKey = (await app.call('GET', `/v1/customers/${id}`, { key: sandbox.secret })).text
    for (const beside of ['undefined', 'sk_test_wrong', live.secret, undefined]) {
      const answer = await get(jwt, id, beside === undefined ? {} : { 'x-authorization': beside })
      expect([answer.status, answer.headers['cache-control'], answer.text]).toEqual([200, 'no-store', withKey])
    }
    // Schemes are written in any case.
    expect((await get('', id, { authorization: `bearer   ${jwt} ` })).status).toBe(200)
  })

  it('that is wrong is refused although the secret key beside it is right', async () => {
    for (const authorization of ['Bearer wrong', 'Bearer', 'Bearer\tx'])
      expect(bodyOf(401, await get('', id, { authorization, 'x-authorization': sandbox.secret }))).toEqual(SESSION_OVER)
    // Other credentials are not ours to judge.
    const answer = await get('', id, { authorization: 'Basic dXNlcjpwYXNz', 'x-authorization': sandbox.secret })
    expect(answer.status).toBe(200)
  })

  it('lasts 24 hours to the second', async () => {
    const jwt = await session()
    app.clock.advance(86_399)
    expect((await get(jwt)).status).toBe(200)
    app.clock.advance(1)
    expect(await replyOf(get(jwt))).toEqual([401, SESSION_OVER])
  })
})

describe('a forged token is refused:', () => {
  type Forged = { header?: object; claims?: object; secret?: Uint8Array }
  /** As the service makes one, but for what is given. */
  async function forge({ header = {}, claims = {}, secret }: Forged = {}): Promise<string> {
    await session()
    const key = await app.db.one(newestKey, {})
    const now = Math.floor(app.clock.now().getTime() / 1_000)
    const ofCustomer = { cid: id, merchant: shop.id, sandbox: true, begun: now * 1_000 }
    const usual = { ...ofCustomer, iss: 'cartwright', aud: 'customer', iat: now, exp: now + 86_400 }
    return new SignJWT({ ...usual, ...claims })
      .setProtectedHeader({ alg: 'HS256', typ: 'JWT', kid: key.id, ...header })
      .sign(secret ?? key.secret)
  }
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const partsOf = (jwt: string) => jwt.split('.') as [string, string, string]
  /** The payload of a good token under another header, with its signature or another. */
  const remade = async (header: object, signed?: string) => {
    const [, payload, signature] = partsOf(await forge())
    const { id: kid } = await app.db.one(newestKey, {})
    return `${part({ alg: 'HS256', typ: 'JWT', kid, ...header })}.${payload}.${signed ?? signature}`
  }

  it('none is refused that is made by hand as the service makes it', async () => {
    expect((await get(await forge())).status).toBe(200)
  })

  it.each<[string, () => Promise<string>]>([
    ['no token', async () => ''],
    ['a word', async () => 'undefined'],
    ['algorithm none, unsigned', () => remade({ alg: 'none' }, '')],
    [
      'the right key with another algorithm',
      async () => {
        const { secret } = await app.db.one(newestKey, {})
        return forge({ header: { alg: 'HS512' }, secret: Buffer.concat([secret, secret]) })
      },
    ],
    ['an empty secret of its own', () => forge({ header: { kid: '' }, secret: Buffer.alloc(32) })],
    ['a key from a file', () => forge({ header: { kid: '../../../../dev/null' }, secret: Buffer.alloc(32) })],
    ['a key that nobody has', () => forge({ header: { kid: `skey_${'0'.repeat(26)}` } })],
    [
      'a key of its own in the header',
      () => forge({ header: { kid: undefined, jwk: { kty: 'oct', k: 'AAAA' } }, secret: Buffer.alloc(32) }),
    ],
    ['no key', () => forge({ header: { kid: undefined } })],
    ['a key that is no text', () => forge({ header: { kid: 7 as never } })],
    ['another type', () => forge({ header: { typ: 'at+jwt' } })],
    ['an extension that must be understood', () => remade({ crit: ['x'], x: 1 })],
    [
      'a changed payload',
      async () => {
        const [header, payload, signature] = partsOf(await forge({ claims: { cid: other } }))
        const claims = JSON.parse(Buffer.from(payload, 'base64url').toString())
        return `${header}.${part({ ...claims, cid: id })}.${signature}`
      },
    ],
    ['no signature', async () => (await forge()).replace(/\.[^.]*$/, '')],
    ['two tokens', async () => `${await forge()} ${await forge()}`],
    ['another issuer', () => forge({ claims: { iss: 'somebody' } })],
    ['no issuer', () => forge({ claims: { iss: undefined } })],
    ['another audience', () => forge({ claims: { aud: 'dashboard' } })],
    ['no audience', () => forge({ claims: { aud: undefined } })],
    ['no customer', () => forge({ claims: { cid: undefined } })],
    ['a customer that is no text', () => forge({ claims: { cid: [id] } })],
    ['no merchant', () => forge({ claims: { merchant: undefined } })],
    ['a merchant that is no number', () => forge({ claims: { merchant: String(shop.id) } })],
    ['a merchant that does not exist', () => forge({ claims: { merchant: 999_999 } })],
    ['no mode', () => forge({ claims: { sandbox: undefined } })],
    ['the other mode', () => forge({ claims: { sandbox: false } })],
    ['no beginning', () => forge({ claims: { iat: undefined } })],
    ['no moment of beginning', () => forge({ claims: { begun: undefined } })],
    ['no end', () => forge({ claims: { exp: undefined } })],
    ['an end that is no number', () => forge({ claims: { exp: '9999999999' as never } })],
    ['an end that is past', () => forge({ claims: { exp: Math.floor(app.clock.now().getTime() / 1_000) } })],
    ['a beginning to come', () => forge({ claims: { nbf: Math.floor(app.clock.now().getTime() / 1_000) + 61 } })],
    [
      "another merchant's",
      async () => {
        const { session: theirs, customer } = await openShop(app)
        const { jwt } = await theirs(await customer('jane@example.com'))
        const [header, , signature] = partsOf(jwt)
        return `${header}.${partsOf(await forge())[1]}.${signature}`
      },
    ],
  ])('%s', async (_, make) => {
    const answer = await get(await make(), id, { 'x-authorization': sandbox.secret, 'x-forwarded-proto': 'https' })
    expect(answer.status).toBe(401)
    expect(answer.body).toMatchObject({ error: { type: 'unauthorized' }, status_code: 401 })
  })
})

describe('cartwright keys rotate', () => {
  const said: string[] = []
  const rotate = async (...args: string[]) => {
    said.length = 0
    const write = vi.spyOn(process.stdout, 'write').mockImplementation((text) => said.push(String(text)) > 0)
    try {
      await keysCommand(readConfig({ DATABASE_URL: urlOf(connection) }), ['rotate', ...args])
    } finally {
      write.mockRestore()
    }
  }

  it('signs new sessions with a new key, and those there are go on', async () => {
    const jwt = await session()
    const before = await app.db.one(newestKey, {})
    await rotate()
    expect(said.join('')).toBe(
      'New sessions of customers are signed with a new key. Existing sessions last up to 24 hours; end them with --now.\n',
    )
    const after = await app.db.one(newestKey, {})
    expect(after.id).not.toBe(before.id)
    await vi.waitFor(async () => {
      const [header = ''] = (await session()).split('.')
      expect(JSON.parse(Buffer.from(header, 'base64url').toString())).toMatchObject({ kid: after.id })
    }, PATIENT)
    expect((await get(jwt)).status).toBe(200)
  })

  it('ends every session at once with --now', async () => {
    const jwt = await session()
    await rotate('--now')
    expect(said.join('')).toBe('Every customer is logged out. New sessions are signed with a new key.\n')
    await vi.waitFor(async () => expect((await get(jwt)).status).toBe(401), PATIENT)
    expect((await get(await session())).status).toBe(200)
    await expect(rotate('--never')).rejects.toThrow("Unknown option '--never'")
  })
})

it('a machine whose clock jumps keeps sessions and links for as long as they last by the clock of the database', async () => {
  const real = await testApp({ clock: undefined as never })
  const merchant = await real.db.transaction((tx) =>
    createMerchant(tx, systemClock, { name: 'Shop', email: 'shop@example.com' }),
  )
  const send = (method: 'GET' | 'POST', path: string, body?: object, jwt?: string) =>
    real.call(method, `/v1/${path}`, {
      key: merchant.keys.sandbox.secret,
      body,
      ...(jwt && { headers: { authorization: `Bearer ${jwt}` } }),
    })
  const { id: customer } = (await send('POST', 'customers', { email: 'jane@example.com' })).body as { id: string }
  const { jwt } = (await send('POST', `customers/${customer}/issue-token`)).body as { jwt: string }
  const realNow = Date.now
  for (const hours of [1, -1, 25, -25]) {
    const issued = await send('POST', 'customers/issue-token', { email: 'jane@example.com' })
    const { token } = issued.body as { token: string }
    const jumped = vi.spyOn(Date, 'now').mockImplementation(() => realNow() + hours * 3_600_000)
    // The next heartbeat sets it right, 0.4 s later at most. What was refused until then is not spent.
    await vi.waitFor(async () => {
      expect((await send('GET', `customers/${customer}`, undefined, jwt)).status).toBe(200)
      expect((await send('POST', 'customers/exchange-token', { token })).status).toBe(200)
    }, PATIENT)
    expect((await send('POST', 'customers/exchange-token', { token })).status).toBe(401)
    jumped.mockRestore()
    await vi.waitFor(async () => {
      const { jwt: now } = (await send('POST', `customers/${customer}/issue-token`)).body as { jwt: string }
      expect(Math.abs((decodeJwt(now).iat ?? 0) - realNow() / 1_000)).toBeLessThan(60)
    }, PATIENT)
  }
})
