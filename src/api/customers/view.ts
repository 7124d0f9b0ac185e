// Rows → customers and addresses in their newest form, field by field.

import type { AddressRow } from './address-store.ts'
import type { CustomerRow } from './match-store.ts'
import { viewPostalAddress } from './postal-address.ts'
import type { Customer, CustomerAddress } from './schema.ts'
import type { StoredCustomer } from './store.ts'

export const viewCustomer = (row: StoredCustomer): Customer => ({
  id: row.id,
  external_id: row.external_id,
  firstname: row.firstname,
  lastname: row.lastname,
  email: row.email,
  phone: row.phone,
  meta: row.meta,
  created: row.created,
  updated: row.updated,
  default_shipping: row.default_shipping && viewAddress(row.default_shipping),
  default_billing: row.default_billing && viewAddress(row.default_billing),
})

/** One that was made just now, and has no addresses yet. */
export const viewNewCustomer = (row: CustomerRow): Customer =>
  viewCustomer({ ...row, default_shipping: null, default_billing: null })

export const viewAddress = (row: AddressRow): CustomerAddress => ({
  id: row.id,
  ...viewPostalAddress(row),
  default_shipping: row.default_shipping,
  default_billing: row.default_billing,
  created: row.created,
  updated: row.updated,
})
