// The SQL of one customer's orders, which also says whether there is the customer, and leaves out what a session is not shown: all in
// one statement, as between two the session might end.

import { type Db, type Statement, statement, statementOfFamily } from '../../db/db.ts'
import type { Page } from '../../lib/page.ts'
import { type Asking, isOpenTo } from '../customers/store.ts'
import { conditions, type ListedBy } from './list-store.ts'
import { ORDER_COLUMNS, type OrderRow } from './row-store.ts'

/** The customer `c`, of $1 and $2, by $3, as long as the session that began at $4 lasts. */
const CUSTOMER = `customers c
   where c.merchant_id = $1 and c.is_sandbox = $2 and c.id = $3 and ${isOpenTo('$4')}`

/** Which orders a session sees; customers/email-change.ts says why not all. */
const IS_SHOWN = '($4::timestamptz is null or o.unproven_email_key is null)'

const keysOf = ({ merchantId, isSandbox, session }: Asking, customerId: string) => [
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
  asking: Asking,
  customerId: string,
  id: string,
): Promise<{ order: OrderRow | null } | null> {
  const row = await db.maybe(find, [...keysOf(asking, customerId), id])
  return row && { order: row.id === null ? null : row }
}

type Picked = { total: number; ids: string[] }

/** How many parameters stand before those of the filters. */
const TAKEN = 6

/** One page of ids and the count of all that match. Null when there is no such customer, or the session is over. */
export function listOrderIdsOfCustomer(
  db: Db,
  asking: Asking,
  customerId: string,
  listed: ListedBy,
  { limit, offset }: Page,
): Promise<Picked | null> {
  const { name, where, values } = conditions(listed, TAKEN)
  const picked = picking(name, where, listed.sortDirection)
  return db.maybe(picked, [...keysOf(asking, customerId), limit, offset, ...values])
}

const prepared = new Map<string, Statement<Picked>>()

/** The same text for the same name, always; and no name is longer than the 63 characters that PostgreSQL tells apart. */
function picking(filters: string, where: string, direction: ListedBy['sortDirection']): Statement<Picked> {
  const name = ['orders.own', direction, filters].filter(Boolean).join('_')
  const known = prepared.get(name)
  if (known) return known
  const own = `${where}\n     and o.customer_id = c.id\n     and ${IS_SHOWN}`
  const made = statementOfFamily<Picked>(
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
  prepared.set(name, made)
  return made
}
