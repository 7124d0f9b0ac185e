// Assets whose url does not answer: what a sandbox key and a live one get, what is shown meanwhile, and how the file comes after all.

import type { RequestListener, ServerResponse } from 'node:http'
import { describe, expect, it } from 'vitest'
import type { Asset } from '../../../src/api/assets/schema.ts'
import { placeholderPicture } from '../../../src/files/placeholder.ts'
import { testApp } from '../../support/app.ts'
import { cloneDatabase } from '../../support/database.ts'
import { selectValue, sql } from '../../support/rows.ts'
import { notValid, notValidField, refusedFields, replyOf } from '../../support/shop.ts'
import {
  base64,
  countAssets,
  download,
  eventsOf,
  filesOnDisk,
  openRemote,
  pdf,
  png,
  untilNoneIsDue,
  upload,
} from './support.ts'

const picture = png(12, 9)
const answers = new Map<string, RequestListener>()
const at = await openRemote((request, response) => {
  const answer = answers.get(request.url ?? '')
  if (answer) answer(request, response)
  else response.writeHead(404).end()
})
const status =
  (code: number): RequestListener =>
  (_, response) =>
    response.writeHead(code).end()

const connection = await cloneDatabase()
const app = await testApp({ connection, allowPrivateAddresses: true, trustProxy: () => true })
const { id: merchant_id, keys } = await app.merchant()
const key = keys.sandbox.secret
const post = (body: unknown, by = key) =>
  app.call('POST', '/v1/assets', { key: by, body, headers: { 'x-forwarded-proto': 'https' } })
const show = async (id: string) => (await app.call('GET', `/v1/assets/${id}`, { key })).body as Asset

const NOT_FETCHED =
  'The file at url could not be fetched: its server must answer within 10 seconds with status 200 and the plain file, after at most 3 redirects.'

let made = 0
const gone = (body: object = {}) => upload(app, key, { filename: 'kettle.jpg', url: at(`/gone${++made}`), ...body })

const waiting = sql<{ id: string; tries: number; in_seconds: number }>`
  select key as id, (payload ->> 'tries')::integer as tries, extract(epoch from due_at - :now)::integer as in_seconds
  from jobs where kind = 'assets.fetch_again' and key = :id and merchant_id = :merchant_id and failed_at is null`
const refetchesOf = (id: string) => app.db.many(waiting, { merchant_id, id, now: app.clock.now() })

const worker = app.startJobs()

/** Lets time pass, and every job run that is due then. */
function runLater(seconds = 3_600) {
  app.clock.advance(seconds)
  return untilNoneIsDue(app, worker)
}

describe('a url that does not answer', () => {
  it.each<[string, RequestListener | null]>([
    ['404', status(404)],
    ['503', status(503)],
    ['a connection that is cut', (_, response) => void response.destroy()],
    ['nobody', null],
  ])('%s: 201 and a placeholder for a sandbox key, 422 for a live one', async (_, answer) => {
    answers.set('/dead', answer ?? status(404))
    const url = answer === null ? 'http://127.0.0.1:1/kettle.jpg' : at('/dead')
    const before = await countAssets(app, merchant_id)
    const refused = await post({ filename: 'kettle.jpg', url }, keys.live.secret)
    expect(refused.body).toEqual(notValid({ url: [NOT_FETCHED] }))
    expect(await countAssets(app, merchant_id)).toBe(before)
    const asset = await upload(app, key, { filename: 'kettle.jpg', url, description: 'A kettle' })
    expect(await show(asset.id)).toMatchObject({
      url: `http://localhost:80/files/${merchant_id}/${asset.id}/kettle.jpg.png`,
      description: 'A kettle',
      is_image: true,
      filename: 'kettle.jpg',
      file_extension: 'png',
      file_size: placeholderPicture().length,
      image_dimensions: { width: 480, height: 480 },
      meta: { source_unreachable: true },
      pending: false,
    })
    expect(await refetchesOf(asset.id)).toEqual([{ id: asset.id, tries: 0, in_seconds: expect.any(Number) }])
    const served = await download(app, asset.url)
    expect(served).toMatchObject({
      status: 200,
      headers: { 'content-type': 'image/png', 'cache-control': 'public, max-age=60' },
    })
    expect(served.bytes.equals(placeholderPicture())).toBe(true)
  })

  it.each<[string, RequestListener, string?]>([
    ['an answer that forbids', status(403)],
    ['a redirect without end', (request, response) => void response.writeHead(302, { location: request.url }).end()],
    ['a page', (_, response) => void response.end('<html></html>')],
    ['a program', status(404), 'setup.exe'],
    ['the name of a page', status(404), 'page.html'],
    ['a drawing', status(404), 'drawing.svg'],
  ])('%s is 422 for a sandbox key too, and keeps nothing', async (_, answer, filename = 'kettle.jpg') => {
    answers.set('/other', answer)
    const before = [await countAssets(app, merchant_id), await filesOnDisk(app)]
    expect(await refusedFields(post({ filename, url: at('/other') }))).toEqual([422, ['url']])
    expect([await countAssets(app, merchant_id), await filesOnDisk(app)]).toEqual(before)
  })

  it('keeps what the merchant has sent as meta and dimensions', async () => {
    const size = { width: 800, height: 600 }
    const named = await gone({ meta: { shelf: 3 }, image_dimensions: size })
    expect(await show(named.id)).toMatchObject({ meta: { shelf: 3, source_unreachable: true }, image_dimensions: size })
    const listed = await gone({ meta: ['a', 'b'] })
    expect((await show(listed.id)).meta).toEqual({ 0: 'a', 1: 'b', source_unreachable: true })
    // Read, changed and sent back: the mark does not become the merchant's own.
    const body = { meta: { ...(await show(named.id)).meta, shelf: 4 } }
    expect((await app.call('PUT', `/v1/assets/${named.id}`, { key, body })).status).toBe(200)
    expect(await selectValue(app.db, 'meta', 'assets', { merchant_id, id: named.id })).toEqual({ shelf: 4 })
    expect((await show(named.id)).meta).toEqual({ shelf: 4, source_unreachable: true })
  })
})

describe('the file', () => {
  it('takes the place of the placeholder when its server answers again, for products too', async () => {
    const own = ['a', 'b']
    const asset = await gone({ filename: 'kettle.png', meta: own })
    const path = `/gone${made}`
    const body = { name: 'Kettle', price: 30, assets: [{ id: asset.id }] }
    const product = (await app.call('POST', '/v1/products', { key, body })).body as { id: string }
    const imageOf = async () => {
      const shown = await app.call('GET', `/v1/products/${product.id}`, { key: keys.sandbox.public })
      return (shown.body as { image: Asset }).image
    }
    expect(await imageOf()).toMatchObject({ file_extension: 'png', meta: { 0: 'a', source_unreachable: true } })

    await runLater(61)
    expect(await refetchesOf(asset.id)).toEqual([{ id: asset.id, tries: 1, in_seconds: expect.any(Number) }])
    expect(app.logged.join('')).not.toContain('A job failed')
    answers.set(path, (_, response) => void response.end(picture))
    // Neither the asset's nor anybody else's turn yet.
    await runLater(1)
    expect((await imageOf()).meta).toMatchObject({ source_unreachable: true })
    await runLater()
    expect(await imageOf()).toMatchObject({
      url: `http://localhost:80/files/${merchant_id}/${asset.id}/kettle.png`,
      file_size: picture.length,
      image_dimensions: { width: 12, height: 9 },
      meta: own,
    })
    const served = await download(app, asset.url)
    expect(served.bytes.equals(picture)).toBe(true)
    expect(served.headers['cache-control']).toBe('public, max-age=31536000, immutable')
    expect(await refetchesOf(asset.id)).toEqual([])
    expect((await filesOnDisk(app)).filter((name) => name.includes(asset.id))).toHaveLength(1)
    const events = (await eventsOf(app, merchant_id)).filter(({ payload }) => (payload as Asset).id === asset.id)
    expect(events.map(({ name, payload }) => [name, (payload as Asset).meta])).toEqual([
      ['assets.create', { 0: 'a', 1: 'b', source_unreachable: true }],
      ['assets.update', own],
    ])
  })

  it('is tried again less and less often, for a day and not longer', async () => {
    const asset = await gone()
    let age = 0
    const pass = async (seconds: number) => {
      age += seconds
      await runLater(seconds)
    }
    for (const longest of [60, 120, 240, 480, 960, 1_920, 3_600, 3_600]) {
      const [next = { in_seconds: 0 }] = await refetchesOf(asset.id)
      // Each wait is shortened by a quarter at most, by chance.
      expect(next.in_seconds).toBeGreaterThanOrEqual(Math.floor(longest * 0.75))
      expect(next.in_seconds).toBeLessThanOrEqual(longest)
      await pass(next.in_seconds + 1)
    }
    await pass(86_390 - age)
    expect(await refetchesOf(asset.id)).toHaveLength(1)
    await pass(3_601)
    expect(await refetchesOf(asset.id)).toEqual([])
    expect((await show(asset.id)).meta).toEqual({ source_unreachable: true })
  })

  it.each<[string, RequestListener, string]>([
    ['not accepted', (_, response) => void response.end('<html></html>'), 'url must be a file of an accepted type'],
    ['refused', status(403), 'The file at url could not be fetched'],
  ])('that is %s ends it, and the reason is kept', async (_, answer, reason) => {
    const asset = await gone()
    answers.set(`/gone${made}`, answer)
    await runLater()
    expect(await refetchesOf(asset.id)).toEqual([])
    expect((await show(asset.id)).meta).toEqual({ source_unreachable: true })
    expect(await selectValue(app.db, 'source_problem', 'assets', { merchant_id, id: asset.id })).toContain(reason)
  })

  it('is not fetched for an asset that was deleted, and not kept when that happens meanwhile', async () => {
    const [before, meanwhile] = [await gone(), await gone()]
    let asked = 0
    answers.set(`/gone${made - 1}`, (_, response) => {
      asked += 1
      response.end(picture)
    })
    answers.set(`/gone${made}`, async (_, response) => {
      await app.call('DELETE', `/v1/assets/${meanwhile.id}`, { key })
      response.end(picture)
    })
    expect((await app.call('DELETE', `/v1/assets/${before.id}`, { key })).status).toBe(204)
    await runLater()
    expect(asked).toBe(0)
    for (const { id } of [before, meanwhile]) {
      expect(await refetchesOf(id)).toEqual([])
      expect((await filesOnDisk(app)).filter((name) => name.includes(id))).toEqual([])
    }
    expect(app.logged.join('')).not.toContain('A job failed')
  })

  it('of a server that hangs holds up no other job', async () => {
    const silent = new Set<ServerResponse>()
    const assets = []
    for (let count = 0; count < 6; count++) {
      assets.push(await gone())
      answers.set(`/gone${made}`, (_, response) => void silent.add(response))
    }
    const stored = await upload(app, key, { filename: 'a.png', contents: base64(picture) })
    app.clock.advance(3_600)
    worker.poke()
    await expect.poll(() => silent.size).toBe(4)
    await app.call('DELETE', `/v1/assets/${stored.id}`, { key })
    worker.poke()
    const files = async () => (await filesOnDisk(app)).filter((name) => name.includes(stored.id))
    await expect.poll(files).toEqual([])
    expect([...silent].map(({ writable }) => writable)).toEqual([true, true, true, true])
    for (const { id } of assets) await app.call('DELETE', `/v1/assets/${id}`, { key })
    for (const response of silent) response.destroy()
    await runLater(0)
  })
})

describe('a placeholder', () => {
  it('is not sold: a product takes it as a picture, and not as a file to download', async () => {
    const asset = await gone({ filename: 'book.pdf' })
    const path = `/gone${made}`
    const body = { name: 'Book', price: 9, delivery: { digital: { packages: [{ asset: asset.id }] } } }
    const sell = () => app.call('POST', '/v1/products', { key, body })
    const rule = 'has no file to sell yet: its url could not be fetched, so it has a placeholder.'
    expect(await replyOf(sell())).toEqual(notValidField('delivery.digital.packages.0.asset', rule))
    answers.set(path, (_, response) => void response.end(pdf()))
    await runLater()
    const fetched = { is_image: false, file_extension: 'pdf', image_dimensions: [], meta: [] }
    expect(await show(asset.id)).toMatchObject(fetched)
    expect((await sell()).status).toBe(201)
  })

  it('of a private asset is served through its signed address alone', async () => {
    const asset = await gone({ private: true })
    const { url } = await show(asset.id)
    expect((await download(app, url.split('?')[0] ?? '')).status).toBe(404)
    expect(await download(app, url)).toMatchObject({ status: 200, headers: { 'cache-control': 'private, max-age=60' } })
  })
})
