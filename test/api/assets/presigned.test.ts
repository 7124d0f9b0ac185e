import { describe, expect, it } from 'vitest'
import { errorBody } from '../../http/harness.ts'
import { testApp } from '../../support/app.ts'
import { download, filesOnDisk, pathOf, pdf, png, pngOf, put, runJobs, upload } from './support.ts'

const app = await testApp()
const shop = await app.merchant()
const other = await app.merchant()
const key = shop.keys.sandbox.secret
const presign = (body: object = {}) => upload(app, key, { filename: 'kettle.png', pending: true, ...body })
const get = async (id: string) => (await app.call('GET', `/v1/assets/${id}`, { key })).body
const finish = (id: string, body: object = { pending: false }) => app.call('PUT', `/v1/assets/${id}`, { key, body })

const NOT_ARRIVED = 'The file has not arrived yet: PUT its bytes to upload_url first.'
const EXPIRED = errorBody(
  403,
  'forbidden',
  'This upload URL was altered or has expired. Get a new one with POST /v1/assets.',
)
const UNKNOWN = errorBody(404, 'not_found', 'There is no asset with that id.')
/** The files of an asset that are on disk. */
const filesOf = async (id: string) => (await filesOnDisk(app)).filter((name) => name.includes(id))

describe('POST /v1/assets with pending', () => {
  it('answers an address to upload to and makes an asset that is pending and not served', async () => {
    const answer = await app.call('POST', '/v1/assets', { key, body: { filename: 'Kettle.PNG', pending: true } })
    expect(answer.status).toBe(201)
    const { id, upload_url } = answer.body as Record<string, string>
    const url = `http://localhost:80/files/${shop.id}/${id}/Kettle.PNG`
    expect(answer.body).toEqual({ id, url, upload_url, upload_expires: 1767326645 })
    expect(upload_url).toMatch(
      new RegExp(`^http://localhost:80/uploads/${shop.id}/${id}\\?expires=1767326645&signature=[\\w-]{43}$`),
    )
    expect(await get(id ?? '')).toMatchObject({ url, file_extension: 'png', file_size: 0, pending: true })
    expect((await download(app, url)).status).toBe(404)
  })

  it('the bytes come first and the word that they are there after; either value of pending is that word, and announced dimensions stay', async () => {
    for (const [pending, announced] of [
      [true, {}],
      [false, { image_dimensions: { width: 5, height: 6 } }],
    ] as const) {
      const { id, url, upload_url } = await presign({ description: 'red', meta: { a: 1 }, ...announced })
      const bytes = png(21, 10)
      const sent = await put(app, upload_url, bytes, { 'content-type': 'text/html' })
      expect(sent).toMatchObject({ status: 204, body: '' })
      expect(await get(id)).toMatchObject({ pending: true, file_size: bytes.length })
      expect((await download(app, url)).status).toBe(404)

      expect(await finish(id, { pending })).toMatchObject({ status: 200, body: { id, url } })
      expect(await get(id)).toMatchObject({
        pending: false,
        is_image: true,
        file_extension: 'png',
        image_dimensions: { width: 21, height: 10 },
        description: 'red',
        meta: { a: 1 },
        ...announced,
      })
      const served = await download(app, url)
      expect(served.headers['content-type']).toBe('image/png')
      expect(served.bytes.equals(bytes)).toBe(true)
    }
  })

  it('stays pending when it is called finished before the bytes are there, and nothing else changes either', async () => {
    const { id } = await presign()
    const answer = await finish(id, { pending: false, description: 'too early' })
    expect(answer.body).toEqual(errorBody(422, 'not_valid', NOT_ARRIVED, { pending: [NOT_ARRIVED] }))
    expect(await get(id)).toMatchObject({ pending: true, description: null })
  })
})

describe('PUT to the upload address', () => {
  it('a second upload takes the place of the first, whose bytes are removed', async () => {
    const { id, url, upload_url } = await presign({ filename: 'either.png' })
    await put(app, upload_url, png(1, 1))
    const second = png(2, 2)
    expect((await put(app, upload_url, second)).status).toBe(204)
    await finish(id)
    expect(await get(id)).toMatchObject({ image_dimensions: { width: 2, height: 2 }, file_size: second.length })
    expect((await download(app, url)).bytes.equals(second)).toBe(true)
    await runJobs(app)
    expect(await filesOf(id)).toHaveLength(1)
  })

  it('of many uploads at once one wins, with its own bytes and its own facts', async () => {
    const { id, url, upload_url } = await presign()
    const candidates = Array.from({ length: 12 }, (_, index) => png(index + 1, 100 - index, index * 10))
    const answers = await Promise.all(candidates.map((bytes) => put(app, upload_url, bytes)))
    expect(answers.map(({ status }) => status)).toEqual(candidates.map(() => 204))
    await finish(id)
    const { bytes } = await download(app, url)
    const winner = candidates.findIndex((candidate) => candidate.equals(bytes))
    expect(await get(id)).toMatchObject({
      file_size: candidates[winner]?.length,
      image_dimensions: { width: winner + 1, height: 100 - winner },
    })
    await runJobs(app)
    expect(await filesOf(id)).toHaveLength(1)
  })

  it('answers 409 once the upload is finished, and the file stays as it is', async () => {
    const { id, url, upload_url } = await presign()
    const bytes = png(4, 4)
    await put(app, upload_url, bytes)
    await finish(id)
    expect((await put(app, upload_url, png(5, 5))).body).toEqual(
      errorBody(409, 'conflict', 'The upload of this asset is finished; create another asset for another file.'),
    )
    expect((await download(app, url)).bytes.equals(bytes)).toBe(true)
    expect(await filesOf(id)).toHaveLength(1)
  })

  it('answers 404 when the asset has been deleted', async () => {
    const { id, upload_url } = await presign()
    await app.call('DELETE', `/v1/assets/${id}`, { key })
    expect((await put(app, upload_url, png())).body).toEqual(UNKNOWN)
    expect(await filesOf(id)).toEqual([])
  })

  it('works until the hour is over', async () => {
    const { upload_url } = await presign()
    app.clock.advance(3_599)
    expect((await put(app, upload_url, png())).status).toBe(204)
    app.clock.advance(1)
    expect((await put(app, upload_url, png())).body).toEqual(EXPIRED)
  })

  it('refuses an address that was altered, and does not say what of it is wrong', async () => {
    const { id, upload_url } = await presign()
    const second = await presign()
    const altered = [
      upload_url.replace(/expires=\d+/, 'expires=99999999999'),
      upload_url.replace(/\?.*/, ''),
      upload_url.replace(`/${shop.id}/`, `/${other.id}/`),
      upload_url.replace(id, second.id),
      upload_url.replace('signature=', 'signature[]='),
    ]
    for (const address of altered) expect((await put(app, address, png())).body, address).toEqual(EXPIRED)
    expect(await get(id)).toMatchObject({ file_size: 0 })
  })

  it('refuses what is not of an accepted type, or not the type of its name, and keeps nothing', async () => {
    const { id, upload_url } = await presign()
    for (const bytes of [Buffer.from('<html><body>hello</body></html>'), pdf(), Buffer.alloc(0)]) {
      const refused = await put(app, upload_url, bytes)
      expect(refused).toMatchObject({ status: 422, body: { error: { type: 'not_valid' } } })
      expect(Object.keys(refused.body.error.errors)).toEqual(['body'])
    }
    expect((await filesOnDisk(app)).filter((name) => name.includes(id) || name.startsWith('incoming'))).toEqual([])
    expect((await finish(id)).status).toBe(422)
  })

  it('takes 10 MB and answers 413 to one byte more', async () => {
    const limit = 10 * 1024 * 1024
    const { id, upload_url } = await presign()
    expect((await put(app, upload_url, pngOf(limit + 1))).body).toEqual(
      errorBody(413, 'payload_too_large', 'The file is larger than the 10 MB (10485760 bytes) accepted here.'),
    )
    expect(await get(id)).toMatchObject({ file_size: 0 })
    expect((await put(app, upload_url, pngOf(limit))).status).toBe(204)
    expect(await get(id)).toMatchObject({ file_size: limit })
  })

  it('refuses compressed bytes, which would be stored as they are', async () => {
    const { upload_url } = await presign()
    expect((await put(app, upload_url, png(), { 'content-encoding': 'gzip' })).body).toEqual(
      errorBody(415, 'unsupported_media_type', 'Send the bytes of the file as they are, without a Content-Encoding.'),
    )
  })

  it('is open to browsers, errors included', async () => {
    const { upload_url } = await presign()
    const headers = { origin: 'https://shop.example', 'access-control-request-headers': 'content-type' }
    const preflight = await app.call('OPTIONS', pathOf(upload_url), { headers })
    expect(preflight.status).toBe(204)
    expect(preflight.headers).toMatchObject({
      'access-control-allow-origin': '*',
      'access-control-allow-methods': 'PUT',
      'access-control-allow-headers': 'content-type',
    })
    expect((await put(app, upload_url, png())).headers['access-control-allow-origin']).toBe('*')
    expect((await put(app, `${upload_url}x`, png())).headers['access-control-allow-origin']).toBe('*')
  })

  it('knows no other method', async () => {
    const { upload_url } = await presign()
    for (const method of ['GET', 'HEAD', 'POST', 'PATCH', 'DELETE'] as const)
      expect(await app.call(method, pathOf(upload_url))).toMatchObject({ status: 405, headers: { allow: 'PUT' } })
  })

  it.each(['/uploads/0/ast_x', '/uploads/x/ast_x', '/uploads/99999999999/ast_x', '/uploads/1/%2e%2e%2f'])(
    'answers 404 at %s, where nothing can be',
    async (address) => {
      expect((await put(app, address, png())).body).toEqual(UNKNOWN)
    },
  )
})
