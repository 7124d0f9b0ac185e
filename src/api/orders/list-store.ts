// The SQL that picks one page of orders: the ids in order, and the count of all that match; of a shop, or of one customer; or the ids that
// follow an order, for an export. Each combination of filters is a statement of its own, because one text with "or :name is null" would use none of the indexes.

import { keptCountOfMode } from '../../db/counts.ts'
import { type Db, type Scope, type Statement, statement, statementFamily, type Values } from '../../db/db.ts'
import { isId } from '../../lib/ids.ts'
import type { Page } from '../../lib/page.ts'
import { type CustomerScope, isOpenTo } from '../customers/address-store.ts'
import { ORDER_COLUMNS, type OrderRow } from './read-store.ts'
import type { FulfillmentStatus, PaymentStatus, Standing } from './status.ts'

export type OrderFilter = {
  readonly query?: string
  readonly sortDirection: 'asc' | 'desc'
  readonly status?: Standing
  readonly status_payment?: PaymentStatus
  readonly status_fulfillment?: FulfillmentStatus
  readonly customer_id?: string
  readonly created_after?: number
  readonly created_before?: number
}

export type PageOfIds = { total: number; ids: string[] }

export const listOrderIds = (db: Db, scope: Scope, filter: OrderFilter, page: Page): Promise<PageOfIds> =>
  db.one(listStatement(scope.isSandbox ? 'test' : 'live', filter), listValues(scope, filter, page))

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

const REFERENCE = beginsWith('o.customer_reference', ':reference::text')
const EMAIL = beginsWith('lower(o.email collate "C")', 'lower(:query::text collate "C")')

/** As the shopper wrote it, in any case; text is compared in the order of "C", so that what begins alike stands together. */
const name = (column: string) => beginsWith(`lower(${column}) collate "C"`, '(lower(:query::text) collate "C")')
const LAST_NAME = name('o.lastname')
const FULL_NAME = name("coalesce(o.firstname || ' ' || o.lastname, o.firstname, o.lastname)")

/** How a text may be found; each has an index of its own. */
const TEXTS = [REFERENCE, EMAIL, LAST_NAME, FULL_NAME]

/** SQL: what is to be done about an order, 'unpaid' or 'unshipped', or null. The index orders_to_do has it in the same words. */
export const TO_DO = `(case
    when o.cancelled_at is not null then null
    when o.status_payment in ('not_paid', 'partially_paid', 'authorized') then 'unpaid'
    when o.status_payment in ('paid', 'partially_refunded') and o.status_fulfillment in ('not_fulfilled', 'partially_fulfilled') then 'unshipped'
  end)`

/** Short names: a statement is known by all of its filters, and PostgreSQL tells apart 63 characters. */
const FILTERS = {
  id: 'o.id = :query',
  text: `(${TEXTS.join(' or ')})`,
  open: 'o.cancelled_at is null',
  gone: 'o.cancelled_at is not null',
  pay: `${TO_DO} = 'unpaid'`,
  ship: `${TO_DO} = 'unshipped'`,
  payment: 'o.status_payment = :status_payment',
  goods: 'o.status_fulfillment = :status_fulfillment',
  customer: 'o.customer_id = :customer_id',
  after: 'o.created_at >= :created_from',
  before: 'o.created_at < :created_until',
}

/** The same in other words, which no index has: a customer's orders are few, and those of the shop that are to be shipped may be thousands. */
const OF_FEW = {
  gone: "coalesce(o.cancelled_at, 'infinity') < 'infinity'",
  pay: `${TO_DO} || '' = 'unpaid'`,
  ship: `${TO_DO} || '' = 'unshipped'`,
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

/** What a page is picked from, and for whom it is one row or none. Each mode has indexes of its own: docs/decisions/0032. */
const SOURCES = {
  live: { where: 'o.merchant_id = :merchant_id and not o.is_sandbox', from: '' },
  test: { where: 'o.merchant_id = :merchant_id and o.is_sandbox', from: '' },
  own: { where: `o.merchant_id = :merchant_id and ${OF_CUSTOMER}`, from: `from customers c where ${CUSTOMER}` },
}

/**
 * Filters that leave few orders of a shop, the narrowest first. One of them is asked for alone, by its index, and what it leaves by the
 * others: to a planner that knows an empty table all indexes are the same, and it may go through all orders of a status for one of them.
 */
const NARROW: readonly FilterName[] = ['id', 'customer', 'text']

const LOOKED_AT = `o.id, o.created_at, o.cancelled_at, o.status_payment, o.status_fulfillment, o.customer_id, o.customer_reference, o.email,
         o.firstname, o.lastname`

/** The orders of a shop that a narrow filter leaves. Of a text, a range of each index: an "or" would go through all orders by age. */
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
  const of = source === 'own' ? { ...FILTERS, ...OF_FEW } : FILTERS
  const others = filters.filter((name) => name !== narrow).map((name) => of[name])
  if (narrow === undefined) return `orders o where ${[where, ...others].join('\n     and ')}`
  return `${narrowed(where, narrow)} where ${['true', ...others].join('\n     and ')}`
}

const family = statementFamily<PageOfIds>()

/** No name is longer than the 63 characters that PostgreSQL tells apart. */
function listStatement(source: keyof typeof SOURCES, filter: OrderFilter): Statement<PageOfIds> {
  const filters = filtersIn(filter)
  const { sortDirection: direction } = filter
  const from = matching(source, filters)
  const isWhole = source !== 'own' && filters.length === 0
  return family(
    [`orders.${source}`, direction, ...filters].join('_'),
    `select
     ${isWhole ? keptCountOfMode('orders') : `(select count(*) from ${from})`} as total,
     array(
       select o.id
       from ${from}
       order by o.created_at ${direction}, o.id ${direction}
       limit :limit offset :offset
     ) as ids
   ${SOURCES[source].from}`,
  )
}

/** An order that stands at the end of a part of an export. `at`: its moment to the microsecond, as the database writes it. */
export type ExportPlace = { readonly at: string; readonly id: string }

const exportFamily = statementFamily<ExportPlace>()

/** By key and not by page: however many there are, a part costs as much as the first, and none is given twice while orders are being made. */
export function listOrdersAfter(
  db: Db,
  scope: Scope,
  filter: OrderFilter,
  after: ExportPlace | null,
  limit: number,
): Promise<ExportPlace[]> {
  const filters = filtersIn(filter)
  const { sortDirection: direction } = filter
  const source = scope.isSandbox ? 'test' : 'live'
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
