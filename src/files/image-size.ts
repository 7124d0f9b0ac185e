// The size of a JPG, PNG, GIF or ICO picture, read from its header. Nothing is ever decoded, so a picture that unfolds into
// gigabytes costs as much as any other; and every step is counted, so a hostile file cannot keep the parser walking.

import { type FileHandle, open } from 'node:fs/promises'

type ImageSize = { width: number; height: number }

/** Gives up to `WINDOW` bytes from a position on; fewer at the end of the file. */
type ReadWindow = (position: number) => Promise<Uint8Array>

// Beyond this no browser shows a picture, and JPG and GIF cannot say more.
const LONGEST_SIDE = 65_535

// A segment of a JPG is at most 64 KB, so these reads reach 16 MB into the file: past any metadata a camera writes.
const MOST_READS = 256
const MOST_STEPS = 4_000
const WINDOW = 1_024

/** `head` is the beginning of the file at `path`, which is opened only when the size stands further on. Null when there is none to tell. */
export async function imageSize(head: Uint8Array, path: string): Promise<ImageSize | null> {
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
export async function measure(
  head: Uint8Array,
  readWindow: ReadWindow,
): Promise<{ size: ImageSize | null; steps: number; reads: number }> {
  const view = new DataView(head.buffer, head.byteOffset, head.byteLength)
  if (startsWith(head, PNG)) return { size: pngSize(head, view), steps: 1, reads: 0 }
  if (startsWith(head, GIF87) || startsWith(head, GIF89)) return { size: gifSize(view), steps: 1, reads: 0 }
  if (startsWith(head, ICO)) return icoSize(view)
  if (startsWith(head, JPG)) return jpgSize(head, readWindow)
  return { size: null, steps: 1, reads: 0 }
}

const PNG = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]
const GIF87 = [...Buffer.from('GIF87a')]
const GIF89 = [...Buffer.from('GIF89a')]
const ICO = [0, 0, 1, 0]
const JPG = [0xff, 0xd8, 0xff]

const startsWith = (bytes: Uint8Array, signature: readonly number[]): boolean =>
  signature.every((byte, at) => bytes[at] === byte)

function sane(width: number, height: number): ImageSize | null {
  const isSane = (side: number) => side >= 1 && side <= LONGEST_SIDE
  return isSane(width) && isSane(height) ? { width, height } : null
}

/** The header chunk comes first and is 13 bytes long, by the standard. */
function pngSize(head: Uint8Array, view: DataView): ImageSize | null {
  if (head.length < 33 || view.getUint32(8) !== 13 || view.getUint32(12) !== 0x49484452) return null
  return sane(view.getUint32(16), view.getUint32(20))
}

/** The size of the canvas; the frames may be smaller. */
function gifSize(view: DataView): ImageSize | null {
  return view.byteLength < 13 ? null : sane(view.getUint16(6, true), view.getUint16(8, true))
}

/** The largest of its pictures. There are at most 255 entries in what we look at. */
function icoSize(view: DataView): { size: ImageSize | null; steps: number; reads: number } {
  let size: ImageSize | null = null
  let steps = 0
  const count = view.byteLength < 6 ? 0 : Math.min(view.getUint16(4, true), 255)
  for (; steps < count && 6 + 16 * (steps + 1) <= view.byteLength; steps++) {
    const at = 6 + 16 * steps
    // A byte cannot say 256, so zero does.
    const width = view.getUint8(at) || 256
    const height = view.getUint8(at + 1) || 256
    if (size === null || width * height > size.width * size.height) size = { width, height }
  }
  return { size, steps: steps + 1, reads: 0 }
}

/** Walks from segment to segment until the one that begins a frame. */
async function jpgSize(head: Uint8Array, readWindow: ReadWindow) {
  let window = head
  let windowStart = 0
  let steps = 0
  let reads = 0
  const result = (size: ImageSize | null) => ({ size, steps, reads })
  let at = 2
  while (steps < MOST_STEPS) {
    steps += 1
    if (at + 9 > windowStart + window.length) {
      // A read for each jump, never for a byte: segments that lie close together come with one window.
      if (reads === MOST_READS) break
      reads += 1
      window = await readWindow(at)
      windowStart = at
    }
    const [mark, marker, high = 0, low = 0, , ...sides] = window.subarray(at - windowStart, at - windowStart + 9)
    if (mark !== 0xff || marker === undefined) break
    if (marker === 0xff) {
      at += 1
      continue
    }
    if (isBare(marker)) {
      at += 2
      continue
    }
    // The picture itself, or its end: the size should have come before.
    if (marker === 0xda || marker === 0xd9 || marker === 0) break
    const length = high * 256 + low
    if (length < 2) break
    if (isFrame(marker)) {
      const [h1, h2, w1, w2] = sides
      if (length < 8 || h1 === undefined || h2 === undefined || w1 === undefined || w2 === undefined) break
      return result(sane(w1 * 256 + w2, h1 * 256 + h2))
    }
    at += 2 + length
  }
  return result(null)
}

/** Markers that stand alone, without a length. */
const isBare = (marker: number): boolean => marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8)

/** Begins a frame; the four left out begin tables. */
const isFrame = (marker: number): boolean =>
  marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc
