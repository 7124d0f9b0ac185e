// SQL of customers: the record with its default addresses, the customer that an order finds or creates, and whether an e-mail address is
// vouched for. Pages of customers are in list-store.ts.

import { columns, toJsonColumn } from '../../db/columns.ts'
import { addToCountOfMode, modeCountChangeSql } from '../../db/counts.ts'
import { type Db, type Scope, statement, type Tx } from '../../db/db.ts'
import { groupByShop, type RowKey } from '../../jobs/due.ts'
import type { Sweep } from '../../jobs/schedule.ts'
import { deleteInBatches } from '../../jobs/sweeps.ts'
import { merchantColumnSql } from '../merchants/read-store.ts'
import { ADDRESS_JSON, type AddressRow, type CustomerScope, sessionIsValidSql } from './address-store.ts'

export type StoredCustomer = CustomerRow & { default_shipping: AddressRow | null; default_billing: AddressRow | null }

const defaultAddress = (flag: string) => `(
     select ${ADDRESS_JSON}
     from customer_addresses a
     where a.merchant_id = :merchant_id and a.customer_id = c.id and a.${flag}
   )`

/** The columns of a `StoredCustomer`, from the table `customers` with the alias `c`. */
export const CUSTOMER_COLUMNS = `c.id, c.email, c.firstname, c.lastname, c.phone, c.external_id, c.meta,
   unix_seconds(c.created_at) as created, unix_seconds(c.updated_at) as updated,
   ${defaultAddress('is_default_shipping')} as default_shipping,
   ${defaultAddress('is_default_billing')} as default_billing`

/** Condition for the customer `c`, while the caller's session is valid. */
const THE_CUSTOMER = `c.merchant_id = :merchant_id and c.is_sandbox = :is_sandbox and c.id = :id and ${sessionIsValidSql(':begun_at')}`

const customerValues = ({ merchant_id, is_sandbox, session }: CustomerScope, id: string) => ({
  merchant_id,
  is_sandbox,
  id,
  begun_at: session?.begunAt ?? null,
})

const find = statement<StoredCustomer>(
  'customers.find',
  `select ${CUSTOMER_COLUMNS} from customers c where ${THE_CUSTOMER}`,
)

/** Null if the customer does not exist or the caller's session is over. */
export const findCustomer = (db: Db, scope: CustomerScope, id: string) => db.maybe(find, customerValues(scope, id))

export type CustomerColumns = Pick<CustomerRow, 'email' | 'firstname' | 'lastname' | 'phone' | 'external_id' | 'meta'>

type Proof = { is_email_proven: boolean; sessions_from: Date | null }

/** New state of the proof after a change; customer.ts explains it. */
export type EmailProof = Proof & { readonly isVouchedFor: boolean }

export type LockedCustomer = CustomerColumns & Proof & { email_key: string }

const fields = columns(['email', 'email_key', 'firstname', 'lastname', 'phone', 'external_id', 'meta'], ['meta'])

const lock = statement<LockedCustomer>(
  'customers.lock',
  `select ${fields.names}, is_email_proven, sessions_from from customers c where ${THE_CUSTOMER} for update`,
)

/** Reads no addresses: a statement that waits for a lock would return them as of its start. */
export const lockCustomer = (tx: Tx, scope: CustomerScope, id: string) => tx.maybe(lock, customerValues(scope, id))

const insert = statement<CustomerRow>(
  'customers.insert',
  `insert into customers as c (merchant_id, is_sandbox, id, ${fields.names}, created_at, updated_at, is_email_vouched)
   values (:merchant_id, :is_sandbox, :id, ${fields.parameters}, :now, :now, true)
   on conflict (merchant_id, is_sandbox, email_key) do nothing
   returning c.id, c.email, c.firstname, c.lastname, c.phone, c.external_id, c.meta,
     unix_seconds(c.created_at) as created, unix_seconds(c.updated_at) as updated`,
)

/** Inserts a customer created by the merchant. Null if the address is taken. Waits for a concurrent insert with the same address. */
export async function insertCustomer(tx: Tx, scope: Scope, id: string, customer: CustomerColumns, now: Date) {
  const row = await tx.maybe(insert, { ...scope, ...fieldValues(customer), id, now })
  if (row !== null) addToCountOfMode(tx, scope, 'customers', 1)
  return row
}

// Addresses are read in a separate statement. In a distributed database, a join with rows changed by the same statement would move rows
// between machines.
const update = statement(
  'customers.update',
  `update customers c
   set ${fields.assignments}, is_email_proven = :is_email_proven, sessions_from = :sessions_from, updated_at = :now,
     is_email_vouched = :is_vouched_for or (c.is_email_vouched and c.email_key = :email_key)
   where c.merchant_id = :merchant_id and c.id = :id`,
)

/** Updates a locked customer. Violates `customers_email_unique` if the address is taken. */
export async function updateCustomerRow(
  tx: Tx,
  { merchant_id, is_sandbox }: Scope,
  id: string,
  customer: CustomerColumns,
  { isVouchedFor, ...proof }: EmailProof,
  now: Date,
): Promise<StoredCustomer> {
  await tx.run(update, {
    ...fieldValues(customer),
    ...proof,
    is_vouched_for: isVouchedFor,
    merchant_id,
    id,
    now,
  })
  return tx.one(find, customerValues({ merchant_id, is_sandbox, session: null }, id))
}

const fieldValues = (customer: CustomerColumns) => fields.values({ ...customer, email_key: emailKey(customer.email) })

// Proof of e-mail addresses, including those of orders. Only SQL of this folder determines `orders.unproven_email_key`: the statements that
// clear it, and UNPROVEN_EMAIL_KEY, which the statement that inserts an order uses.

const vouch = statement(
  'customers.vouch_for_email',
  `with ended as (
     delete from login_tokens where merchant_id = :merchant_id and customer_id = :customer_id
   )
   update orders set unproven_email_key = null
   where merchant_id = :merchant_id and customer_id = :customer_id and unproven_email_key = :email_key`,
)

/** Makes the locked customer's orders with this address visible, and cancels all pending login links to any address. */
export const vouchForEmail = (tx: Tx, { merchant_id }: Scope, id: string, email: string) =>
  tx.run(vouch, { merchant_id, customer_id: id, email_key: emailKey(email) })

const touch = statement('customers.touch', `update customers c set updated_at = :now where ${THE_CUSTOMER}`)

/** Locks the customer until the transaction ends, for a change of related rows. False if the customer does not exist. */
export const touchCustomer = async (tx: Tx, scope: CustomerScope, id: string, now: Date) =>
  (await tx.run(touch, { ...customerValues(scope, id), now })) === 1

const remove = statement('customers.delete', 'delete from customers where merchant_id = :merchant_id and id = :id')

/** Deletes a locked customer with addresses and login tokens; orders remain. Returns the deleted customer. */
export async function deleteCustomerRow(
  tx: Tx,
  { merchant_id, is_sandbox }: Scope,
  id: string,
): Promise<StoredCustomer> {
  const customer = await tx.one(find, customerValues({ merchant_id, is_sandbox, session: null }, id))
  const deleted = await tx.run(remove, { merchant_id, id })
  if (deleted > 0) addToCountOfMode(tx, { merchant_id, is_sandbox }, 'customers', -deleted)
  return customer
}

// Finds or creates the customer of an order, as part of the statement that starts the order. The statement that inserts the order also
// updates the count of customers.

/** A customer without data of other tables. */
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

/** The buyer of an order. `id` is set if the capture named a customer. */
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

/** Ignores case for A to Z only. The lower case of the Kelvin sign, for example, is the k of somebody else's address. */
export const emailKey = (email: string): string => email.trim().replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase())

/**
 * Common table expressions that find or create a customer, for a statement with the values of `matchValues`. `matched` has one row with the
 * columns of `customers`.
 * An existing customer is not changed, because knowing an address does not prove ownership. A customer is inserted only if none exists. Of
 * two concurrent first orders, the second waits and then finds the customer of the first; the `do update` serves this and changes nothing.
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

/** A `CustomerRow` as JSON, from `matched`. */
export const MATCHED_JSON = `json_build_object('id', matched.id, 'email', matched.email, 'firstname', matched.firstname,
     'lastname', matched.lastname, 'phone', matched.phone, 'external_id', matched.external_id, 'meta', matched.meta,
     'created', unix_seconds(matched.created_at), 'updated', unix_seconds(matched.updated_at))`

/**
 * The unproven address stored with an order. Null if the address is that of its customer and proven. Read from the matched row in the same
 * statement, so that a concurrent change of the address cannot count as proof. Also applies if the capture names the customer, because any
 * public key can name any id. A person may buy in a browser where somebody else is logged in, who must not see the order.
 */
export const UNPROVEN_EMAIL_KEY =
  'case when matched.is_email_proven and matched.email_key = :email_key then null else :email_key end'

/** `newId` is the id for a new customer. A match with another id existed before. */
export const matchValues = ({ merchant_id, is_sandbox }: Scope, newId: string, buyer: Buyer, now: Date) => ({
  merchant_id,
  is_sandbox,
  new_customer_id: newId,
  customer_id: buyer.id,
  email: buyer.email,
  email_key: emailKey(buyer.email),
  firstname: buyer.firstname,
  lastname: buyer.lastname,
  phone: buyer.phone,
  meta: toJsonColumn(buyer.meta),
  now,
})

// Tells vouched addresses from those that anybody may have typed. One is vouched for if its owner used a mailed link, or if it has a paid
// order. The same goes for one that the merchant entered, or uses as support address. A free or unpaid order creates a customer of any
// address, so it proves nothing.

// Orders of the sandbox do not count, because nothing is paid there. The index orders_paid_by_email contains only paid orders, so thousands
// of free orders with an address do not slow the lookup.
const selectVouched = statement<{ is_vouched: boolean }>(
  'customers.find_vouched_address',
  `select c.is_email_vouched or lower((${merchantColumnSql('support_email', 'c.is_sandbox')}) collate "C") = :email_key or (not c.is_sandbox and exists (
     select 1
     from orders bought
     where bought.merchant_id = :merchant_id and lower(bought.email collate "C") = :email_key
       and bought.paid_at is not null and bought.order_value > 0 and not bought.is_sandbox
   )) as is_vouched
   from customers c
   join merchants m on m.merchant_id = c.merchant_id
   where c.merchant_id = :merchant_id and c.is_sandbox = :is_sandbox and c.email_key = :email_key`,
)

/** `emailKey` is the normalized address. Null if no customer has it. */
export const findVouched = async (
  db: Db,
  { merchant_id, is_sandbox }: Scope,
  emailKey: string,
): Promise<boolean | null> =>
  (await db.maybe(selectVouched, { merchant_id, is_sandbox, email_key: emailKey }))?.is_vouched ?? null

const DAY_MS = 86_400_000

const findIdle = statement<RowKey>(
  'sweep.find_sandbox_customers',
  `select merchant_id, id
   from customers
   where is_sandbox and greatest(updated_at, seen_at) < :moment
   order by greatest(updated_at, seen_at)
   limit :limit`,
)

// Customers in use get the time of their last use, so that the next run skips them. The cost of a run depends only on the customers that
// became idle since the last one.
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
   ${modeCountChangeSql({ list: 'customers', change: -1, from: 'gone' })}
   select count(*) as looked from idle`,
)

async function sweepIdleBatch(db: Db, moment: Date, limit: number): Promise<number> {
  let checkedCount = 0
  for (const [merchant_id, customers] of groupByShop(await db.many(findIdle, { moment, limit })))
    checkedCount += (
      await db.one(deleteIdle, { merchant_id, is_sandbox: true, moment, ids: customers.map(({ id }) => id) })
    ).looked
  return checkedCount
}

/** Deletes sandbox customers without orders who were not changed and did not log in for this many days. */
export const sweepIdleSandboxCustomers = (days: number): Sweep => ({
  name: 'idle-sandbox-customers',
  everySeconds: 3_600,
  run({ db, clock, signal }) {
    // The same moment for all batches, because remaining customers are marked with it.
    const moment = new Date(clock.now().getTime() - days * DAY_MS)
    return deleteInBatches(signal, (limit) => sweepIdleBatch(db, moment, limit))
  },
})
