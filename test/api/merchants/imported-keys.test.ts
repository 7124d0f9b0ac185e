// Public keys of elsewhere that a shop takes over: what is accepted, who they then open, and what happens when two want the same.

import { describe, expect, it } from 'vitest'
import { importKey, revokeKey } from '../../../src/api/merchants/merchant.ts'
import { listMerchantKeys } from '../../../src/api/merchants/store.ts'
import { testApp } from '../../support/app.ts'
import { cloneDatabase } from '../../support/database.ts'

const connection = await cloneDatabase()
// Two processes on one database.
const app = await testApp({ connection, trustProxy: () => true })
const other = await testApp({ connection, trustProxy: () => true })

const ask = (key: string, at = app, protocol = 'https') =>
  at.call('GET', '/v1/merchants', { key, headers: { 'x-forwarded-proto': protocol } })

async function untilAnswered(status: number, key: string, at = app) {
  for (let tries = 0; tries < 1_000; tries++) {
    if ((await ask(key, at)).status === status) return
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  throw new Error(`no ${status} in five seconds`)
}

let made = 0
const fresh = (prefix: string) => `${prefix}${++made}84625ed86f36703d7d233bcf6d519a4f9398f20048ec`

describe('importKey', () => {
  it.each([
    ['pk_test_', true],
    ['pk_', false],
    ['pk_test_a.b-c:d/e+f=', true],
    ['pk_live_', false],
  ])('takes over %s… for the shop and its mode, and every process knows it', async (prefix, is_sandbox) => {
    const { id } = await app.merchant()
    const text = fresh(prefix)
    // Asked for before it is known: nobody may remember that.
    expect((await ask(text, other)).status).toBe(401)
    const key = await importKey(app, id, ` ${text}\n`)
    expect((await listMerchantKeys(app.db, { merchant_id: id })).find((row) => row.id === key.id)).toEqual({
      id: expect.stringMatching(/^key_[0-9A-Za-z]{26}$/),
      is_secret: false,
      is_sandbox,
      public_key: text,
      last_four: text.slice(-4),
      created_at: app.clock.now(),
      revoked_at: null,
    })
    await untilAnswered(200, text)
    await untilAnswered(200, text, other)
    expect((await ask(text)).body).toMatchObject({ id })
    // It may do what every public key may and no more: what needs a secret key is refused, and so is a live key without HTTPS.
    expect(
      (await app.call('GET', '/v1/attributes', { key: text, headers: { 'x-forwarded-proto': 'https' } })).status,
    ).toBe(403)
    expect((await ask(text, app, 'http')).status).toBe(is_sandbox ? 200 : 401)
  })

  it.each(['pk_', 'pk_test_', 'kp_1234', '', 'pk_with blank', 'pk_ünïcode', 'pk_line\nbreak', `pk_${'a'.repeat(198)}`])(
    'refuses %j and changes nothing',
    async (text) => {
      const { id } = await app.merchant()
      await expect(importKey(app, id, text)).rejects.toMatchObject({
        status: 422,
        errors: {
          public_key: [
            'public_key must begin with pk_ (pk_test_ for the sandbox) and have at most 200 letters, digits and symbols without spaces.',
          ],
        },
      })
      expect(await listMerchantKeys(app.db, { merchant_id: id })).toHaveLength(4)
      if (text.trim() !== '') expect((await ask(text.replace(/[^!-~]/g, '_'))).status).toBe(401)
    },
  )

  it.each(['sk_test_', 'sk_', ' SK_'])('refuses the secret key %s… without repeating it', async (prefix) => {
    const { id } = await app.merchant()
    const text = fresh(prefix)
    const error = await importKey(app, id, text).catch((thrown) => thrown)
    expect(error).toMatchObject({
      status: 422,
      errors: { public_key: [expect.stringMatching(/secret keys cannot be imported/)] },
    })
    expect(JSON.stringify([error, error.message, app.logged])).not.toContain(text.trim())
    expect(await listMerchantKeys(app.db, { merchant_id: id })).toHaveLength(4)
  })

  it('refuses a key that another shop has, leaves one that this shop has, and knows no merchant that is not there', async () => {
    const [one, two] = [await app.merchant(), await app.merchant()]
    const text = fresh('pk_test_')
    const first = await importKey(app, one.id, text)
    expect(await importKey(app, one.id, text)).toMatchObject({ id: first.id, isNew: false })
    expect(await listMerchantKeys(app.db, { merchant_id: one.id })).toHaveLength(5)
    const inUse = { status: 409, message: expect.stringContaining('This key is already in use') }
    await expect(importKey(app, two.id, text)).rejects.toMatchObject(inUse)
    await expect(importKey(app, two.id, one.keys.live.public)).rejects.toMatchObject(inUse)
    expect(await listMerchantKeys(app.db, { merchant_id: two.id })).toHaveLength(4)
    await expect(importKey(app, 2_000_000_000, fresh('pk_'))).rejects.toMatchObject({
      status: 404,
      message: 'There is no merchant with that id.',
    })
  })

  it('gives a key that two want at once to one of them', async () => {
    const shops = await Promise.all([app.merchant(), other.merchant(), app.merchant(), other.merchant()])
    const text = fresh('pk_test_')
    const results = await Promise.allSettled(shops.map(({ id }, at) => importKey(at % 2 === 0 ? app : other, id, text)))
    const won = results.findIndex(({ status }) => status === 'fulfilled')
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    for (const result of results) if (result.status === 'rejected') expect(result.reason).toMatchObject({ status: 409 })
    await untilAnswered(200, text)
    expect((await ask(text)).body).toMatchObject({ id: shops[won]?.id })
  })

  it('moves a key that was revoked to another shop', async () => {
    const [one, two] = [await app.merchant(), await app.merchant()]
    const text = fresh('pk_test_')
    const first = await importKey(app, one.id, text)
    await untilAnswered(200, text, other)
    await revokeKey(app, one.id, first.id)
    await untilAnswered(401, text, other)
    await importKey(app, two.id, text)
    await untilAnswered(200, text, other)
    expect((await ask(text, other)).body).toMatchObject({ id: two.id })
  })
})

describe('a merchant that is opened with public keys', () => {
  it('has them in place of new ones, for each mode that was given', async () => {
    const keys = [fresh('pk_'), fresh('pk_test_')] as const
    const both = await app.merchant({ publicKeys: keys })
    expect(both.keys).toMatchObject({ live: { public: keys[0] }, sandbox: { public: keys[1] } })
    expect(await listMerchantKeys(app.db, { merchant_id: both.id })).toHaveLength(4)
    const live = await app.merchant({ publicKeys: [fresh('pk_')] })
    expect(live.keys.sandbox.public).toMatch(/^pk_test_[0-9A-Za-z]{40}$/)
    await untilAnswered(200, keys[1])
    expect((await ask(keys[1])).body).toMatchObject({ id: both.id })
  })

  it('is not made when one is in use, badly formed, secret, or the second of its mode', async () => {
    const taken = fresh('pk_test_')
    await app.merchant({ publicKeys: [taken], name: 'First' })
    await expect(app.merchant({ publicKeys: [taken], name: 'Second' })).rejects.toMatchObject({ status: 409 })
    for (const publicKeys of [
      ['nonsense'],
      [fresh('sk_')],
      [fresh('pk_'), fresh('pk_')],
      [fresh('pk_test_'), fresh('pk_test_')],
    ])
      await expect(app.merchant({ publicKeys })).rejects.toMatchObject({
        status: 422,
        errors: { public_key: [expect.any(String)] },
      })
  })
})
