// All SQL of attributes.

import { columns } from '../../db/columns.ts'
import { recordStore } from '../../db/record-store.ts'
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

export const attributeStore = recordStore<AttributeRow, keyof AttributeColumns, CatalogueTx>()({
  table: 'attributes',
  name: (verb) => `attributes.${verb}`,
  columns: columns<keyof AttributeColumns>(
    ['name', 'description', 'type', 'is_required', 'is_public', 'is_multiselect', 'default_value', 'meta', 'options'],
    ['default_value', 'meta', 'options'],
  ),
  returnsDeleted: true,
})
