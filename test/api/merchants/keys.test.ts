// API keys: how they look, what is kept of them, and how fast a change of them is seen in every process.
// The memory of the authenticator, step by step, is in authenticate.test.ts.

import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { createKeyAuthenticator } from '../../../src/api/merchants/authenticate.ts'
import {
  createKey,
  generateKey,
  hashPassword,
  matchingPasswords,
  newPassword,
  revokeKey,
  setMerchantDisabled,
} from '../../../src/api/merchants/merchant.ts'
import { listMerchantKeys } from '../../../src/api/merchants/store.ts'
import { startHeartbeat } from '../../../src/db/health/heartbeat.ts'
import { openPool } from '../../../src/db/pool.ts'
import { testApp } from '../../support/app.ts'
import { cloneDatabase } from '../../support/database.ts'
import { selectRow, selectRows } from '../../support/rows.ts'

const connection = await cloneDatabase()
const app = await testApp({ connection })

/** Asks until the answer is this one, and tells after how many milliseconds it last asked in vain. */
async function until<T>(wanted: T, ask: () => Promise<T>): Promise<number> {
  const started = performance.now()
  for (let inVain = 0; ; ) {
    // The moment of asking counts: a busy machine may answer late, but not wrongly.
    const asked = performance.now() - started
    if ((await ask()) === wanted) return inVain
    if (asked > 60_000) throw new Error(`no ${wanted} in a minute`)
    inVain = asked
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

describe('the four keys of a merchant', () => {
  it('use every character equally at every place', () => {
    const bodies = Array.from({ length: 2_000 }, () => generateKey({ isSecret: true, is_sandbox: false }).text.slice(3))
    expect(new Set(bodies).size).toBe(2_000)
    const counts = new Map<string, number>()
    for (const character of bodies.join('')) counts.set(character, (counts.get(character) ?? 0) + 1)
    expect(counts.size).toBe(62)
    // 80,000 draws: about 1,290 each, with a standard deviation of 36. Six of them are never left by chance.
    for (const count of counts.values()) expect(Math.abs(count - 80_000 / 62)).toBeLessThan(6 * 36)
    for (let place = 0; place < 40; place++) expect(new Set(bodies.map((body) => body[place])).size).toBe(62)
  })

  it('are kept as SHA-256; of a secret key the last four characters are all that is readable', async () => {
    const { id, keys } = await app.merchant()
    const rows = await selectRows<{ row: string; hash: string; public_key: string | null; last_four: string }>(
      app.db,
      "k::text as row, encode(key_hash, 'hex') as hash, public_key, last_four from api_keys k",
      { merchant_id: id },
      'order by is_sandbox desc, is_secret',
    )
    const hashOf = (text: string) => createHash('sha256').update(text).digest('hex')
    expect(rows.map(({ hash, public_key, last_four }) => [hash, public_key, last_four])).toEqual([
      [hashOf(keys.sandbox.public), keys.sandbox.public, keys.sandbox.public.slice(-4)],
      [hashOf(keys.sandbox.secret), null, keys.sandbox.secret.slice(-4)],
      [hashOf(keys.live.public), keys.live.public, keys.live.public.slice(-4)],
      [hashOf(keys.live.secret), null, keys.live.secret.slice(-4)],
    ])
    const dump = rows.map(({ row }) => row).join('\n')
    for (const secret of [keys.sandbox.secret, keys.live.secret]) {
      expect(dump).not.toContain(secret)
      expect(dump).not.toContain(secret.slice(-10))
      expect(dump).not.toContain(Buffer.from(secret).toString('hex'))
      expect(dump).not.toContain(Buffer.from(secret).toString('base64'))
    }
    expect(dump).not.toMatch(/sk_/)
  })

  it('are not written to the log', async () => {
    const { keys } = await app.merchant()
    const texts = [keys.live.public, keys.live.secret, keys.sandbox.public, keys.sandbox.secret]
    for (const key of texts) await app.call('GET', `/v1/attributes?key=${key}`, { key })
    expect(app.logged.length).toBeGreaterThan(0)
    for (const key of texts) expect(app.logged.join('')).not.toContain(key)
  })
})

describe("the dashboard's password", () => {
  it('is kept as a salted scrypt hash that it matches', async () => {
    const { id, dashboard } = await app.merchant()
    type Account = { row: string; password_hash: string }
    const account = await selectRow<Account>(app.db, 'a::text as row, password_hash from dashboard_accounts a', {
      merchant_id: id,
    })
    const stored = account?.password_hash ?? ''
    expect(stored).toMatch(/^scrypt\$32768\$8\$1\$[A-Za-z0-9+/]{22}==\$[A-Za-z0-9+/]{43}=$/)
    expect(account?.row).not.toContain(dashboard.password)
    expect(await matchingPasswords(dashboard.password, [stored])).toEqual([stored])
    expect(await matchingPasswords(`${dashboard.password} `, [stored])).toEqual([])
    expect(await matchingPasswords('', [stored])).toEqual([])
  })

  it('has 120 random bits, and two hashes of it differ', async () => {
    const password = newPassword()
    expect(Buffer.from(password, 'base64url')).toHaveLength(15)
    expect(newPassword()).not.toBe(password)
    expect(await hashPassword(password)).not.toBe(await hashPassword(password))
  })
})

it('createKey and revokeKey find no merchant and no key that is not there, is revoked or is another merchant’s', async () => {
  const { id } = await app.merchant()
  const stranger = await app.merchant()
  const [theirs] = await listMerchantKeys(app.db, { merchant_id: stranger.id })
  const mine = await createKey(app, id, { isSecret: true, is_sandbox: true })
  await revokeKey(app, id, mine.id)
  const notFound = { status: 404, message: 'There is no key in use with that id.' }
  for (const keyId of ['', 'key_0', mine.id, theirs?.id ?? ''])
    await expect(revokeKey(app, id, keyId)).rejects.toMatchObject(notFound)
  expect((await listMerchantKeys(app.db, { merchant_id: stranger.id })).map(({ revoked_at }) => revoked_at)).toEqual([
    null,
    null,
    null,
    null,
  ])
  await expect(createKey(app, 2_000_000_000, { isSecret: true, is_sandbox: true })).rejects.toMatchObject({
    status: 404,
    message: 'There is no merchant with that id.',
  })
})

it('another process sees a merchant disabled and enabled within a second', async () => {
  const { id, keys } = await app.merchant()
  const heartbeat = startHeartbeat(openPool(connection, { size: 1 }))
  await heartbeat.beat()
  const authenticate = createKeyAuthenticator(app.db, heartbeat)
  const isDisabled = async () => (await authenticate(keys.sandbox.secret)).isDisabled
  try {
    expect(await isDisabled()).toBe(false)
    await setMerchantDisabled(app, id, true)
    expect(await until(true, isDisabled)).toBeLessThan(1_000)
    await setMerchantDisabled(app, id, false)
    expect(await until(false, isDisabled)).toBeLessThan(1_000)
  } finally {
    await heartbeat.stop()
  }
})
