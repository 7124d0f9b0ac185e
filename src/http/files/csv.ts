// Tables for spreadsheets, comma-separated as RFC 4180 has it, written part by part: neither we nor the database hold more than one part of a
// table, and no transaction stays open for a slow reader. What strangers wrote stands in the cells, and a spreadsheet takes one that begins with one
// of a few signs for a formula, which may fetch something or send it elsewhere.

// Some take the wide signs of East Asian keyboards for the same.
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/

const NEEDS_QUOTES = /[",\r\n]/

/** An apostrophe in front makes it text to every spreadsheet. */
const harmless = (text: string): string => (FORMULA.test(text) ? `'${text}` : text)

function cell(value: string | null): string {
  const text = harmless(value ?? '')
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** One line, with its end. */
const csvLine = (cells: readonly (string | null)[]): string => `${cells.map(cell).join(',')}\r\n`

/** By which a spreadsheet knows that what follows is UTF-8. It stands once, at the beginning. */
const BYTE_ORDER_MARK = '\uFEFF'

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
