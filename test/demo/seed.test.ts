// The demo shop: made once on an empty database, with keys that work and that only the operator can read.

import { chmod, chown, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { openMerchant } from '../../src/api/merchants/merchant.ts'
import { allMerchants, keysOf } from '../../src/api/merchants/store.ts'
import { type Db, statement } from '../../src/db/db.ts'
import { openPool } from '../../src/db/pool.ts'
import { demoAttributes } from '../../src/demo/attributes.ts'
import { rememberedDemo, seedDemo } from '../../src/demo/seed.ts'
import { TestClock, testApp } from '../support/app.ts'
import { cloneDatabase, testDatabase } from '../support/database.ts'

const clock = new TestClock()

const folders: string[] = []
afterAll(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true }))))

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'cartwright-seed-'))
  folders.push(folder)
  return folder
}

const selectNames = statement<{ name: string }>(
  'test.attribute_names',
  'select name from attributes where merchant_id = $1 order by name',
)
const selectEvents = statement<{ name: string }>('test.event_names', 'select name from events where merchant_id = $1')

const SHOP = {
  merchant_id: expect.any(Number),
  name: 'Cartwright Demo',
  currency: 'USD',
  api_version: '2022-07-21',
  is_disabled: false,
}

/** Everything the database knows of its merchants. */
const contents = async (db: Db) => {
  const merchants = await allMerchants(db)
  const of = async (id: number) => [
    await keysOf(db, id),
    await db.many(selectNames, [id]),
    await db.many(selectEvents, [id]),
  ]
  return [merchants, await Promise.all(merchants.map(({ merchant_id }) => of(merchant_id)))]
}

describe('seedDemo on an empty database', () => {
  it('makes one demo merchant with its attributes, and each attribute has its event', async () => {
    const db = await testDatabase()
    const demo = await seedDemo(db, clock, await newFolder())
    expect(await allMerchants(db)).toEqual([{ ...SHOP, merchant_id: demo?.id }])
    const names = await db.many(selectNames, [demo?.id])
    expect(names.map(({ name }) => name)).toEqual(demoAttributes.map(({ name }) => name).sort())
    expect(await db.many(selectEvents, [demo?.id])).toEqual(demoAttributes.map(() => ({ name: 'attributes.create' })))
    expect(demo?.dashboard).toEqual({ email: 'demo@example.com', password: expect.stringMatching(/^[\w-]{20}$/) })
  })

  it('remembers the keys in a file that its owner alone can read', async () => {
    const db = await testDatabase()
    const folder = await newFolder()
    const demo = await seedDemo(db, clock, folder)
    expect(await readdir(folder)).toEqual(['demo-keys.json'])
    const file = join(folder, 'demo-keys.json')
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    expect(JSON.parse(await readFile(file, 'utf8'))).toEqual(demo)
    expect(await rememberedDemo(folder)).toEqual(demo)
  })

  it('closes a file that was open to others, before anything secret is in it', async () => {
    const db = await testDatabase()
    const folder = await newFolder()
    const file = join(folder, 'demo-keys.json')
    await writeFile(file, 'of an earlier database')
    await chmod(file, 0o644)
    const demo = await seedDemo(db, clock, folder)
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    expect(await rememberedDemo(folder)).toEqual(demo)
  })

  const isRoot = process.geteuid?.() === 0
  it.skipIf(!isRoot)('leaves the file to the owner of the folder, who could not read it otherwise', async () => {
    const db = await testDatabase()
    const folder = await newFolder()
    await chown(folder, 65534, 65534)
    await seedDemo(db, clock, folder)
    const { uid, gid, mode } = await stat(join(folder, 'demo-keys.json'))
    expect({ uid, gid, mode: mode & 0o777 }).toEqual({ uid: 65534, gid: 65534, mode: 0o600 })
  })

  it('makes the folder where there is none', async () => {
    const db = await testDatabase()
    const folder = join(await newFolder(), 'deep', 'data')
    const demo = await seedDemo(db, clock, folder)
    expect(await rememberedDemo(folder)).toEqual(demo)
  })

  it('gives keys that work', async () => {
    const app = await testApp({ trustProxy: () => true })
    const folder = await newFolder()
    await seedDemo(app.db, app.clock, folder)
    const demo = await rememberedDemo(folder)
    const headers = { 'x-forwarded-proto': 'https' }
    const statuses: unknown[] = []
    for (const mode of [demo?.keys.sandbox, demo?.keys.live])
      for (const key of [mode?.public, mode?.secret])
        statuses.push((await app.call('GET', '/v1/attributes', { key: key ?? '', headers })).status)
    // A public key is known and may not do this.
    expect(statuses).toEqual([403, 200, 403, 200])
    const list = await app.call('GET', '/v1/attributes', { key: demo?.keys.sandbox.secret ?? '' })
    expect(list.body).toMatchObject({ meta: { pagination: { total: demoAttributes.length } } })
  })

  it('leaves nothing when the keys cannot be remembered, so that the next start can try again', async () => {
    const db = await testDatabase()
    const file = join(await newFolder(), 'not-a-folder')
    await writeFile(file, '')
    await expect(seedDemo(db, clock, file)).rejects.toThrow(/ENOTDIR|EEXIST/)
    expect(await allMerchants(db)).toEqual([])
    expect(await seedDemo(db, clock, await newFolder())).not.toBeNull()
  })
})

describe('seedDemo again', () => {
  it('changes nothing', async () => {
    const db = await testDatabase()
    const folder = await newFolder()
    await seedDemo(db, clock, folder)
    const before = [await contents(db), await readFile(join(folder, 'demo-keys.json'), 'utf8')]
    clock.advance(60)
    expect(await seedDemo(db, clock, folder)).toBeNull()
    expect([await contents(db), await readFile(join(folder, 'demo-keys.json'), 'utf8')]).toEqual(before)
  })

  it.each([2, 5])('makes one shop when %i processes start together, and the file has its keys', async (processes) => {
    const connection = await cloneDatabase()
    const folder = await newFolder()
    const pools = Array.from({ length: processes }, () => openPool(connection, { size: 1 }))
    try {
      const made = await Promise.all(pools.map((pool) => seedDemo(pool, clock, folder)))
      const demos = made.filter((demo) => demo !== null)
      expect(demos).toHaveLength(1)
      expect(await rememberedDemo(folder)).toEqual(demos[0])
      const [db] = pools
      if (db) expect(await allMerchants(db)).toEqual([SHOP])
    } finally {
      await Promise.all(pools.map((pool) => pool.close()))
    }
  })

  it("makes nothing beside a merchant of the operator's own, and writes no file", async () => {
    const db = await testDatabase()
    const folder = await newFolder()
    await db.transaction((tx) => openMerchant(tx, clock, { name: 'Mine', email: 'me@example.com' }))
    const before = await contents(db)
    expect(await seedDemo(db, clock, folder)).toBeNull()
    expect(await contents(db)).toEqual(before)
    expect(await readdir(folder)).toEqual([])
    expect(await rememberedDemo(folder)).toBeNull()
  })
})

describe('rememberedDemo', () => {
  it('is nothing where the file is missing or broken', async () => {
    const folder = await newFolder()
    expect(await rememberedDemo(folder)).toBeNull()
    await writeFile(join(folder, 'demo-keys.json'), '{"id": 1')
    expect(await rememberedDemo(folder)).toBeNull()
  })

  const pair = { public: 'pk', secret: 'sk' }
  const whole = { id: 1, keys: { live: pair, sandbox: pair }, dashboard: { email: 'a@b.c', password: 'p' } }
  it.each([
    null,
    [],
    'text',
    {},
    { ...whole, id: '1' },
    { ...whole, keys: null },
    { ...whole, keys: { live: pair } },
    { ...whole, keys: { live: pair, sandbox: { public: 'pk' } } },
    { ...whole, keys: { live: pair, sandbox: { public: 'pk', secret: 1 } } },
    { ...whole, dashboard: undefined },
  ])('is nothing where the file holds something else: %j', async (content) => {
    const folder = await newFolder()
    await writeFile(join(folder, 'demo-keys.json'), JSON.stringify(whole))
    expect(await rememberedDemo(folder)).toEqual(whole)
    await writeFile(join(folder, 'demo-keys.json'), JSON.stringify(content))
    expect(await rememberedDemo(folder)).toBeNull()
  })
})
