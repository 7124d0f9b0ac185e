// Detects a file's type from its content and its name together. It accepts only formats with a signature at the first byte. So it accepts
// no text (HTML, SVG, scripts), whatever its name. The signatures and the reader of ZIP directories follow below.

import { open } from 'node:fs/promises'
import { ApiError, unavailable } from '../lib/errors.ts'
import { type ReceivedFile, storeFailure } from './store.ts'

export type FileType = { extension: string; contentType: string; isImage: boolean }

type AcceptedType = {
  contentType: string
  /** Names that file-type may give the content of such a file. */
  contents: readonly string[]
  /** Other spellings of the extension. */
  aliases?: readonly string[]
}

const OFFICE = 'application/vnd.openxmlformats-officedocument'

/** Every type of specification 4.1, and the picture formats of today's browsers. The order matters for file names without an extension. */
const ACCEPTED: Record<string, AcceptedType> = {
  jpg: { contentType: 'image/jpeg', contents: ['jpg'], aliases: ['jpeg', 'jpe', 'jfif'] },
  png: { contentType: 'image/png', contents: ['png', 'apng'], aliases: ['apng'] },
  gif: { contentType: 'image/gif', contents: ['gif'] },
  ico: { contentType: 'image/x-icon', contents: ['ico'] },
  webp: { contentType: 'image/webp', contents: ['webp'] },
  avif: { contentType: 'image/avif', contents: ['avif'] },
  pdf: { contentType: 'application/pdf', contents: ['pdf'] },
  // The old Office formats share one container; only the name tells them apart.
  doc: { contentType: 'application/msword', contents: ['cfb'] },
  docx: { contentType: `${OFFICE}.wordprocessingml.document`, contents: ['docx'] },
  ppt: { contentType: 'application/vnd.ms-powerpoint', contents: ['cfb'] },
  pptx: { contentType: `${OFFICE}.presentationml.presentation`, contents: ['pptx'] },
  odt: { contentType: 'application/vnd.oasis.opendocument.text', contents: ['odt'] },
  xls: { contentType: 'application/vnd.ms-excel', contents: ['cfb'] },
  xlsx: { contentType: `${OFFICE}.spreadsheetml.sheet`, contents: ['xlsx'] },
  mp3: { contentType: 'audio/mpeg', contents: ['mp3'] },
  // Encoders may write the general MP4 mark into any of its relatives.
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

/** For the error message that refuses a file. */
export const acceptedTypes: readonly string[] = Object.keys(ACCEPTED)

const CANONICAL = new Map(
  Object.entries(ACCEPTED).flatMap(([extension, { aliases = [] }]) =>
    [extension, ...aliases].map((name) => [name, extension] as const),
  ),
)

/** Null if the file is not accepted: an unknown type, or a name that contradicts the content. */
export async function detectType(file: ReceivedFile, filename: string): Promise<FileType | null> {
  if (!isPlausible(file)) return null
  const givenExtension = extensionOf(filename)
  const canonical = givenExtension === null ? null : CANONICAL.get(givenExtension)
  if (canonical === undefined) return null
  const content = await contentOf(file, canonical)
  if (content === null) return null
  const extension = canonical ?? typeWithoutName(content)
  const accepted = extension === null ? undefined : ACCEPTED[extension]
  if (extension === null || !accepted?.contents.includes(content)) return null
  return { extension, contentType: accepted.contentType, isImage: accepted.contentType.startsWith('image/') }
}

/** True if a file of this name may be accepted, whatever its content. */
export function isNameAccepted(filename: string): boolean {
  const givenExtension = extensionOf(filename)
  return givenExtension === null || CANONICAL.has(givenExtension)
}

/** Extension in lower case, without the dot, or null. Digits only are no extension: "Invoice 1.2" has none. */
function extensionOf(filename: string): string | null {
  // Invisible characters may hide that a name ends in `.html`.
  const visible = filename.replace(/[\p{Cc}\p{Cf}]/gu, '')
  // Windows drops trailing dots and blanks, so `page.html. ` is a page there.
  let end = visible.length
  while (end > 0 && /[\s.]/.test(visible.charAt(end - 1))) end -= 1
  const extension = /\.([a-z0-9]{1,12})$/i.exec(visible.slice(Math.max(0, end - 13), end))?.[1]?.toLowerCase()
  return extension !== undefined && /[a-z]/.test(extension) ? extension : null
}

/** A container that several types share needs a name. Other content gets the type of its own name, else the first type that lists it. */
function typeWithoutName(content: string): string | null {
  if (content === 'cfb' || content === 'asf' || content === 'ogx') return null
  if (Object.hasOwn(ACCEPTED, content)) return content
  return Object.keys(ACCEPTED).find((extension) => ACCEPTED[extension]?.contents.includes(content)) ?? null
}

/** The content as file-type reports it, corrected where the name is more exact. */
async function contentOf(file: ReceivedFile, expectedType: string | null): Promise<string | null> {
  // Loaded with the first file, because the start does not need it.
  const { fileTypeFromFile } = await import('file-type')
  const detected = (await withTimeout(fileTypeFromFile(file.path)))?.ext ?? null
  const isZip = hasBytes(file.head, 0, 'PK')
  // An archive may hold anything. It stays an archive, even if its first entries look like a program or a document.
  if (isZip && expectedType === 'zip') return 'zip'
  if (isZip && detected === 'zip' && expectedType !== null) return (await officeType(file)) ?? detected
  // After an ID3 tag, file-type searches for the first frame and may find padding.
  if (hasBytes(file.head, 0, 'ID3'))
    return detected === 'flac' ? 'flac' : detected === null || detected === 'mp3' ? 'mp3' : null
  return detected
}

const OFFICE_FOLDERS = { 'word/': 'docx', 'ppt/': 'pptx', 'xl/': 'xlsx' }

async function officeType(file: ReceivedFile): Promise<string | null> {
  const names = (await withTimeout(zipNames(file.path, file.size))) ?? []
  if (!names.includes('[Content_Types].xml') || names.some((name) => name.endsWith('vbaProject.bin'))) return null
  for (const [folder, type] of Object.entries(OFFICE_FOLDERS))
    if (names.some((name) => name.startsWith(folder))) return type
  return null
}

/**
 * file-type 21.3 limits itself to 1,024 entries of an archive and inflates one of them, to at most 1 MB. So only a failing disk runs out of
 * time. An error on a malformed file means "none of the types".
 */
async function withTimeout<T>(work: Promise<T>): Promise<T | null> {
  let timer: NodeJS.Timeout | undefined
  const tooLate = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(unavailable('Checking the file took too long. Try again.')), DETECTION_TIMEOUT_MS)
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

const DETECTION_TIMEOUT_MS = 10_000

// Checks whether a file begins like one of the accepted formats. It runs before any library does, so that formats we refuse never reach a
// parser: a gzip that unfolds, for example, or a text behind a byte order mark.

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

/** `text` holds one byte per character. */
function hasBytes(bytes: Uint8Array, offset: number, text: string): boolean {
  for (let at = 0; at < text.length; at++) if (bytes[offset + at] !== text.charCodeAt(at)) return false
  return true
}

/** Checks the first block too: `GIF89a/*<script>` claims to be a picture and is a page. */
function isGif(head: Uint8Array): boolean {
  if (!hasBytes(head, 0, 'GIF87a') && !hasBytes(head, 0, 'GIF89a')) return false
  const flags = head[10] ?? 0
  const colours = flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0
  const block = head[13 + colours]
  return block === 0x2c || block === 0x21 || block === 0x3b
}

/** Four bytes, three of them nearly zero, prove little. So the first entry must point into the file. */
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

/** MP4 and its relatives are boxes with a length before the name. A text would claim a box of a gigabyte. */
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

// Reads the names in a ZIP archive from the directory at its end. It inflates nothing and reads a bounded amount. It recognises Office
// documents that file-type misses: LibreOffice writes their table of contents last.

const END_OF_DIRECTORY = 0x06054b50
const DIRECTORY_ENTRY = 0x02014b50

// The end record is 22 bytes long and followed by a comment of at most 65,535.
const LONGEST_END = 22 + 65_535
const LONGEST_DIRECTORY = 1_048_576
const MAX_ENTRIES = 10_000

/** At most the first 10,000 names, or null when there is no directory where one has to be. */
export async function zipNames(path: string, size: number): Promise<string[] | null> {
  const file = await open(path, 'r')
  try {
    const readAt = async (position: number, length: number): Promise<DataView> => {
      const { buffer, bytesRead } = await file.read(new Uint8Array(length), 0, length, position)
      return new DataView(buffer.buffer, 0, bytesRead)
    }
    const tailStart = Math.max(0, size - LONGEST_END)
    const tail = await readAt(tailStart, size - tailStart)
    const end = findEnd(tail)
    if (end === null) return null
    const length = tail.getUint32(end + 12, true)
    const start = tail.getUint32(end + 16, true)
    if (start + length > tailStart + end) return null
    return namesIn(await readAt(start, Math.min(length, LONGEST_DIRECTORY)))
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
  while (names.length < MAX_ENTRIES && at + 46 <= directory.byteLength) {
    if (directory.getUint32(at, true) !== DIRECTORY_ENTRY) break
    const nameLength = directory.getUint16(at + 28, true)
    const rest = directory.getUint16(at + 30, true) + directory.getUint16(at + 32, true)
    if (at + 46 + nameLength > directory.byteLength) break
    names.push(Buffer.from(directory.buffer, directory.byteOffset + at + 46, nameLength).toString('latin1'))
    at += 46 + nameLength + rest
  }
  return names
}
