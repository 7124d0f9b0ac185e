// Tables for spreadsheets, comma-separated as RFC 4180 has it, written part by part: neither we nor the database hold more than one part of a
// table, and no transaction stays open for a slow reader. What strangers wrote stands in the cells, and a spreadsheet takes one that begins with one
// of a few signs for a formula, which may fetch something or send it elsewhere.

// In many countries a spreadsheet separates cells at semicolons, or at tabs. It then heeds no quotation marks inside of a line: a new cell begins
// behind each semicolon, tab and end of a line in a cell. So what looks like a formula there gets an apostrophe in front, which makes it text,
// just as at the beginning. What begins with apostrophes and such a sign gets one more, so that reading gives back what was written.
const SEPARATOR = String.raw`(^|[;\t\r\n])`
/** Blanks and quotation marks are passed over. Some take the wide signs of East Asian keyboards for the same. */
const FORMULA = String.raw`(?='*[ \u00a0"]*[=+\-@＝＋－＠])`
const CONTROL = String.raw`(?='*[\t\r\n])`

const BEGINS_FORMULA = new RegExp(`${SEPARATOR}${FORMULA}`, 'g')
const GUARDED_FORMULA = new RegExp(`${SEPARATOR}'${FORMULA}`, 'g')
const BEGINS_CONTROL = new RegExp(`^${CONTROL}`)
const GUARDED_CONTROL = new RegExp(`^'${CONTROL}`)

const NEEDS_QUOTES = /[",;\t\r\n]/

const guarded = (text: string): string => text.replace(BEGINS_FORMULA, "$1'").replace(BEGINS_CONTROL, "'")

/** The text that was written as this cell. */
export const unguarded = (cell: string): string => cell.replace(GUARDED_CONTROL, '').replace(GUARDED_FORMULA, '$1')

function cell(value: string | null): string {
  const text = guarded(value ?? '')
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** One line, with its end. */
export const csvLine = (cells: readonly (string | null)[]): string => `${cells.map(cell).join(',')}\r\n`

/** By which a spreadsheet knows that what follows is UTF-8. It stands once, at the beginning. */
export const BYTE_ORDER_MARK = '\uFEFF'

/** `next`: where the part behind it begins; null where there is none. */
export type CsvPart<Row, Place> = { readonly rows: readonly Row[]; readonly next: Place | null }

type CsvTable<Row, Place> = {
  /** By the names that stand in the first line. */
  readonly columns: Readonly<Record<string, (row: Row) => string | null>>
  /** Read before the answer begins: what fails until then is answered as an error. */
  readonly first: CsvPart<Row, Place>
  readonly readAfter: (place: Place) => Promise<CsvPart<Row, Place>>
  /** Ends it once the reader has gone. */
  readonly signal: AbortSignal
}

/** The text of a table, the names of its columns first. */
export async function* csvByParts<Row, Place>({
  columns,
  first,
  readAfter,
  signal,
}: CsvTable<Row, Place>): AsyncGenerator<string> {
  yield BYTE_ORDER_MARK + csvLine(Object.keys(columns))
  const cells = Object.values(columns)
  let part = first
  while (true) {
    if (part.rows.length > 0) yield part.rows.map((row) => csvLine(cells.map((of) => of(row)))).join('')
    if (part.next === null) return
    signal.throwIfAborted()
    part = await readAfter(part.next)
  }
}
