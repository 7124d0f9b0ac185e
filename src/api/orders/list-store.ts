// SQL that selects a page of order ids and the total count, for a shop or for one customer. Also selects the ids that follow an order, for
// an export.
// Each combination of filters is a separate statement. One statement with "or :name is null" could use none of the indexes.

import { storedModeCountSql } from '../../db/counts.ts'
import { type Db, type Scope, type Statement, statement, statementFamily, type Values } from '../../db/db.ts'
import { isId } from '../../lib/ids.ts'
import type { PageQuery } from '../../lib/page.ts'
import { type CustomerScope, sessionIsValidSql } from '../customers/address-store.ts'
import { ORDER_COLUMNS, type OrderRow } from './read-store.ts'
import type { FulfillmentStatus, OrderStatusFilter, PaymentStatus } from './status.ts'

export type OrderFilter = {
  readonly query?: string
  readonly sortDirection: 'asc' | 'desc'
  readonly status?: OrderStatusFilter
  readonly status_payment?: PaymentStatus
  readonly status_fulfillment?: FulfillmentStatus
  readonly customer_id?: string
  readonly created_after?: number
  readonly created_before?: number
}

export type OrderIdPage = { total: number; ids: string[] }

export const listOrderIds = (db: Db, scope: Scope, filter: OrderFilter, page: PageQuery): Promise<OrderIdPage> =>
  db.one(listStatement(scope.is_sandbox ? 'test' : 'live', filter), listValues(scope, filter, page))

/** Null if the customer does not exist or the session has ended. */
export const listOrderIdsOfCustomer = (
  db: Db,
  scope: CustomerScope,
  customerId: string,
  filter: OrderFilter,
  page: PageQuery,
): Promise<OrderIdPage | null> =>
  db.maybe(listStatement('own', filter), { ...listValues(scope, filter, page), ...customerValues(scope, customerId) })

/**
 * Compares a range instead of using `like`, because the planner does not know the prefix of a pattern passed as a parameter. The last
 * Unicode character sorts after every text with the same prefix in the collation "C".
 */
const beginsWith = (column: string, prefix: string) =>
  `(${column} >= ${prefix} and ${column} < ${prefix} || chr(1114111))`

const REFERENCE = beginsWith('o.customer_reference', ':reference::text')
const EMAIL = beginsWith('lower(o.email collate "C")', 'lower(:query::text collate "C")')

/** Ignores case. The collation "C" sorts texts with the same prefix next to each other. */
const name = (column: string) => beginsWith(`lower(${column}) collate "C"`, '(lower(:query::text) collate "C")')
const LAST_NAME = name('o.lastname')
const FULL_NAME = name("coalesce(o.firstname || ' ' || o.lastname, o.firstname, o.lastname)")

/** Columns that a search text may match; each has its own index. */
const TEXTS = [REFERENCE, EMAIL, LAST_NAME, FULL_NAME]

/** SQL: the pending action of an order, 'unpaid' or 'unshipped', or null. The index orders_to_do has the same expression. */
export const PENDING_ACTION_SQL = `(case
    when o.cancelled_at is not null then null
    when o.status_payment in ('not_paid', 'partially_paid', 'authorized') then 'unpaid'
    when o.status_payment in ('paid', 'partially_refunded') and o.status_fulfillment in ('not_fulfilled', 'partially_fulfilled') then 'unshipped'
  end)`

/** Short names: the name of a statement lists all of its filters, and PostgreSQL distinguishes only 63 characters. */
const FILTERS = {
  id: 'o.id = :query',
  text: `(${TEXTS.join(' or ')})`,
  open: 'o.cancelled_at is null',
  gone: 'o.cancelled_at is not null',
  pay: `${PENDING_ACTION_SQL} = 'unpaid'`,
  ship: `${PENDING_ACTION_SQL} = 'unshipped'`,
  payment: 'o.status_payment = :status_payment',
  goods: 'o.status_fulfillment = :status_fulfillment',
  customer: 'o.customer_id = :customer_id',
  after: 'o.created_at >= :created_from',
  before: 'o.created_at < :created_until',
}

/**
 * The same conditions in a form that matches no index. A customer has few orders; an index would scan thousands of the shop's orders
 * instead.
 */
const OF_FEW = {
  gone: "coalesce(o.cancelled_at, 'infinity') < 'infinity'",
  pay: `${PENDING_ACTION_SQL} || '' = 'unpaid'`,
  ship: `${PENDING_ACTION_SQL} || '' = 'unshipped'`,
}

type FilterName = keyof typeof FILTERS

function filtersIn({ query = '', ...filter }: OrderFilter): FilterName[] {
  const isOn: Record<FilterName, boolean> = {
    id: isId('order', query),
    text: query !== '' && !isId('order', query),
    open: filter.status === 'open',
    gone: filter.status === 'cancelled',
    pay: filter.status === 'unpaid',
    ship: filter.status === 'unshipped',
    payment: filter.status_payment !== undefined,
    goods: filter.status_fulfillment !== undefined,
    customer: filter.customer_id !== undefined,
    after: filter.created_after !== undefined,
    before: filter.created_before !== undefined,
  }
  return (Object.keys(isOn) as FilterName[]).filter((name) => isOn[name])
}

/** Also sets the values of unused filters; a statement takes only those that it names. */
const listValues = (scope: Scope, filter: OrderFilter, { limit, offset }: PageQuery): Values => ({
  ...filter,
  merchant_id: scope.merchant_id,
  is_sandbox: scope.is_sandbox,
  limit,
  offset,
  reference: filter.query?.toUpperCase(),
  // Both exclude the second itself, which is the precision of replies. A client that passes the time of an order does not get that order
  // again.
  created_from: filter.created_after === undefined ? undefined : new Date((filter.created_after + 1) * 1_000),
  created_until: filter.created_before === undefined ? undefined : new Date(filter.created_before * 1_000),
})

// Orders of one customer. Each statement also checks that the customer exists and hides what a session must not see. It is a single
// statement, because the session could end between two.

/** The customer, if the calling session is still open. */
const CUSTOMER = `c.merchant_id = :merchant_id and c.is_sandbox = :is_sandbox and c.id = :of_customer_id and ${sessionIsValidSql(':begun_at')}`

/** Orders of the customer. A session does not see orders made with an unproven address; customers/customer.ts says why. */
const OF_CUSTOMER = `o.merchant_id = c.merchant_id and o.is_sandbox = c.is_sandbox and o.customer_id = c.id
       and (:begun_at::timestamptz is null or o.unproven_email_key is null)`

const customerValues = ({ merchant_id, is_sandbox, session }: CustomerScope, customerId: string) => ({
  merchant_id,
  is_sandbox,
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

/** Null if the customer does not exist or the session has ended. `order` is null if the customer has no such order. */
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
 * Sources of a page: live orders, test orders, or the orders of one customer. `own` gives no row if the customer does not exist. Each mode
 * has its own indexes: docs/decisions/0032.
 */
const SOURCES = {
  live: { where: 'o.merchant_id = :merchant_id and not o.is_sandbox', from: '' },
  test: { where: 'o.merchant_id = :merchant_id and o.is_sandbox', from: '' },
  own: { where: `o.merchant_id = :merchant_id and ${OF_CUSTOMER}`, from: `from customers c where ${CUSTOMER}` },
}

/**
 * Filters that leave few orders of a shop, the narrowest first. A subquery applies one of them by its index, and the other filters follow.
 * Otherwise a planner with statistics of an empty table may take any index, and scan all orders of a status.
 */
const NARROW: readonly FilterName[] = ['id', 'customer', 'text']

const LOOKED_AT = `o.id, o.created_at, o.cancelled_at, o.status_payment, o.status_fulfillment, o.customer_id, o.customer_reference, o.email,
         o.firstname, o.lastname`

/** The shop's orders that a narrow filter leaves. A text search is a union of one range per index; an "or" would scan all orders by age. */
function narrowed(where: string, filter: FilterName): string {
  const parts = filter === 'text' ? TEXTS : [FILTERS[filter]]
  return `(
         ${parts.map((part) => `select ${LOOKED_AT} from orders o where ${where} and ${part}`).join('\n         union\n         ')}
         offset 0
       ) o`
}

function matching(source: keyof typeof SOURCES, filters: readonly FilterName[]): string {
  const { where } = SOURCES[source]
  const narrow = source === 'own' ? undefined : NARROW.find((name) => filters.includes(name))
  const conditions = source === 'own' ? { ...FILTERS, ...OF_FEW } : FILTERS
  const others = filters.filter((name) => name !== narrow).map((name) => conditions[name])
  if (narrow === undefined) return `orders o where ${[where, ...others].join('\n     and ')}`
  return `${narrowed(where, narrow)} where ${['true', ...others].join('\n     and ')}`
}

const family = statementFamily<OrderIdPage>()

/** No name is longer than the 63 characters that PostgreSQL distinguishes. */
function listStatement(source: keyof typeof SOURCES, filter: OrderFilter): Statement<OrderIdPage> {
  const filters = filtersIn(filter)
  const { sortDirection: direction } = filter
  const from = matching(source, filters)
  const isWhole = source !== 'own' && filters.length === 0
  return family(
    [`orders.${source}`, direction, ...filters].join('_'),
    `select
     ${isWhole ? storedModeCountSql('orders') : `(select count(*) from ${from})`} as total,
     array(
       select o.id
       from ${from}
       order by o.created_at ${direction}, o.id ${direction}
       limit :limit offset :offset
     ) as ids
   ${SOURCES[source].from}`,
  )
}

/** Last order of an export batch. `at` is its creation time to the microsecond, as the database writes it. */
export type OrderExportPosition = { readonly at: string; readonly id: string }

const exportFamily = statementFamily<OrderExportPosition>()

/** Pages by key instead of by offset. Each batch costs as much as the first, and new orders cause no duplicates. */
export function listOrdersAfter(
  db: Db,
  scope: Scope,
  filter: OrderFilter,
  after: OrderExportPosition | null,
  limit: number,
): Promise<OrderExportPosition[]> {
  const filters = filtersIn(filter)
  const { sortDirection: direction } = filter
  const source = scope.is_sandbox ? 'test' : 'live'
  const ends = { asc: ['-infinity', ''], desc: ['infinity', ''] } as const
  const [at, id] = after === null ? ends[direction] : [after.at, after.id]
  const statement = exportFamily(
    [`export.${source}`, direction, ...filters].join('_'),
    `select o.created_at::text as at, o.id
   from ${matching(source, filters)}
     and (o.created_at, o.id) ${direction === 'asc' ? '>' : '<'} (:at::timestamptz, :after_id::text)
   order by o.created_at ${direction}, o.id ${direction}
   limit :limit`,
  )
  return db.many(statement, { ...listValues(scope, filter, { limit, offset: 0, page: 1 }), at, after_id: id })
}
