// The SQL of customers as records, each with its default addresses. Those that an order finds or makes are in match-store.ts, pages of
// them in list-store.ts.

import { type Db, statement, type Tx } from '../../db/db.ts'
import { ADDRESS_JSON, type AddressRow, type Owner } from './address-store.ts'
import type { CustomerRow } from './match-store.ts'

export type StoredCustomer = CustomerRow & { default_shipping: AddressRow | null; default_billing: AddressRow | null }

/** Who asks: with a key, or as a customer who has logged in. */
export type Asking = Owner & { readonly session: { readonly begunAt: Date } | null }

const defaultAddress = (flag: string) => `(
     select ${ADDRESS_JSON}
     from customer_addresses a
     where a.merchant_id = c.merchant_id and a.customer_id = c.id and a.${flag}
   )`

/** The columns of a `StoredCustomer`, of the table `customers` under the alias `c`. */
export const CUSTOMER_COLUMNS = `c.id, c.email, c.firstname, c.lastname, c.phone, c.external_id, c.meta,
   unix_seconds(c.created_at) as created, unix_seconds(c.updated_at) as updated,
   ${defaultAddress('is_default_shipping')} as default_shipping,
   ${defaultAddress('is_default_billing')} as default_billing`

/** What CUSTOMER_COLUMNS are made of, for a statement that returns them from a change. */
const CHANGED =
  'c.merchant_id, c.id, c.email, c.firstname, c.lastname, c.phone, c.external_id, c.meta, c.created_at, c.updated_at'

/**
 * Whether the session that began at that moment still goes for the customer `c`; a key, for which the moment is null, always does.
 * The one whose beginning ended the others began at that very moment or after it.
 */
export const isOpenTo = (begunAt: string) =>
  `(${begunAt}::timestamptz is null or c.sessions_from is null or c.sessions_from <= ${begunAt})`

const find = statement<StoredCustomer>(
  'customers.find',
  `select ${CUSTOMER_COLUMNS}
   from customers c
   where c.merchant_id = $1 and c.is_sandbox = $2 and c.id = $3 and ${isOpenTo('$4')}`,
)

/** Null also when the session that asks is over. */
export const findCustomer = (db: Db, { merchantId, isSandbox, session }: Asking, id: string) =>
  db.maybe(find, [merchantId, isSandbox, id, session?.begunAt ?? null])

export type CustomerColumns = Pick<CustomerRow, 'email' | 'firstname' | 'lastname' | 'phone' | 'external_id' | 'meta'>

type Proof = { is_email_proven: boolean; sessions_from: Date | null }

/** What becomes of what is known of the address; email-change.ts says what it is for. */
export type EmailProof = Proof & { readonly isVouchedFor: boolean }

export type LockedCustomer = CustomerColumns & Proof & { email_key: string }

const lock = statement<LockedCustomer>(
  'customers.lock',
  `select c.email, c.email_key, c.firstname, c.lastname, c.phone, c.external_id, c.meta, c.is_email_proven, c.sessions_from
   from customers c
   where c.merchant_id = $1 and c.is_sandbox = $2 and c.id = $3 and ${isOpenTo('$4')}
   for update`,
)

/** Not with the addresses: a statement that waits for a lock shows what belongs to the row as it was before it waited. */
export const lockCustomer = (tx: Tx, { merchantId, isSandbox, session }: Asking, id: string) =>
  tx.maybe(lock, [merchantId, isSandbox, id, session?.begunAt ?? null])

const insert = statement<CustomerRow>(
  'customers.insert',
  `insert into customers as c (
     merchant_id, is_sandbox, id, email, email_key, firstname, lastname, phone, external_id, meta, created_at, updated_at,
     is_email_vouched
   )
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $11, true)
   on conflict (merchant_id, is_sandbox, email_key) do nothing
   returning c.id, c.email, c.firstname, c.lastname, c.phone, c.external_id, c.meta,
     unix_seconds(c.created_at) as created, unix_seconds(c.updated_at) as updated`,
)

/** One whom the merchant puts in. Null when the address is taken. It waits for a customer that is being made with the same one. */
export const insertCustomer = (
  tx: Tx,
  { merchantId, isSandbox }: Owner,
  id: string,
  key: string,
  columns: CustomerColumns,
  now: Date,
) => tx.maybe(insert, [merchantId, isSandbox, id, ...values(columns, key), now])

const update = statement<StoredCustomer>(
  'customers.update',
  `with c as (
     update customers c
     set email = $3, email_key = $4, firstname = $5, lastname = $6, phone = $7, external_id = $8, meta = $9,
       is_email_proven = $10, sessions_from = $11, updated_at = $12,
       is_email_vouched = $13 or (c.is_email_vouched and c.email_key = $4)
     where c.merchant_id = $1 and c.id = $2
     returning ${CHANGED}
   )
   select ${CUSTOMER_COLUMNS} from c`,
)

/** Of a customer that is locked. Violates `customers_email_unique` when the address is taken. */
export const updateCustomerRow = (
  tx: Tx,
  { merchantId }: Owner,
  id: string,
  key: string,
  columns: CustomerColumns,
  proof: EmailProof,
  now: Date,
) =>
  tx.one(update, [
    merchantId,
    id,
    ...values(columns, key),
    proof.is_email_proven,
    proof.sessions_from,
    now,
    proof.isVouchedFor,
  ])

const vouch = statement(
  'customers.vouch_for_email',
  `with ended as (
     delete from login_tokens where merchant_id = $1 and customer_id = $2
   )
   update orders set unproven_email_key = null
   where merchant_id = $1 and customer_id = $2 and unproven_email_key = $3`,
)

/** Shows the customer's orders under that address, and ends links that are on their way, to whichever address. Of a locked customer. */
export const vouchForEmail = (tx: Tx, { merchantId }: Owner, id: string, key: string) =>
  tx.run(vouch, [merchantId, id, key])

const touch = statement(
  'customers.touch',
  'update customers set updated_at = $4 where merchant_id = $1 and is_sandbox = $2 and id = $3',
)

/** Whether there is such a customer; locked until the transaction ends, for a change of what belongs to it. */
export const touchCustomer = async (tx: Tx, { merchantId, isSandbox }: Owner, id: string, now: Date) =>
  (await tx.run(touch, [merchantId, isSandbox, id, now])) === 1

const remove = statement<StoredCustomer>(
  'customers.delete',
  `with c as (
     delete from customers c
     where c.merchant_id = $1 and c.id = $2
     returning ${CHANGED}
   )
   select ${CUSTOMER_COLUMNS} from c`,
)

/** Of a customer that is locked: as it was. Addresses and login tokens go with it, orders stay. */
export const deleteCustomerRow = (tx: Tx, { merchantId }: Owner, id: string) => tx.one(remove, [merchantId, id])

const values = (columns: CustomerColumns, key: string) => [
  columns.email,
  key,
  columns.firstname,
  columns.lastname,
  columns.phone,
  columns.external_id,
  columns.meta === null ? null : JSON.stringify(columns.meta),
]
