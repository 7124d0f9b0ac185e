// Makes typed text safe for its use: file names, slugs, e-mail addresses, single lines, HTML.

const MAX_FILENAME_LENGTH = 100

// Windows folders refuse these names with any extension.
const RESERVED_NAME = /^(?:con|prn|aux|nul|com\d|lpt\d)(?=\.|$)/i

/** Alternative extensions of a file type, which the same programs open. */
const ALIASES: Record<string, readonly string[]> = {
  jpg: ['jpeg', 'jpe', 'jfif'],
  png: ['apng'],
  ogg: ['oga', 'opus'],
  mpg: ['mpeg'],
}

/** Removes the given characters from the end of the text. `/[…]+$/` would retry at every position and take quadratic time. */
export function trimEndCharacters(text: string, characters: string): string {
  let end = text.length
  while (end > 0 && characters.includes(text.charAt(end - 1))) end--
  return text.slice(0, end)
}

/**
 * Name under which a file is saved, safe in a header, a path and a folder. It is the last part of the client's name, without separators,
 * control characters and direction marks.
 * It ends in the extension of the real file type: a picture named `page.html` would open as a page.
 */
export function safeFilename(filename: string, extension: string): string {
  const last = filename.split(/[/\\]/).at(-1) ?? ''
  const cleaned = last
    .replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '')
    .replace(/[<>:"|?*%;]/g, '-')
    .replace(/\s+/g, ' ')
    .replace(/^[. ]+/, '')
  const trimmed = trimEndCharacters(cleaned, '. ')
  const dot = trimmed.lastIndexOf('.')
  const ending = dot > 0 ? trimmed.slice(dot + 1) : ''
  const isFitting = extension === '' || [extension, ...(ALIASES[extension] ?? [])].includes(ending.toLowerCase())
  const stem = isFitting && dot > 0 ? trimmed.slice(0, dot) : trimmed
  const suffix = isFitting ? ending : extension
  const safeStem = [...stem.replace(RESERVED_NAME, '_$&')].slice(0, MAX_FILENAME_LENGTH).join('').trimEnd() || 'file'
  return suffix === '' ? safeStem : `${safeStem}.${suffix}`
}

// Characters that need no escaping in any part of a URL, even with clients that do not encode. No leading dot: "." and ".." would be taken
// for folders.
const SLUG = /^[A-Za-z0-9][A-Za-z0-9._~-]*$/

/** True if it can identify a thing in a URL: the slug of a category, the permalink of a product. */
export const isSlug = (text: string): boolean => SLUG.test(text)

// E-mail addresses, more restricted than the standards. Quoted names, comments and letters beyond ASCII let one address pass for another.
const MAX_EMAIL_LENGTH = 254
const MAX_LOCAL_LENGTH = 64

const ATOM = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+$/
const LABEL = /^[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/

/** The trimmed address to store and to send to; null if it is not accepted. */
export function readEmail(text: string): string | null {
  // Checked before any matching, so that a megabyte of text is answered as fast as any other.
  if (text.length > MAX_EMAIL_LENGTH + 64) return null
  const address = text.trim()
  const at = address.lastIndexOf('@')
  const local = address.slice(0, Math.max(at, 0))
  const labels = address.slice(at + 1).split('.')
  const isLocal = local.length <= MAX_LOCAL_LENGTH && local.split('.').every((part) => ATOM.test(part))
  // A name that ends in a number would be an IP address.
  const isDomain = labels.length > 1 && labels.every((label) => LABEL.test(label)) && !/^\d+$/.test(labels.at(-1) ?? '')
  return isLocal && isDomain && address.length <= MAX_EMAIL_LENGTH ? address : null
}

/** Message for a field that fails `readEmail`. */
export const emailRule = (field: string): string => `${field} must be an e-mail address such as name@example.com.`

/** Domains that ignore dots in the mailbox name. */
const DOT_IGNORING_DOMAINS = new Set(['gmail.com', 'googlemail.com'])

/**
 * Mailbox of a lower-case address, for counting only; never send to it. Nearly every mail server ignores the part after a +. Otherwise one
 * mailbox could use any number of addresses.
 */
export function canonicalMailbox(address: string): string {
  const at = address.lastIndexOf('@')
  const [name = ''] = address.slice(0, at).split('+', 1)
  const domain = address.slice(at + 1)
  if (name === '') return address
  return DOT_IGNORING_DOMAINS.has(domain) ? `${name.replaceAll('.', '')}@gmail.com` : `${name}@${domain}`
}

// C0 and C1 controls, the line and paragraph separators, and the marks that reverse the direction of the following text.
const CONTROLS = /[\p{Cc}\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]+/gu

/** Text for a header or a separate line. Characters that end the line or reverse its direction become blanks. */
export const toOneLine = (text: string, maxLength = 200): string => {
  const line = text.replace(CONTROLS, ' ').replace(/ {2,}/g, ' ').trim()
  const letters = [...line]
  return letters.length > maxLength ? `${letters.slice(0, maxLength - 1).join('')}…` : line
}

/** The same for text with several lines, which stay separate. */
export const plainLines = (text: string): string =>
  text
    .split('\n')
    .map((line) => line.replace(CONTROLS, ' ').trimEnd())
    .join('\n')

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** Escapes text for HTML, between tags and in quoted attributes. */
export const escapeHtml = (text: string): string =>
  // Most texts contain none of these characters.
  NEEDS_ESCAPE.test(text) ? text.replace(/[&<>"']/g, (sign) => ENTITIES[sign] ?? sign) : text

const NEEDS_ESCAPE = /[&<>"']/

/** Cuts a text to a length. Half of a cut surrogate pair becomes a replacement mark, because no encoding can express it. */
export const cutText = (text: string, length: number): string =>
  Buffer.from(text.slice(0, length), 'utf8').toString('utf8')
