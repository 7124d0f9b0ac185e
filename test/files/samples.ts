// The smallest honest file of each accepted type, made by hand from its format's description.

import { crc32, deflateRawSync, deflateSync } from 'node:zlib'

type Part = string | number[] | Uint8Array

export const bytes = (...parts: Part[]): Buffer => joined(parts)

/** Of any number of parts: as arguments of a call some ten thousand are too many. */
const joined = (parts: readonly Part[]): Buffer =>
  Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : Buffer.from(part))))

const u16 = (value: number) => [value >> 8, value & 255]
const u32 = (value: number) => [value >>> 24, (value >>> 16) & 255, (value >>> 8) & 255, value & 255]
const u16le = (value: number) => u16(value).reverse()
const u32le = (value: number) => u32(value).reverse()

const chunk = (name: string, data: Uint8Array): Buffer =>
  bytes(u32(data.length), name, data, u32(crc32(bytes(name, data))))

export function png(width: number, height: number, before: Buffer = bytes()): Buffer {
  const header = bytes(u32(width), u32(height), [8, 0, 0, 0, 0])
  const pixels = deflateSync(Buffer.alloc(Math.min((width + 1) * height, 10_000)))
  return bytes('\x89PNG\r\n\x1a\n', chunk('IHDR', header), before, chunk('IDAT', pixels), chunk('IEND', bytes()))
}

export const apng = (): Buffer => png(3, 2, chunk('acTL', bytes(u32(1), u32(0))))

export const gif = (width: number, height: number, version = '89a'): Buffer =>
  bytes(
    `GIF${version}`,
    u16le(width),
    u16le(height),
    [0x80, 0, 0],
    [0, 0, 0, 255, 255, 255],
    [0x2c, 0, 0, 0, 0],
    u16le(width),
    u16le(height),
    [0, 2, 2, 0x44, 1, 0, 0x3b],
  )

export const segment = (marker: number, data: Uint8Array): Buffer => bytes([0xff, marker], u16(data.length + 2), data)

export function jpg(width: number, height: number, before: Buffer = bytes(), frame = 0xc0): Buffer {
  const header = bytes([8], u16(height), u16(width), [1, 1, 0x11, 0])
  return bytes(
    [0xff, 0xd8],
    segment(0xe0, bytes('JFIF\0', [1, 1, 0, 0, 1, 0, 1, 0, 0])),
    before,
    segment(frame, header),
    segment(0xda, bytes([1, 1, 0, 0, 63, 0])),
    [0x12, 0x34],
    [0xff, 0xd9],
  )
}

/** 256 is written as zero. */
export const ico = (...sides: number[]): Buffer => icoOf(png(1, 1), ...sides)

export function icoOf(picture: Buffer, ...sides: number[]): Buffer {
  const start = 6 + 16 * sides.length
  const entries = sides.map((side, at) =>
    bytes([side % 256, side % 256, 0, 0, 1, 0, 32, 0], u32le(picture.length), u32le(start + at * picture.length)),
  )
  return bytes([0, 0, 1, 0], u16le(sides.length), ...entries, ...sides.map(() => picture))
}

const u24le = (value: number) => u32le(value).slice(0, 3)

const webp = (part: string, content: Uint8Array): Buffer =>
  bytes('RIFF', u32le(12 + content.length), 'WEBP', part, u32le(content.length), content)

export const webpLossy = (width: number, height: number): Buffer =>
  webp('VP8 ', bytes([0x30, 1, 0, 0x9d, 1, 0x2a], u16le(width), u16le(height), Buffer.alloc(10)))

export const webpLossless = (width: number, height: number): Buffer =>
  webp('VP8L', bytes([0x2f], u32le((width - 1) | ((height - 1) << 14)), Buffer.alloc(11)))

/** With transparency or several frames: what follows is within this canvas. */
export const webpCanvas = (width: number, height: number): Buffer =>
  webp('VP8X', bytes([0x10, 0, 0, 0], u24le(width - 1), u24le(height - 1), Buffer.alloc(10)))

export const box = (name: string, ...content: Part[]): Buffer => {
  const inside = joined(content)
  return bytes(u32(8 + inside.length), name, inside)
}

export const ispe = (width: number, height: number): Buffer => box('ispe', u32(0), u32(width), u32(height))

/** `properties` stand behind those of the picture, `before` in front of the box of sizes. */
export const avif = (width: number, height: number, properties: Buffer = bytes(), before: Buffer = bytes()): Buffer =>
  bytes(
    box('ftyp', 'avif', u32(0), 'avifmif1'),
    box(
      'meta',
      u32(0),
      box('hdlr', Buffer.alloc(24)),
      before,
      box('iprp', box('ipco', box('pixi', Buffer.alloc(8)), ispe(width, height), properties), box('ipma', u32(0))),
    ),
    box('mdat', Buffer.alloc(20)),
  )

type Entry = { name: string; data?: string | Uint8Array; isDeflated?: boolean; hasDescriptor?: boolean }

export function zip(...entries: (Entry | string)[]): Buffer {
  const locals: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const entry of entries) {
    const {
      name,
      data = 'x',
      isDeflated = false,
      hasDescriptor = false,
    } = typeof entry === 'string' ? { name: entry } : entry
    const plain = bytes(data)
    const packed = isDeflated ? deflateRawSync(plain) : plain
    const common = bytes(u16le(20), u16le(hasDescriptor ? 8 : 0), u16le(isDeflated ? 8 : 0), u32le(0))
    const sums = bytes(u32le(crc32(plain)), u32le(packed.length), u32le(plain.length))
    const local = bytes(
      'PK\x03\x04',
      common,
      hasDescriptor ? Buffer.alloc(12) : sums,
      u16le(name.length),
      u16le(0),
      name,
      packed,
      hasDescriptor ? bytes('PK\x07\x08', sums) : bytes(),
    )
    directory.push(
      bytes('PK\x01\x02', u16le(20), common, sums, u16le(name.length), Buffer.alloc(12), u32le(offset), name),
    )
    locals.push(local)
    offset += local.length
  }
  const listed = joined(directory)
  const count = u16le(entries.length)
  return bytes(
    joined(locals),
    listed,
    'PK\x05\x06',
    u32le(0),
    count,
    count,
    u32le(listed.length),
    u32le(offset),
    u16le(0),
  )
}

export const contentTypes = (main: string): Entry => ({
  name: '[Content_Types].xml',
  data: `<Types><Override PartName="/x" ContentType="application/vnd.openxmlformats-officedocument.${main}.main+xml"/></Types>`,
  isDeflated: true,
})

/** As Word writes it: the table of contents first. */
export const docx = () => zip(contentTypes('wordprocessingml.document'), '_rels/.rels', 'word/document.xml')
export const pptx = () => zip(contentTypes('presentationml.presentation'), '_rels/.rels', 'ppt/presentation.xml')
export const xlsx = () => zip(contentTypes('spreadsheetml.sheet'), '_rels/.rels', 'xl/workbook.xml')
export const odt = () => zip({ name: 'mimetype', data: 'application/vnd.oasis.opendocument.text' }, 'content.xml')

/** As LibreOffice writes it: lengths after the data, the table of contents last. */
export const lateDocx = (padding: number, extra: string[] = []) =>
  zip(
    { name: '_rels/.rels', hasDescriptor: true },
    { name: 'word/media/image1.png', data: Buffer.alloc(padding, 'p'), hasDescriptor: true },
    { name: 'word/document.xml', isDeflated: true, hasDescriptor: true },
    ...extra,
    contentTypes('wordprocessingml.document'),
  )

export const oldOffice = () => bytes('\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1', Buffer.alloc(1_528))
const ftyp = (brand: string) => bytes(u32(20), 'ftyp', brand, u32(0), brand, u32(8), 'mdat')
const ogg = (codec: string) => bytes('OggS', [0, 2], Buffer.alloc(20), [1, 30], codec, Buffer.alloc(30))
const riff = (form: string) => bytes('RIFF', u32le(36), form, 'fmt ', u32le(16), Buffer.alloc(24))

const ASF = '\x30\x26\xb2\x75\x8e\x66\xcf\x11\xa6\xd9\x00\xaa\x00\x62\xce\x6c'
const STREAM_PROPERTIES = '\x91\x07\xdc\xb7\xb7\xa9\xcf\x11\x8e\xe6\x00\xc0\x0c\x20\x53\x65'
const VIDEO = '\xc0\xef\x19\xbc\x4d\x5b\xcf\x11\xa8\xfd\x00\x80\x5f\x5c\x44\x2b'
const u64le = (value: number) => [...u32le(value), 0, 0, 0, 0]

export const wmv = () =>
  bytes(ASF, u64le(130), u32le(1), [1, 2], STREAM_PROPERTIES, u64le(100), VIDEO, Buffer.alloc(60))

const mp3Frames = () => bytes(...Array.from({ length: 3 }, () => bytes([0xff, 0xfb, 0x90, 0], Buffer.alloc(413))))
export const id3 = (size: number, rest: Uint8Array) =>
  bytes('ID3', [3, 0, 0, 0, 0, size >> 7, size & 127], Buffer.alloc(size), rest)

/** Type → its content type and samples of it. */
export const SAMPLES: Record<string, { contentType: string; samples: Buffer[] }> = {
  jpg: { contentType: 'image/jpeg', samples: [jpg(3, 2), jpg(3, 2, bytes(), 0xc2)] },
  png: { contentType: 'image/png', samples: [png(3, 2), apng()] },
  gif: { contentType: 'image/gif', samples: [gif(3, 2), gif(3, 2, '87a')] },
  ico: { contentType: 'image/x-icon', samples: [ico(16), ico(16, 256)] },
  webp: { contentType: 'image/webp', samples: [webpLossy(3, 2), webpLossless(3, 2), webpCanvas(3, 2)] },
  avif: { contentType: 'image/avif', samples: [avif(3, 2)] },
  pdf: {
    contentType: 'application/pdf',
    samples: [bytes('%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj\n<<>>\nendobj\n%%EOF\n')],
  },
  doc: { contentType: 'application/msword', samples: [oldOffice()] },
  docx: {
    contentType: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
    samples: [docx(), lateDocx(10), lateDocx(3_000_000)],
  },
  ppt: { contentType: 'application/vnd.ms-powerpoint', samples: [oldOffice()] },
  pptx: { contentType: 'application/vnd.openxmlformats-officedocument.presentationml.presentation', samples: [pptx()] },
  odt: { contentType: 'application/vnd.oasis.opendocument.text', samples: [odt()] },
  xls: { contentType: 'application/vnd.ms-excel', samples: [oldOffice()] },
  xlsx: { contentType: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', samples: [xlsx()] },
  mp3: {
    contentType: 'audio/mpeg',
    samples: [mp3Frames(), id3(200, mp3Frames()), id3(100, bytes(Buffer.alloc(300), mp3Frames()))],
  },
  m4a: { contentType: 'audio/mp4', samples: [ftyp('M4A '), ftyp('mp42')] },
  ogg: { contentType: 'audio/ogg', samples: [ogg('\x01vorbis'), ogg('OpusHead'), ogg('\x7fFLAC'), ogg('fishead\0')] },
  wav: { contentType: 'audio/wav', samples: [riff('WAVE')] },
  flac: {
    contentType: 'audio/flac',
    samples: [bytes('fLaC', [0x80, 0, 0, 34], Buffer.alloc(34)), id3(20, bytes('fLaC', Buffer.alloc(40)))],
  },
  mp4: { contentType: 'video/mp4', samples: [ftyp('isom'), ftyp('mp42'), ftyp('avc1'), ftyp('M4V ')] },
  m4v: { contentType: 'video/x-m4v', samples: [ftyp('M4V '), ftyp('mp42')] },
  mov: { contentType: 'video/quicktime', samples: [ftyp('qt  '), bytes(u32(8), 'wide', u32(8), 'mdat')] },
  wmv: { contentType: 'video/x-ms-wmv', samples: [wmv()] },
  avi: { contentType: 'video/x-msvideo', samples: [riff('AVI ')] },
  mpg: {
    contentType: 'video/mpeg',
    samples: [
      bytes([0, 0, 1, 0xba, 0x44], Buffer.alloc(30)),
      bytes([0, 0, 1, 0xba, 0x21], Buffer.alloc(30)),
      bytes([0, 0, 1, 0xb3], Buffer.alloc(30)),
    ],
  },
  ogv: { contentType: 'video/ogg', samples: [ogg('\x80theora'), ogg('fishead\0')] },
  '3gp': { contentType: 'video/3gpp', samples: [ftyp('3gp5')] },
  '3g2': { contentType: 'video/3gpp2', samples: [ftyp('3g2a')] },
  zip: {
    contentType: 'application/zip',
    samples: [zip('a.txt'), zip(), docx(), odt(), zip('META-INF/MANIFEST.MF', 'a.class')],
  },
  rar: {
    contentType: 'application/vnd.rar',
    samples: [bytes('Rar!\x1a\x07\0', Buffer.alloc(20)), bytes('Rar!\x1a\x07\x01\0', Buffer.alloc(20))],
  },
}
