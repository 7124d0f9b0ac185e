// Extracts paragraphs of plain text from text that may contain HTML. We never insert other people's HTML into a page.
// It scans once from left to right, so unclosed tags do not make it slower.

/** Tags that end a line: `<br>` at its start, paragraphs and the like at their end. */
const LINE_BREAKS = new Set([
  'br',
  'hr',
  '/p',
  '/div',
  '/li',
  '/h1',
  '/h2',
  '/h3',
  '/h4',
  '/h5',
  '/h6',
  '/ul',
  '/ol',
  '/tr',
])
/** Elements that are removed with their content. */
const HIDDEN_ELEMENTS = new Set(['script', 'style', 'template', 'iframe', 'noscript'])

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

/** More than anybody reads. */
const MAX_LENGTH = 20_000

export const textOfHtml = (source: string, maxLength = MAX_LENGTH): string[] =>
  withoutTags(source.slice(0, maxLength))
    .replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{1,8}));/gi, (all, decimal, hex, name) => {
      const code = decimal === undefined ? (hex === undefined ? null : Number.parseInt(hex, 16)) : Number(decimal)
      if (code !== null) return code > 31 && code <= 0x10ffff ? String.fromCodePoint(code) : ' '
      return ENTITIES[String(name).toLowerCase()] ?? all
    })
    .split(/\n+/)
    .map((line) => line.replace(/\s+/g, ' ').trim())
    .filter((line) => line !== '')

/** An unclosed tag or comment extends to the end. */
function withoutTags(html: string): string {
  let text = ''
  let at = 0
  for (;;) {
    const start = html.indexOf('<', at)
    if (start === -1) return text + html.slice(at)
    text += html.slice(at, start)
    const tag = tagAt(html, start)
    if (tag === null) {
      text += '<'
      at = start + 1
      continue
    }
    if (tag.end === -1) return text
    if (LINE_BREAKS.has(tag.name)) text += '\n'
    at = HIDDEN_ELEMENTS.has(tag.name) ? endOfElement(html, tag) : tag.end
    if (at === -1) return text
    if (HIDDEN_ELEMENTS.has(tag.name)) text += ' '
  }
}

/** `end`: position after the tag, or -1 if it is not closed. `name`: in lower case, with the slash of a closing tag. */
type Tag = { readonly name: string; readonly end: number }

const NAME = /\/?[a-z]\w*/iy

/** Null if the `<` starts neither a tag nor a comment. */
function tagAt(html: string, start: number): Tag | null {
  if (html.startsWith('<!--', start)) return { name: '!--', end: positionAfter(html, '-->', start + 4) }
  NAME.lastIndex = start + 1
  const name = NAME.exec(html)?.[0]
  return name === undefined ? null : { name: name.toLowerCase(), end: positionAfter(html, '>', start + 1) }
}

function positionAfter(html: string, sign: string, from: number): number {
  const at = html.indexOf(sign, from)
  return at === -1 ? -1 : at + sign.length
}

/** Position after the closing tag of the element; -1 if there is none. */
function endOfElement(html: string, { name, end }: Tag): number {
  const closing = /<\/(script|style|template|iframe|noscript)\s*>/gi
  closing.lastIndex = end
  for (let match = closing.exec(html); match !== null; match = closing.exec(html))
    if (match[1]?.toLowerCase() === name) return closing.lastIndex
  return -1
}
