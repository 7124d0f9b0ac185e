// The words of a text that may hold HTML, in paragraphs: what somebody else wrote as HTML is never written into a page as such.
// One scan from left to right, which never goes back: a text of tags that nobody closed takes no longer than any other.

/** They end a line: `<br>` where they begin, paragraphs and the like where they end. */
const BREAKS = new Set(['br', 'hr', '/p', '/div', '/li', '/h1', '/h2', '/h3', '/h4', '/h5', '/h6', '/ul', '/ol', '/tr'])
/** Left out with all that is in them. */
const UNSEEN = new Set(['script', 'style', 'template', 'iframe', 'noscript'])

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
const LONGEST = 20_000

export const textOfHtml = (written: string, longest = LONGEST): string[] =>
  withoutTags(written.slice(0, longest))
    .replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{1,8}));/gi, (all, decimal, hex, name) => {
      const code = decimal === undefined ? (hex === undefined ? null : Number.parseInt(hex, 16)) : Number(decimal)
      if (code !== null) return code > 31 && code <= 0x10ffff ? String.fromCodePoint(code) : ' '
      return ENTITIES[String(name).toLowerCase()] ?? all
    })
    .split(/\n+/)
    .map((line) => line.replace(/\s+/g, ' ').trim())
    .filter((line) => line !== '')

/** A tag or a comment that is not closed goes on to the end. */
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
    if (BREAKS.has(tag.name)) text += '\n'
    at = UNSEEN.has(tag.name) ? endOfElement(html, tag) : tag.end
    if (at === -1) return text
    if (UNSEEN.has(tag.name)) text += ' '
  }
}

/** `end`: behind it, or -1 where it is not closed. `name`: in lower case, with the slash of a closing tag. */
type Tag = { readonly name: string; readonly end: number }

const NAME = /\/?[a-z]\w*/iy

/** Null where the sign begins neither a tag nor a comment. */
function tagAt(html: string, start: number): Tag | null {
  if (html.startsWith('<!--', start)) return { name: '!--', end: behind(html, '-->', start + 4) }
  NAME.lastIndex = start + 1
  const name = NAME.exec(html)?.[0]
  return name === undefined ? null : { name: name.toLowerCase(), end: behind(html, '>', start + 1) }
}

function behind(html: string, sign: string, from: number): number {
  const at = html.indexOf(sign, from)
  return at === -1 ? -1 : at + sign.length
}

/** Behind what closes the element; -1 where nothing does. */
function endOfElement(html: string, { name, end }: Tag): number {
  const closing = /<\/(script|style|template|iframe|noscript)\s*>/gi
  closing.lastIndex = end
  for (let found = closing.exec(html); found !== null; found = closing.exec(html))
    if (found[1]?.toLowerCase() === name) return closing.lastIndex
  return -1
}
