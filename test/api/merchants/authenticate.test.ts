// The authenticator's memory: when a key costs a look-up, and what must never be remembered.
// The database and the news of changes are stood in for, so that every interleaving is made by hand.

import { describe, expect, it } from 'vitest'
import { createKeyAuthenticator } from '../../../src/api/merchants/authenticate.ts'
import { generateKey, hashKey } from '../../../src/api/merchants/merchant.ts'
import type { CallerRow } from '../../../src/api/merchants/store.ts'
import type { Db, Statement } from '../../../src/db/db.ts'
import type { Caller } from '../../../src/http/endpoint/endpoint.ts'
import { unavailable } from '../../../src/lib/errors.ts'
import { patient } from '../../support/database.ts'

const row = (more: Partial<CallerRow> = {}): CallerRow => ({
  merchant_id: 1,
  key_id: 'key_1',
  is_secret: true,
  is_sandbox: true,
  currency: 'USD',
  api_version: '2022-07-21',
  is_disabled: false,
  full_sandbox: [],
  sells_live: false,
  ...more,
})

const CALLER: Caller = {
  merchant_id: 1,
  keyId: 'key_1',
  session: null,
  isSecret: true,
  is_sandbox: true,
  currency: 'USD',
  apiVersion: '2022-07-21',
  isDisabled: false,
  fullSandbox: [],
  sellsLive: false,
}

const text = () => generateKey({ isSecret: true, is_sandbox: true }).text

/** Keys in memory instead of a table; counts the look-ups, and can hold one back between its reading and its answer. */
function fakeDatabase() {
  const rows = new Map<string, CallerRow>()
  const state = { lookUps: 0, held: null as Promise<void> | null, failure: null as Error | null }
  const unused = () => Promise.reject(new Error('only look-ups are expected'))
  const db: Db = {
    many: unused,
    one: unused,
    run: unused,
    together: unused,
    maybe: async <Row>(_statement: Statement<Row>, values: Parameters<Db['maybe']>[1]) => {
      state.lookUps++
      if (state.failure) throw state.failure
      const found = rows.get((values as { key_hash: Buffer }).key_hash.toString('hex')) ?? null
      if (state.held) await state.held
      return found as Row | null
    },
  }
  const add = (key: string, more: Partial<CallerRow> = {}) => rows.set(hashKey(key).toString('hex'), row(more))
  const revoke = (key: string) => rows.delete(hashKey(key).toString('hex'))
  return { db, state, add, revoke }
}

function fakeNews() {
  const news = { revision: 1, fresh: true, isFresh: () => news.fresh }
  return news
}

function setUp() {
  const database = fakeDatabase()
  const news = fakeNews()
  const authenticate = createKeyAuthenticator(database.db, news)
  const ask = async (key: string) => authenticate(key)
  /** Begins a look-up that has read its row and waits with its answer; gives what ends it. */
  const begin = (key: string) => {
    let open = () => {}
    database.state.held = new Promise<void>((resolve) => {
      open = resolve
    })
    const running = ask(key)
    database.state.held = null
    return () => {
      open()
      return running
    }
  }
  return { ...database, news, authenticate, ask, begin }
}

const WRONG = { status: 401, message: 'This API key is not valid. It may have been mistyped or revoked.' }

describe('a key', () => {
  it('costs one look-up, and is then answered without one and without waiting', async () => {
    const { authenticate, add, state } = setUp()
    const key = text()
    add(key)
    expect(await authenticate(key)).toEqual(CALLER)
    for (let ask = 0; ask < 100; ask++) expect(authenticate(key)).toEqual(CALLER)
    expect(state.lookUps).toBe(1)
  })

  it.each(['sk_test_', 'sk_live_x', 'x'.repeat(48), 'ｓk_test_'.padEnd(48, 'a'), `${text()}\n`, ` ${text()}`])(
    'that is not written like one costs none: %j',
    async (key) => {
      const { ask, state } = setUp()
      await expect(ask(key)).rejects.toMatchObject(WRONG)
      expect(state.lookUps).toBe(0)
    },
  )

  it('that is missing is asked for', () => {
    const { authenticate } = setUp()
    for (const key of [undefined, ''])
      expect(() => authenticate(key)).toThrow('Send your API key in the X-Authorization header.')
  })
})

it('news of a change empties the memory of keys and of wrong keys', async () => {
  const { ask, add, revoke, news, state } = setUp()
  const [revoked, added] = [text(), text()]
  add(revoked)
  expect(await ask(revoked)).toEqual(CALLER)
  await expect(ask(added)).rejects.toMatchObject(WRONG)
  revoke(revoked)
  add(added)
  // Nobody has heard of it yet.
  expect(await ask(revoked)).toEqual(CALLER)
  await expect(ask(added)).rejects.toMatchObject(WRONG)
  news.revision++
  await expect(ask(revoked)).rejects.toMatchObject(WRONG)
  expect(await ask(added)).toEqual(CALLER)
  expect(state.lookUps).toBe(4)
  // The revision goes back after a restore of the database.
  revoke(added)
  news.revision = 0
  await expect(ask(added)).rejects.toMatchObject(WRONG)
})

describe('silence of the database', () => {
  it('makes every request read through', async () => {
    const { ask, add, revoke, news, state } = setUp()
    const [known, wrong] = [text(), text()]
    add(known)
    await ask(known)
    await expect(ask(wrong)).rejects.toMatchObject(WRONG)
    expect(state.lookUps).toBe(2)
    news.fresh = false
    for (let asked = 0; asked < 5; asked++) expect(await ask(known)).toEqual(CALLER)
    for (let asked = 0; asked < 5; asked++) await expect(ask(wrong)).rejects.toMatchObject(WRONG)
    expect(state.lookUps).toBe(12)
    revoke(known)
    add(wrong)
    await expect(ask(known)).rejects.toMatchObject(WRONG)
    expect(await ask(wrong)).toEqual(CALLER)
  })

  it('lets nothing be remembered', async () => {
    const { ask, add, news, state } = setUp()
    const key = text()
    add(key)
    news.fresh = false
    await ask(key)
    news.fresh = true
    await ask(key)
    await ask(key)
    expect(state.lookUps).toBe(2)
  })
})

describe('requests with one key at the same moment', () => {
  it('share one look-up, whether the key is good or wrong', async () => {
    const { ask, add, state } = setUp()
    const [known, wrong] = [text(), text()]
    add(known)
    let open = () => {}
    state.held = new Promise<void>((resolve) => {
      open = resolve
    })
    const good = Array.from({ length: 50 }, () => ask(known))
    const bad = Array.from({ length: 50 }, () => ask(wrong).catch((error: unknown) => error))
    expect(state.lookUps).toBe(2)
    open()
    expect(await Promise.all(good)).toEqual(Array(50).fill(CALLER))
    for (const error of await Promise.all(bad)) expect(error).toMatchObject(WRONG)
    expect(state.lookUps).toBe(2)
  })

  it('share its failure, and the next one asks again', async () => {
    const { ask, add, state } = setUp()
    const key = text()
    add(key)
    state.failure = unavailable('The database cannot be reached at the moment.')
    const asked = Array.from({ length: 5 }, () => ask(key).catch((error: unknown) => error))
    for (const error of await Promise.all(asked)) expect(error).toMatchObject({ status: 503 })
    expect(state.lookUps).toBe(1)
    state.failure = null
    expect(await ask(key)).toEqual(CALLER)
  })

  it('share none that began before a change they have heard of, nor while the database is silent', async () => {
    for (const isSilent of [false, true]) {
      const { ask, begin, add, revoke, news, state } = setUp()
      const key = text()
      add(key)
      const end = begin(key)
      revoke(key)
      if (isSilent) news.fresh = false
      else news.revision++
      const late = [ask(key), ask(key)].map((asked) => asked.catch((error: unknown) => error))
      expect(state.lookUps).toBe(isSilent ? 3 : 2)
      expect(await end()).toEqual(CALLER)
      for (const error of await Promise.all(late)) expect(error).toMatchObject(WRONG)
      // The end of the early one has not made room for another.
      expect(state.lookUps).toBe(isSilent ? 3 : 2)
    }
  })
})

describe('a change while a look-up is running', () => {
  it.each(['nobody', 'another request'])('keeps a revoked key from being remembered: %s heard of it', async (who) => {
    const { ask, begin, add, revoke, news } = setUp()
    const [key, another] = [text(), text()]
    add(key)
    add(another)
    const end = begin(key)
    // The row has been read; now the key is revoked, the news arrives, and only then the answer.
    revoke(key)
    news.revision++
    if (who === 'another request') await ask(another)
    expect(await end()).toEqual(CALLER)
    await expect(ask(key)).rejects.toMatchObject(WRONG)
  })

  it('keeps a key that has just been made from being remembered as wrong', async () => {
    const { ask, begin, add, news } = setUp()
    const key = text()
    const end = begin(key)
    add(key)
    news.revision++
    await expect(end()).rejects.toMatchObject(WRONG)
    expect(await ask(key)).toEqual(CALLER)
  })

  it('keeps an answer from being remembered when the database has fallen silent meanwhile', async () => {
    const { ask, begin, add, revoke, news } = setUp()
    const key = text()
    add(key)
    const end = begin(key)
    news.fresh = false
    await end()
    revoke(key)
    news.fresh = true
    await expect(ask(key)).rejects.toMatchObject(WRONG)
  })
})

describe('a flood of wrong keys', () => {
  it('does not push out the keys in use, and its own memory is bounded', { timeout: patient(30_000) }, async () => {
    const { authenticate, ask, add, state } = setUp()
    const known = text()
    add(known)
    await ask(known)
    const first = text()
    await expect(ask(first)).rejects.toMatchObject(WRONG)
    for (let guess = 0; guess < 10_000; guess++) await ask(text()).catch(() => undefined)
    expect(state.lookUps).toBe(10_002)
    expect(authenticate(known)).toEqual(CALLER)
    expect(state.lookUps).toBe(10_002)
    // The oldest guess has been forgotten.
    await expect(ask(first)).rejects.toMatchObject(WRONG)
    expect(state.lookUps).toBe(10_003)
  })
})
