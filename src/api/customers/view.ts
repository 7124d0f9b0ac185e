// A row → the customer in its newest form, field by field.

import type { CustomerRow } from './match-store.ts'
import type { Customer } from './schema.ts'

export const viewCustomer = (row: CustomerRow): Customer => ({
  id: row.id,
  external_id: row.external_id,
  firstname: row.firstname,
  lastname: row.lastname,
  email: row.email,
  phone: row.phone,
  meta: row.meta,
  created: row.created,
  updated: row.updated,
})
