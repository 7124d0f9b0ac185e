// Writes tables for spreadsheets as CSV (RFC 4180), part by part. So neither we nor the database hold more than one part, and no
// transaction stays open for a slow reader. Cells contain text from strangers. A spreadsheet treats a cell that begins with certain signs
// as a formula, which may fetch data or send it elsewhere.

// In many countries spreadsheets separate cells at semicolons or tabs. They then ignore quotation marks inside a line. So each semicolon,
// tab and line break in a cell starts a new cell. Text that looks like a formula there gets an apostrophe in front, as at the beginning of
// a cell. Text that already has apostrophes before such a sign gets one more, so that reading restores the original.
const SEPARATOR = String.raw`(^|[;\t\r\n])`
/** Skips blanks and quotation marks. Some spreadsheets also accept the wide signs of East Asian keyboards. */
const FORMULA = String.raw`(?='*[ \u00a0"]*[=+\-@＝＋－＠])`
const CONTROL = String.raw`(?='*[\t\r\n])`

const BEGINS_FORMULA = new RegExp(`${SEPARATOR}${FORMULA}`, 'g')
const GUARDED_FORMULA = new RegExp(`${SEPARATOR}'${FORMULA}`, 'g')
const BEGINS_CONTROL = new RegExp(`^${CONTROL}`)
const GUARDED_CONTROL = new RegExp(`^'${CONTROL}`)

const NEEDS_QUOTES = /[",;\t\r\n]/

const escapeFormulas = (text: string): string => text.replace(BEGINS_FORMULA, "$1'").replace(BEGINS_CONTROL, "'")

/** Restores the text that was written as this cell. */
export const unescapeFormulas = (cell: string): string =>
  cell.replace(GUARDED_CONTROL, '').replace(GUARDED_FORMULA, '$1')

function formatCell(value: string | null): string {
  const text = escapeFormulas(value ?? '')
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** One line with its line break. */
export const csvLine = (cells: readonly (string | null)[]): string => `${cells.map(formatCell).join(',')}\r\n`

/** Marks the text as UTF-8 for spreadsheets. It comes once, at the beginning. */
export const BYTE_ORDER_MARK = '\uFEFF'

/** `next` is the place of the next part; null for the last. */
export type CsvPart<Row, Place> = { readonly rows: readonly Row[]; readonly next: Place | null }

type CsvTable<Row, Place> = {
  /** Columns by their names in the first line. */
  readonly columns: Readonly<Record<string, (row: Row) => string | null>>
  /** First part, read before the answer begins, so that failures until then become an error reply. */
  readonly first: CsvPart<Row, Place>
  readonly readAfter: (place: Place) => Promise<CsvPart<Row, Place>>
  /** Stops when the reader has left. */
  readonly signal: AbortSignal
}

/** The text of a table, beginning with the column names. */
export async function* writeCsvParts<Row, Place>({
  columns,
  first,
  readAfter,
  signal,
}: CsvTable<Row, Place>): AsyncGenerator<string> {
  yield BYTE_ORDER_MARK + csvLine(Object.keys(columns))
  const cells = Object.values(columns)
  let part = first
  while (true) {
    if (part.rows.length > 0) yield part.rows.map((row) => csvLine(cells.map((readCell) => readCell(row)))).join('')
    if (part.next === null) return
    signal.throwIfAborted()
    part = await readAfter(part.next)
  }
}
