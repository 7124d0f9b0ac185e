// All SQL of attributes.

import { type Db, statement, type Tx } from '../../db/db.ts'
import type { Page } from '../../lib/page.ts'
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

type NewAttribute = Omit<AttributeRow, 'id' | 'created' | 'updated'>

const ROW = `id, name, description, type, is_required, is_public, is_multiselect, default_value, meta, options,
  unix_seconds(created_at) as created, unix_seconds(updated_at) as updated`

const find = statement<AttributeRow>(
  'attributes.find',
  `select ${ROW} from attributes where merchant_id = $1 and id = $2`,
)

export const findAttribute = (db: Db, merchantId: number, id: string) => db.maybe(find, [merchantId, id])

const list = statement<{ total: number; rows: AttributeRow[] }>(
  'attributes.list',
  `select
     (select count(*) from attributes where merchant_id = $1) as total,
     coalesce((
       select json_agg(page)
       from (
         select ${ROW} from attributes where merchant_id = $1 order by id limit $2 offset $3
       ) page
     ), '[]') as rows`,
)

/** One page, oldest first, and the count of all, in one round trip. */
export const listAttributes = (db: Db, merchantId: number, { limit, offset }: Page) =>
  db.one(list, [merchantId, limit, offset])

const insert = statement<AttributeRow>(
  'attributes.insert',
  `insert into attributes (
     merchant_id, id, name, description, type, is_required, is_public, is_multiselect, default_value, meta, options,
     created_at, updated_at
   )
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $12)
   returning ${ROW}`,
)

export const insertAttribute = (tx: Tx, merchantId: number, id: string, attribute: NewAttribute, now: Date) =>
  tx.one(insert, [merchantId, id, ...columns(attribute), now])

const lock = statement<AttributeRow>(
  'attributes.lock',
  `select ${ROW} from attributes where merchant_id = $1 and id = $2 for update`,
)

export const lockAttribute = (tx: Tx, merchantId: number, id: string) => tx.maybe(lock, [merchantId, id])

const update = statement<AttributeRow>(
  'attributes.update',
  `update attributes
   set name = $3, description = $4, type = $5, is_required = $6, is_public = $7, is_multiselect = $8,
     default_value = $9, meta = $10, options = $11, updated_at = $12
   where merchant_id = $1 and id = $2
   returning ${ROW}`,
)

export const updateAttributeRow = (tx: Tx, merchantId: number, id: string, attribute: NewAttribute, now: Date) =>
  tx.one(update, [merchantId, id, ...columns(attribute), now])

const remove = statement<AttributeRow>(
  'attributes.delete',
  `delete from attributes where merchant_id = $1 and id = $2 returning ${ROW}`,
)

export const deleteAttributeRow = (tx: Tx, merchantId: number, id: string) => tx.maybe(remove, [merchantId, id])

/** JSON columns as text: left to itself the client would send a string unquoted and a list as a PostgreSQL array. */
const columns = (attribute: NewAttribute) => [
  attribute.name,
  attribute.description,
  attribute.type,
  attribute.is_required,
  attribute.is_public,
  attribute.is_multiselect,
  attribute.default_value === null ? null : JSON.stringify(attribute.default_value),
  attribute.meta === null ? null : JSON.stringify(attribute.meta),
  JSON.stringify(attribute.options),
]
