import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { sweepUnknownFiles } from '../../../src/api/assets/jobs.ts'
import { s3Store } from '../../../src/files/s3.ts'
import type { Services } from '../../../src/http/endpoint/endpoint.ts'
import { startS3Server } from '../../files/s3-server.ts'
import { errorBody } from '../../http/harness.ts'
import { testApp } from '../../support/app.ts'
import { base64, countAssets, download, filesOnDisk, png, pngOf, runJobs, upload } from './support.ts'

const s3 = await startS3Server()
afterAll(() => s3.close())
const app = await testApp({ s3: s3.settings })
const shop = await app.merchant()
const key = shop.keys.sandbox.secret
const keysOf = (id: string) => [...s3.objects.keys()].filter((name) => name.startsWith(`${shop.id}/${id}`))

beforeEach(() => {
  s3.mishaps.length = 0
})

describe('with S3_* set', () => {
  it('a file that is sent along lies in the store, is served from it whole and in pieces, and is removed from it', async () => {
    const bytes = pngOf(1_500_000)
    const { id, url } = await upload(app, key, { filename: 'a.png', contents: base64(bytes) })
    const [name = ''] = keysOf(id)
    expect(s3.objects.get(name)?.bytes.equals(bytes)).toBe(true)
    expect(await filesOnDisk(app)).toEqual([])

    const whole = await download(app, url)
    expect(whole.headers).toMatchObject({ 'content-type': 'image/png', 'content-length': '1500000' })
    expect(whole.bytes.equals(bytes)).toBe(true)
    const piece = await download(app, url, { range: 'bytes=1000000-1000999' })
    expect([piece.status, piece.headers['content-range']]).toEqual([206, 'bytes 1000000-1000999/1500000'])
    expect(piece.bytes.equals(bytes.subarray(1_000_000, 1_001_000))).toBe(true)

    expect((await app.call('DELETE', `/v1/assets/${id}`, { key })).status).toBe(204)
    await runJobs(app)
    expect(keysOf(id)).toEqual([])
  })

  it('no asset is made while the store refuses, and the client is told to try again', async () => {
    const before = await countAssets(app, shop.id)
    s3.mishaps.push(...Array<'fail'>(20).fill('fail'))
    const answer = await app.call('POST', '/v1/assets', { key, body: { filename: 'a.png', contents: base64(png()) } })
    expect(answer.body).toEqual(
      errorBody(503, 'unavailable', 'The file store cannot be reached. Try again in a moment.'),
    )
    expect(answer.headers['retry-after']).toBe('5')
    expect(await countAssets(app, shop.id)).toBe(before)
    expect(await filesOnDisk(app)).toEqual([])
  })

  it('a file that cannot be read is a 503 that nobody caches', async () => {
    const { url } = await upload(app, key, { filename: 'a.png', contents: base64(png()) })
    s3.mishaps.push(...Array<'fail'>(20).fill('fail'))
    const answer = await download(app, url)
    expect(answer.status).toBe(503)
    expect(answer.headers['cache-control']).toBe('no-store')
    s3.mishaps.length = 0
    expect((await download(app, url)).status).toBe(200)
  })

  it('the sweep removes what no row names from the store', async () => {
    const { id, url } = await upload(app, key, { filename: 'a.png', contents: base64(png()) })
    const [known = ''] = keysOf(id)
    const orphan = known.replace(/.{10}$/, 'ffffffffff')
    const old = new Date(app.clock.now().getTime() - 90_000_000)
    s3.objects.set(orphan, { bytes: png(), modified: old })
    s3.objects.set(known, { bytes: png(), modified: old })
    const services = { files: { store: s3Store(s3.settings), incoming: `${app.dataDir}/files/incoming` } }
    const sweep = sweepUnknownFiles(services as unknown as Services)
    await sweep.run({ db: app.db, clock: app.clock, signal: new AbortController().signal })
    expect(keysOf(id)).toEqual([known])
    expect((await download(app, url)).status).toBe(200)
  })
})
