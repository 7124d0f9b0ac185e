// The columns of the product table: how each shows a product and how it changes one. A cell that equals the product's value changes
// nothing, even if a spreadsheet has rewritten it: 12.5 for 12.50, TRUE for true.

import { decimalText, parseAmount } from '../../../lib/money.ts'
import { MAX_STOCK, type ProductChanges } from '../body-schema.ts'
import type { ProductRow } from '../read-store.ts'

/** Context for parsing cells. `categories` maps slugs to ids. */
export type CellContext = { readonly currency: string; readonly categories: ReadonlyMap<string, string> }

/** The cell in the form of `show`, or its problem. */
type ReadCell = { readonly text: string } | { readonly problem: string }

type Column = {
  show(row: ProductRow, currency: string): string
  /** Normalizes a cell to the form of `show`. */
  read(cell: string, reading: CellContext): ReadCell
  /** The change in a request body. `text` is in the form of `show`. */
  change(text: string, reading: CellContext): ProductChanges
}

const TRUE = ['true', 'yes', '1']
const FALSE = ['false', 'no', '0']

const booleanColumn = (show: (row: ProductRow) => boolean, change: (is: boolean) => ProductChanges): Column => ({
  show: (row) => String(show(row)),
  read(cell) {
    const word = cell.trim().toLowerCase()
    if (TRUE.includes(word)) return { text: 'true' }
    return FALSE.includes(word) ? { text: 'false' } : { problem: 'must be true or false' }
  },
  change: (text) => change(text === 'true'),
})

/** Spreadsheets vary the line breaks within a cell. */
const normalizeLineBreaks = (text: string) => text.replace(/\r\n?/g, '\n')

const textColumn = (show: (row: ProductRow) => string | null, change: (text: string) => ProductChanges): Column => ({
  show: (row) => normalizeLineBreaks(show(row) ?? ''),
  read: (cell) => ({ text: normalizeLineBreaks(cell) }),
  change,
})

/** The value is `null` if the cell is empty. */
const integerColumn = (
  show: (row: ProductRow) => number | null,
  [least, most]: readonly [number, number],
  change: (value: number | null) => ProductChanges,
): Column => ({
  show: (row) => String(show(row) ?? ''),
  read(cell) {
    const digits = cell.trim()
    if (digits === '') return { text: '' }
    const isFine = /^-?\d{1,10}(\.0+)?$/.test(digits) && Number(digits) >= least && Number(digits) <= most
    return isFine ? { text: String(Number(digits)) } : { problem: `must be a whole number from ${least} to ${most}` }
  },
  change: (text) => change(text === '' ? null : Number(text)),
})

const orNull = (text: string): string | null => (text === '' ? null : text)

const BETWEEN = '; '
const slugsIn = (cell: string): string[] => [
  ...new Set(
    cell
      .split(/[;,\n]/)
      .map((slug) => slug.trim())
      .filter((slug) => slug !== ''),
  ),
]

/** The columns, by their names in the first line. */
export const TABLE_COLUMNS: Readonly<Record<string, Column>> = {
  name: textColumn(
    ({ name }) => name,
    (name) => ({ name }),
  ),
  sku: textColumn(
    ({ sku }) => sku,
    (sku) => ({ sku: orNull(sku.trim()) }),
  ),
  permalink: textColumn(
    ({ permalink }) => permalink,
    (permalink) => ({ permalink }),
  ),
  active: booleanColumn(
    ({ is_active }) => is_active,
    (active) => ({ active }),
  ),
  price: {
    show: ({ price }, currency) => decimalText(price, currency),
    read(cell, { currency }) {
      const parsed = parseAmount(cell.trim(), currency, { field: 'price' })
      if (parsed.ok) return { text: decimalText(parsed.minor, currency) }
      return { problem: parsed.reason.replace(/^price /, '').replace(/\.$/, '') }
    },
    change: (price) => ({ price }),
  },
  on_hand: integerColumn(
    ({ is_inventory_managed, available, held }) => (is_inventory_managed ? available + (held ?? 0) : null),
    [0, MAX_STOCK],
    (onHand) => ({ inventory: onHand === null ? { managed: false } : { managed: true, on_hand: onHand } }),
  ),
  weight: integerColumn(
    ({ weight_grams }) => weight_grams,
    [0, 1_000_000_000],
    (weight) => ({ delivery: { weight } }),
  ),
  categories: {
    show: ({ categories }) =>
      categories
        .map(({ slug }) => slug)
        .sort()
        .join(BETWEEN),
    read(cell, { categories }) {
      const slugs = slugsIn(cell)
      const unknown = slugs.filter((slug) => !categories.has(slug))
      if (unknown.length === 0) return { text: slugs.sort().join(BETWEEN) }
      return { problem: 'must be slugs of your categories, with semicolons between them' }
    },
    change: (slugs, { categories }) => ({ categories: slugsIn(slugs).flatMap((slug) => categories.get(slug) ?? []) }),
  },
  sort_order: integerColumn(
    ({ sort_order }) => sort_order,
    [-1_000_000_000, 1_000_000_000],
    (order) => ({ sort_order: order ?? 0 }),
  ),
  tax_exempt: booleanColumn(
    ({ is_tax_exempt }) => is_tax_exempt,
    (exempt) => ({ tax_exempt: exempt }),
  ),
  pay_what_you_want: booleanColumn(
    ({ is_pay_what_you_want }) => is_pay_what_you_want,
    (isFree) => ({ pay_what_you_want: isFree }),
  ),
  description: textColumn(
    ({ description }) => description,
    (description) => ({ description }),
  ),
  seo_title: textColumn(
    ({ seo_title }) => seo_title,
    (title) => ({ seo: { title: orNull(title) } }),
  ),
  seo_description: textColumn(
    ({ seo_description }) => seo_description,
    (description) => ({ seo: { description: orNull(description) } }),
  ),
}

export const ID_COLUMN = 'id'

export const COLUMN_NAMES: readonly string[] = [ID_COLUMN, ...Object.keys(TABLE_COLUMNS)]

/** Maps a field in an error to its column, by the field or the first part of its path. */
const COLUMN_OF_FIELD: Readonly<Record<string, string>> = {
  inventory: 'on_hand',
  delivery: 'weight',
  'seo.title': 'seo_title',
  'seo.description': 'seo_description',
}

export function columnOf(field: string): string | null {
  const first = field.split('.')[0] ?? ''
  const column = COLUMN_OF_FIELD[field] ?? COLUMN_OF_FIELD[first] ?? first
  return Object.hasOwn(TABLE_COLUMNS, column) ? column : null
}

/** The cells of one product, in the order of COLUMN_NAMES. */
export const cellsOf = (row: ProductRow, currency: string): string[] => [
  row.id,
  ...Object.values(TABLE_COLUMNS).map((column) => column.show(row, currency)),
]

/** Every slug that the cells of one line name. */
export const slugsOf = (cells: Readonly<Record<string, string>>): string[] => slugsIn(cells.categories ?? '')
