import { describe, expect, it } from 'vitest'
import { uploadAsset } from '../../../src/api/assets/upload.ts'
import { diskStore } from '../../../src/files/disk.ts'
import { unavailable } from '../../../src/lib/errors.ts'
import { errorBody } from '../../http/harness.ts'
import { testApp } from '../../support/app.ts'
import { malformed, malformedField, notValidField, replyOf, ruleSentences } from '../../support/shop.ts'
import { base64, download, filesOnDisk, pdf, png, pngOf, upload } from './support.ts'

const app = await testApp()
const shop = await app.merchant()
const key = shop.keys.sandbox.secret
const post = (body: unknown, as = key) => app.call('POST', '/v1/assets', { key: as, body })
const get = async (id: string) => (await app.call('GET', `/v1/assets/${id}`, { key })).body

const LIMIT = 2 * 1024 * 1024
const BASE64_RULE = 'must be the file in base64: the letters A-Z and a-z, the digits, +, / and = at the end.'

describe('POST /v1/assets with contents', () => {
  it('stores a picture, answers id and url, and shows all that is known of it', async () => {
    const bytes = png(40, 30)
    const answer = await post({ filename: 'Kettle.png', contents: base64(bytes), meta: ['a', 'b'] })
    expect(answer.status).toBe(201)
    const { id } = answer.body as { id: string }
    expect(id).toMatch(/^ast_[0-9A-Za-z]{26}$/)
    const url = `http://localhost:80/files/${shop.id}/${id}/Kettle.png`
    expect(answer.body).toEqual({ id, url })
    expect(await get(id)).toMatchObject({
      url,
      is_image: true,
      file_extension: 'png',
      file_size: bytes.length,
      image_dimensions: { width: 40, height: 30 },
      meta: ['a', 'b'],
    })
    expect((await download(app, url)).bytes.equals(bytes)).toBe(true)
  })

  it('has an empty list for the dimensions of what is not an image, even when some are sent', async () => {
    const kept = { filename: 'manual.PDF', description: 'How to use it', meta: { pages: { count: 3 }, tags: ['x'] } }
    const sent = { ...kept, contents: base64(pdf()), image_dimensions: { width: 3, height: 4 } }
    const { id } = await upload(app, key, sent)
    expect(await get(id)).toMatchObject({ ...kept, is_image: false, file_extension: 'pdf', image_dimensions: [] })
  })

  it('keeps the dimensions that are sent, reads the others, and does not look at a url beside contents', async () => {
    const contents = base64(png(40, 30))
    const both = await upload(app, key, { filename: 'a.png', contents, image_dimensions: { width: 7, height: 8 } })
    const more = { image_dimensions: { width: 7 }, meta: null, url: 'gopher://nowhere' }
    const one = await upload(app, key, { filename: 'a.png', contents, ...more })
    expect(await get(both.id)).toMatchObject({ image_dimensions: { width: 7, height: 8 }, meta: [] })
    expect(await get(one.id)).toMatchObject({ image_dimensions: { width: 7, height: 30 }, meta: [] })
  })

  it.each([
    ['in lines', (text: string) => text.replace(/.{76}/g, '$&\r\n')],
    ['without padding', (text: string) => text.replace(/=+$/, '')],
    ['as a data: URL, whatever type that names', (text: string) => `data:text/html;charset=utf-8;base64,${text}`],
  ])('reads base64 %s', async (_, change) => {
    const bytes = png(5, 5, 101)
    const { url } = await upload(app, key, { filename: 'a.png', contents: change(base64(bytes)) })
    expect((await download(app, url)).bytes.equals(bytes)).toBe(true)
  })

  it.each([
    ['letters of no base64', `${base64(png())}*`],
    ['the alphabet for URLs', 'iVBOR_0K-w'],
    ['padding in the middle', 'iVBO=w0K'],
    ['too much padding', `${base64(Buffer.from('abc'))}=`],
    ['three signs of padding', 'iVBORw0K==='],
    ['a single letter too many', 'iVBOR'],
    ['a data: URL without base64', 'data:image/png,abc'],
    ['a megabyte of blanks and one wrong letter', `${' '.repeat(1_000_000)}!`],
  ])('refuses %s', async (_, contents) => {
    expect(await replyOf(post({ filename: 'a.png', contents }))).toEqual(malformedField('contents', BASE64_RULE))
  })

  it.each(['', '   ', 'data:image/png;base64,'])('refuses the empty contents %j', async (contents) => {
    const refused = malformedField('contents', 'must not be empty.')
    expect(await replyOf(post({ filename: 'a.png', contents }))).toEqual(refused)
  })

  it('accepts a file of exactly 2 MB and refuses one byte more with 413, naming the limit', async () => {
    const { id } = await upload(app, key, { filename: 'large.png', contents: base64(pngOf(LIMIT)) })
    expect(await get(id)).toMatchObject({ file_size: LIMIT })
    const refused = await post({ filename: 'large.png', contents: base64(pngOf(LIMIT + 1)) })
    expect(refused.status).toBe(413)
    expect(refused.body).toEqual(
      errorBody(413, 'payload_too_large', 'The file is larger than the 2 MB (2097152 bytes) accepted here.'),
    )
  })

  it('refuses a body over 4 MB with 413 before reading it', async () => {
    const refused = await post({ filename: 'a.png', contents: 'A'.repeat(4_194_304) })
    expect(refused.status).toBe(413)
    expect(refused.body).toEqual(
      errorBody(413, 'payload_too_large', 'The request body is larger than the 4194304 bytes accepted here.'),
    )
  })

  it.each([
    ['a page called a picture', 'a.png', Buffer.from('<html><script>alert(1)</script></html>')],
    ['a picture called a page', 'a.html', png()],
  ])('refuses %s with 422 and keeps nothing', async (_, filename, bytes) => {
    const before = await filesOnDisk(app)
    const rule =
      'must be a file of an accepted type, with contents that match its name. Accepted types: jpg, png, gif, ico, webp, avif, pdf, doc, docx, ppt, pptx, odt, xls, xlsx, mp3, m4a, ogg, wav, flac, mp4, m4v, mov, wmv, avi, mpg, ogv, 3gp, 3g2, zip, rar.'
    expect(await replyOf(post({ filename, contents: base64(bytes) }))).toEqual(notValidField('contents', rule))
    expect(await filesOnDisk(app)).toEqual(before)
  })

  it('needs a filename, and contents or url or pending', async () => {
    expect(await replyOf(post({ contents: base64(png()) }))).toEqual(malformedField('filename', 'is required.'))
    const rule = 'is required: send contents or url, or pending: true to upload the file afterwards.'
    const neither = malformed(ruleSentences({ contents: rule, url: rule }))
    expect((await post({ filename: 'a.png' })).body).toEqual(neither)
    expect((await post({ filename: 'a.png', pending: false })).body).toEqual(neither)
  })

  it.each(['a\nb.png', 'a\u0007.png', 'a\u007f.png'])('refuses the control characters of %j', async (filename) => {
    const refused = malformedField('filename', 'must not contain line breaks or other control characters.')
    expect(await replyOf(post({ filename, contents: base64(png()) }))).toEqual(refused)
  })

  it.each([
    ['../../etc/passwd.png', 'passwd.png'],
    ['Käse 漢字 👩‍🍳.png', `${encodeURIComponent('Käse 漢字 👩🍳')}.png`],
  ])('keeps the filename %j as it was sent and serves it under a harmless one', async (filename, shown) => {
    const bytes = png()
    const { id, url } = await upload(app, key, { filename, contents: base64(bytes) })
    expect(await get(id)).toMatchObject({ filename })
    expect(url).toBe(`http://localhost:80/files/${shop.id}/${id}/${shown}`)
    expect((await download(app, url)).bytes.equals(bytes)).toBe(true)
    expect(await filesOnDisk(app)).toEqual(expect.arrayContaining([expect.stringContaining(`${shop.id}/${id}`)]))
  })

  describe('when the row cannot be written', () => {
    const uploadWith = (error: Error) =>
      uploadAsset({
        db: { ...app.db, transaction: () => Promise.reject(error) },
        clock: app.clock,
        files: { store: diskStore(`${app.dataDir}/files`), incoming: `${app.dataDir}/files/incoming` },
        caller: { merchant_id: shop.id },
        lastingOrigin: '',
        disk: { isShort: () => false },
        body: { filename: 'a.png', contents: base64(png()) },
      } as never)

    it('the bytes are taken back', async () => {
      const before = await filesOnDisk(app)
      await expect(uploadWith(new Error('refused'))).rejects.toThrow('refused')
      expect(await filesOnDisk(app)).toEqual(before)
    })

    it('the bytes stay for the sweep while nobody knows whether the row was written after all', async () => {
      const before = await filesOnDisk(app)
      await expect(uploadWith(unavailable('The connection was lost.'))).rejects.toThrow('lost')
      expect(await filesOnDisk(app)).toHaveLength(before.length + 1)
    })
  })
})
