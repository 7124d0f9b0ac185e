// @sampled: hostile files are tried in the proof.
import { unlink } from 'node:fs/promises'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { discard } from '../../src/files/receive.ts'
import { acceptedTypes, detectType, type FileType } from '../../src/files/type.ts'
import { isProof } from '../support/proof.ts'
import {
  bytes,
  contentTypes,
  docx,
  gif,
  ico,
  id3,
  jpg,
  lateDocx,
  oldOffice,
  png,
  SAMPLES,
  wmv,
  zip,
} from './samples.ts'
import { received, scratchFolder, seeded } from './scratch.ts'

const folder = await scratchFolder()

async function typesOf(content: Uint8Array | string, filenames: string[]): Promise<(FileType | null)[]> {
  const file = await received(folder, content)
  try {
    return await Promise.all(filenames.map((filename) => detectType(file, filename)))
  } finally {
    await discard(file)
  }
}

async function typeOf(content: Uint8Array | string, filename: string): Promise<FileType | null> {
  const [type = null] = await typesOf(content, [filename])
  return type
}

const IMAGES = ['jpg', 'png', 'gif', 'ico', 'webp', 'avif']

describe('every accepted type', () => {
  test('is named in the list', () => {
    expect(acceptedTypes).toEqual(Object.keys(SAMPLES))
  })

  test.each(Object.entries(SAMPLES))('%s is known by content and name', async (extension, { contentType, samples }) => {
    const expected = { extension, contentType, isImage: IMAGES.includes(extension) }
    for (const sample of samples) {
      expect(await typeOf(sample, `file.${extension}`)).toEqual(expected)
      expect(await typeOf(sample, `FILE.${extension.toUpperCase()}`)).toEqual(expected)
    }
  })

  test.each([
    ['jpg', 'a.jpeg'],
    ['jpg', 'a.jpe'],
    ['jpg', 'a.jfif'],
    ['mpg', 'a.mpeg'],
    ['ogg', 'a.oga'],
  ])('%s may also be called %s', async (extension, filename) => {
    expect((await typeOf(SAMPLES[extension]?.samples[0] ?? '', filename))?.extension).toBe(extension)
  })

  const NAMED = ['doc', 'ppt', 'xls', 'wmv']
  const OTHERS = Object.keys(SAMPLES).filter((extension) => !NAMED.includes(extension))
  test.each(OTHERS)('%s needs no extension', async (extension) => {
    for (const filename of ['file', 'Invoice 1.2', 'Dr. Who', '.', ''])
      expect((await typeOf(SAMPLES[extension]?.samples[0] ?? '', filename))?.extension).toBe(extension)
  })

  test.each<[string, Uint8Array]>([
    ['old Office', oldOffice()],
    ['Windows Media', wmv()],
  ])('%s needs one, as several types share the container', async (_, sample) => {
    expect(await typeOf(sample, 'file')).toBeNull()
  })
})

describe('a name that claims another type than the content has', () => {
  test('is refused, for every pair of types that do not share contents', async () => {
    const related = new Set(['doc,ppt', 'doc,xls', 'ppt,xls', 'm4a,m4v', 'm4a,mov', 'm4a,3gp', 'm4a,3g2', 'ogg,ogv'])
    const family = new Set(['mp4', 'm4v', 'm4a', 'mov', '3gp', '3g2'])
    let refused = 0
    for (const [type, { samples }] of Object.entries(SAMPLES)) {
      const [sample = ''] = samples
      for (const other of acceptedTypes) {
        if (other === type || related.has(`${type},${other}`) || related.has(`${other},${type}`)) continue
        if (family.has(type) && family.has(other)) continue
        if (other === 'zip' && ['docx', 'pptx', 'xlsx', 'odt'].includes(type)) continue
        expect([type, other, await typeOf(sample, `file.${other}`)]).toEqual([type, other, null])
        refused += 1
      }
    }
    expect(refused).toBeGreaterThan(650)
  })

  test.each(['html', 'svg', 'webp', 'docm', 'png.html', 'html.', 'html. ', 'html\0', 'ht\u202eml', 'PHP5'])(
    'a picture called file.%s is refused',
    async (extension) => {
      expect(await typeOf(png(3, 2), `file.${extension}`)).toBeNull()
    },
  )
})

describe('everything else', () => {
  const HTML = '<!doctype html><html><script>alert(1)</script></html>'
  const SVG = '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>'

  test.each<[string, Uint8Array | string]>([
    ['nothing', ''],
    ['HTML', HTML],
    ['HTML behind a byte order mark', `\ufeff${HTML}`],
    ['HTML in UTF-16', bytes([0xff, 0xfe], Buffer.from(HTML, 'utf16le'))],
    ['HTML behind a comment that names a box', `<!--moov--><script>alert(1)</script>${' '.repeat(100)}`],
    ['HTML behind the signature of an icon', bytes([0, 0, 1, 0], HTML)],
    ['HTML that calls itself a GIF', `GIF89a/*${HTML}*/=1;`],
    ['a script that calls itself a GIF', 'GIF89a=1;alert(document.domain)'],
    ['HTML behind the beginning of a JPG', bytes([0xff, 0xd8, 0xff], HTML)],
    ['HTML behind the signature of a PNG', bytes('\x89PNG\r\n\x1a\n', HTML)],
    ['HTML behind two bytes of an MP3', bytes([0xff, 0xfb], HTML)],
    ['SVG', SVG],
    ['XML', '<?xml version="1.0"?><a/>'],
    ['a program of Windows', bytes('MZ', Buffer.alloc(100))],
    ['a program of Linux', bytes('\x7fELF', Buffer.alloc(100))],
    ['a RIFF of another form', bytes('RIFF', [0, 0, 0, 0], 'RMIDdata', Buffer.alloc(40))],
    ['HEIC', bytes([0, 0, 0, 20], 'ftypheic', Buffer.alloc(40))],
    ['a cursor', bytes([0, 0, 2, 0], ico(16).subarray(4))],
    ['gzip', gzipSync(Buffer.alloc(1_000))],
    ['AAC', bytes([0xff, 0xf1], Buffer.alloc(40))],
    ['a tag before a picture', id3(10, png(3, 2))],
    ['zeros', Buffer.alloc(5_000)],
  ])('%s is refused under every name', async (what, content) => {
    // A tag of titles makes an MP3 of whatever follows, and is served as nothing else.
    const exception = what === 'a tag before a picture' ? 'mp3' : ''
    const names = [...acceptedTypes, 'html', 'svg'].filter((extension) => extension !== exception)
    const filenames = ['file', ...names.map((extension) => `file.${extension}`)]
    expect(await typesOf(content, filenames)).toEqual(filenames.map(() => null))
  })

  const MACROS = '<T ContentType="application/vnd.ms-word.document.macroenabled.main+xml"/>'
  test.each<[string, string, Uint8Array]>([
    ['an archive without documents', 'a.docx', zip('a.txt')],
    ['an archive of a spreadsheet', 'a.docx', zip(contentTypes('spreadsheetml.sheet'), 'xl/workbook.xml')],
    ['a document with macros', 'a.docx', zip({ ...contentTypes('x'), data: MACROS }, 'word/document.xml')],
    ['a document with macros written last', 'a.docx', lateDocx(2_000_000, ['word/vbaProject.bin'])],
    ['an archive with a folder of the name only', 'a.docx', zip('word/document.xml')],
    ['an archive', 'a.odt', zip('mimetype.txt')],
    ['a program', 'a', zip('META-INF/MANIFEST.MF')],
    ['a book', 'a', zip({ name: 'mimetype', data: 'application/epub+zip' })],
    ['a document in a container of old', 'a.docx', oldOffice()],
  ])('%s called %s is refused', async (_, filename, content) => {
    expect(await typeOf(content, filename)).toBeNull()
  })

  test('a real picture that carries a page behind it is a picture, and is only ever served as one', async () => {
    for (const [extension, picture] of Object.entries({ gif: gif(3, 2), png: png(3, 2), jpg: jpg(3, 2) }))
      expect(await typeOf(bytes(picture, HTML), `file.${extension}`)).toMatchObject({ extension, isImage: true })
  })
})

describe.runIf(isProof)('hostile files', () => {
  const inTime = async (content: Uint8Array, filename: string) => {
    const started = performance.now()
    const type = await typeOf(content, filename)
    expect(performance.now() - started).toBeLessThan(9_000)
    return type?.extension ?? null
  }

  test('a bomb in the table of contents is not unfolded', async () => {
    const bomb = zip(
      { name: '[Content_Types].xml', data: Buffer.alloc(200 * 1_048_576), isDeflated: true },
      'word/document.xml',
    )
    expect(bomb.length).toBeLessThan(1_048_576)
    const before = process.memoryUsage().rss
    expect(await inTime(bomb, 'a.zip')).toBe('zip')
    expect(process.memoryUsage().rss - before).toBeLessThan(100 * 1_048_576)
  })

  test('a bomb that lies about its size is cut off', async () => {
    const bomb = zip({ name: 'mimetype', data: Buffer.alloc(100 * 1_048_576), isDeflated: true })
    // Says in its header that one byte comes out.
    bomb.writeUInt32LE(1, 22)
    expect(await inTime(bomb, 'a.zip')).toBe('zip')
    expect(await inTime(bomb, 'a.odt')).toBeNull()
  })

  test('an archive of 60,000 entries is not walked through', async () => {
    const many = zip(...Array.from({ length: 60_000 }, (_, at) => `a${at}`))
    expect(await inTime(many, 'a.zip')).toBe('zip')
    expect(await inTime(many, 'a.docx')).toBeNull()
  })

  test.each<[string, Uint8Array, string]>([
    ['entries of 65,535 letters', zip(...Array.from({ length: 100 }, () => 'classes'.repeat(9_362))), 'a.zip'],
    [
      'descriptors without end',
      zip(
        ...Array.from({ length: 900 }, () => ({
          name: 'a',
          data: Buffer.alloc(9_000, 'PK\x07\x08'),
          hasDescriptor: true,
        })),
      ),
      'a.docx',
    ],
    ['chunks without end', png(3, 2, Buffer.alloc(2_000_000, bytes([0, 0, 0, 0], 'tEXt', [0, 0, 0, 0]))), 'a.png'],
    ['tags in tags', Buffer.alloc(2_000_000, bytes('ID3', [3, 0, 0, 0, 0, 0, 0])), 'a.mp3'],
    ['marks of byte order', Buffer.alloc(2_000_000, bytes([0xef, 0xbb, 0xbf])), 'a.mp3'],
    [
      'headers without end',
      bytes(wmv().subarray(0, 30), Buffer.alloc(2_000_000, bytes(Buffer.alloc(16, 'q'), [24, 0, 0, 0, 0, 0, 0, 0]))),
      'a.wmv',
    ],
    [
      'a directory that points to itself',
      bytes('PK\x03\x04', Buffer.alloc(60), 'PK\x05\x06', Buffer.alloc(12, 255), Buffer.alloc(6)),
      'a.docx',
    ],
  ])('%s come to an end', async (_, content, filename) => {
    await inTime(content, filename)
  })

  test('a thousand mutated samples neither throw nor hang', async () => {
    const random = seeded(20_260_102)
    const all = Object.entries(SAMPLES).flatMap(([extension, { samples }]) =>
      samples.filter((sample) => sample.length < 10_000).map((sample) => ({ extension, sample })),
    )
    for (let round = 0; round < 1_000; round++) {
      const { extension, sample } = all[random(all.length)] ?? { extension: 'x', sample: bytes() }
      const mutated = Buffer.from(sample)
      for (let change = random(6) + 1; change > 0; change--) mutated[random(mutated.length)] = random(256)
      const cut = random(3) === 0 ? mutated.subarray(0, random(mutated.length)) : mutated
      const type = await typeOf(cut, random(2) === 0 ? `a.${extension}` : 'a')
      if (type) expect(acceptedTypes).toContain(type.extension)
    }
  })

  test('a file that has gone is our fault', async () => {
    const file = await received(folder, docx())
    await unlink(file.path)
    await expect(detectType(file, 'a.docx')).rejects.toMatchObject({ status: 503, type: 'unavailable' })
  })

  test('a name of a million signs is read in time', async () => {
    for (const filename of ['.'.repeat(1_000_000), `${' .'.repeat(500_000)} x`, '\u202e'.repeat(1_000_000)])
      expect(await inTime(png(3, 2), filename)).toBe('png')
    expect(await inTime(png(3, 2), `page.html${' '.repeat(1_000_000)}`)).toBeNull()
  })
})
