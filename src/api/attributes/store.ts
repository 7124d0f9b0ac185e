// All SQL of attributes.

import { columns } from '../../db/columns.ts'
import { addToCount, storedCountSql } from '../../db/counts.ts'
import { type Db, type Shop, statement, type Tx } from '../../db/db.ts'
import { BY_KEY, keyOf, listSql, type RowPage, TIMES } from '../../db/records.ts'
import type { PageQuery } from '../../lib/page.ts'
import type { CatalogueTx } from '../catalogue/store.ts'
import type { Attribute } from './schema.ts'

export type AttributeRow = {
  id: string
  name: string
  description: string
  type: Attribute['type']
  is_required: boolean
  is_public: boolean
  is_multiselect: boolean
  default_value: string | number | boolean | null
  meta: Record<string, unknown> | null
  options: { id: string; value: string; label: string }[]
  created: number
  updated: number
}

/** Columns that a merchant sets. */
export type AttributeColumns = Omit<AttributeRow, 'id' | 'created' | 'updated'>

const COLUMNS = columns<keyof AttributeColumns>(
  ['name', 'description', 'type', 'is_required', 'is_public', 'is_multiselect', 'default_value', 'meta', 'options'],
  ['default_value', 'meta', 'options'],
)

const ROW = `id, ${COLUMNS.names}, ${TIMES}`

const find = statement<AttributeRow>('attributes.find', `select ${ROW} from attributes where ${BY_KEY}`)

export const findAttribute = (db: Db, shop: Shop, id: string) => db.maybe(find, keyOf(shop, id))

const list = statement<RowPage<AttributeRow>>(
  'attributes.list',
  listSql({ row: ROW, from: 'attributes', total: storedCountSql('attributes') }),
)

export const listAttributes = (db: Db, shop: Shop, page: PageQuery) => db.one(list, { ...shop, ...page })

const insert = statement<AttributeRow>(
  'attributes.insert',
  `insert into attributes (merchant_id, id, ${COLUMNS.names}, created_at, updated_at)
   values (:merchant_id, :id, ${COLUMNS.parameters}, :now, :now)
   returning ${ROW}`,
)

export async function insertAttribute(tx: Tx, shop: Shop, id: string, attribute: AttributeColumns, now: Date) {
  const row = await tx.one(insert, { ...keyOf(shop, id), ...COLUMNS.values(attribute), now })
  addToCount(tx, shop, 'attributes', 1)
  return row
}

const lock = statement<AttributeRow>('attributes.lock', `select ${ROW} from attributes where ${BY_KEY} for update`)

export const lockAttribute = (tx: Tx, shop: Shop, id: string) => tx.maybe(lock, keyOf(shop, id))

const update = statement<AttributeRow>(
  'attributes.update',
  `update attributes set ${COLUMNS.assignments}, updated_at = :now where ${BY_KEY} returning ${ROW}`,
)

export const updateAttributeRow = (tx: CatalogueTx, shop: Shop, id: string, attribute: AttributeColumns, now: Date) =>
  tx.one(update, { ...keyOf(shop, id), ...COLUMNS.values(attribute), now })

const remove = statement<AttributeRow>('attributes.delete', `delete from attributes where ${BY_KEY} returning ${ROW}`)

export async function deleteAttributeRow(tx: CatalogueTx, shop: Shop, id: string) {
  const row = await tx.maybe(remove, keyOf(shop, id))
  if (row !== null) addToCount(tx, shop, 'attributes', -1)
  return row
}
