// The words of a text that may hold HTML, in paragraphs: what somebody else wrote as HTML is never written into a page as such.

const BREAKS = /<(?:br|\/p|\/div|\/li|\/h[1-6]|\/ul|\/ol|\/tr|hr)\b[^>]*>/gi
/** With all that is in them. */
const UNSEEN = /<(script|style|template|iframe|noscript)\b[\s\S]*?(?:<\/\1\s*>|$)/gi
const TAGS = /<!--[\s\S]*?(?:-->|$)|<\/?[a-z][^>]*(?:>|$)/gi

const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  ndash: '–',
  mdash: '—',
  hellip: '…',
  euro: '€',
}

/** Longer texts are cut before anything is matched. */
const LONGEST = 20_000

export const textOfHtml = (written: string): string[] =>
  written
    .slice(0, LONGEST)
    .replace(UNSEEN, ' ')
    .replace(BREAKS, '\n')
    .replace(TAGS, '')
    .replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{1,8}));/gi, (all, decimal, hex, name) => {
      const code = decimal === undefined ? (hex === undefined ? null : Number.parseInt(hex, 16)) : Number(decimal)
      if (code !== null) return code > 31 && code <= 0x10ffff ? String.fromCodePoint(code) : ' '
      return ENTITIES[String(name).toLowerCase()] ?? all
    })
    .split(/\n+/)
    .map((line) => line.replace(/\s+/g, ' ').trim())
    .filter((line) => line !== '')
