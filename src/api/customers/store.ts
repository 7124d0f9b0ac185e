// The SQL of customers as records, each with its default addresses. Those that an order finds or makes are in match-store.ts, pages of
// them in list-store.ts.

import { jsonText } from '../../db/columns.ts'
import { type Db, type Scope, statement, type Tx } from '../../db/db.ts'
import { ADDRESS_JSON, type AddressRow, type Owner } from './address-store.ts'

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

// The SQL that finds the customer an order belongs to, or makes one, as part of the statement that begins the order.

/** A customer without what stands in other tables. */
export type CustomerRow = {
  id: string
  email: string
  firstname: string | null
  lastname: string | null
  phone: string | null
  external_id: string | null
  meta: Record<string, unknown> | null
  created: number
  updated: number
}

/** Who buys. `id` is known where the capture named a customer. */
export type Buyer = {
  readonly id: string | null
  readonly email: string
  readonly firstname: string | null
  readonly lastname: string | null
  readonly phone: string | null
  readonly meta: Record<string, unknown> | null
}

const COLUMNS =
  'id, email, email_key, is_email_proven, firstname, lastname, phone, external_id, meta, created_at, updated_at'

/** Upper and lower case are the same address, of A to Z alone: the lower case of the Kelvin sign is somebody else's k. */
export const emailKey = (email: string): string => email.trim().replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase())

/**
 * The common table expressions of the match, for a statement whose values are `matchValues`. `matched` gives one row with
 * the columns of a customer's table.
 *
 * A known customer is read and left alone: whoever buys knows an address, which is no proof of being its owner. Only where there is
 * none is one inserted. Of two first orders at once, the second waits for the first and then finds its customer: that is what the
 * update is for, which changes nothing.
 */
export const MATCHED_CUSTOMER = `known as (
     select ${COLUMNS} from customers
     where merchant_id = :merchant_id and is_sandbox = :is_sandbox and id = :customer_id
     union all
     select ${COLUMNS} from customers
     where merchant_id = :merchant_id and is_sandbox = :is_sandbox and email_key = :email_key and :customer_id::text is null
   ), made as (
     insert into customers (
       merchant_id, is_sandbox, id, email, email_key, firstname, lastname, phone, meta, created_at, updated_at
     )
     select :merchant_id, :is_sandbox, :new_customer_id, :email, :email_key, :firstname, :lastname, :phone, :meta::json,
       :now::timestamptz, :now::timestamptz
     where not exists (select from known)
     on conflict (merchant_id, is_sandbox, email_key) do update set email_key = excluded.email_key
     returning ${COLUMNS}
   ), matched as (
     select ${COLUMNS} from known
     union all
     select ${COLUMNS} from made
   )`

/** The columns of a `CustomerRow` as JSON, of `matched`. */
export const MATCHED_JSON = `json_build_object('id', matched.id, 'email', matched.email, 'firstname', matched.firstname,
     'lastname', matched.lastname, 'phone', matched.phone, 'external_id', matched.external_id, 'meta', matched.meta,
     'created', unix_seconds(matched.created_at), 'updated', unix_seconds(matched.updated_at))`

/**
 * What an order keeps of the address it is made with: null where it is that of its customer, and proven. Read in the statement of the
 * match, from the very row that was matched: an address that is taken at the same moment is either not matched, or known as not proven.
 * So too where the capture has named the customer: any public key can name any id, and whoever buys in a browser in which somebody else
 * is still logged in must not show that person what, and where to.
 */
export const UNPROVEN_EMAIL_KEY =
  'case when matched.is_email_proven and matched.email_key = :email_key then null else :email_key end'

/** `newId` is that of the customer to be; a match with another id was there before. */
export const matchValues = ({ merchantId, isSandbox }: Scope, newId: string, buyer: Buyer, now: Date) => ({
  merchant_id: merchantId,
  is_sandbox: isSandbox,
  new_customer_id: newId,
  customer_id: buyer.id,
  email: buyer.email,
  email_key: emailKey(buyer.email),
  firstname: buyer.firstname,
  lastname: buyer.lastname,
  phone: buyer.phone,
  meta: jsonText(buyer.meta),
  now,
})

// The SQL that tells an address that somebody stands for from one that anybody may have typed: its owner has used a link that was mailed to
// it, the merchant has put it in or gets the shop's own mail there, or it has bought for money. A free order, or one that is not paid, makes
// a customer of any address.

// In the sandbox nothing is paid, so nothing that was bought there counts. The index orders_paid_by_email has these orders alone: an
// address that somebody else has ordered with ten thousand times for free is looked up as fast as another.
const selectVouched = statement<{ is_vouched: boolean }>(
  'customers.find_vouched_address',
  `select c.is_email_vouched or lower(m.support_email collate "C") = $3 or (not c.is_sandbox and exists (
     select
     from orders bought
     where bought.merchant_id = $1 and lower(bought.email collate "C") = $3
       and bought.paid_at is not null and bought.order_value > 0 and not bought.is_sandbox
   )) as is_vouched
   from customers c
   join merchants m on m.merchant_id = c.merchant_id
   where c.merchant_id = $1 and c.is_sandbox = $2 and c.email_key = $3`,
)

/** `emailKey`: in the form that addresses are compared in. Null when it is no customer's. */
export const findVouched = async (
  db: Db,
  { merchantId, isSandbox }: { readonly merchantId: number; readonly isSandbox: boolean },
  emailKey: string,
): Promise<boolean | null> => (await db.maybe(selectVouched, [merchantId, isSandbox, emailKey]))?.is_vouched ?? null
