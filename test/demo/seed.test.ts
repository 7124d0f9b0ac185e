// @sampled @alone: it opens databases inside of tests. `npm test` makes the shop, and tries one fault; each test seeds a database of its own.
// The demo shop: made once on an empty database, with keys that work and that only the operator can read.

import { chmod, chown, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createMerchant } from '../../src/api/merchants/merchant.ts'
import { listAllMerchants, listMerchantKeys } from '../../src/api/merchants/store.ts'
import { type Database, type Db, statement } from '../../src/db/db.ts'
import { openPool } from '../../src/db/pool.ts'
import { demoProducts } from '../../src/demo/catalogue.ts'
import { readDemoKeys, seedDemo } from '../../src/demo/seed.ts'
import { demoAttributes } from '../../src/demo/shelves.ts'
import { demoDiscounts, demoShippingZones, demoTaxZones } from '../../src/demo/terms.ts'
import { createFileServices } from '../../src/files/files.ts'
import { unavailable } from '../../src/lib/errors.ts'
import { TestClock } from '../support/app.ts'
import { cloneDatabase, PATIENT_POOL, testDatabase } from '../support/database.ts'
import { isProof } from '../support/proof.ts'
import { newFolder, SEED, seedInto } from './support.ts'

const clock = new TestClock()

const selectNames = statement<{ name: string }>(
  'test.attribute_names',
  'select name from attributes where merchant_id = :merchant_id order by name',
)
const countEvents = statement<{ name: string; count: number }>(
  'test.event_names',
  'select name, count(*) as count from events where merchant_id = :merchant_id group by name order by name',
)
const selectKeys = statement<{ file_key: string }>(
  'test.file_keys',
  'select file_key from assets where merchant_id = :merchant_id order by file_key',
)
const COUNTED = [
  ...['products', 'variants', 'categories', 'assets', 'stock', 'shipping_zones', 'shipping_methods', 'tax_zones'],
  ...['discounts', 'gift_cards', 'payment_methods'],
]
const countRows = statement<Record<string, number>>(
  'test.shop_counts',
  `select ${COUNTED.map((table) => `(select count(*) from ${table} where merchant_id = :merchant_id) as ${table}`)}`,
)

const SHOP = {
  merchant_id: expect.any(Number),
  name: 'Cartwright Demo',
  currency: 'USD',
  api_version: '2022-07-21',
  is_disabled: false,
}

/** Everything the database knows of its merchants. */
const contents = async (db: Db) => {
  const merchants = await listAllMerchants(db)
  const of = async (id: number) => [
    await listMerchantKeys(db, { merchant_id: id }),
    await db.many(selectNames, { merchant_id: id }),
    await db.many(countEvents, { merchant_id: id }),
    await db.many(selectKeys, { merchant_id: id }),
    await db.one(countRows, { merchant_id: id }),
  ]
  return [merchants, await Promise.all(merchants.map(({ merchant_id }) => of(merchant_id)))]
}

/** The keys of the files that lie in a data folder, and of those that were on their way. */
async function filesIn(dataDir: string): Promise<string[]> {
  const files = await readdir(join(dataDir, 'files'), { recursive: true, withFileTypes: true }).catch(() => [])
  const paths = files.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name))
  return paths.map((path) => relative(join(dataDir, 'files'), path)).sort()
}

/** The data folder holds the file of each asset of the merchant, and no other. */
const expectFilesOf = async (db: Db, merchant_id: number | undefined, dataDir: string) =>
  expect(await filesIn(dataDir)).toEqual((await db.many(selectKeys, { merchant_id })).map(({ file_key }) => file_key))

const VARIANTS = demoProducts.flatMap(({ variants = [] }) => variants).length
/** 43 pictures and 3 downloads. */
const FILES = 46

/** Calls `onAsk` before every statement of a transaction. */
const watched = (db: Database, onAsk: () => void): Database => ({
  ...db,
  transaction: (work) =>
    db.transaction((tx) =>
      work(
        new Proxy(tx, {
          get(target, name, receiver) {
            if (['many', 'maybe', 'one', 'run'].includes(String(name))) onAsk()
            return Reflect.get(target, name, receiver)
          },
        }),
      ),
    ),
})

const nothingYet = async () => ({ db: await testDatabase(), folder: await newFolder() })

/** Made once for the tests that only read it. Its folder has the file of an earlier database, which everybody may read. */
const { db: madeDb, folder: madeFolder } = await nothingYet()
const keysFile = join(madeFolder, 'demo-keys.json')
await writeFile(keysFile, 'of an earlier database')
await chmod(keysFile, 0o644)
const demo = await seedInto(madeDb, clock, madeFolder)

describe('seedDemo on an empty database', () => {
  it('makes one demo merchant with its shop, each thing with its event, and a file for each asset', async () => {
    const [db, folder] = [madeDb, madeFolder]
    expect(await listAllMerchants(db)).toEqual([{ ...SHOP, merchant_id: demo?.id }])
    const names = await db.many(selectNames, { merchant_id: demo?.id })
    expect(names.map(({ name }) => name)).toEqual(demoAttributes.map(({ name }) => name).sort())
    expect(await db.one(countRows, { merchant_id: demo?.id })).toEqual({
      products: demoProducts.length,
      variants: VARIANTS,
      categories: 8,
      assets: FILES,
      // Each product and each variant has its stock in the sandbox and its live stock.
      stock: 2 * (demoProducts.length + VARIANTS),
      shipping_zones: demoShippingZones.length,
      shipping_methods: demoShippingZones.flatMap(({ methods }) => methods).length,
      tax_zones: demoTaxZones.length,
      discounts: demoDiscounts.length,
      gift_cards: 1,
      payment_methods: 5,
    })
    expect(await db.many(countEvents, { merchant_id: demo?.id })).toEqual([
      { name: 'assets.create', count: FILES },
      { name: 'attributes.create', count: demoAttributes.length },
      { name: 'categories.create', count: 8 },
      { name: 'discounts.create', count: demoDiscounts.length },
      { name: 'giftcards.create', count: 1 },
      { name: 'products.create', count: demoProducts.length },
      { name: 'products.update', count: VARIANTS },
      { name: 'test.webhook', count: 1 },
      { name: 'variants.create', count: VARIANTS },
    ])
    await expectFilesOf(db, demo?.id, folder)
    expect(demo?.dashboard).toEqual({ email: 'demo@example.com', password: expect.stringMatching(/^[\w-]{20}$/) })
  })

  it('remembers the keys in a file that its owner alone can read, and closes one that was open to others before anything secret is in it', async () => {
    expect((await readdir(madeFolder)).sort()).toEqual(['demo-keys.json', 'files'])
    expect((await stat(keysFile)).mode & 0o777).toBe(0o600)
    expect(JSON.parse(await readFile(keysFile, 'utf8'))).toEqual(demo)
    expect(await readDemoKeys(madeFolder)).toEqual(demo)
  })

  const isRoot = process.geteuid?.() === 0
  it.skipIf(!isRoot || !isProof)(
    'leaves the file to the owner of the folder, who could not read it otherwise',
    async () => {
      const { db, folder } = await nothingYet()
      await chown(folder, 65534, 65534)
      await seedInto(db, clock, folder)
      const { uid, gid, mode } = await stat(join(folder, 'demo-keys.json'))
      expect({ uid, gid, mode: mode & 0o777 }).toEqual({ uid: 65534, gid: 65534, mode: 0o600 })
    },
  )

  it.runIf(isProof)(
    'makes the folder where there is none, and asks the database few enough times for a first start to be quick',
    async () => {
      const db = await testDatabase()
      const folder = join(await newFolder(), 'deep', 'data')
      let asked = 0
      const counted = watched(db, () => {
        asked += 1
      })
      const demo = await seedInto(counted, clock, folder)
      expect(await readDemoKeys(folder)).toEqual(demo)
      expect(asked).toBeGreaterThan(demoProducts.length)
      expect(asked).toBeLessThan(1_000)
    },
  )

  it.runIf(isProof)(
    'leaves nothing when the keys cannot be remembered, so that the next start can try again',
    async () => {
      const { db, folder } = await nothingYet()
      const file = join(folder, 'not-a-folder')
      await writeFile(file, '')
      const files = createFileServices({ dataDir: folder })
      await expect(seedDemo(db, clock, file, { files, ...SEED })).rejects.toThrow(/ENOTDIR|EEXIST/)
      expect(await filesIn(folder)).toEqual([])
      expect(await listAllMerchants(db)).toEqual([])
      // As the README has it, whatever was tried before.
      expect(await seedInto(db, clock, await newFolder())).toMatchObject({ id: 1 })
    },
  )

  const file = (number: number) => ['file', number] as const
  const ofStatement = (number: number) => ['statement', number] as const
  it.each(isProof ? [file(1), file(FILES), ofStatement(10), ofStatement(900)] : [file(FILES)])(
    'leaves neither rows nor files when %s number %i fails',
    async (kind, broken) => {
      const { db, folder } = await nothingYet()
      const files = createFileServices({ dataDir: folder })
      let count = 0
      const fail = () => {
        count += 1
        if (count === broken) throw new Error('the disk is on fire')
      }
      const put = async (...args: Parameters<typeof files.store.put>) => {
        if (kind === 'file') fail()
        await files.store.put(...args)
      }
      const failing = kind === 'file' ? db : watched(db, fail)
      const seeding = seedDemo(failing, clock, folder, { files: { ...files, store: { ...files.store, put } }, ...SEED })
      await expect(seeding).rejects.toThrow('the disk is on fire')
      expect(await listAllMerchants(db)).toEqual([])
      expect(await filesIn(folder)).toEqual([])
      expect(await readDemoKeys(folder)).toBeNull()
      expect(await seedInto(db, clock, folder)).not.toBeNull()
    },
  )

  it.runIf(isProof)('keeps the files while nobody knows whether the rows are there', async () => {
    const { db, folder } = await nothingYet()
    const losingItsConnection: Database = {
      ...db,
      transaction: async (work) => {
        await db.transaction(work)
        throw unavailable('The database cannot be reached at the moment.')
      },
    }
    await expect(seedInto(losingItsConnection, clock, folder)).rejects.toThrow('cannot be reached')
    const [demo] = await listAllMerchants(db)
    await expectFilesOf(db, demo?.merchant_id, folder)
    expect(await filesIn(folder)).toHaveLength(FILES)
  })

  it.runIf(isProof)('takes the files of a refused attempt back when PostgreSQL has it run again', async () => {
    const { db, folder } = await nothingYet()
    const refusingOnce: Database = {
      ...db,
      transaction: async (work) => {
        const refusal = new Error('could not serialize access')
        await db
          .transaction(async (tx) => {
            await work(tx)
            throw refusal
          })
          .catch((error) => expect(error).toBe(refusal))
        return db.transaction(work)
      },
    }
    const demo = await seedInto(refusingOnce, clock, folder)
    await expectFilesOf(db, demo?.id, folder)
  })
})

describe('seedDemo again', () => {
  it('changes nothing', async () => {
    const before = [await contents(madeDb), await readFile(keysFile, 'utf8')]
    clock.advance(60)
    expect(await seedInto(madeDb, clock, madeFolder)).toBeNull()
    expect([await contents(madeDb), await readFile(keysFile, 'utf8')]).toEqual(before)
  })

  it.runIf(isProof)('makes one shop when three processes start together, and the file has its keys', async () => {
    const connection = await cloneDatabase()
    const folder = await newFolder()
    const pools = Array.from({ length: 3 }, () => openPool(connection, { ...PATIENT_POOL, size: 1 }))
    try {
      const made = await Promise.all(pools.map((pool) => seedInto(pool, clock, folder)))
      const demos = made.filter((demo) => demo !== null)
      expect(demos).toHaveLength(1)
      expect(await readDemoKeys(folder)).toEqual(demos[0])
      const [db] = pools
      if (!db) throw new Error('There is no database to look into.')
      expect(await listAllMerchants(db)).toEqual([SHOP])
      expect(await db.one(countRows, { merchant_id: demos[0]?.id })).toMatchObject({
        products: demoProducts.length,
        assets: FILES,
      })
      expect(await filesIn(folder)).toHaveLength(FILES)
    } finally {
      await Promise.all(pools.map((pool) => pool.close()))
    }
  })

  it("makes nothing beside a merchant of the operator's own, and writes no file", async () => {
    const { db, folder } = await nothingYet()
    await db.transaction((tx) => createMerchant(tx, clock, { name: 'Mine', email: 'me@example.com' }))
    const before = await contents(db)
    expect(await seedInto(db, clock, folder)).toBeNull()
    expect(await contents(db)).toEqual(before)
    expect(await readdir(folder)).toEqual([])
    expect(await readDemoKeys(folder)).toBeNull()
  })
})

describe('rememberedDemo', () => {
  const pair = { public: 'pk', secret: 'sk' }
  const whole = { id: 1, keys: { live: pair, sandbox: pair }, dashboard: { email: 'a@b.c', password: 'p' } }
  const others = [
    null,
    {},
    { ...whole, id: '1' },
    { ...whole, keys: { live: pair } },
    { ...whole, keys: { live: pair, sandbox: { public: 'pk' } } },
    { ...whole, keys: { live: pair, sandbox: { public: 'pk', secret: 1 } } },
    { ...whole, dashboard: undefined },
  ]
  it.each(['{"id": 1', ...others.map((content) => JSON.stringify(content))])(
    'is nothing where the file is missing or holds something else: %s',
    async (text) => {
      const folder = await newFolder()
      expect(await readDemoKeys(folder)).toBeNull()
      await writeFile(join(folder, 'demo-keys.json'), JSON.stringify(whole))
      expect(await readDemoKeys(folder)).toEqual(whole)
      await writeFile(join(folder, 'demo-keys.json'), text)
      expect(await readDemoKeys(folder)).toBeNull()
    },
  )
})
