// The SQL that picks one page of orders: the ids in order, and the count of all that match. Each combination of filters is a statement
// of its own, because one text with "or $n is null" would use none of the indexes.

import { type Db, type Statement, statement, statementOfFamily } from '../../db/db.ts'
import { isId } from '../../lib/ids.ts'
import type { Page } from '../../lib/page.ts'
import { type CustomerScope, isOpenTo } from '../customers/store.ts'
import { ORDER_COLUMNS, type OrderRow } from './read-store.ts'
import type { FulfillmentStatus, PaymentStatus } from './status.ts'
import type { Owner } from './store.ts'

export type ListedBy = {
  readonly query?: string
  readonly sortDirection: 'asc' | 'desc'
  readonly status_payment?: PaymentStatus
  readonly status_fulfillment?: FulfillmentStatus
  readonly customer_id?: string
  readonly created_after?: number
  readonly created_before?: number
}

/** The merchant, the mode, the limit and the offset. */
const TAKEN = 4

type Picked = { total: number; ids: string[] }

export const listOrderIds = (
  db: Db,
  { merchantId, isSandbox }: Owner,
  listed: ListedBy,
  { limit, offset }: Page,
): Promise<Picked> => {
  const { name, where, values } = conditions(listed, TAKEN)
  return db.one(picking(name, where, listed.sortDirection), [merchantId, isSandbox, limit, offset, ...values])
}

/**
 * Between two texts and not `like`: of a pattern that is a parameter the planner does not know how it begins. The last character of all
 * stands behind everything that begins with the same text, in the order of "C".
 */
const beginsWith = (column: string, prefix: string) =>
  `(${column} >= ${prefix} and ${column} < ${prefix} || chr(1114111))`

/** `taken`: how many parameters stand before these, of which $1 is the merchant and $2 the mode. */
export function conditions(listed: ListedBy, taken: number): { name: string; where: string; values: unknown[] } {
  const names: string[] = []
  const wheres = ['o.merchant_id = $1', 'o.is_sandbox = $2']
  const values: unknown[] = []
  const add = (name: string, value: unknown, where: (parameter: string) => string) => {
    names.push(name)
    values.push(value)
    wheres.push(where(`$${values.length + taken}`))
  }
  const text = listed.query ?? ''
  if (isId('order', text)) add('id', text, (value) => `o.id = ${value}`)
  else if (text !== '') {
    values.push(text.toUpperCase())
    const reference = beginsWith('o.customer_reference', `$${values.length + taken}::text`)
    add('text', text, (value) => {
      const email = beginsWith('lower(o.email collate "C")', `lower(${value}::text collate "C")`)
      return `(${reference} or ${email})`
    })
  }
  if (listed.status_payment !== undefined)
    add('payment', listed.status_payment, (value) => `o.status_payment = ${value}`)
  if (listed.status_fulfillment !== undefined)
    add('fulfillment', listed.status_fulfillment, (value) => `o.status_fulfillment = ${value}`)
  if (listed.customer_id !== undefined) add('customer', listed.customer_id, (value) => `o.customer_id = ${value}`)
  // Both leave the second itself out, as replies show it: whoever asks for what came after an order does not get it again.
  if (listed.created_after !== undefined)
    add('after', new Date((listed.created_after + 1) * 1_000), (value) => `o.created_at >= ${value}`)
  if (listed.created_before !== undefined)
    add('before', new Date(listed.created_before * 1_000), (value) => `o.created_at < ${value}`)
  return { name: names.join('_'), where: wheres.join('\n     and '), values }
}

const prepared = new Map<string, Statement<Picked>>()

/** The same text for the same name, always: PostgreSQL keeps a prepared statement under the first 63 characters of its name. */
function picking(conditions: string, where: string, direction: ListedBy['sortDirection']): Statement<Picked> {
  const name = ['orders.list', direction, conditions].filter(Boolean).join('_')
  const known = prepared.get(name)
  if (known) return known
  const made = statementOfFamily<Picked>(
    name,
    `select
     (select count(*) from orders o where ${where}) as total,
     array(
       select o.id
       from orders o
       where ${where}
       order by o.created_at ${direction}, o.id ${direction}
       limit $3 offset $4
     ) as ids`,
  )
  prepared.set(name, made)
  return made
}

// The SQL of one customer's orders, which also says whether there is the customer, and leaves out what a session is not shown: all in
// one statement, as between two the session might end.

/** The customer `c`, of $1 and $2, by $3, as long as the session that began at $4 lasts. */
const CUSTOMER = `customers c
   where c.merchant_id = $1 and c.is_sandbox = $2 and c.id = $3 and ${isOpenTo('$4')}`

/** Which orders a session sees; `proofOf` of customers says why not all. */
const IS_SHOWN = '($4::timestamptz is null or o.unproven_email_key is null)'

const keysOf = ({ merchantId, isSandbox, session }: CustomerScope, customerId: string) => [
  merchantId,
  isSandbox,
  customerId,
  session?.begunAt ?? null,
]

const find = statement<OrderRow | { id: null }>(
  'orders.find_of_customer',
  `select ${ORDER_COLUMNS}
   from customers c
   left join orders o
     on o.merchant_id = c.merchant_id and o.is_sandbox = c.is_sandbox and o.customer_id = c.id and o.id = $5 and ${IS_SHOWN}
   where c.merchant_id = $1 and c.is_sandbox = $2 and c.id = $3 and ${isOpenTo('$4')}`,
)

/** Null when there is no such customer, or the session is over; `order` null when the customer has no such order. */
export async function findOrderOfCustomer(
  db: Db,
  asking: CustomerScope,
  customerId: string,
  id: string,
): Promise<{ order: OrderRow | null } | null> {
  const row = await db.maybe(find, [...keysOf(asking, customerId), id])
  return row && { order: row.id === null ? null : row }
}

type PickedOfCustomer = { total: number; ids: string[] }

/** How many parameters stand before those of the filters. */
const TAKEN_BY_CUSTOMER = 6

/** One page of ids and the count of all that match. Null when there is no such customer, or the session is over. */
export function listOrderIdsOfCustomer(
  db: Db,
  asking: CustomerScope,
  customerId: string,
  listed: ListedBy,
  { limit, offset }: Page,
): Promise<PickedOfCustomer | null> {
  const { name, where, values } = conditions(listed, TAKEN_BY_CUSTOMER)
  const picked = pickingOfCustomer(name, where, listed.sortDirection)
  return db.maybe(picked, [...keysOf(asking, customerId), limit, offset, ...values])
}

const preparedOfCustomer = new Map<string, Statement<PickedOfCustomer>>()

/** The same text for the same name, always; and no name is longer than the 63 characters that PostgreSQL tells apart. */
function pickingOfCustomer(
  filters: string,
  where: string,
  direction: ListedBy['sortDirection'],
): Statement<PickedOfCustomer> {
  const name = ['orders.own', direction, filters].filter(Boolean).join('_')
  const known = preparedOfCustomer.get(name)
  if (known) return known
  const own = `${where}\n     and o.customer_id = c.id\n     and ${IS_SHOWN}`
  const made = statementOfFamily<PickedOfCustomer>(
    name,
    `select
     (select count(*) from orders o where ${own}) as total,
     array(
       select o.id
       from orders o
       where ${own}
       order by o.created_at ${direction}, o.id ${direction}
       limit $5 offset $6
     ) as ids
   from ${CUSTOMER}`,
  )
  preparedOfCustomer.set(name, made)
  return made
}
