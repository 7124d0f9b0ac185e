// The size of a JPG, PNG, GIF, ICO, WebP or AVIF picture, read from its header. Nothing is ever decoded, so a picture that unfolds into
// gigabytes costs as much as any other; and every step is counted, so a hostile file cannot keep the parser walking.

import { type FileHandle, open } from 'node:fs/promises'

type ImageSize = { width: number; height: number }

/** Null when there is none to tell. `hidden` when it stands so far behind that the parser gave up: no honest program writes such a file. */
type MeasuredSize = ImageSize | null | 'hidden'

type Measurement = { size: MeasuredSize; steps: number; reads: number }

/** Gives up to `WINDOW` bytes from a position on; fewer at the end of the file. */
type ReadWindow = (position: number) => Promise<Uint8Array>

// A segment of a JPG is at most 64 KB, so these reads reach 16 MB into the file: past any metadata a camera writes.
const MOST_READS = 256
const MOST_STEPS = 4_000
const WINDOW = 1_024

/** `head` is the beginning of the file at `path`, which is opened only when the size stands further on. */
export async function imageSize(head: Uint8Array, path: string): Promise<MeasuredSize> {
  let file: FileHandle | undefined
  try {
    const { size } = await measure(head, async (position) => {
      file ??= await open(path, 'r')
      const { buffer, bytesRead } = await file.read(new Uint8Array(WINDOW), 0, WINDOW, position)
      return buffer.subarray(0, bytesRead)
    })
    return size
  } finally {
    await file?.close()
  }
}

/** `imageSize`, and how many steps and reads it took. */
export async function measure(head: Uint8Array, readWindow: ReadWindow): Promise<Measurement> {
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

/** A few bytes from anywhere in the file, as long as the budget lasts. */
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

  /** Up to `most` bytes; fewer at the end of the file. Null when there are fewer than `least`, or the budget is used up. */
  async at(position: number, most: number, least = most): Promise<DataView | null> {
    if (this.steps === MOST_STEPS) return this.#giveUp()
    this.steps += 1
    // A read for each jump, never for a byte: what lies close together comes with one window.
    if (position < this.#start || position + most > this.#start + this.#window.length) {
      if (this.reads === MOST_READS) return this.#giveUp()
      this.reads += 1
      this.#window = await this.#readWindow(position)
      this.#start = position
    }
    const found = this.#window.subarray(position - this.#start, position - this.#start + most)
    return found.length < least ? null : new DataView(found.buffer, found.byteOffset, found.byteLength)
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

const sized = (width: number, height: number): ImageSize | null =>
  width >= 1 && height >= 1 ? { width, height } : null

function larger(one: ImageSize | null, other: ImageSize | null): ImageSize | null {
  if (one === null || other === null) return one ?? other
  return other.width * other.height > one.width * one.height ? other : one
}

/** The header chunk comes first and is 13 bytes long, by the standard. */
function pngSize(view: DataView): ImageSize | null {
  if (view.byteLength < 24 || view.getUint32(8) !== 13 || nameAt(view, 12) !== 'IHDR') return null
  return sized(view.getUint32(16), view.getUint32(20))
}

/** The canvas, or the first frame where that is larger: programs that show it make the canvas as large. */
async function gifSize(view: DataView, reader: Reader): Promise<ImageSize | null> {
  if (view.byteLength < 13) return null
  const canvas = sized(view.getUint16(6, true), view.getUint16(8, true))
  const flags = view.getUint8(10)
  let at = 13 + (flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0)
  for (;;) {
    const block = await reader.at(at, 9, 2)
    if (block?.getUint8(0) === 0x2c && block.byteLength === 9)
      return larger(canvas, canvas && sized(block.getUint16(5, true), block.getUint16(7, true)))
    if (block?.getUint8(0) !== 0x21) return canvas
    // An extension: parts with their length before them, up to an empty one.
    at += 2
    for (let length = 1; length > 0; at += 1 + length) {
      const part = await reader.at(at, 1)
      if (part === null) return canvas
      length = part.getUint8(0)
    }
  }
}

/** The largest of its pictures, as the entries tell it and as the pictures themselves do. At most 255 entries are looked at. */
async function icoSize(view: DataView, reader: Reader): Promise<ImageSize | null> {
  let size: ImageSize | null = null
  const count = view.byteLength < 6 ? 0 : Math.min(view.getUint16(4, true), 255)
  for (let entry = 0; entry < count && 6 + 16 * (entry + 1) <= view.byteLength; entry++) {
    const at = 6 + 16 * entry
    // A byte cannot say 256, so zero does.
    size = larger(size, { width: view.getUint8(at) || 256, height: view.getUint8(at + 1) || 256 })
    const picture = await reader.at(view.getUint32(at + 12, true), 24)
    if (picture === null) continue
    // A PNG, or a bitmap of which the second half is the mask.
    const own = picture.getUint32(0) === 0x89504e47 ? pngSize(picture) : bitmapSize(picture)
    size = larger(size, own)
  }
  return size
}

const bitmapSize = (view: DataView): ImageSize | null =>
  view.getUint32(0, true) < 40
    ? null
    : sized(Math.abs(view.getInt32(4, true)), Math.floor(Math.abs(view.getInt32(8, true)) / 2))

/** Walks from segment to segment until the one that begins a frame. */
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
    // The picture itself, or its end: the size should have come before.
    if (marker === 0xda || marker === 0xd9 || marker === 0 || segment.byteLength < 4) return null
    const length = segment.getUint16(2)
    if (length < 2) return null
    if (isFrame(marker))
      return length < 8 || segment.byteLength < 9 ? null : sized(segment.getUint16(7), segment.getUint16(5))
    at += 2 + length
  }
}

/** Markers that stand alone, without a length. */
const isBare = (marker: number): boolean => marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8)

/** Begins a frame; the four left out begin tables. */
const isFrame = (marker: number): boolean =>
  marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc

/** Its first part is a lossy picture, a lossless one, or the canvas of several. */
function webpSize(view: DataView): ImageSize | null {
  if (view.byteLength < 30) return null
  const part = nameAt(view, 12)
  if (part === 'VP8X') return sized(1 + uint24(view, 24), 1 + uint24(view, 27))
  if (part === 'VP8L' && view.getUint8(20) === 0x2f) {
    const sides = view.getUint32(21, true)
    return sized(1 + (sides & 0x3fff), 1 + ((sides >>> 14) & 0x3fff))
  }
  const isLossy = part === 'VP8 ' && view.getUint16(23) === 0x9d01 && view.getUint8(25) === 0x2a
  // The two highest bits say how much it is to be scaled.
  return isLossy ? sized(view.getUint16(26, true) & 0x3fff, view.getUint16(28, true) & 0x3fff) : null
}

const uint24 = (view: DataView, at: number): number => view.getUint16(at, true) + 65_536 * view.getUint8(at + 2)

/** Where the sizes of an AVIF stand: a box inside of a box. */
const AVIF_PATH = ['meta', 'iprp', 'ipco', 'ispe'] as const

/** The largest of the sizes: those of the parts of a picture and of its preview stand beside its own. */
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
        if (depth === 3) size = larger(size, box.byteLength < 20 || content === 16 ? null : sizeAt(box))
        // The first one has four bytes of its own before the boxes inside of it.
        else await walk(depth + 1, at + content + (depth === 0 ? 4 : 0), Math.min(at + length, to))
        if (depth === 0) return
      }
      at += length
    }
  }
  await walk(0, 0, Number.MAX_SAFE_INTEGER)
  return size
}

const sizeAt = (box: DataView): ImageSize | null => sized(box.getUint32(12), box.getUint32(16))

/** 0 means to the end of what it is in, 1 that a longer length follows. */
function lengthOf(box: DataView, left: number): number {
  const length = box.getUint32(0)
  if (length === 0) return left
  if (length > 1) return length
  return box.byteLength < 16 ? 0 : Number(box.getBigUint64(8))
}
