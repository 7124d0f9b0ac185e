import { expect, test } from 'vitest'
import type { Db } from '../../src/db/db.ts'
import { signingSecrets } from '../../src/keys/signing.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { testDatabase } from '../support/database.ts'

const db = await testDatabase()

test('processes that need a secret at the same moment all get the same one', async () => {
  const all = await Promise.all(Array.from({ length: 20 }, () => signingSecrets(db, systemClock)('contested')))
  expect(all[0]).toHaveLength(32)
  for (const secret of all) expect(Buffer.from(secret).equals(Buffer.from(all[0] ?? []))).toBe(true)
})

test('a secret is read once, however often it is needed', async () => {
  let asked = 0
  const counting = {
    ...db,
    maybe: (...given: Parameters<Db['maybe']>) => {
      asked += 1
      return db.maybe(...given)
    },
  } as Db
  const secrets = signingSecrets(counting, systemClock)
  const all = await Promise.all([secrets('counted'), secrets('counted')])
  await secrets('counted')
  expect(all[0]).toBe(all[1])
  expect(asked).toBe(1)
})

test('an outage is not remembered', async () => {
  let isDown = true
  const shaky = {
    ...db,
    maybe: (...given: Parameters<Db['maybe']>) =>
      isDown ? Promise.reject(new Error('The database is away.')) : db.maybe(...given),
  } as Db
  const secrets = signingSecrets(shaky, systemClock)
  await expect(secrets('late')).rejects.toThrow('The database is away.')
  isDown = false
  expect(await secrets('late')).toHaveLength(32)
})
