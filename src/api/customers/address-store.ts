// SQL of customers' addresses. Writers touch the customer first, in the same transaction. This lock prevents two concurrent changes from
// exceeding the limit of addresses, or from both setting a default.

import { columns, toJsonColumn } from '../../db/columns.ts'
import { type Db, type Scope, type Shop, statement, type Tx } from '../../db/db.ts'
import { listSql, type RowPage } from '../../db/records.ts'
import type { PageQuery } from '../../lib/page.ts'
import type { PostalAddress } from './postal-address.ts'

export type AddressColumns = PostalAddress & { default_shipping: boolean; default_billing: boolean }

export type AddressRow = AddressColumns & { id: string; created: number; updated: number }

const FIELDS: Record<keyof AddressRow, string> = {
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

const ROW = Object.entries(FIELDS)
  .map(([name, sql]) => `${sql} as ${name}`)
  .join(', ')

/** An `AddressRow` as JSON, from the table `customer_addresses` with the alias `a`. */
export const ADDRESS_JSON = `json_build_object(${Object.entries(FIELDS)
  .map(([name, sql]) => `'${name}', ${sql}`)
  .join(', ')})`

const OF_CUSTOMER = 'a.merchant_id = :merchant_id and a.customer_id = :customer_id'

/** The shop and mode of the customers, and the session of a customer who is logged in; null for a key. */
export type CustomerScope = Scope & { readonly session: { readonly begunAt: Date } | null }

/**
 * SQL condition that a session which began at that moment is still valid for the customer `c`. Always true for a key, with a null moment.
 * `<=` includes the session whose start has ended the others.
 */
export const sessionIsValidSql = (begunAt: string) =>
  `(${begunAt}::timestamptz is null or c.sessions_from is null or c.sessions_from <= ${begunAt})`

const CUSTOMER = `c.merchant_id = :merchant_id and c.is_sandbox = :is_sandbox and c.id = :customer_id and ${sessionIsValidSql(':begun_at')}`

const customerValues = (scope: CustomerScope, customerId: string) => ({
  ...scope,
  customer_id: customerId,
  begun_at: scope.session?.begunAt ?? null,
})

const list = statement<RowPage<AddressRow>>(
  'customer_addresses.list',
  `${listSql({ row: ROW, from: 'customer_addresses a', where: OF_CUSTOMER, orderBy: 'a.id' })}
   from customers c
   where ${CUSTOMER}`,
)

/** Null if the customer does not exist or the session is over. */
export const listAddresses = (
  db: Db,
  scope: CustomerScope,
  customerId: string,
  page: PageQuery,
): Promise<RowPage<AddressRow> | null> => db.maybe(list, { ...customerValues(scope, customerId), ...page })

const find = statement<{ address: AddressRow | null }>(
  'customer_addresses.find',
  `select (
     select ${ADDRESS_JSON}
     from customer_addresses a
     where a.merchant_id = :merchant_id and a.customer_id = c.id and a.id = :id
   ) as address
   from customers c
   where ${CUSTOMER}`,
)

/** Null if the customer does not exist or the session is over. `address` is null if the customer has no such address. */
export const findAddress = (db: Db, scope: CustomerScope, customerId: string, id: string) =>
  db.maybe(find, { ...customerValues(scope, customerId), id })

/** Identifies an address of a customer. */
export type AddressKey = { readonly customerId: string; readonly id: string }

const BY_KEY = 'merchant_id = :merchant_id and customer_id = :customer_id and id = :id'

const keyOf = (shop: Shop, { customerId, id }: AddressKey) => ({ ...shop, customer_id: customerId, id })

// A separate statement before the new default is set. Unique indexes are checked row by row, and the order of rows within one statement is
// undefined.
const clearDefaults = statement(
  'customer_addresses.clear_defaults',
  `update customer_addresses
   set is_default_shipping = is_default_shipping and not :default_shipping::boolean,
     is_default_billing = is_default_billing and not :default_billing::boolean,
     updated_at = :now
   where merchant_id = :merchant_id and customer_id = :customer_id and id <> :id
     and (is_default_shipping and :default_shipping::boolean or is_default_billing and :default_billing::boolean)`,
)

/** Clears the defaults of other addresses that this address takes over. */
export const clearOtherDefaults = (tx: Tx, shop: Shop, key: AddressKey, address: AddressColumns, now: Date) =>
  tx.run(clearDefaults, valuesOf(shop, key, address, now))

const TEXTS = columns<Exclude<keyof PostalAddress, 'meta'>>([
  'name',
  'street',
  'street_2',
  'town_city',
  'county_state',
  'postal_zip_code',
  'country',
  'delivery_instructions',
])

const insert = statement<AddressRow>(
  'customer_addresses.insert',
  `insert into customer_addresses as a (
     merchant_id, customer_id, id, ${TEXTS.names}, meta, is_default_shipping, is_default_billing, created_at, updated_at
   )
   select customer.merchant_id, customer.id, :id::text, ${TEXTS.parameters}, :meta::json,
     :default_shipping::boolean, :default_billing::boolean, :now::timestamptz, :now::timestamptz
   from customers customer
   where customer.merchant_id = :merchant_id and customer.id = :customer_id and (
     select count(*) from customer_addresses other
     where other.merchant_id = :merchant_id and other.customer_id = :customer_id
   ) < :most
   returning ${ROW}`,
)

/** Null if the customer already has `most` addresses. */
export const insertAddress = (tx: Tx, shop: Shop, key: AddressKey, address: AddressColumns, most: number, now: Date) =>
  tx.maybe(insert, { ...valuesOf(shop, key, address, now), most })

const update = statement<AddressRow>(
  'customer_addresses.update',
  `update customer_addresses a
   set ${TEXTS.assignments}, meta = :meta, is_default_shipping = :default_shipping,
     is_default_billing = :default_billing, updated_at = :now
   where ${BY_KEY}
   returning ${ROW}`,
)

export const updateAddressRow = (tx: Tx, shop: Shop, key: AddressKey, address: AddressColumns, now: Date) =>
  tx.one(update, valuesOf(shop, key, address, now))

const remove = statement('customer_addresses.delete', `delete from customer_addresses where ${BY_KEY}`)

/** Number of deleted rows: one or none. */
export const deleteAddressRow = (tx: Tx, shop: Shop, key: AddressKey) => tx.run(remove, keyOf(shop, key))

const valuesOf = (shop: Shop, key: AddressKey, address: AddressColumns, now: Date) => ({
  ...address,
  ...keyOf(shop, key),
  meta: toJsonColumn(address.meta),
  now,
})
