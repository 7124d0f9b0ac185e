// The SQL of customers: the record with its default addresses, the customer that an order finds or makes, and whether somebody stands for an
// e-mail address. Pages of customers are in list-store.ts.

import { columns, jsonText } from '../../db/columns.ts'
import { addToCountOfMode, countedOfMode } from '../../db/counts.ts'
import { type Db, type Scope, statement, type Tx } from '../../db/db.ts'
import { scopeValues } from '../../db/records.ts'
import { byShop, type RowKey } from '../../jobs/due.ts'
import type { Sweep } from '../../jobs/schedule.ts'
import { inBatches } from '../../jobs/sweeps.ts'
import { columnIn } from '../merchants/read-store.ts'
import { ADDRESS_JSON, type AddressRow, type CustomerScope, isOpenTo } from './address-store.ts'

export type StoredCustomer = CustomerRow & { default_shipping: AddressRow | null; default_billing: AddressRow | null }

const defaultAddress = (flag: string) => `(
     select ${ADDRESS_JSON}
     from customer_addresses a
     where a.merchant_id = :merchant_id and a.customer_id = c.id and a.${flag}
   )`

/** The columns of a `StoredCustomer`, of the table `customers` under the alias `c`. */
export const CUSTOMER_COLUMNS = `c.id, c.email, c.firstname, c.lastname, c.phone, c.external_id, c.meta,
   unix_seconds(c.created_at) as created, unix_seconds(c.updated_at) as updated,
   ${defaultAddress('is_default_shipping')} as default_shipping,
   ${defaultAddress('is_default_billing')} as default_billing`

/** The customer `c`, as long as the session that asks lasts. */
const THE_CUSTOMER = `c.merchant_id = :merchant_id and c.is_sandbox = :is_sandbox and c.id = :id and ${isOpenTo(':begun_at')}`

const customerValues = ({ merchantId, isSandbox, session }: CustomerScope, id: string) => ({
  merchant_id: merchantId,
  is_sandbox: isSandbox,
  id,
  begun_at: session?.begunAt ?? null,
})

const find = statement<StoredCustomer>(
  'customers.find',
  `select ${CUSTOMER_COLUMNS} from customers c where ${THE_CUSTOMER}`,
)

/** Null also when the session that asks is over. */
export const findCustomer = (db: Db, scope: CustomerScope, id: string) => db.maybe(find, customerValues(scope, id))

export type CustomerColumns = Pick<CustomerRow, 'email' | 'firstname' | 'lastname' | 'phone' | 'external_id' | 'meta'>

type Proof = { is_email_proven: boolean; sessions_from: Date | null }

/** What becomes of what is known of the address; customer.ts says what it is for. */
export type EmailProof = Proof & { readonly isVouchedFor: boolean }

export type LockedCustomer = CustomerColumns & Proof & { email_key: string }

const fields = columns(['email', 'email_key', 'firstname', 'lastname', 'phone', 'external_id', 'meta'], ['meta'])

const lock = statement<LockedCustomer>(
  'customers.lock',
  `select ${fields.names}, is_email_proven, sessions_from from customers c where ${THE_CUSTOMER} for update`,
)

/** Not with the addresses: a statement that waits for a lock shows what belongs to the row as it was before it waited. */
export const lockCustomer = (tx: Tx, scope: CustomerScope, id: string) => tx.maybe(lock, customerValues(scope, id))

const insert = statement<CustomerRow>(
  'customers.insert',
  `insert into customers as c (merchant_id, is_sandbox, id, ${fields.names}, created_at, updated_at, is_email_vouched)
   values (:merchant_id, :is_sandbox, :id, ${fields.parameters}, :now, :now, true)
   on conflict (merchant_id, is_sandbox, email_key) do nothing
   returning c.id, c.email, c.firstname, c.lastname, c.phone, c.external_id, c.meta,
     unix_seconds(c.created_at) as created, unix_seconds(c.updated_at) as updated`,
)

/** One whom the merchant puts in. Null when the address is taken. It waits for a customer that is being made with the same one. */
export async function insertCustomer(tx: Tx, scope: Scope, id: string, customer: CustomerColumns, now: Date) {
  const row = await tx.maybe(insert, { ...fieldValues(customer), ...scopeValues(scope), id, now })
  if (row !== null) addToCountOfMode(tx, scope, 'customers', 1)
  return row
}

// What belongs to the customer is read by a statement of its own: a database that is spread over several machines joins a table to what
// another part of the statement has changed only by moving rows around.
const update = statement(
  'customers.update',
  `update customers c
   set ${fields.assignments}, is_email_proven = :is_email_proven, sessions_from = :sessions_from, updated_at = :now,
     is_email_vouched = :is_vouched_for or (c.is_email_vouched and c.email_key = :email_key)
   where c.merchant_id = :merchant_id and c.id = :id`,
)

/** Of a customer that is locked. Violates `customers_email_unique` when the address is taken. */
export async function updateCustomerRow(
  tx: Tx,
  { merchantId, isSandbox }: Scope,
  id: string,
  customer: CustomerColumns,
  { isVouchedFor, ...proof }: EmailProof,
  now: Date,
): Promise<StoredCustomer> {
  await tx.run(update, {
    ...fieldValues(customer),
    ...proof,
    is_vouched_for: isVouchedFor,
    merchant_id: merchantId,
    id,
    now,
  })
  return tx.one(find, customerValues({ merchantId, isSandbox, session: null }, id))
}

const fieldValues = (customer: CustomerColumns) => fields.values({ ...customer, email_key: emailKey(customer.email) })

// Whether an address is the customer's own is known here alone, also where it stands in an order: `orders.unproven_email_key` is written by
// the statements of customers, and by the one that makes the order with UNPROVEN_EMAIL_KEY below.

const vouch = statement(
  'customers.vouch_for_email',
  `with ended as (
     delete from login_tokens where merchant_id = :merchant_id and customer_id = :customer_id
   )
   update orders set unproven_email_key = null
   where merchant_id = :merchant_id and customer_id = :customer_id and unproven_email_key = :email_key`,
)

/** Shows the customer's orders under that address, and ends links that are on their way, to whichever address. Of a locked customer. */
export const vouchForEmail = (tx: Tx, { merchantId }: Scope, id: string, email: string) =>
  tx.run(vouch, { merchant_id: merchantId, customer_id: id, email_key: emailKey(email) })

const touch = statement('customers.touch', `update customers c set updated_at = :now where ${THE_CUSTOMER}`)

/** True if there is such a customer; locked until the transaction ends, for a change of what belongs to it. */
export const touchCustomer = async (tx: Tx, scope: CustomerScope, id: string, now: Date) =>
  (await tx.run(touch, { ...customerValues(scope, id), now })) === 1

const remove = statement('customers.delete', 'delete from customers where merchant_id = :merchant_id and id = :id')

/** Of a customer that is locked: as it was. Addresses and login tokens go with it, orders stay. */
export async function deleteCustomerRow(tx: Tx, { merchantId, isSandbox }: Scope, id: string): Promise<StoredCustomer> {
  const customer = await tx.one(find, customerValues({ merchantId, isSandbox, session: null }, id))
  const deleted = await tx.run(remove, { merchant_id: merchantId, id })
  if (deleted > 0) addToCountOfMode(tx, { merchantId, isSandbox }, 'customers', -deleted)
  return customer
}

// The SQL that finds the customer an order belongs to, or makes one, as part of the statement that begins the order. The one that inserts the
// order counts it.

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
     where not exists (select 1 from known)
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
const vouched = statement<{ is_vouched: boolean }>(
  'customers.find_vouched_address',
  `select c.is_email_vouched or lower((${columnIn('support_email', 'c.is_sandbox')}) collate "C") = :email_key or (not c.is_sandbox and exists (
     select 1
     from orders bought
     where bought.merchant_id = :merchant_id and lower(bought.email collate "C") = :email_key
       and bought.paid_at is not null and bought.order_value > 0 and not bought.is_sandbox
   )) as is_vouched
   from customers c
   join merchants m on m.merchant_id = c.merchant_id
   where c.merchant_id = :merchant_id and c.is_sandbox = :is_sandbox and c.email_key = :email_key`,
)

/** `emailKey`: in the form that addresses are compared in. Null when it is no customer's. */
export const findVouched = async (
  db: Db,
  { merchantId, isSandbox }: Scope,
  emailKey: string,
): Promise<boolean | null> =>
  (await db.maybe(vouched, { merchant_id: merchantId, is_sandbox: isSandbox, email_key: emailKey }))?.is_vouched ?? null

const DAY_MS = 86_400_000

const findIdle = statement<RowKey>(
  'sweep.find_sandbox_customers',
  `select merchant_id, id
   from customers
   where is_sandbox and greatest(updated_at, seen_at) < :moment
   order by greatest(updated_at, seen_at)
   limit :limit`,
)

// Those in use are marked with when they were used, so that the next run does not look at them again: a run costs as much as has grown
// old since the one before, however many there are.
const deleteIdle = statement<{ looked: number }>(
  'sweep.sandbox_customers',
  `with idle as materialized (
     select held.id,
       (select max(o.created_at) from orders o where o.merchant_id = :merchant_id and o.customer_id = held.id) as ordered_at,
       (select max(a.updated_at) from customer_addresses a where a.merchant_id = :merchant_id and a.customer_id = held.id)
         as addressed_at
     from unnest(:ids::text[]) as found (id)
     cross join lateral (
       select id from customers
       where merchant_id = :merchant_id and customers.id = found.id
         and (is_sandbox and greatest(updated_at, seen_at) < :moment) is true
       offset 0
       for update skip locked
     ) held
   ),
   kept as (
     update customers c
     set seen_at = greatest(idle.ordered_at, idle.addressed_at, :moment)
     from idle
     where c.merchant_id = :merchant_id and c.id = idle.id and (idle.ordered_at is not null or idle.addressed_at >= :moment)
     returning c.id
   ),
   gone as (
     delete from customers c
     using idle
     where c.merchant_id = :merchant_id and c.id = idle.id and c.is_sandbox
       and idle.ordered_at is null and (idle.addressed_at is null or idle.addressed_at < :moment)
     returning c.id
   ),
   ${countedOfMode({ list: 'customers', change: -1, from: 'gone' })}
   select count(*) as looked from idle`,
)

async function lookAtIdle(db: Db, moment: Date, limit: number): Promise<number> {
  let looked = 0
  for (const [merchant_id, customers] of byShop(await db.many(findIdle, { moment, limit })))
    looked += (await db.one(deleteIdle, { merchant_id, is_sandbox: true, moment, ids: customers.map(({ id }) => id) }))
      .looked
  return looked
}

/** Customers of the sandbox who have no order, and for so many days were neither changed nor logged in. */
export const sweepIdleSandboxCustomers = (days: number): Sweep => ({
  name: 'idle-sandbox-customers',
  everySeconds: 3_600,
  run({ db, clock, signal }) {
    // The same for all batches: it is what those that stay are marked with.
    const moment = new Date(clock.now().getTime() - days * DAY_MS)
    return inBatches(signal, (limit) => lookAtIdle(db, moment, limit))
  },
})
