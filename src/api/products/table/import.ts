// A table of products that is read into the shop: each line changes the product of its id, or makes one where it has none. The file is read at
// once, and refused as a whole where it is no such table; its lines are worked through as a batch is (batch/work.ts), one transaction each.

import type { Context } from '../../../http/endpoint/endpoint.ts'
import { ApiError, unprocessable } from '../../../lib/errors.ts'
import type { WriteContext } from '../../assets/view.ts'
import { Ended, refuseFurtherBatch, startBatch } from '../batch/batch.ts'
import type { ProductBatch } from '../batch/schema.ts'
import { type EntryEnd, type EntryError, type NewEntry, namesOf } from '../batch/store.ts'
import type { NewProduct, ProductChanges } from '../body-schema.ts'
import { changeProduct, createProduct } from '../product.ts'
import type { ProductRow } from '../read-store.ts'
import { COLUMN_NAMES, COLUMNS, columnOf, ID, type Reading, slugsOf } from './columns.ts'
import { type CsvRow, readCsv } from './csv.ts'
import { categoryIds } from './store.ts'

/** All are told of in one answer. */
export const MAX_LINES = 2_000

type Cells = Readonly<Record<string, string>>

/** What an entry of an import keeps. `problem`: why the line cannot be read at all. */
type LineChange = { readonly cells: Cells; readonly problem?: string }

type ImportContext = Pick<Context, 'db' | 'clock' | 'caller' | 'lastingOrigin'>

export async function importProducts(
  context: ImportContext,
  { csv, dry_run: isTrial = false }: { readonly csv: string; readonly dry_run?: boolean },
): Promise<ProductBatch> {
  await refuseFurtherBatch(context, 'csv')
  const lines = linesOf(csv)
  const ids = lines.flatMap(({ cells }) => cells[ID] || [])
  const names = await namesOf(context.db, context.caller, ids)
  const entries = lines.map(({ line, cells, problem }): NewEntry => {
    const id = cells[ID] || null
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

const refused = (sentence: string) => unprocessable({ csv: [`csv ${sentence}.`] })

function linesOf(csv: string): Line[] {
  const table = readCsv(csv)
  if ('problem' in table) throw refused(`is no table: in line ${table.line} ${table.problem}`)
  const [first, ...rows] = table.rows
  if (first === undefined || rows.length === 0)
    throw refused('must have a first line with the names of the columns, and a line for each product')
  const columns = first.cells.map((name) => name.trim().toLowerCase())
  const unknown = columns.find((name) => !COLUMN_NAMES.includes(name))
  if (unknown !== undefined)
    throw refused(`must have only these columns, named in its first line: ${COLUMN_NAMES.join(', ')}`)
  if (new Set(columns).size < columns.length) throw refused('must name each column once in its first line')
  if (!columns.includes(ID) && !columns.includes('name')) throw refused('must have the column id, name, or both')
  if (rows.length > MAX_LINES) throw refused(`must have at most ${MAX_LINES} products. Divide it`)
  const seen = new Map<string, number>()
  return rows.map((row) => lineOf(row, columns, seen))
}

function lineOf({ line, cells: all }: CsvRow, columns: readonly string[], seen: Map<string, number>): Line {
  const cells: Record<string, string> = {}
  for (const [index, name] of columns.entries()) {
    const content = all[index]
    if (content !== undefined) cells[name] = name === ID ? content.trim() : content
  }
  if (all.slice(columns.length).some((content) => content !== ''))
    return { line, cells, problem: 'The line has more cells than there are columns.' }
  const id = cells[ID] ?? ''
  const before = seen.get(id)
  if (id !== '' && before !== undefined)
    return { line, cells, problem: `The product of this id stands in line ${before} already.` }
  seen.set(id, line)
  return { line, cells }
}

/** What is done for one line, in a transaction of its own. */
export async function importLine(
  context: WriteContext,
  { productId, change }: { readonly productId: string | null; readonly change: object | null },
): Promise<EntryEnd> {
  const { cells, problem } = change as LineChange
  if (problem !== undefined) throw new Ended(refusalOf([{ column: null, message: problem }]))
  const { db, caller } = context
  const reading = { currency: caller.currency, categories: await categoryIds(db, caller, slugsOf(cells)) }
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
      sentences.map((message) => ({ column: columnOf(field), message })),
    )
    throw new Ended(refusalOf(errors))
  }
}

const refusalOf = (errors: readonly EntryError[]): EntryEnd => ({
  state: 'refused',
  message: `${errors[0]?.message ?? ''}${errors.length > 1 ? ` (and ${errors.length - 1} more)` : ''}`,
  errors,
})

/** Those of the cells that say something else than the product is. */
function changesOf(current: ProductRow, cells: Cells, reading: Reading): ProductChanges {
  const changes = readCells(cells, reading, (name, text) => COLUMNS[name]?.show(current, reading.currency) !== text)
  if (Object.keys(changes).length === 0) throw new Ended({ state: 'unchanged' })
  return changes
}

/** A cell that is empty is as good as none. */
function newProductOf(cells: Cells, reading: Reading): NewProduct {
  const filled = Object.fromEntries(Object.entries(cells).filter(([, content]) => content.trim() !== ''))
  const missing = ['name', 'price'].filter((name) => filled[name] === undefined)
  if (missing.length > 0)
    throw new Ended(
      refusalOf(missing.map((column) => ({ column, message: `${column} is required of a new product.` }))),
    )
  return readCells(filled, reading, () => true) as NewProduct
}

function readCells(cells: Cells, reading: Reading, isWanted: (name: string, text: string) => boolean): ProductChanges {
  const errors: EntryError[] = []
  let changes: ProductChanges = {}
  for (const [name, cell] of Object.entries(cells)) {
    const column = COLUMNS[name]
    if (column === undefined) continue
    const found = column.read(cell, reading)
    if ('problem' in found) errors.push({ column: name, message: `${name} ${found.problem}.` })
    else if (isWanted(name, found.text)) changes = merged(changes, column.change(found.text, reading))
  }
  if (errors.length > 0) throw new Ended(refusalOf(errors))
  return changes
}

const merged = (one: ProductChanges, other: ProductChanges): ProductChanges => ({
  ...one,
  ...other,
  ...(one.seo && other.seo && { seo: { ...one.seo, ...other.seo } }),
})
