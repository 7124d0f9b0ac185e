// Reads tables as people save them from a spreadsheet, and as the export writes them: to the letter.

import { BYTE_ORDER_MARK, unguarded } from '../../../http/files/csv.ts'

/** `line`: where it begins, 1 is the first. */
export type CsvRow = { readonly line: number; readonly cells: readonly string[] }

/** `problem`: what is wrong, and in which line, where the text is no table. */
export type CsvTable = { readonly rows: readonly CsvRow[] } | { readonly problem: string; readonly line: number }

const SEPARATORS = [',', ';', '\t'] as const

/** Which separator a spreadsheet writes depends on its country. The line of column names tells it: no name contains one. */
function separatorOf(text: string): string {
  const first = text.slice(0, text.search(/[\r\n]|$/))
  const counts = SEPARATORS.map((each) => first.split(each).length)
  return SEPARATORS[counts.indexOf(Math.max(...counts))] ?? ','
}

/** Lines without any content are left out: spreadsheets write those below the last one, too. */
export function readCsv(source: string): CsvTable {
  const text = source.startsWith(BYTE_ORDER_MARK) ? source.slice(1) : source
  const separator = separatorOf(text)
  const rows: CsvRow[] = []
  let cells: string[] = []
  let line = 1
  let begunAt = 1
  let at = 0
  const endRow = () => {
    if (cells.some((content) => content !== '')) rows.push({ line: begunAt, cells })
    cells = []
  }
  while (at < text.length) {
    if (cells.length === 0) begunAt = line
    const quoted = text[at] === '"' ? quotedAt(text, at) : null
    if (quoted?.end === -1) return { problem: 'a quotation mark is opened and not closed', line }
    const end = quoted === null ? endOfPlain(text, at, separator) : quoted.end
    const found = quoted === null ? text.slice(at, end) : quoted.content
    cells.push(unguarded(found))
    line += newlinesIn(found)
    at = end
    const next = text[at]
    if (next === separator) {
      at += 1
      // The last cell of the text may be empty.
      if (at === text.length) cells.push('')
      continue
    }
    if (next !== undefined && next !== '\r' && next !== '\n')
      return { problem: 'something stands behind a closing quotation mark', line }
    if (next === '\r' && text[at + 1] === '\n') at += 1
    at += 1
    line += 1
    endRow()
  }
  if (cells.length > 0) endRow()
  return { rows }
}

function endOfPlain(text: string, from: number, separator: string): number {
  let at = from
  while (at < text.length && text[at] !== separator && text[at] !== '\r' && text[at] !== '\n') at += 1
  return at
}

/** `end`: behind the closing mark; -1 where there is none. */
function quotedAt(text: string, from: number): { content: string; end: number } {
  const parts: string[] = []
  let begin = from + 1
  while (true) {
    const mark = text.indexOf('"', begin)
    if (mark === -1) return { content: '', end: -1 }
    parts.push(text.slice(begin, mark))
    if (text[mark + 1] !== '"') return { content: parts.join('"'), end: mark + 1 }
    begin = mark + 2
  }
}

const newlinesIn = (text: string): number => text.match(/\r\n|\r|\n/g)?.length ?? 0
