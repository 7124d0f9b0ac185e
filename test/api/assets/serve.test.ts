import { unlink } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { errorBody } from '../../http/harness.ts'
import { testApp } from '../../support/app.ts'
import { base64, download, filesOnDisk, pathOf, pdf, png, upload } from './support.ts'

const app = await testApp()
const shop = await app.merchant()
const key = shop.keys.sandbox.secret
const picture = png(40, 30)
const { id, url } = await upload(app, key, { filename: 'Kettle.png', contents: base64(picture) })
const document = await upload(app, key, { filename: 'Anleitung "für" Käse.pdf', contents: base64(pdf()) })
const etag = String((await download(app, url)).headers.etag)
const head = (address: string, headers: Record<string, string> = {}) => app.call('HEAD', pathOf(address), { headers })
const NOT_FOUND = errorBody(404, 'not_found', 'There is no file with that id.')

/** Headers that differ from request to request, or say nothing about files. */
const UNRELATED = ['x-request-id', 'date', 'connection', 'keep-alive']
const steady = (headers: object) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !UNRELATED.includes(name)))

describe('GET /files/{merchant_id}/{asset_id}/{filename}', () => {
  it('serves a picture to anybody, in the page, for good, and so that nothing in it can run', async () => {
    const answer = await download(app, url)
    expect(answer.status).toBe(200)
    expect(answer.bytes.equals(picture)).toBe(true)
    expect(steady(answer.headers)).toEqual({
      'content-type': 'image/png',
      'content-length': String(picture.length),
      'content-disposition': `inline; filename="Kettle.png"; filename*=UTF-8''Kettle.png`,
      'cache-control': 'public, max-age=31536000, immutable',
      etag,
      'accept-ranges': 'bytes',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox",
      'cross-origin-resource-policy': 'cross-origin',
      'access-control-allow-origin': '*',
      'access-control-expose-headers': 'Accept-Ranges, Content-Disposition, Content-Range, ETag, X-Request-Id',
    })
    expect(etag).toMatch(/^"\w+"$/)
  })

  it('offers everything else for saving, under a name that every client can read', async () => {
    const answer = await download(app, document.url)
    expect(answer.headers['content-type']).toBe('application/pdf')
    expect(answer.headers['content-disposition']).toBe(
      `attachment; filename="Anleitung -f_r- K_se.pdf"; filename*=UTF-8''Anleitung%20-f%C3%BCr-%20K%C3%A4se.pdf`,
    )
  })

  it('believes neither the name nor the query at the end of the address', async () => {
    const base = `/files/${shop.id}/${id}`
    for (const address of [
      `${base}/other.html`,
      `${base}/a/b/../c`,
      `${base}/x?expires=1&signature=y`,
      `${base}/${'n'.repeat(900)}`,
    ]) {
      const answer = await download(app, address)
      expect(answer.status, address).toBe(200)
      expect(answer.headers['content-type']).toBe('image/png')
    }
  })

  it('answers HEAD with the same headers and no bytes', async () => {
    const whole = await download(app, url)
    const answer = await head(url)
    expect([answer.status, answer.text]).toEqual([200, ''])
    expect(steady(answer.headers)).toEqual(steady(whole.headers))
  })

  it.each([
    ['the same', () => etag],
    ['it among others', () => `"a", ${etag} ,"b"`],
  ])('answers 304 without bytes to a client that has %s', async (_, tag) => {
    const answer = await download(app, url, { 'if-none-match': tag() })
    expect(answer.status).toBe(304)
    expect(answer.bytes).toHaveLength(0)
    expect(answer.headers).toMatchObject({ etag, 'cache-control': 'public, max-age=31536000, immutable' })
    expect((await head(url, { 'if-none-match': tag() })).status).toBe(304)
    expect((await download(app, url, { 'if-none-match': '"other"' })).status).toBe(200)
  })

  const size = picture.length
  it.each([
    ['bytes=0-9', 0, 9],
    ['bytes=-7', size - 7, size - 1],
  ])('gives the piece %s', async (range, start, end) => {
    const answer = await download(app, url, { range })
    expect(answer.status).toBe(206)
    expect(answer.headers).toMatchObject({
      'content-range': `bytes ${start}-${end}/${size}`,
      'content-length': String(end - start + 1),
      'content-type': 'image/png',
      etag,
    })
    expect(answer.bytes.equals(picture.subarray(start, end + 1))).toBe(true)
  })

  it('answers 416 to a piece that is outside', async () => {
    const answer = await app.call('GET', pathOf(url), { headers: { range: `bytes=${size}-` } })
    expect(answer.status).toBe(416)
    expect(answer.headers).toMatchObject({ 'content-range': `bytes */${size}`, 'cache-control': 'no-store' })
    expect(answer.body).toEqual(
      errorBody(416, 'range_not_satisfiable', `The file has ${size} bytes. Request a range inside it.`),
    )
  })

  it('gives a piece only of the version that If-Range names', async () => {
    const same = await download(app, url, { range: 'bytes=0-1', 'if-range': etag })
    const others = [`W/${etag}`, '"other"', 'Wed, 21 Oct 2026 07:28:00 GMT']
    expect(same.status).toBe(206)
    for (const tag of others)
      expect((await download(app, url, { range: 'bytes=0-1', 'if-range': tag })).status, tag).toBe(200)
  })

  it('does not know ranges with HEAD', async () => {
    const answer = await head(url, { range: 'bytes=0-1' })
    expect(answer).toMatchObject({ status: 200, headers: { 'content-length': String(size) } })
  })

  it('answers a preflight, and 405 to other methods, with what there is', async () => {
    expect(await app.call('OPTIONS', pathOf(url), { headers: { origin: 'https://shop.example' } })).toMatchObject({
      status: 204,
      headers: { 'access-control-allow-origin': '*', 'access-control-allow-methods': 'GET, HEAD' },
    })
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'] as const)
      expect(await app.call(method, pathOf(url))).toMatchObject({ status: 405, headers: { allow: 'GET, HEAD' } })
  })

  it("answers 404, not to be cached, where no file is, under another merchant's number too", async () => {
    const other = await app.merchant()
    const absent = [
      `/files/${other.id}/${id}/Kettle.png`,
      `/files/${shop.id}/${id.replace(/.$/, '_')}/a.png`,
      `/files/${shop.id}/ast_0/a.png`,
      `/files/0/${id}/a.png`,
      `/files/-1/${id}/a.png`,
      `/files/1e0/${id}/a.png`,
      `/files/99999999999999/${id}/a.png`,
      `/files/${shop.id}/..%2f..%2fdemo-keys.json/a.png`,
    ]
    for (const address of absent) {
      const answer = await app.call('GET', address)
      expect(answer.body, address).toEqual(NOT_FOUND)
      expect(answer.headers['cache-control']).toBe('no-store')
      expect(answer.headers['access-control-allow-origin']).toBe('*')
    }
    expect((await app.call('GET', `/files/${shop.id}/${id}`)).status).toBe(404)
  })

  it('answers 404 and says so in the log when the bytes are missing from the store', async () => {
    const lost = await upload(app, key, { filename: 'a.png', contents: base64(png()) })
    const [name = ''] = (await filesOnDisk(app)).filter((file) => file.includes(lost.id))
    await unlink(`${app.dataDir}/files/${name}`)
    expect((await app.call('GET', pathOf(lost.url))).body).toEqual(NOT_FOUND)
    expect(app.logged.join('')).toContain('the bytes of a file are missing from the store')
  })
})
