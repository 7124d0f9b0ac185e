// The SQL that picks one page of orders: the ids in order, and the count of all that match; of a shop, or of one customer. Each combination
// of filters is a statement of its own, because one text with "or :name is null" would use none of the indexes.

import { type Db, type Scope, type Statement, statement, statementFamily, type Values } from '../../db/db.ts'
import { isId } from '../../lib/ids.ts'
import type { Page } from '../../lib/page.ts'
import { type CustomerScope, isOpenTo } from '../customers/store.ts'
import { ORDER_COLUMNS, type OrderRow } from './read-store.ts'
import type { FulfillmentStatus, PaymentStatus } from './status.ts'

type OrderFilter = {
  readonly query?: string
  readonly sortDirection: 'asc' | 'desc'
  readonly status_payment?: PaymentStatus
  readonly status_fulfillment?: FulfillmentStatus
  readonly customer_id?: string
  readonly created_after?: number
  readonly created_before?: number
}

export type PageOfIds = { total: number; ids: string[] }

export const listOrderIds = (db: Db, scope: Scope, filter: OrderFilter, page: Page): Promise<PageOfIds> =>
  db.one(listStatement(scope.isSandbox ? 'test' : 'live', filter), listValues(scope, filter, page))

/** Who asks for a customer's orders: with a key, or as the customer who has logged in. */

/** Null when there is no such customer, or the session is over. */
export const listOrderIdsOfCustomer = (
  db: Db,
  scope: CustomerScope,
  customerId: string,
  filter: OrderFilter,
  page: Page,
): Promise<PageOfIds | null> =>
  db.maybe(listStatement('own', filter), { ...listValues(scope, filter, page), ...customerValues(scope, customerId) })

/**
 * Between two texts and not `like`: of a pattern that is a parameter the planner does not know how it begins. The last character of all
 * stands behind everything that begins with the same text, in the order of "C".
 */
const beginsWith = (column: string, prefix: string) =>
  `(${column} >= ${prefix} and ${column} < ${prefix} || chr(1114111))`

const FILTERS = {
  id: 'o.id = :query',
  text: `(${beginsWith('o.customer_reference', ':reference::text')}
       or ${beginsWith('lower(o.email collate "C")', 'lower(:query::text collate "C")')})`,
  payment: 'o.status_payment = :status_payment',
  fulfillment: 'o.status_fulfillment = :status_fulfillment',
  customer: 'o.customer_id = :customer_id',
  after: 'o.created_at >= :created_from',
  before: 'o.created_at < :created_until',
}

function filtersIn({ query = '', ...filter }: OrderFilter): (keyof typeof FILTERS)[] {
  const isOn: Record<keyof typeof FILTERS, boolean> = {
    id: isId('order', query),
    text: query !== '' && !isId('order', query),
    payment: filter.status_payment !== undefined,
    fulfillment: filter.status_fulfillment !== undefined,
    customer: filter.customer_id !== undefined,
    after: filter.created_after !== undefined,
    before: filter.created_before !== undefined,
  }
  return (Object.keys(isOn) as (keyof typeof FILTERS)[]).filter((name) => isOn[name])
}

/** Also of filters that are not used: a statement takes what it names. */
const listValues = (scope: Scope, filter: OrderFilter, { limit, offset }: Page): Values => ({
  ...filter,
  merchant_id: scope.merchantId,
  is_sandbox: scope.isSandbox,
  limit,
  offset,
  reference: filter.query?.toUpperCase(),
  // Both leave the second itself out, as replies show it: whoever asks for what came after an order does not get it again.
  created_from: filter.created_after === undefined ? undefined : new Date((filter.created_after + 1) * 1_000),
  created_until: filter.created_before === undefined ? undefined : new Date(filter.created_before * 1_000),
})

// One customer's orders. The statements also say whether there is the customer, and leave out what a session is not shown: all in one, as
// between two the session might end.

/** The one customer, as long as the session lasts that asks. */
const CUSTOMER = `c.merchant_id = :merchant_id and c.is_sandbox = :is_sandbox and c.id = :of_customer_id and ${isOpenTo(':begun_at')}`

/** Their orders. A session does not see those that were made with an address which was never proven; customers/customer.ts says why. */
const OF_CUSTOMER = `o.merchant_id = c.merchant_id and o.is_sandbox = c.is_sandbox and o.customer_id = c.id
       and (:begun_at::timestamptz is null or o.unproven_email_key is null)`

const customerValues = ({ merchantId, isSandbox, session }: CustomerScope, customerId: string) => ({
  merchant_id: merchantId,
  is_sandbox: isSandbox,
  of_customer_id: customerId,
  begun_at: session?.begunAt ?? null,
})

const find = statement<OrderRow | { id: null }>(
  'orders.find_of_customer',
  `select ${ORDER_COLUMNS}
   from customers c
   left join orders o on ${OF_CUSTOMER} and o.id = :id
   where ${CUSTOMER}`,
)

/** Null when there is no such customer, or the session is over; `order` null when the customer has no such order. */
export async function findOrderOfCustomer(
  db: Db,
  scope: CustomerScope,
  customerId: string,
  id: string,
): Promise<{ order: OrderRow | null } | null> {
  const row = await db.maybe(find, { ...customerValues(scope, customerId), id })
  return row && { order: row.id === null ? null : row }
}

/**
 * What a page is picked from, and for whom it is one row or none. Each mode has an index of its own, and a text of its own that names it:
 * docs/decisions/0032.
 */
const SOURCES = {
  live: { where: 'o.merchant_id = :merchant_id and not o.is_sandbox', from: '' },
  test: { where: 'o.merchant_id = :merchant_id and o.is_sandbox', from: '' },
  own: { where: `o.merchant_id = :merchant_id and ${OF_CUSTOMER}`, from: `from customers c where ${CUSTOMER}` },
}

const family = statementFamily<PageOfIds>()

/** No name is longer than the 63 characters that PostgreSQL tells apart. */
function listStatement(source: keyof typeof SOURCES, filter: OrderFilter): Statement<PageOfIds> {
  const filters = filtersIn(filter)
  const { sortDirection: direction } = filter
  const { where, from } = SOURCES[source]
  const matching = [where, ...filters.map((each) => FILTERS[each])].join('\n     and ')
  return family(
    [`orders.${source}`, direction, ...filters].join('_'),
    `select
     (select count(*) from orders o where ${matching}) as total,
     array(
       select o.id
       from orders o
       where ${matching}
       order by o.created_at ${direction}, o.id ${direction}
       limit :limit offset :offset
     ) as ids
   ${from}`,
  )
}
