// Sealing the credentials of all merchants: those that an earlier release has left readable, at a start; all of them, when the key is replaced.
// In batches, again after a break, by several at once, and while merchants change what is being sealed.

import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { openSecrets } from '../../../src/api/payment-methods/credentials.ts'
import { inspectCredentials, resealCredentials, startSealing } from '../../../src/api/payment-methods/reseal.ts'
import { keysInFile, keysOfSetting, toCredentialKey } from '../../../src/keys/credential-keys.ts'
import { type Credentials, createCredentials, sealedText } from '../../../src/keys/credentials.ts'
import { testApp } from '../../support/app.ts'
import { sql } from '../../support/rows.ts'
import { configOf, openShop, rowsOf, SECRET } from './support.ts'

const [older, newer] = [randomBytes(32), randomBytes(32)]

const contextOf = (app: Pick<Awaited<ReturnType<typeof testApp>>, 'db'>, setting: readonly Uint8Array[]) => {
  const keys = keysOfSetting(setting)
  return { db: app.db, keys, credentials: createCredentials(keys) }
}

const insertPlain = sql`
  insert into payment_methods (merchant_id, id, code, is_sandbox, config, is_enabled, is_single, created_at, updated_at)
  select :merchant_id, 'gway_' || lpad(n::text, 26, '0'), 'square', true,
    jsonb_build_object('application_id', 'app', 'location_id', 'loc', 'access_token', 'square-hidden-' || lpad(n::text, 6, '0')),
    false, false, now(), now()
  from generate_series(1, :count::integer) n`
const selectAll = sql<{
  merchant_id: number
  id: string
  code: string
  config: Record<string, string>
  row: string
}>`
  select merchant_id, id, code, config, (p.updated_at, p.is_enabled, p.config - :secret::text)::text as row from
  payment_methods p order by merchant_id, id`

const everyMethod = (app: Pick<Awaited<ReturnType<typeof testApp>>, 'db'>) =>
  app.db.many(selectAll, { secret: 'access_token' })

const keyIds = async (app: Parameters<typeof everyMethod>[0], field = 'access_token') =>
  (await everyMethod(app)).map(({ config }) => sealedText(config[field] ?? '')?.keyId ?? null)

const logTo = (lines: [level: string, details: object, message: string][]) => ({
  info: (details: object, message: string) => void lines.push(['info', details, message]),
  warn: (details: object, message: string) => void lines.push(['warn', details, message]),
  error: (details: object, message: string) => void lines.push(['error', details, message]),
})

describe('credentials that an earlier release has left readable', () => {
  it('are sealed by a start, whatever their number, each once by several processes, and nothing else changes', async () => {
    const app = await testApp({ trustProxy: () => true })
    const shops = [await openShop(app), await openShop(app)]
    for (const { id } of shops) await app.db.run(insertPlain, { merchant_id: id, count: 130 })
    await shops[0]?.create('manual')
    const before = await everyMethod(app)
    const lines: Parameters<typeof logTo>[0] = []
    const starts = Array.from({ length: 3 }, () => startSealing(contextOf(app, [newer]), logTo(lines)))
    await expect.poll(async () => (await keyIds(app)).filter((id) => id === toCredentialKey(newer).id).length).toBe(260)
    await Promise.all(starts.map((start) => start.stop()))
    expect(lines.reduce((sum, [, details]) => sum + ('gateways' in details ? Number(details.gateways) : 0), 0)).toBe(
      260,
    )

    const after = await everyMethod(app)
    expect(after.map(({ row }) => row)).toEqual(before.map(({ row }) => row))
    const { credentials } = contextOf(app, [newer])
    for (const [place, { merchant_id, id, code, config }] of after.entries()) {
      const opened = await openSecrets(credentials, { merchant_id, id }, code, config)
      expect({ ...config, ...opened }).toEqual(before[place]?.config)
    }
    expect(await resealCredentials(contextOf(app, [newer]), ['older', 'plain'])).toEqual({
      sealed: 0,
      lost: [],
      plain: 0,
    })
  })

  it('are sealed by the service itself, with the key that it makes', async () => {
    const app = await testApp()
    const { id } = await openShop(app)
    await app.db.run(insertPlain, { merchant_id: id, count: 2 })
    const worker = app.startJobs()
    const sealedWith = async () => new Set(await keyIds(app))
    await expect.poll(async () => (await sealedWith()).has(null)).toBe(false)
    await worker.stop(1_000)
    expect(await sealedWith()).toEqual(new Set([(await keysInFile(app.dataDir).list())[0]?.id]))
    await expect
      .poll(() => app.logged.join(''))
      .toContain('Credentials that were stored as plain text are now encrypted.')
    expect(app.logged.join('')).not.toContain('hidden')
  })

  it('stay as they are without a key, and the log says so', async () => {
    const app = await testApp()
    const { id } = await openShop(app)
    await app.db.run(insertPlain, { merchant_id: id, count: 3 })
    const before = await rowsOf(app.db, id)
    const lines: Parameters<typeof logTo>[0] = []
    const sealing = startSealing(contextOf(app, []), logTo(lines))
    await expect
      .poll(() => lines)
      .toEqual([['warn', { gateways: 3 }, expect.stringContaining('CREDENTIALS_KEY is not set')]])
    await sealing.stop()
    expect(await rowsOf(app.db, id)).toEqual(before)
  })

  it('are sealed to the end by a second run, when the first was broken off', async () => {
    const app = await testApp()
    const { id } = await openShop(app)
    await app.db.run(insertPlain, { merchant_id: id, count: 20 })
    const stopping = new AbortController()
    const { credentials, ...rest } = contextOf(app, [newer])
    let count = 0
    const breaking: Credentials = {
      ...credentials,
      seal(...asked) {
        if (++count === 7) stopping.abort()
        return credentials.seal(...asked)
      },
    }
    expect((await resealCredentials({ ...rest, credentials: breaking }, ['plain'], stopping.signal)).sealed).toBe(7)
    expect((await resealCredentials({ ...rest, credentials }, ['plain'])).sealed).toBe(13)
    expect(new Set(await keyIds(app))).toEqual(new Set([toCredentialKey(newer).id]))
  })
})

describe('a new key', async () => {
  // The processes of the service know both keys, and seal with the older one still.
  const app = await testApp({ trustProxy: () => true, credentialKeys: keysOfSetting([older, newer]) })

  it('seals everything anew, and the older one can go', async () => {
    const shop = await openShop(app)
    for (const code of ['stripe', 'square', 'razorpay', 'paypal', 'manual']) await shop.create(code)
    const gone = await shop.create('square', { sandbox: false }, shop.keys.live.secret)
    await shop.remove(gone.id, shop.keys.live.secret)
    const gateways = await shop.call('GET', '')
    const states = async (setting: readonly Uint8Array[]) => {
      const found: string[] = []
      for await (const { method, state } of inspectCredentials(contextOf(app, setting)))
        if (method.merchant_id === shop.id) found.push(state)
      return found
    }
    // The last is the deleted one, whose payments may still be told or given back. Once lost it is nobody's to enter again.
    expect(await states([newer, older])).toEqual(['older', 'older', 'older', 'older', 'older'])
    expect(await states([newer])).toEqual(['lost', 'lost', 'lost', 'lost'])
    expect((await resealCredentials(contextOf(app, [newer, older]), ['older', 'plain'])).sealed).toBe(5)
    expect(await states([newer])).toEqual(['current', 'current', 'current', 'current', 'current'])
    expect((await shop.call('GET', '')).body).toEqual(gateways.body)
    for (const { merchant_id, id, code, config } of await everyMethod(app))
      if (merchant_id === shop.id && code !== 'manual')
        expect({
          ...config,
          ...(await openSecrets(contextOf(app, [newer]).credentials, { merchant_id, id }, code, config)),
        }).toEqual(configOf(code))
  })

  it('loses nothing that a merchant enters between the reading of a row and its writing, and a deleted one does not come back', async () => {
    const shop = await openShop(app)
    const [{ id }, gone] = [await shop.create('stripe'), await shop.create('square')]
    const { credentials, ...rest } = contextOf(app, [newer, older])
    let changes = 0
    const interrupted: Credentials = {
      ...credentials,
      async seal(place, ...more) {
        if (place.id === id && changes++ < 3) await shop.update(id, { config: { secret_key: `${SECRET}${changes}` } })
        if (place.id === gone.id) await shop.remove(gone.id).catch(() => undefined)
        return credentials.seal(place, ...more)
      },
    }
    const { lost } = await resealCredentials({ ...rest, credentials: interrupted }, ['older', 'plain'])
    expect([changes, lost]).toEqual([4, []])
    const { config = {} } = (await everyMethod(app)).find((method) => method.id === id) ?? {}
    const place = { merchant_id: shop.id, id }
    const opened = await openSecrets(contextOf(app, [newer]).credentials, place, 'stripe', config)
    expect(opened).toEqual({ secret_key: `${SECRET}3` })
    const { data } = await shop.succeed<{ data: { id: string }[] }>(200, 'GET', '')
    expect(data.map((each) => each.id)).toEqual([id])
  })

  it('leaves what it cannot open as it is, names it, and seals the others', async () => {
    const [shop, other] = [await openShop(app), await openShop(app)]
    const { id } = await shop.create('stripe')
    await other.create('stripe')
    const foreign = createCredentials(keysOfSetting([randomBytes(32)]))
    const text = await foreign.seal({ merchant_id: shop.id, id, field: 'secret_key' }, SECRET, 'wxyz')
    const spoil = sql`
      update payment_methods set config = config || :secret where merchant_id = :merchant_id and id = :id`
    await app.db.run(spoil, { merchant_id: shop.id, id, secret: JSON.stringify({ secret_key: text }) })
    const before = await rowsOf(app.db, shop.id)
    const { sealed, lost } = await resealCredentials(contextOf(app, [newer, older]), ['older', 'plain'])
    expect(sealed).toBeGreaterThan(0)
    expect(lost).toMatchObject([{ merchant_id: shop.id, id, code: 'stripe', is_sandbox: true }])
    expect(await rowsOf(app.db, shop.id)).toEqual(before)
    expect(await rowsOf(app.db, other.id)).toEqual([expect.stringContaining(toCredentialKey(newer).id)])
    // One that was deleted is not to be entered again.
    await shop.remove(id)
    expect((await resealCredentials(contextOf(app, [newer, older]), ['older', 'plain'])).lost).toEqual([])
    const states: string[] = []
    for await (const { state } of inspectCredentials(contextOf(app, [newer, older]))) states.push(state)
    expect(states).not.toContain('lost')
  })
})
