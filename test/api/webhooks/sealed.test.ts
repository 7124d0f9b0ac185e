// Signing secrets in the database are encrypted, and encrypted again with another key. Secrets with a lost key are reported.

import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { listLostSecrets, reencryptSecrets } from '../../../src/api/webhooks/reencrypt.ts'
import { keysOfSetting } from '../../../src/keys/credential-keys.ts'
import { createCredentials } from '../../../src/keys/credentials.ts'
import { testApp } from '../../support/app.ts'
import { sql } from '../../support/rows.ts'
import { openShop } from '../../support/shop.ts'
import { answerWith, openReceiver, type Webhook, webhooksOf } from './support.ts'
import { createVerifier } from './verifiers.ts'

const [first, second] = [randomBytes(32), randomBytes(32)] as const
const opened = (...keys: Buffer[]) =>
  testApp({ allowPrivateAddresses: true, webhookPollMs: 20, credentialKeys: keysOfSetting(keys) })
const [withKeys, withoutKey] = [await opened(first, second), await opened()]
withKeys.startJobs()
withoutKey.startJobs()

const stored = sql<{ secret: string; previous_secret: string | null }>`
  select secret, previous_secret from webhooks where id = :id`

const contextWith = (db: Parameters<typeof listLostSecrets>[0]['db'], ...bytes: Buffer[]) => {
  const keys = keysOfSetting(bytes)
  return { db, keys, credentials: createCredentials(keys) }
}

describe('The secret of a webhook', () => {
  it('is encrypted, and encrypted again with another key; receivers notice nothing', async () => {
    const app = withKeys
    const hooks = webhooksOf(app, (await openShop(app)).keys)
    const receiver = await openReceiver(answerWith(200))
    const { id, signing_key: old } = await hooks.create({ url: receiver.url })
    const { signing_key: fresh } = await hooks.succeed<Webhook>(200, 'POST', `webhooks/${id}/rotate`, {})
    const before = await app.db.one(stored, { id })
    expect(before).toEqual({
      secret: expect.stringMatching(/^sealed:1:/),
      previous_secret: expect.stringMatching(/^sealed:1:/),
    })
    expect(await listLostSecrets(contextWith(app.db, second))).toMatchObject([{ id }])
    // An operator puts the other key first before removing the old one.
    expect(await reencryptSecrets(contextWith(app.db, second, first))).toBe(1)
    expect(await reencryptSecrets(contextWith(app.db, second, first))).toBe(0)
    expect(await listLostSecrets(contextWith(app.db, second))).toEqual([])
    expect(await app.db.one(stored, { id })).not.toEqual(before)
    await hooks.attribute()
    await expect.poll(() => receiver.received.length).toBe(1)
    createVerifier(old, app.clock).accepts(receiver.received[0])
    createVerifier(fresh, app.clock).acceptsHeaders(receiver.received[0])
  })

  it('stays in plain text until there is a key; with a lost key its deliveries wait', async () => {
    const app = withoutKey
    const hooks = webhooksOf(app, (await openShop(app)).keys)
    const receiver = await openReceiver(answerWith(200))
    const { id, signing_key } = await hooks.create({ url: receiver.url })
    expect(await app.db.one(stored, { id })).toMatchObject({ secret: signing_key })
    expect(await reencryptSecrets(contextWith(app.db, first))).toBe(1)
    await hooks.attribute()
    await hooks.settled(id, ['retrying'])
    expect((await hooks.deliveries(id))[0]?.last_error).toMatch(/^The signing secret cannot be decrypted/)
    expect(receiver.received).toEqual([])
  })
})
