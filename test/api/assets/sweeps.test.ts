import { mkdir, utimes, writeFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { sweepPendingAssets, sweepUnknownFiles } from '../../../src/api/assets/jobs.ts'
import { diskStore } from '../../../src/files/disk.ts'
import type { Services } from '../../../src/http/endpoint/endpoint.ts'
import { newId } from '../../../src/lib/ids.ts'
import { testApp } from '../../support/app.ts'
import { sql } from '../../support/rows.ts'
import { base64, download, eventsOf, filesOnDisk, png, put, runJobs, upload } from './support.ts'

const app = await testApp()
const shop = await app.merchant()
const key = shop.keys.sandbox.secret
const folder = `${app.dataDir}/files`
const services = {
  files: { store: diskStore(folder), incoming: `${folder}/incoming` },
  publicUrl: 'https://shop.example',
} as unknown as Services
const run = (sweep: typeof sweepPendingAssets, given = services) =>
  sweep(given).run({ db: app.db, clock: app.clock, signal: new AbortController().signal })
const status = async (id: string) => (await app.call('GET', `/v1/assets/${id}`, { key })).status

/** Gives a file the age that it would have by the test's clock. */
const setAge = (name: string, hours: number) => {
  const moment = new Date(app.clock.now().getTime() - hours * 3_600_000)
  return utimes(`${folder}/${name}`, moment, moment)
}

describe('the sweep of pending assets', () => {
  it('deletes those that were announced over a day ago, with what had arrived, and no others', async () => {
    const never = await upload(app, key, { filename: 'never.png', pending: true })
    const arrived = await upload(app, key, { filename: 'arrived.png', pending: true })
    await put(app, arrived.upload_url, png())
    const finished = await upload(app, key, { filename: 'finished.png', pending: true })
    await put(app, finished.upload_url, png())
    await app.call('PUT', `/v1/assets/${finished.id}`, { key, body: { pending: false } })
    app.clock.advance(12 * 3_600)
    const recent = await upload(app, key, { filename: 'recent.png', pending: true })
    app.clock.advance(12 * 3_600)
    expect(await run(sweepPendingAssets)).toBe(0)
    app.clock.advance(1)
    expect(await run(sweepPendingAssets)).toBe(2)
    expect(await run(sweepPendingAssets)).toBe(0)

    const statuses = await Promise.all([never, arrived, finished, recent].map(({ id }) => status(id)))
    expect(statuses).toEqual([404, 404, 200, 200])
    await runJobs(app)
    expect((await filesOnDisk(app)).filter((name) => name.includes(arrived.id))).toEqual([])
    expect((await download(app, finished.url)).status).toBe(200)
    const deletions = (await eventsOf(app, shop.id)).filter(({ name }) => name === 'assets.delete')
    expect(deletions.map(({ payload }) => (payload as { url: string }).url).sort()).toEqual(
      [
        `https://shop.example/files/${shop.id}/${arrived.id}/arrived.png`,
        `https://shop.example/files/${shop.id}/${never.id}/never.png`,
      ].sort(),
    )
  })

  it('gets through any number of them', async () => {
    const add = sql`
      insert into assets (merchant_id, id, filename, file_extension, content_type, is_image, file_size, is_private,
        is_pending, created_at, updated_at)
      select :merchant_id, 'ast_' || number, 'a.png', 'png', 'image/png', false, 0, false, true, :created_at, :created_at
      from generate_series(1, 250) number`
    const before = await run(sweepPendingAssets)
    await app.db.run(add, { merchant_id: shop.id, created_at: new Date(app.clock.now().getTime() - 90_000_000) })
    expect([before, await run(sweepPendingAssets)]).toEqual([0, 250])
  })
})

describe('the sweep of unknown files', () => {
  it('removes files without a row after a day, and keeps those of rows and those that are not ours', async () => {
    const known = await upload(app, key, { filename: 'known.png', contents: base64(png()) })
    const [knownName = ''] = (await filesOnDisk(app)).filter((name) => name.includes(known.id))
    const orphan = (merchant_id: number) => `${merchant_id}/${newId('asset', app.clock.now())}0123456789`
    const old = orphan(shop.id)
    const foreign = orphan(987_654)
    const young = orphan(shop.id)
    // The bytes of an earlier upload of an asset whose row names another file.
    const superseded = knownName.replace(/.{10}$/, 'ffffffffff')
    const strange = `${shop.id}/note_0123456789`
    const temporary = `incoming/incoming-${'0'.repeat(32)}`
    const fresh = `incoming/incoming-${'1'.repeat(32)}`
    // The copy that a process left when it was killed while storing, and a folder of a larger number than any merchant has.
    const [half, impossible, last] = [`incoming-${'a'.repeat(32)}`, orphan(9_999_999_999), orphan(2_147_483_647)]
    const others = [strange, impossible, 'incoming-of-somebody-else']
    const gone = [old, foreign, superseded, temporary, half, last]
    for (const number of [987_654, 9_999_999_999, 2_147_483_647])
      await mkdir(`${folder}/${number}`, { recursive: true })
    for (const name of [...gone, ...others, young, fresh]) await writeFile(`${folder}/${name}`, 'x')
    for (const name of [knownName, ...gone, ...others]) await setAge(name, 25)
    for (const name of [young, fresh]) await setAge(name, 23)

    expect(await run(sweepUnknownFiles)).toBe(gone.length)
    const left = await filesOnDisk(app)
    expect(left).toEqual(expect.arrayContaining([knownName, young, fresh, ...others]))
    for (const name of gone) expect(left).not.toContain(name)
    expect((await download(app, known.url)).status).toBe(200)
  })

  it('is run by the worker of the service, as is the sweep of pending assets', async () => {
    const name = `${shop.id}/${newId('asset', app.clock.now())}abcdefabcd`
    await writeFile(`${folder}/${name}`, 'x')
    await setAge(name, 48)
    const pending = await upload(app, key, { filename: 'a.png', pending: true })
    app.clock.advance(90_000)
    const worker = app.startJobs()
    await expect.poll(() => filesOnDisk(app)).not.toContain(name)
    await expect.poll(() => status(pending.id)).toBe(404)
    await worker.stop()
  })
})
