// The columns of a table of products, each with what it shows of a product and what it makes of a cell. A cell that says what the product is
// already changes nothing, however a spreadsheet has rewritten it: 12.5 for 12.50, TRUE for true.

import { decimalText, parseAmount } from '../../../lib/money.ts'
import { MAX_STOCK, type ProductChanges } from '../body-schema.ts'
import type { ProductRow } from '../read-store.ts'

/** What a cell is read with. `categories`: ids by slug. */
export type Reading = { readonly currency: string; readonly categories: ReadonlyMap<string, string> }

/** As `show` would write it, or what is wrong with it. */
type ReadCell = { readonly text: string } | { readonly problem: string }

type Column = {
  show(row: ProductRow, currency: string): string
  /** Brings a cell into the form of `show`. */
  read(cell: string, reading: Reading): ReadCell
  /** What it makes of a body. `text` is in the form of `show`. */
  change(text: string, reading: Reading): ProductChanges
}

const TRUE = ['true', 'yes', '1']
const FALSE = ['false', 'no', '0']

const flag = (show: (row: ProductRow) => boolean, change: (is: boolean) => ProductChanges): Column => ({
  show: (row) => String(show(row)),
  read(cell) {
    const word = cell.trim().toLowerCase()
    if (TRUE.includes(word)) return { text: 'true' }
    return FALSE.includes(word) ? { text: 'false' } : { problem: 'must be true or false' }
  },
  change: (text) => change(text === 'true'),
})

/** Spreadsheets write the ends of lines inside a cell as they please. */
const lines = (text: string) => text.replace(/\r\n?/g, '\n')

const text = (show: (row: ProductRow) => string | null, change: (text: string) => ProductChanges): Column => ({
  show: (row) => lines(show(row) ?? ''),
  read: (cell) => ({ text: lines(cell) }),
  change,
})

/** `null` where the cell is empty. */
const whole = (
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
  change: (shown) => change(shown === '' ? null : Number(shown)),
})

const orNull = (shown: string): string | null => (shown === '' ? null : shown)

const BETWEEN = '; '
const slugsIn = (cell: string): string[] => [
  ...new Set(
    cell
      .split(/[;,\n]/)
      .map((slug) => slug.trim())
      .filter((slug) => slug !== ''),
  ),
]

/** By the names that stand in the first line. */
export const COLUMNS: Readonly<Record<string, Column>> = {
  name: text(
    ({ name }) => name,
    (name) => ({ name }),
  ),
  sku: text(
    ({ sku }) => sku,
    (sku) => ({ sku: orNull(sku.trim()) }),
  ),
  permalink: text(
    ({ permalink }) => permalink,
    (permalink) => ({ permalink }),
  ),
  active: flag(
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
  on_hand: whole(
    ({ is_inventory_managed, available, held }) => (is_inventory_managed ? available + (held ?? 0) : null),
    [0, MAX_STOCK],
    (onHand) => ({ inventory: onHand === null ? { managed: false } : { managed: true, on_hand: onHand } }),
  ),
  weight: whole(
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
  sort_order: whole(
    ({ sort_order }) => sort_order,
    [-1_000_000_000, 1_000_000_000],
    (order) => ({ sort_order: order ?? 0 }),
  ),
  tax_exempt: flag(
    ({ is_tax_exempt }) => is_tax_exempt,
    (exempt) => ({ tax_exempt: exempt }),
  ),
  pay_what_you_want: flag(
    ({ is_pay_what_you_want }) => is_pay_what_you_want,
    (isFree) => ({ pay_what_you_want: isFree }),
  ),
  description: text(
    ({ description }) => description,
    (description) => ({ description }),
  ),
  seo_title: text(
    ({ seo_title }) => seo_title,
    (title) => ({ seo: { title: orNull(title) } }),
  ),
  seo_description: text(
    ({ seo_description }) => seo_description,
    (description) => ({ seo: { description: orNull(description) } }),
  ),
}

export const ID = 'id'

export const COLUMN_NAMES: readonly string[] = [ID, ...Object.keys(COLUMNS)]

/** What a refusal is about: the first part of the field's path → the column. */
const COLUMN_OF_FIELD: Readonly<Record<string, string>> = {
  inventory: 'on_hand',
  delivery: 'weight',
  'seo.title': 'seo_title',
  'seo.description': 'seo_description',
}

export function columnOf(field: string): string | null {
  const first = field.split('.')[0] ?? ''
  const column = COLUMN_OF_FIELD[field] ?? COLUMN_OF_FIELD[first] ?? first
  return Object.hasOwn(COLUMNS, column) ? column : null
}

/** The cells of one product, in the order of COLUMN_NAMES. */
export const cellsOf = (row: ProductRow, currency: string): string[] => [
  row.id,
  ...Object.values(COLUMNS).map((column) => column.show(row, currency)),
]

/** Every slug that the cells of one line name. */
export const slugsOf = (cells: Readonly<Record<string, string>>): string[] => slugsIn(cells.categories ?? '')
