// The keys of sessions on their own: which signs, which still opens, and what several processes know of each other's.

import { expect, test } from 'vitest'
import { type Db, statement } from '../../src/db/db.ts'
import { replaceSessionKey, SESSION_MS, sessionKeys, sweepSpentSessionKeys } from '../../src/keys/session-keys.ts'
import { TestClock } from '../support/app.ts'
import { testDatabase } from '../support/database.ts'

const db = await testDatabase()
const clock = new TestClock()
const news = { revision: 1, isFresh: () => true }
const process = (using: Db = db) => sessionKeys(using, clock, news)
const DAY = 86_400

const selectIds = statement<{ id: string }>('test.session_keys', 'select id from session_keys order by created_at desc')
const ids = async () => (await db.many(selectIds, {})).map(({ id }) => id)

test('many who sign at the same moment in a process use one key, made when it is first needed', async () => {
  const keys = process()
  const all = await Promise.all(Array.from({ length: 50 }, () => keys.newest()))
  expect(new Set(all.map(({ id }) => id))).toEqual(new Set(await ids()))
  expect(await ids()).toHaveLength(1)
  expect(all[0]?.secret).toHaveLength(32)
})

test('a key that another process has just made opens what it signed, also while no change has been heard of', async () => {
  const [one, other] = [process(), process()]
  await other.newest()
  for (let made = 0; made < 3; made++) {
    clock.advance(1)
    await db.transaction((tx) => replaceSessionKey(tx, clock, { endsSessions: false }))
    const [newest = ''] = await ids()
    expect((await process().newest()).id).toBe(newest)
    expect((await one.find(newest))?.id).toBe(newest)
    // Those that come while a reading is under way that began before the key was made.
    const late = Promise.all(Array.from({ length: 20 }, () => other.find(newest)))
    expect((await late).map((key) => key?.id)).toEqual(Array(20).fill(newest))
  }
})

test('ids that nobody has are looked for by one reading at a time, and what is no id by none', async () => {
  let [under, most, asked] = [0, 0, 0]
  const counting = {
    ...db,
    many: async (...given: Parameters<Db['many']>) => {
      asked += 1
      under += 1
      most = Math.max(most, under)
      try {
        return await db.many(...given)
      } finally {
        under -= 1
      }
    },
  } as Db
  const keys = process(counting)
  await keys.newest()
  expect(asked).toBe(1)
  for (const id of ['', 'skey_', '../../etc/passwd', `key_${'0'.repeat(26)}`]) expect(await keys.find(id)).toBeNull()
  expect(asked).toBe(1)
  const none = await Promise.all(Array.from({ length: 100 }, () => keys.find(`skey_${'0'.repeat(26)}`)))
  expect(none).toEqual(Array(100).fill(null))
  expect(most).toBe(1)
  expect(asked).toBeLessThanOrEqual(3)
})

test('after 30 days a new key signs; the one before opens sessions for 24 hours more, and is swept then', async () => {
  const keys = process()
  const before = await keys.newest()
  clock.advance(30 * DAY - 1)
  const stillYoung = await keys.newest()
  clock.advance(1)
  const [after, elsewhere] = [await keys.newest(), await process().newest()]
  expect([stillYoung.id === before.id, after.id === before.id, elsewhere.id === after.id]).toEqual([true, false, true])

  const sweep = () => sweepSpentSessionKeys.run({ db, clock, signal: new AbortController().signal })
  clock.advance(SESSION_MS / 1_000)
  // A minute more, for processes that heard of the new key a moment later.
  expect((await keys.find(before.id))?.id).toBe(before.id)
  await sweep()
  expect(await ids()).toContain(before.id)
  clock.advance(60)
  expect([await keys.find(before.id), (await keys.find(after.id))?.id]).toEqual([null, after.id])
  await sweep()
  expect(await ids()).toEqual([after.id])
})

test('a key that is deleted opens nothing once the change is heard of, or while nothing is heard at all', async () => {
  const keys = process()
  const deaf = sessionKeys(db, clock, { revision: 1, isFresh: () => false })
  const before = await keys.newest()
  expect((await deaf.find(before.id))?.id).toBe(before.id)
  await db.transaction((tx) => replaceSessionKey(tx, clock, { endsSessions: true }))
  expect(await ids()).toHaveLength(1)
  expect(await deaf.find(before.id)).toBeNull()
  news.revision += 1
  expect(await keys.find(before.id)).toBeNull()
  expect((await keys.newest()).id).toBe((await ids())[0])
})

test('an outage is not remembered', async () => {
  let isDown = true
  const shaky = {
    ...db,
    many: (...given: Parameters<Db['many']>) =>
      isDown ? Promise.reject(new Error('The database is away.')) : db.many(...given),
  } as Db
  const keys = process(shaky)
  const [id = ''] = await ids()
  await expect(keys.find(id)).rejects.toThrow('The database is away.')
  await expect(keys.newest()).rejects.toThrow('The database is away.')
  isDown = false
  expect((await keys.find(id))?.id).toBe(id)
  expect((await keys.newest()).id).toBe(id)
})
