// Whether a file begins as one of the accepted formats begins. It is asked before any library looks at the file, so that formats
// we do not accept (a gzip that unfolds, a text behind a byte order mark) never reach a parser at all.

/** `head` is the beginning of a file of `size` bytes. */
export function isPlausible({ head, size }: { head: Uint8Array; size: number }): boolean {
  const view = new DataView(head.buffer, head.byteOffset, head.byteLength)
  if (head.length < 8) return false
  return (
    isGif(head) ||
    isIco(head, view, size) ||
    isJpg(head) ||
    isMovie(head, view, size) ||
    isRiff(head) ||
    isMpegAudio(head) ||
    SIGNATURES.some((signature) => hasBytes(head, 0, signature))
  )
}

/** PNG, PDF, the old Office container, ZIP (also an empty one), RAR 4 and 5, ID3 before MP3, Ogg, FLAC, WMV, MPG. */
const SIGNATURES = [
  '\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR',
  '%PDF-',
  '\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1',
  'PK\x03\x04',
  'PK\x05\x06',
  'Rar!\x1a\x07\x00',
  'Rar!\x1a\x07\x01\x00',
  'ID3\x02',
  'ID3\x03',
  'ID3\x04',
  'OggS\0',
  'fLaC',
  '\x30\x26\xb2\x75\x8e\x66\xcf\x11\xa6\xd9\x00\xaa\x00\x62\xce\x6c',
  '\0\0\x01\xba',
  '\0\0\x01\xb3',
]

/** `text` stands for bytes, one a character. */
export function hasBytes(bytes: Uint8Array, offset: number, text: string): boolean {
  for (let at = 0; at < text.length; at++) if (bytes[offset + at] !== text.charCodeAt(at)) return false
  return true
}

/** The first block must be one: it refuses `GIF89a/*<script>`, which calls itself a picture and is a page. */
function isGif(head: Uint8Array): boolean {
  if (!hasBytes(head, 0, 'GIF87a') && !hasBytes(head, 0, 'GIF89a')) return false
  const flags = head[10] ?? 0
  const colours = flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0
  const block = head[13 + colours]
  return block === 0x2c || block === 0x21 || block === 0x3b
}

/** Four bytes, three of them nearly zero, prove little: the first entry has to point into the file. */
function isIco(head: Uint8Array, view: DataView, size: number): boolean {
  if (!hasBytes(head, 0, '\0\0\x01\0') || head.length < 22) return false
  const count = view.getUint16(4, true)
  const length = view.getUint32(14, true)
  const offset = view.getUint32(18, true)
  return (
    count >= 1 && count <= 255 && head[9] === 0 && length > 0 && offset >= 6 + 16 * count && offset + length <= size
  )
}

const isJpg = (head: Uint8Array): boolean => hasBytes(head, 0, '\xff\xd8\xff') && (head[3] ?? 0) >= 0xc0

/** MP4 and its relatives are boxes with their length before their name; a text would claim one of a gigabyte. */
function isMovie(head: Uint8Array, view: DataView, size: number): boolean {
  const length = view.getUint32(0)
  if (hasBytes(head, 4, 'ftyp')) return length >= 16 && length <= Math.min(size, 4_096)
  const isBox = ['moov', 'mdat', 'free', 'wide'].some((name) => hasBytes(head, 4, name))
  // 0 means "to the end of the file", 1 that a longer length follows.
  return isBox && (length === 0 || length === 1 || (length >= 8 && length <= size))
}

const isRiff = (head: Uint8Array): boolean =>
  hasBytes(head, 0, 'RIFF') && (hasBytes(head, 8, 'WAVE') || hasBytes(head, 8, 'AVI '))

/** A frame of MPEG audio, layer III, with a version, bit rate and sample rate that exist. */
function isMpegAudio([first, second = 0, third = 0]: Uint8Array): boolean {
  const isFrame = first === 0xff && (second & 0xe0) === 0xe0 && (second & 0x06) === 0x02 && (second & 0x18) !== 0x08
  return isFrame && (third & 0xf0) !== 0xf0 && (third & 0x0c) !== 0x0c
}
