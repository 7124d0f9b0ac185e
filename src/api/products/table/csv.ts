// Parses tables in CSV, as spreadsheets save them and as the export writes them, without loss.

import { BYTE_ORDER_MARK, unescapeFormulas } from '../../../http/files/csv.ts'

/** `line` is the number of the row's first line, counted from 1. */
export type CsvRow = { readonly line: number; readonly cells: readonly string[] }

/** `problem` says what is wrong, and `line` where, if the text is not a table. */
export type CsvTable = { readonly rows: readonly CsvRow[] } | { readonly problem: string; readonly line: number }

const SEPARATORS = [',', ';', '\t'] as const

/**
 * Detects the separator, which depends on the country of the spreadsheet. Counts it in the line of column names, because no name contains
 * one.
 */
function separatorOf(text: string): string {
  const first = text.slice(0, text.search(/[\r\n]|$/))
  const counts = SEPARATORS.map((each) => first.split(each).length)
  return SEPARATORS[counts.indexOf(Math.max(...counts))] ?? ','
}

/** Skips empty lines, which spreadsheets write after the last row. */
export function readCsv(source: string): CsvTable {
  const text = source.startsWith(BYTE_ORDER_MARK) ? source.slice(1) : source
  const separator = separatorOf(text)
  const rows: CsvRow[] = []
  let cells: string[] = []
  let line = 1
  let firstLine = 1
  let at = 0
  const endRow = () => {
    if (cells.some((content) => content !== '')) rows.push({ line: firstLine, cells })
    cells = []
  }
  while (at < text.length) {
    if (cells.length === 0) firstLine = line
    const quoted = text[at] === '"' ? quotedAt(text, at) : null
    if (quoted?.end === -1) return { problem: 'a quotation mark is not closed', line }
    const end = quoted === null ? endOfPlain(text, at, separator) : quoted.end
    const content = quoted === null ? text.slice(at, end) : quoted.content
    cells.push(unescapeFormulas(content))
    line += newlinesIn(content)
    at = end
    const next = text[at]
    if (next === separator) {
      at += 1
      // The last cell of the text may be empty.
      if (at === text.length) cells.push('')
      continue
    }
    if (next !== undefined && next !== '\r' && next !== '\n')
      return { problem: 'there is text after a closing quotation mark', line }
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

/** `end` is the index after the closing mark, or -1 without one. */
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
