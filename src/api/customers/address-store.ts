// The SQL of customers' addresses. Whoever changes them has touched their customer before, in the same transaction: that lock is what
// keeps two changes at once from both counting to a hundred, or both moving a default.

import { type Db, statement, type Tx } from '../../db/db.ts'
import type { Page } from '../../lib/page.ts'
import type { PostalAddress } from './postal-address.ts'

export type AddressColumns = PostalAddress & { default_shipping: boolean; default_billing: boolean }

export type AddressRow = AddressColumns & { id: string; created: number; updated: number }

/** Whose customers: those of another merchant, or of the other mode, are none. */
export type Owner = { readonly merchantId: number; readonly isSandbox: boolean }

const COLUMNS: Record<keyof AddressRow, string> = {
  id: 'a.id',
  name: 'a.name',
  street: 'a.street',
  street_2: 'a.street_2',
  town_city: 'a.town_city',
  county_state: 'a.county_state',
  postal_zip_code: 'a.postal_zip_code',
  country: 'a.country',
  delivery_instructions: 'a.delivery_instructions',
  meta: 'a.meta',
  default_shipping: 'a.is_default_shipping',
  default_billing: 'a.is_default_billing',
  created: 'unix_seconds(a.created_at)',
  updated: 'unix_seconds(a.updated_at)',
}

const ROW = Object.entries(COLUMNS)
  .map(([name, sql]) => `${sql} as ${name}`)
  .join(', ')

/** The columns of an `AddressRow` as JSON, of the table `customer_addresses` under the alias `a`. */
export const ADDRESS_JSON = `json_build_object(${Object.entries(COLUMNS)
  .map(([name, sql]) => `'${name}', ${sql}`)
  .join(', ')})`

const list = statement<{ total: number; rows: AddressRow[] }>(
  'customer_addresses.list',
  `select
     (select count(*) from customer_addresses a where a.merchant_id = $1 and a.customer_id = $3) as total,
     coalesce((
       select json_agg(page)
       from (
         select ${ROW}
         from customer_addresses a
         where a.merchant_id = $1 and a.customer_id = $3
         order by a.id
         limit $4 offset $5
       ) page
     ), '[]') as rows
   from customers c
   where c.merchant_id = $1 and c.is_sandbox = $2 and c.id = $3`,
)

/** One page, oldest first, and the count of all. Null when there is no such customer. */
export const listAddresses = (
  db: Db,
  { merchantId, isSandbox }: Owner,
  customerId: string,
  { limit, offset }: Page,
): Promise<{ total: number; rows: AddressRow[] } | null> =>
  db.maybe(list, [merchantId, isSandbox, customerId, limit, offset])

const find = statement<{ address: AddressRow | null }>(
  'customer_addresses.find',
  `select (
     select ${ADDRESS_JSON}
     from customer_addresses a
     where a.merchant_id = c.merchant_id and a.customer_id = c.id and a.id = $4
   ) as address
   from customers c
   where c.merchant_id = $1 and c.is_sandbox = $2 and c.id = $3`,
)

/** Null when there is no such customer, and `address` null when the customer has no such address. */
export const findAddress = (db: Db, { merchantId, isSandbox }: Owner, customerId: string, id: string) =>
  db.maybe(find, [merchantId, isSandbox, customerId, id])

// A statement of its own before the one that sets them: the unique indexes are asked row by row, and within one statement nobody says
// which row comes first.
const clearDefaults = statement(
  'customer_addresses.clear_defaults',
  `update customer_addresses
   set is_default_shipping = is_default_shipping and not $4::boolean,
     is_default_billing = is_default_billing and not $5::boolean,
     updated_at = $6
   where merchant_id = $1 and customer_id = $2 and id <> $3
     and (is_default_shipping and $4::boolean or is_default_billing and $5::boolean)`,
)

type Defaults = Pick<AddressColumns, 'default_shipping' | 'default_billing'>

/** Makes way for the address `id` where it becomes a default. */
export const clearOtherDefaults = (
  tx: Tx,
  merchantId: number,
  customerId: string,
  id: string,
  defaults: Defaults,
  now: Date,
) => tx.run(clearDefaults, [merchantId, customerId, id, defaults.default_shipping, defaults.default_billing, now])

const insert = statement<AddressRow>(
  'customer_addresses.insert',
  `insert into customer_addresses as a (
     merchant_id, customer_id, id, name, street, street_2, town_city, county_state, postal_zip_code, country,
     delivery_instructions, meta, is_default_shipping, is_default_billing, created_at, updated_at
   )
   select $1::integer, $2::text, $3::text, $4, $5, $6, $7, $8, $9, $10, $11, $12::json, $13::boolean, $14::boolean,
     $15::timestamptz, $15::timestamptz
   where (select count(*) from customer_addresses other where other.merchant_id = $1 and other.customer_id = $2) < $16
   returning ${ROW}`,
)

/** Null when the customer has `most` of them already. */
export const insertAddress = (
  tx: Tx,
  merchantId: number,
  customerId: string,
  id: string,
  columns: AddressColumns,
  most: number,
  now: Date,
) => tx.maybe(insert, [merchantId, customerId, id, ...values(columns), now, most])

const update = statement<AddressRow>(
  'customer_addresses.update',
  `update customer_addresses a
   set name = $4, street = $5, street_2 = $6, town_city = $7, county_state = $8, postal_zip_code = $9, country = $10,
     delivery_instructions = $11, meta = $12, is_default_shipping = $13, is_default_billing = $14, updated_at = $15
   where a.merchant_id = $1 and a.customer_id = $2 and a.id = $3
   returning ${ROW}`,
)

export const updateAddressRow = (
  tx: Tx,
  merchantId: number,
  customerId: string,
  id: string,
  columns: AddressColumns,
  now: Date,
) => tx.one(update, [merchantId, customerId, id, ...values(columns), now])

const remove = statement(
  'customer_addresses.delete',
  'delete from customer_addresses where merchant_id = $1 and customer_id = $2 and id = $3',
)

/** How many: one or none. */
export const deleteAddressRow = (tx: Tx, merchantId: number, customerId: string, id: string) =>
  tx.run(remove, [merchantId, customerId, id])

const values = (columns: AddressColumns) => [
  columns.name,
  columns.street,
  columns.street_2,
  columns.town_city,
  columns.county_state,
  columns.postal_zip_code,
  columns.country,
  columns.delivery_instructions,
  columns.meta === null ? null : JSON.stringify(columns.meta),
  columns.default_shipping,
  columns.default_billing,
]
