// Imports a table of products: a line with an id changes that product, one without creates a product. An invalid file is refused as a
// whole. The lines are processed as a batch (batch/work.ts), with one transaction each.

import type { Context } from '../../../http/endpoint/endpoint.ts'
import { bodyChecker } from '../../../http/endpoint/validation.ts'
import { ApiError, unprocessable } from '../../../lib/errors.ts'
import type { WriteContext } from '../../assets/view.ts'
import { EntryEnded, refuseFurtherBatch, startBatch } from '../batch/batch.ts'
import type { ProductBatch } from '../batch/schema.ts'
import { type BatchEntryResult, type EntryError, findProductNames, type NewEntry } from '../batch/store.ts'
import { type NewProduct, type ProductChanges, UpdateProduct } from '../body-schema.ts'
import { changeProduct, createProduct } from '../product.ts'
import type { ProductRow } from '../read-store.ts'
import { type CellContext, COLUMN_NAMES, columnOf, ID_COLUMN, slugsOf, TABLE_COLUMNS } from './columns.ts'
import { type CsvRow, readCsv } from './csv.ts'
import { findCategoryIdsBySlug } from './store.ts'

/** Few enough for a reply with the results of all lines. */
export const MAX_IMPORT_LINES = 2_000

type Cells = Readonly<Record<string, string>>

/** The stored change of an import entry. `problem` is set if the line cannot be processed. */
type LineChange = { readonly cells: Cells; readonly problem?: string }

type ImportContext = Pick<Context, 'db' | 'clock' | 'caller' | 'lastingOrigin'>

export async function importProducts(
  context: ImportContext,
  { csv, dry_run: isTrial = false }: { readonly csv: string; readonly dry_run?: boolean },
): Promise<ProductBatch> {
  await refuseFurtherBatch(context, 'csv')
  const lines = linesOf(csv)
  const ids = lines.flatMap(({ cells }) => cells[ID_COLUMN] || [])
  const names = await findProductNames(context.db, context.caller, ids)
  const entries = lines.map(({ line, cells, problem }): NewEntry => {
    const id = cells[ID_COLUMN] || null
    return {
      product_id: id,
      name: id === null ? (cells.name ?? null) : (names.get(id) ?? null),
      line,
      change: { cells, ...(problem !== undefined && { problem }) },
    }
  })
  return startBatch(context, 'csv', { change: null, entries, isTrial })
}

type Line = LineChange & { readonly line: number }

const refusal = (sentence: string) => unprocessable({ csv: [`csv ${sentence}.`] })

function linesOf(csv: string): Line[] {
  const table = readCsv(csv)
  if ('problem' in table) throw refusal(`is not a valid table: in line ${table.line} ${table.problem}`)
  const [first, ...rows] = table.rows
  if (first === undefined || rows.length === 0)
    throw refusal('must have a first line with the names of the columns, and a line for each product')
  const columns = first.cells.map((name) => name.trim().toLowerCase())
  const unknown = columns.find((name) => !COLUMN_NAMES.includes(name))
  if (unknown !== undefined)
    throw refusal(`must have only these columns, named in its first line: ${COLUMN_NAMES.join(', ')}`)
  if (new Set(columns).size < columns.length) throw refusal('must name each column once in its first line')
  if (!columns.includes(ID_COLUMN) && !columns.includes('name')) throw refusal('must have the column id, name, or both')
  if (rows.length > MAX_IMPORT_LINES) throw refusal(`must have at most ${MAX_IMPORT_LINES} products. Split the file`)
  const lineById = new Map<string, number>()
  return rows.map((row) => lineOf(row, columns, lineById))
}

function lineOf({ line, cells: all }: CsvRow, columns: readonly string[], lineById: Map<string, number>): Line {
  const cells: Record<string, string> = {}
  for (const [index, name] of columns.entries()) {
    const content = all[index]
    if (content !== undefined) cells[name] = name === ID_COLUMN ? content.trim() : content
  }
  if (all.slice(columns.length).some((content) => content !== ''))
    return { line, cells, problem: 'The line has more cells than there are columns.' }
  const id = cells[ID_COLUMN] ?? ''
  const earlierLine = lineById.get(id)
  if (id !== '' && earlierLine !== undefined)
    return { line, cells, problem: `The product with this id is already in line ${earlierLine}.` }
  lineById.set(id, line)
  return { line, cells }
}

/** Processes one line, in its own transaction. */
export async function importLine(
  context: WriteContext,
  { productId, change }: { readonly productId: string | null; readonly change: object | null },
): Promise<BatchEntryResult> {
  const { cells, problem } = change as LineChange
  if (problem !== undefined) throw new EntryEnded(refusalOf([{ column: null, message: problem }]))
  const { db, caller } = context
  const reading = { currency: caller.currency, categories: await findCategoryIdsBySlug(db, caller, slugsOf(cells)) }
  try {
    if (productId !== null) {
      await changeProduct(context, productId, (current) => changesOf(current, cells, reading))
      return { state: 'changed' }
    }
    const { id, name } = await createProduct(context, newProductOf(cells, reading))
    return { state: 'changed', product: { id, name } }
  } catch (error) {
    if (!(error instanceof ApiError) || error.errors === undefined) throw error
    const errors = Object.entries(error.errors).flatMap(([field, sentences]) =>
      sentences.map((message) => errorOf(field, message)),
    )
    throw new EntryEnded(refusalOf(errors))
  }
}

const checkChanges = bodyChecker(UpdateProduct)

/** The message names the column instead of the field. */
function errorOf(field: string, message: string): EntryError {
  const column = columnOf(field)
  const isNamed = column !== null && message.startsWith(`${field} `)
  return { column, message: isNamed ? `${column}${message.slice(field.length)}` : message }
}

const refusalOf = (errors: readonly EntryError[]): BatchEntryResult => ({
  state: 'refused',
  message: `${errors[0]?.message ?? ''}${errors.length > 1 ? ` (and ${errors.length - 1} more)` : ''}`,
  errors,
})

/** The changes of all cells that differ from the product. */
function changesOf(current: ProductRow, cells: Cells, reading: CellContext): ProductChanges {
  const changes = readCells(
    cells,
    reading,
    (name, text) => TABLE_COLUMNS[name]?.show(current, reading.currency) !== text,
  )
  if (Object.keys(changes).length === 0) throw new EntryEnded({ state: 'unchanged' })
  return changes
}

/** The new product of a line. Empty cells count as missing. */
function newProductOf(cells: Cells, reading: CellContext): NewProduct {
  const filledCells = Object.fromEntries(Object.entries(cells).filter(([, content]) => content.trim() !== ''))
  const missing = ['name', 'price'].filter((name) => filledCells[name] === undefined)
  if (missing.length > 0)
    throw new EntryEnded(
      refusalOf(missing.map((column) => ({ column, message: `${column} is required for a new product.` }))),
    )
  return readCells(filledCells, reading, () => true) as NewProduct
}

function readCells(
  cells: Cells,
  reading: CellContext,
  isWanted: (name: string, text: string) => boolean,
): ProductChanges {
  const errors: EntryError[] = []
  let changes: ProductChanges = {}
  for (const [name, cell] of Object.entries(cells)) {
    const column = TABLE_COLUMNS[name]
    if (column === undefined) continue
    const parsedCell = column.read(cell, reading)
    if ('problem' in parsedCell) errors.push({ column: name, message: `${name} ${parsedCell.problem}.` })
    else if (isWanted(name, parsedCell.text)) changes = mergeChanges(changes, column.change(parsedCell.text, reading))
  }
  if (errors.length > 0) throw new EntryEnded(refusalOf(errors))
  checkChanges(changes)
  return changes
}

const mergeChanges = (one: ProductChanges, other: ProductChanges): ProductChanges => ({
  ...one,
  ...other,
  ...(one.seo && other.seo && { seo: { ...one.seo, ...other.seo } }),
})
