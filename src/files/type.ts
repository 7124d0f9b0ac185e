// Which of the accepted types a file has, by its content and by its name together.
// Only formats with a signature at their very first byte are accepted, so no text (HTML, SVG, scripts) ever is, whatever its name.

import { fileTypeFromFile } from 'file-type'
import { ApiError, unavailable } from '../lib/errors.ts'
import { hasBytes, isPlausible } from './magic-bytes.ts'
import { type ReceivedFile, storeFailure } from './store.ts'
import { zipNames } from './zip-directory.ts'

export type FileType = { extension: string; contentType: string; isImage: boolean }

type Accepted = {
  contentType: string
  /** What file-type may call the content of a file with this name. */
  contents: readonly string[]
  /** Other ways to write the extension. */
  aliases?: readonly string[]
}

const OFFICE = 'application/vnd.openxmlformats-officedocument'

/** Every type of specification 4.1. The first line that lists a content is its type when the file name has no extension. */
const ACCEPTED: Record<string, Accepted> = {
  jpg: { contentType: 'image/jpeg', contents: ['jpg'], aliases: ['jpeg', 'jpe', 'jfif'] },
  png: { contentType: 'image/png', contents: ['png', 'apng'], aliases: ['apng'] },
  gif: { contentType: 'image/gif', contents: ['gif'] },
  ico: { contentType: 'image/x-icon', contents: ['ico'] },
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
