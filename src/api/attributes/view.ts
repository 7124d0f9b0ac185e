// A row → the attribute in its newest form, field by field.

import type { Attribute } from './schema.ts'
import type { AttributeRow } from './store.ts'

export const viewAttribute = (row: AttributeRow): Attribute => ({
  id: row.id,
  name: row.name,
  description: row.description,
  type: row.type,
  required: row.is_required,
  is_public: row.is_public,
  is_multiselect: row.is_multiselect,
  default_value: row.default_value,
  meta: row.meta,
  created: row.created,
  updated: row.updated,
  options: row.options.map(({ id, value, label }) => ({ id, value, label })),
})
