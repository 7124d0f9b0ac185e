// When a key was last used: gathered beside requests and written by one statement, to the minute.

import { describe, expect, it } from 'vitest'
import { createKeyAuthenticator } from '../../../src/api/merchants/authenticate.ts'
import { createKeyUseRecorder } from '../../../src/api/merchants/key-uses.ts'
import { listActiveKeys } from '../../../src/api/merchants/store.ts'
import type { Db } from '../../../src/db/db.ts'
import { testApp } from '../../support/app.ts'
import { cloneDatabase } from '../../support/database.ts'

const app = await testApp()
const NEWS = { revision: 1, isFresh: () => true }
const warned: string[] = []
const options = { clock: app.clock, warn: (_: unknown, message: string) => void warned.push(message) }

/** A minute that ends and one that begins: seconds of the test's clock do not show. */
const minute = () => Math.floor(app.clock.now().getTime() / 60_000) * 60

const lastUses = async (merchant_id: number) =>
  Object.fromEntries(
    (await listActiveKeys(app.db, { merchant_id })).map(({ last_four, last_used }) => [last_four, last_used]),
  )

describe('the last use of a key', () => {
  it('is the minute in which a request came with it; a key that nobody sends has none', async () => {
    const uses = createKeyUseRecorder(app.db, options)
    const ask = createKeyAuthenticator(app.db, NEWS, uses.record)
    const { id, keys } = await app.merchant()
    const { public: open, secret } = keys.sandbox
    await ask(secret)
    const first = minute()
    await uses.write()
    expect(await lastUses(id)).toMatchObject({ [secret.slice(-4)]: first, [open.slice(-4)]: null })
    app.clock.advance(150)
    // Now it is known, and asked of memory alone.
    expect(ask(secret)).not.toBeInstanceOf(Promise)
    await uses.write()
    expect(await lastUses(id)).toMatchObject({ [secret.slice(-4)]: minute(), [open.slice(-4)]: null })
    expect(minute()).toBeGreaterThan(first)
    await uses.stop()
  })

  it('costs one statement for the keys of all shops, and none where nobody has come', async () => {
    const sent: string[] = []
    const counting = {
      run: (named, values) => {
        sent.push(named.name)
        return app.db.run(named, values)
      },
    } as Pick<Db, 'run'> as Db
    const uses = createKeyUseRecorder(counting, options)
    const shops = [await app.merchant(), await app.merchant(), await app.merchant()]
    const ask = createKeyAuthenticator(app.db, NEWS, uses.record)
    for (const { keys } of shops) for (let times = 0; times < 5; times++) await ask(keys.sandbox.public)
    expect(sent).toEqual([])
    await uses.write()
    await uses.write()
    expect(sent).toEqual(['merchants.note_key_uses'])
    for (const { id, keys } of shops)
      expect(await lastUses(id)).toMatchObject({ [keys.sandbox.public.slice(-4)]: minute() })
    await uses.stop()
  })

  it('never goes back, whichever process writes last', async () => {
    const [early, late] = [createKeyUseRecorder(app.db, options), createKeyUseRecorder(app.db, options)]
    const { id, keys } = await app.merchant()
    const caller = await createKeyAuthenticator(app.db, NEWS)(keys.live.secret)
    early.record(caller)
    app.clock.advance(120)
    late.record(caller)
    await late.write()
    await early.write()
    expect(await lastUses(id)).toMatchObject({ [keys.live.secret.slice(-4)]: minute() })
    await Promise.all([early.stop(), late.stop()])
  })

  it('waits while the database cannot be reached, and is said once', async () => {
    let isDown = true
    const failing = {
      run: (named, values) => (isDown ? Promise.reject(new Error('down')) : app.db.run(named, values)),
    } as Pick<Db, 'run'> as Db
    const uses = createKeyUseRecorder(failing, options)
    const { id, keys } = await app.merchant()
    uses.record(await createKeyAuthenticator(app.db, NEWS)(keys.sandbox.secret))
    await uses.write()
    await uses.write()
    expect(warned).toEqual(['the last use of keys cannot be saved at the moment'])
    isDown = false
    await uses.stop()
    expect(await lastUses(id)).toMatchObject({ [keys.sandbox.secret.slice(-4)]: minute() })
  })

  it('is written by a service that stops', async () => {
    const connection = await cloneDatabase()
    const stopping = await testApp({ connection })
    const reading = await testApp({ connection })
    const { id, keys } = await stopping.merchant()
    expect((await stopping.call('GET', '/v1/merchants', { key: keys.sandbox.secret })).status).toBe(200)
    await stopping.close()
    const rows = await listActiveKeys(reading.db, { merchant_id: id })
    const used = rows.filter(({ last_used }) => last_used !== null).map(({ last_four }) => last_four)
    expect(used).toEqual([keys.sandbox.secret.slice(-4)])
  })
})
