// Makes text that somebody typed safe for its place: names of files, slugs, e-mail addresses, one line of text, HTML.

const LONGEST_FILENAME = 100

// A folder of Windows refuses these, whatever their extension.
const DEVICE = /^(?:con|prn|aux|nul|com\d|lpt\d)(?=\.|$)/i

/** Other ways to end the name of a file of one type; all of them are opened by the same programs. */
const ALIASES: Record<string, readonly string[]> = {
  jpg: ['jpeg', 'jpe', 'jfif'],
  png: ['apng'],
  ogg: ['oga', 'opus'],
  mpg: ['mpeg'],
}

/** Without those of the signs that it ends in. `/[…]+$/` would try each of them anew from everywhere in the text. */
export function withoutEnd(text: string, signs: string): string {
  let end = text.length
  while (end > 0 && signs.includes(text.charAt(end - 1))) end--
  return text.slice(0, end)
}

/**
 * The name a file is offered under when it is saved, harmless in a header, a path and a folder: the last part of what the client called it,
 * without separators, control characters and marks that turn the direction of writing. It ends in the extension of what the file really is:
 * `page.html` that holds a picture would open as a page.
 */
export function safeFilename(filename: string, extension: string): string {
  const last = filename.split(/[/\\]/).at(-1) ?? ''
  const cleaned = last
    .replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '')
    .replace(/[<>:"|?*%;]/g, '-')
    .replace(/\s+/g, ' ')
    .replace(/^[. ]+/, '')
  const trimmed = withoutEnd(cleaned, '. ')
  const dot = trimmed.lastIndexOf('.')
  const ending = dot > 0 ? trimmed.slice(dot + 1) : ''
  const isFitting = extension === '' || [extension, ...(ALIASES[extension] ?? [])].includes(ending.toLowerCase())
  const stem = isFitting && dot > 0 ? trimmed.slice(0, dot) : trimmed
  const suffix = isFitting ? ending : extension
  const kept = [...stem.replace(DEVICE, '_$&')].slice(0, LONGEST_FILENAME).join('').trimEnd() || 'file'
  return suffix === '' ? kept : `${kept}.${suffix}`
}

// The characters that no part of a URL needs to escape, also with clients that do not encode. No dot first: "." and ".." would be taken
// for folders.
const SLUG = /^[A-Za-z0-9][A-Za-z0-9._~-]*$/

/** May stand for a thing in an address: the slug of a category, the permalink of a product. */
export const isSlug = (text: string): boolean => SLUG.test(text)

// E-mail addresses: fewer than the standards allow. Quoted names, comments and letters beyond ASCII are how one address passes for another.
const LONGEST_EMAIL = 254
const LONGEST_LOCAL = 64

const ATOM = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+$/
const LABEL = /^[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/

/** The address without blanks around it, as it is to be kept and written to; null when it is none that is accepted. */
export function readEmail(text: string): string | null {
  // Cut before anything is matched: whoever sends a megabyte gets an answer as fast as the others.
  if (text.length > LONGEST_EMAIL + 64) return null
  const address = text.trim()
  const at = address.lastIndexOf('@')
  const local = address.slice(0, Math.max(at, 0))
  const labels = address.slice(at + 1).split('.')
  const isLocal = local.length <= LONGEST_LOCAL && local.split('.').every((part) => ATOM.test(part))
  // A name that ends in a number would be an IP address.
  const isDomain = labels.length > 1 && labels.every((label) => LABEL.test(label)) && !/^\d+$/.test(labels.at(-1) ?? '')
  return isLocal && isDomain && address.length <= LONGEST_EMAIL ? address : null
}

/** What `readEmail` demands, as a sentence about a field. */
export const emailRule = (field: string): string => `${field} must be an e-mail address such as name@example.com.`

/** Domains where dots in the name make no other mailbox. */
const DOTLESS = new Set(['gmail.com', 'googlemail.com'])

/**
 * What stands for the mailbox of an address in lower case, for counting: what follows a + in its name is a label to nearly every mail
 * server, so that one mailbox has as many addresses as somebody makes up. Never an address to write to.
 */
export function inboxOf(address: string): string {
  const at = address.lastIndexOf('@')
  const [name = ''] = address.slice(0, at).split('+', 1)
  const domain = address.slice(at + 1)
  if (name === '') return address
  return DOTLESS.has(domain) ? `${name.replaceAll('.', '')}@gmail.com` : `${name}@${domain}`
}

// C0 and C1 controls, the line and paragraph separators, and the marks that reverse the direction of what follows.
const CONTROLS = /[\p{Cc}\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]+/gu

/** Text for a header or a line of its own: whatever would end the line, or turn around how it reads, becomes a blank. */
export const oneLine = (text: string, longest = 200): string => {
  const line = text.replace(CONTROLS, ' ').replace(/ {2,}/g, ' ').trim()
  const letters = [...line]
  return letters.length > longest ? `${letters.slice(0, longest - 1).join('')}…` : line
}

/** The same of a text in lines, which are kept whole. */
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

/** Text as it stands in HTML, between tags and in quoted attributes. */
export const escapeHtml = (text: string): string =>
  // Most texts have none of them.
  MEANS_MORE.test(text) ? text.replace(/[&<>"']/g, (sign) => ENTITIES[sign] ?? sign) : text

const MEANS_MORE = /[&<>"']/

/** So much of a text; a character that is cut through becomes a mark, as no encoding has half of one. */
export const cutText = (text: string, length: number): string =>
  Buffer.from(text.slice(0, length), 'utf8').toString('utf8')
