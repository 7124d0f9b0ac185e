// Names made of what a client wrote: of files, and slugs.
// The name a file is offered under when it is saved: whatever the client called it, harmless in a header, a path and a folder.

const LONGEST = 100

// A folder of Windows refuses these, whatever their extension.
const DEVICE = /^(?:con|prn|aux|nul|com\d|lpt\d)(?=\.|$)/i

/** Other ways to end the name of a file of one type; all of them are opened by the same programs. */
const ALIASES: Record<string, readonly string[]> = {
  jpg: ['jpeg', 'jpe', 'jfif'],
  png: ['apng'],
  ogg: ['oga', 'opus'],
  mpg: ['mpeg'],
}

/**
 * The last part of a path, without what could lead elsewhere or deceive a reader (separators, control characters, marks that turn the
 * direction of writing). It ends in the extension of what the file really is: `page.html` that holds a picture would open as a page.
 */
export function safeFilename(filename: string, extension: string): string {
  const last = filename.split(/[/\\]/).at(-1) ?? ''
  const cleaned = last
    .replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '')
    .replace(/[<>:"|?*%;]/g, '-')
    .replace(/\s+/g, ' ')
    .replace(/^[. ]+|[. ]+$/g, '')
  const dot = cleaned.lastIndexOf('.')
  const ending = dot > 0 ? cleaned.slice(dot + 1) : ''
  const isFitting = extension === '' || [extension, ...(ALIASES[extension] ?? [])].includes(ending.toLowerCase())
  const stem = isFitting && dot > 0 ? cleaned.slice(0, dot) : cleaned
  const suffix = isFitting ? ending : extension
  const kept = [...stem.replace(DEVICE, '_$&')].slice(0, LONGEST).join('').trimEnd() || 'file'
  return suffix === '' ? kept : `${kept}.${suffix}`
}

// What may stand for a thing in an address, as the slug of a category and the permalink of a product do.

// The characters that no part of a URL needs to escape, also with clients that do not encode. Not first: "." and ".." would be
// taken for folders.
const SLUG = /^[A-Za-z0-9][A-Za-z0-9._~-]*$/

export const isSlug = (text: string): boolean => SLUG.test(text)
