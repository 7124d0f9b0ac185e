// Which of the accepted types a file has, by its content and by its name together.
// Only formats with a signature at their very first byte are accepted, so no text (HTML, SVG, scripts) ever is, whatever its name.
// Below: the signatures, and the names in a ZIP archive.

import { open } from 'node:fs/promises'
import { ApiError, unavailable } from '../lib/errors.ts'
import { type ReceivedFile, storeFailure } from './store.ts'

export type FileType = { extension: string; contentType: string; isImage: boolean }

type AcceptedType = {
  contentType: string
  /** What file-type may call the content of a file with this name. */
  contents: readonly string[]
  /** Other ways to write the extension. */
  aliases?: readonly string[]
}

const OFFICE = 'application/vnd.openxmlformats-officedocument'

/** Every type of specification 4.1, and the pictures of today's browsers. The first line that lists a content is its type when the file name has no extension. */
const ACCEPTED: Record<string, AcceptedType> = {
  jpg: { contentType: 'image/jpeg', contents: ['jpg'], aliases: ['jpeg', 'jpe', 'jfif'] },
  png: { contentType: 'image/png', contents: ['png', 'apng'], aliases: ['apng'] },
  gif: { contentType: 'image/gif', contents: ['gif'] },
  ico: { contentType: 'image/x-icon', contents: ['ico'] },
  webp: { contentType: 'image/webp', contents: ['webp'] },
  avif: { contentType: 'image/avif', contents: ['avif'] },
  pdf: { contentType: 'application/pdf', contents: ['pdf'] },
  // The old Office formats are one container; only the name tells them apart.
  doc: { contentType: 'application/msword', contents: ['cfb'] },
  docx: { contentType: `${OFFICE}.wordprocessingml.document`, contents: ['docx'] },
  ppt: { contentType: 'application/vnd.ms-powerpoint', contents: ['cfb'] },
  pptx: { contentType: `${OFFICE}.presentationml.presentation`, contents: ['pptx'] },
  odt: { contentType: 'application/vnd.oasis.opendocument.text', contents: ['odt'] },
  xls: { contentType: 'application/vnd.ms-excel', contents: ['cfb'] },
  xlsx: { contentType: `${OFFICE}.spreadsheetml.sheet`, contents: ['xlsx'] },
  mp3: { contentType: 'audio/mpeg', contents: ['mp3'] },
  // Encoders write the general mark of MP4 into any of its relatives.
  m4a: { contentType: 'audio/mp4', contents: ['m4a', 'mp4'] },
  // `ogx` is an Ogg file that begins with an index instead of sound or pictures.
  ogg: { contentType: 'audio/ogg', contents: ['ogg', 'oga', 'opus', 'spx', 'ogx'], aliases: ['oga', 'opus'] },
  wav: { contentType: 'audio/wav', contents: ['wav'] },
  flac: { contentType: 'audio/flac', contents: ['flac'] },
  mp4: { contentType: 'video/mp4', contents: ['mp4', 'm4v', 'm4a', 'mov', '3gp', '3g2'] },
  m4v: { contentType: 'video/x-m4v', contents: ['m4v', 'mp4'] },
  mov: { contentType: 'video/quicktime', contents: ['mov', 'mp4'] },
  wmv: { contentType: 'video/x-ms-wmv', contents: ['asf'] },
  avi: { contentType: 'video/x-msvideo', contents: ['avi'] },
  mpg: { contentType: 'video/mpeg', contents: ['mpg'], aliases: ['mpeg'] },
  ogv: { contentType: 'video/ogg', contents: ['ogv', 'ogm', 'ogx'] },
  '3gp': { contentType: 'video/3gpp', contents: ['3gp', 'mp4'] },
  '3g2': { contentType: 'video/3gpp2', contents: ['3g2', 'mp4'] },
  zip: { contentType: 'application/zip', contents: ['zip'] },
  rar: { contentType: 'application/vnd.rar', contents: ['rar'] },
}

/** For the sentence that refuses a file. */
export const acceptedTypes: readonly string[] = Object.keys(ACCEPTED)

const CANONICAL = new Map(
  Object.entries(ACCEPTED).flatMap(([extension, { aliases = [] }]) =>
    [extension, ...aliases].map((name) => [name, extension] as const),
  ),
)

/** Null when the file is not accepted: another type, or a name that claims another type than the content has. */
export async function detectType(file: ReceivedFile, filename: string): Promise<FileType | null> {
  if (!isPlausible(file)) return null
  const named = extensionOf(filename)
  const canonical = named === null ? null : CANONICAL.get(named)
  if (canonical === undefined) return null
  const content = await contentOf(file, canonical)
  if (content === null) return null
  const extension = canonical ?? typeWithoutName(content)
  const accepted = extension === null ? undefined : ACCEPTED[extension]
  if (extension === null || !accepted?.contents.includes(content)) return null
  return { extension, contentType: accepted.contentType, isImage: accepted.contentType.startsWith('image/') }
}

/** Whether a file of this name can be accepted, whatever is in it. */
export function isNameAccepted(filename: string): boolean {
  const named = extensionOf(filename)
  return named === null || CANONICAL.has(named)
}

/** Lower case, without the dot, or null. Figures alone are no extension: "Invoice 1.2" has none. */
function extensionOf(filename: string): string | null {
  // Signs that nobody sees may stand anywhere in a name, and hide that it ends in `.html`.
  const visible = filename.replace(/[\p{Cc}\p{Cf}]/gu, '')
  // Windows drops dots and blanks at the end, so `page.html. ` is a page there.
  let end = visible.length
  while (end > 0 && /[\s.]/.test(visible.charAt(end - 1))) end -= 1
  const found = /\.([a-z0-9]{1,12})$/i.exec(visible.slice(Math.max(0, end - 13), end))?.[1]?.toLowerCase()
  return found !== undefined && /[a-z]/.test(found) ? found : null
}

/** A container that several types share needs a name; else the type that has the content for its own. */
function typeWithoutName(content: string): string | null {
  if (content === 'cfb' || content === 'asf' || content === 'ogx') return null
  if (Object.hasOwn(ACCEPTED, content)) return content
  return Object.keys(ACCEPTED).find((extension) => ACCEPTED[extension]?.contents.includes(content)) ?? null
}

/** What file-type calls the content, corrected where the name knows better. */
async function contentOf(file: ReceivedFile, named: string | null): Promise<string | null> {
  // Loaded with the first file: a start has no use for it.
  const { fileTypeFromFile } = await import('file-type')
  const detected = (await inTime(fileTypeFromFile(file.path)))?.ext ?? null
  const isZip = hasBytes(file.head, 0, 'PK')
  // An archive may hold anything; that its first entries look like a program or a document does not make it another thing.
  if (isZip && named === 'zip') return 'zip'
  if (isZip && detected === 'zip' && named !== null) return (await officeType(file)) ?? detected
  // Behind a tag of titles and pictures file-type looks for the first frame and may find padding.
  if (hasBytes(file.head, 0, 'ID3'))
    return detected === 'flac' ? 'flac' : detected === null || detected === 'mp3' ? 'mp3' : null
  return detected
}

const OFFICE_FOLDERS = { 'word/': 'docx', 'ppt/': 'pptx', 'xl/': 'xlsx' }

async function officeType(file: ReceivedFile): Promise<string | null> {
  const names = (await inTime(zipNames(file.path, file.size))) ?? []
  if (!names.includes('[Content_Types].xml') || names.some((name) => name.endsWith('vbaProject.bin'))) return null
  for (const [folder, type] of Object.entries(OFFICE_FOLDERS))
    if (names.some((name) => name.startsWith(folder))) return type
  return null
}

/**
 * file-type 21.3 bounds itself (1,024 entries of an archive, of which it inflates one to at most 1 MB), so only a sick disk runs
 * out of time. What it throws on a malformed file means "none of the types".
 */
async function inTime<T>(work: Promise<T>): Promise<T | null> {
  let timer: NodeJS.Timeout | undefined
  const tooLate = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(unavailable('Looking at the file took too long. Try again.')), LONGEST_LOOK_MS)
  })
  try {
    return await Promise.race([work, tooLate])
  } catch (error) {
    if (error instanceof ApiError) throw error
    if (error instanceof Error && 'syscall' in error) throw storeFailure(error)
    return null
  } finally {
    clearTimeout(timer)
  }
}

const LONGEST_LOOK_MS = 10_000

// Whether a file begins as one of the accepted formats begins. It is asked before any library looks at the file, so that formats
// we do not accept (a gzip that unfolds, a text behind a byte order mark) never reach a parser at all.

/** `head` is the beginning of a file of `size` bytes. */
function isPlausible({ head, size }: { head: Uint8Array; size: number }): boolean {
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
function hasBytes(bytes: Uint8Array, offset: number, text: string): boolean {
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
  hasBytes(head, 0, 'RIFF') && ['WAVE', 'AVI ', 'WEBP'].some((form) => hasBytes(head, 8, form))

/** A frame of MPEG audio, layer III, with a version, bit rate and sample rate that exist. */
function isMpegAudio([first, second = 0, third = 0]: Uint8Array): boolean {
  const isFrame = first === 0xff && (second & 0xe0) === 0xe0 && (second & 0x06) === 0x02 && (second & 0x18) !== 0x08
  return isFrame && (third & 0xf0) !== 0xf0 && (third & 0x0c) !== 0x0c
}

// The names in a ZIP archive, from the directory at its end. Nothing is inflated, and what is read has a fixed bound.
// It tells Office documents from other archives where file-type cannot: LibreOffice writes their table of contents last.

const END_OF_DIRECTORY = 0x06054b50
const DIRECTORY_ENTRY = 0x02014b50

// The end record is 22 bytes long and followed by a comment of at most 65,535.
const LONGEST_END = 22 + 65_535
const LONGEST_DIRECTORY = 1_048_576
const MOST_ENTRIES = 10_000

/** At most the first 10,000 names, or null when there is no directory where one has to be. */
export async function zipNames(path: string, size: number): Promise<string[] | null> {
  const file = await open(path, 'r')
  try {
    const read = async (position: number, length: number): Promise<DataView> => {
      const { buffer, bytesRead } = await file.read(new Uint8Array(length), 0, length, position)
      return new DataView(buffer.buffer, 0, bytesRead)
    }
    const tailStart = Math.max(0, size - LONGEST_END)
    const tail = await read(tailStart, size - tailStart)
    const end = findEnd(tail)
    if (end === null) return null
    const length = tail.getUint32(end + 12, true)
    const start = tail.getUint32(end + 16, true)
    if (start + length > tailStart + end) return null
    return namesIn(await read(start, Math.min(length, LONGEST_DIRECTORY)))
  } finally {
    await file.close()
  }
}

function findEnd(tail: DataView): number | null {
  for (let at = tail.byteLength - 22; at >= 0; at--) if (tail.getUint32(at, true) === END_OF_DIRECTORY) return at
  return null
}

function namesIn(directory: DataView): string[] {
  const names: string[] = []
  let at = 0
  while (names.length < MOST_ENTRIES && at + 46 <= directory.byteLength) {
    if (directory.getUint32(at, true) !== DIRECTORY_ENTRY) break
    const nameLength = directory.getUint16(at + 28, true)
    const rest = directory.getUint16(at + 30, true) + directory.getUint16(at + 32, true)
    if (at + 46 + nameLength > directory.byteLength) break
    names.push(Buffer.from(directory.buffer, directory.byteOffset + at + 46, nameLength).toString('latin1'))
    at += 46 + nameLength + rest
  }
  return names
}
