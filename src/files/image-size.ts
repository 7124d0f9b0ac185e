// Reads the size of a JPG, PNG, GIF, ICO, WebP or AVIF picture from its header. It decodes nothing, so a picture that unfolds into
// gigabytes costs no more than others. It counts every step, so a hostile file cannot keep the parser walking.

import { type FileHandle, open } from 'node:fs/promises'

type ImageSize = { width: number; height: number }

/** Null if the file has no size. `hidden` if the parser gave up before finding it; no honest program writes such a file. */
type MeasuredSize = ImageSize | null | 'hidden'

type Measurement = { size: MeasuredSize; steps: number; reads: number }

/** Reads up to `WINDOW` bytes from a position; fewer at the end of the file. */
type ReadWindow = (position: number) => Promise<Uint8Array>

// A segment of a JPG is at most 64 KB, so these reads reach 16 MB into the file: past any metadata a camera writes.
const MAX_READS = 256
const MAX_STEPS = 4_000
const WINDOW = 1_024

/** `head` holds the first bytes of the file at `path`. The file is opened only if the size lies further on. */
export async function readImageSize(head: Uint8Array, path: string): Promise<MeasuredSize> {
  let file: FileHandle | undefined
  try {
    const { size } = await measureImage(head, async (position) => {
      file ??= await open(path, 'r')
      const { buffer, bytesRead } = await file.read(new Uint8Array(WINDOW), 0, WINDOW, position)
      return buffer.subarray(0, bytesRead)
    })
    return size
  } finally {
    await file?.close()
  }
}

/** Like `readImageSize`, but also returns the steps and reads used. */
export async function measureImage(head: Uint8Array, readWindow: ReadWindow): Promise<Measurement> {
  const reader = new Reader(head, readWindow)
  const size = await sizeIn(head, reader)
  return { size: reader.isExhausted ? 'hidden' : size, steps: reader.steps, reads: reader.reads }
}

function sizeIn(head: Uint8Array, reader: Reader): ImageSize | null | Promise<ImageSize | null> {
  const view = new DataView(head.buffer, head.byteOffset, head.byteLength)
  if (startsWith(head, PNG)) return pngSize(view)
  if (startsWith(head, GIF87) || startsWith(head, GIF89)) return gifSize(view, reader)
  if (startsWith(head, ICO)) return icoSize(view, reader)
  if (startsWith(head, JPG)) return jpgSize(reader)
  if (startsWith(head, RIFF) && nameAt(view, 8) === 'WEBP') return webpSize(view)
  if (nameAt(view, 4) === 'ftyp') return avifSize(reader)
  return null
}

/** Reads a few bytes from anywhere in the file, until the budget is used up. */
class Reader {
  steps = 0
  reads = 0
  isExhausted = false
  readonly #readWindow: ReadWindow
  #window: Uint8Array
  #start = 0

  constructor(head: Uint8Array, readWindow: ReadWindow) {
    this.#window = head
    this.#readWindow = readWindow
  }

  /** Up to `most` bytes; fewer at the end of the file. Null if fewer than `least` are left, or the budget is used up. */
  async at(position: number, most: number, least = most): Promise<DataView | null> {
    if (this.steps === MAX_STEPS) return this.#giveUp()
    this.steps += 1
    // Reads a whole window per jump, not single bytes: neighbouring bytes come with it.
    if (position < this.#start || position + most > this.#start + this.#window.length) {
      if (this.reads === MAX_READS) return this.#giveUp()
      this.reads += 1
      this.#window = await this.#readWindow(position)
      this.#start = position
    }
    const bytes = this.#window.subarray(position - this.#start, position - this.#start + most)
    return bytes.length < least ? null : new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  }

  #giveUp(): null {
    this.isExhausted = true
    return null
  }
}

const RIFF = [...Buffer.from('RIFF')]
const PNG = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]
const GIF87 = [...Buffer.from('GIF87a')]
const GIF89 = [...Buffer.from('GIF89a')]
const ICO = [0, 0, 1, 0]
const JPG = [0xff, 0xd8, 0xff]

const startsWith = (bytes: Uint8Array, signature: readonly number[]): boolean =>
  signature.every((byte, at) => bytes[at] === byte)

const nameAt = (view: DataView, at: number): string =>
  at + 4 > view.byteLength ? '' : Buffer.from(view.buffer, view.byteOffset + at, 4).toString('latin1')

const sizeOrNull = (width: number, height: number): ImageSize | null =>
  width >= 1 && height >= 1 ? { width, height } : null

function largerSize(one: ImageSize | null, other: ImageSize | null): ImageSize | null {
  if (one === null || other === null) return one ?? other
  return other.width * other.height > one.width * one.height ? other : one
}

/** The standard requires the header chunk first, with 13 bytes. */
function pngSize(view: DataView): ImageSize | null {
  if (view.byteLength < 24 || view.getUint32(8) !== 13 || nameAt(view, 12) !== 'IHDR') return null
  return sizeOrNull(view.getUint32(16), view.getUint32(20))
}

/** The canvas, or the first frame if it is larger: viewers then enlarge the canvas. */
async function gifSize(view: DataView, reader: Reader): Promise<ImageSize | null> {
  if (view.byteLength < 13) return null
  const canvas = sizeOrNull(view.getUint16(6, true), view.getUint16(8, true))
  const flags = view.getUint8(10)
  let at = 13 + (flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0)
  for (;;) {
    const block = await reader.at(at, 9, 2)
    if (block?.getUint8(0) === 0x2c && block.byteLength === 9)
      return largerSize(canvas, canvas && sizeOrNull(block.getUint16(5, true), block.getUint16(7, true)))
    if (block?.getUint8(0) !== 0x21) return canvas
    // An extension: parts with a length before each, up to an empty part.
    at += 2
    for (let length = 1; length > 0; at += 1 + length) {
      const part = await reader.at(at, 1)
      if (part === null) return canvas
      length = part.getUint8(0)
    }
  }
}

/** The largest of its pictures, by the entries and by the pictures themselves. Checks at most 255 entries. */
async function icoSize(view: DataView, reader: Reader): Promise<ImageSize | null> {
  let size: ImageSize | null = null
  const count = view.byteLength < 6 ? 0 : Math.min(view.getUint16(4, true), 255)
  for (let entry = 0; entry < count && 6 + 16 * (entry + 1) <= view.byteLength; entry++) {
    const at = 6 + 16 * entry
    // One byte cannot hold 256, so zero means 256.
    size = largerSize(size, { width: view.getUint8(at) || 256, height: view.getUint8(at + 1) || 256 })
    const picture = await reader.at(view.getUint32(at + 12, true), 24)
    if (picture === null) continue
    // A PNG or a bitmap. The second half of a bitmap is its mask.
    const own = picture.getUint32(0) === 0x89504e47 ? pngSize(picture) : bitmapSize(picture)
    size = largerSize(size, own)
  }
  return size
}

const bitmapSize = (view: DataView): ImageSize | null =>
  view.getUint32(0, true) < 40
    ? null
    : sizeOrNull(Math.abs(view.getInt32(4, true)), Math.floor(Math.abs(view.getInt32(8, true)) / 2))

/** Walks the segments up to the first frame. */
async function jpgSize(reader: Reader): Promise<ImageSize | null> {
  for (let at = 2; ; ) {
    const segment = await reader.at(at, 9, 2)
    if (segment?.getUint8(0) !== 0xff) return null
    const marker = segment.getUint8(1)
    if (marker === 0xff) {
      at += 1
      continue
    }
    if (isBare(marker)) {
      at += 2
      continue
    }
    // Picture data or the end of the file: the size should have come before.
    if (marker === 0xda || marker === 0xd9 || marker === 0 || segment.byteLength < 4) return null
    const length = segment.getUint16(2)
    if (length < 2) return null
    if (isFrame(marker))
      return length < 8 || segment.byteLength < 9 ? null : sizeOrNull(segment.getUint16(7), segment.getUint16(5))
    at += 2 + length
  }
}

/** Markers without a length. */
const isBare = (marker: number): boolean => marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8)

/** Markers that begin a frame. The excluded ones do not. */
const isFrame = (marker: number): boolean =>
  marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc

/** The first chunk is a lossy picture, a lossless one, or the canvas of several. */
function webpSize(view: DataView): ImageSize | null {
  if (view.byteLength < 30) return null
  const part = nameAt(view, 12)
  if (part === 'VP8X') return sizeOrNull(1 + uint24(view, 24), 1 + uint24(view, 27))
  if (part === 'VP8L' && view.getUint8(20) === 0x2f) {
    const sides = view.getUint32(21, true)
    return sizeOrNull(1 + (sides & 0x3fff), 1 + ((sides >>> 14) & 0x3fff))
  }
  const isLossy = part === 'VP8 ' && view.getUint16(23) === 0x9d01 && view.getUint8(25) === 0x2a
  // The two highest bits are a scaling factor.
  return isLossy ? sizeOrNull(view.getUint16(26, true) & 0x3fff, view.getUint16(28, true) & 0x3fff) : null
}

const uint24 = (view: DataView, at: number): number => view.getUint16(at, true) + 65_536 * view.getUint8(at + 2)

/** Path to the sizes in an AVIF, as nested boxes. */
const AVIF_PATH = ['meta', 'iprp', 'ipco', 'ispe'] as const

/** The largest of the sizes: the file also lists those of its parts and of its preview. */
async function avifSize(reader: Reader): Promise<ImageSize | null> {
  let size: ImageSize | null = null
  const walk = async (depth: number, from: number, to: number): Promise<void> => {
    for (let at = from; at + 8 <= to; ) {
      const box = await reader.at(at, 20, 8)
      if (box === null) return
      const length = lengthOf(box, to - at)
      const content = box.getUint32(0) === 1 ? 16 : 8
      if (length < content) return
      if (nameAt(box, 4) === AVIF_PATH[depth]) {
        if (depth === 3) size = largerSize(size, box.byteLength < 20 || content === 16 ? null : sizeAt(box))
        // The first box has four bytes of its own before its child boxes.
        else await walk(depth + 1, at + content + (depth === 0 ? 4 : 0), Math.min(at + length, to))
        if (depth === 0) return
      }
      at += length
    }
  }
  await walk(0, 0, Number.MAX_SAFE_INTEGER)
  return size
}

const sizeAt = (box: DataView): ImageSize | null => sizeOrNull(box.getUint32(12), box.getUint32(16))

/** 0 means up to the end of the parent box; 1 means that a longer length follows. */
function lengthOf(box: DataView, remaining: number): number {
  const length = box.getUint32(0)
  if (length === 0) return remaining
  if (length > 1) return length
  return box.byteLength < 16 ? 0 : Number(box.getBigUint64(8))
}
