// SQL for one page of customers and the count of all matches. Each filter and order has its own statement, because one text with "or :query
// is null" would use no index.

import { storedModeCountSql } from '../../db/counts.ts'
import { type Db, type Scope, type Statement, statementFamily, type Values } from '../../db/db.ts'
import type { RowPage } from '../../db/records.ts'
import { isId } from '../../lib/ids.ts'
import type { PageQuery } from '../../lib/page.ts'
import { CUSTOMER_COLUMNS, emailKey, type StoredCustomer } from './store.ts'

type Direction = 'asc' | 'desc'

export const listCustomers = (
  db: Db,
  scope: Scope,
  { query = '', sortDirection }: { readonly query?: string; readonly sortDirection: Direction },
  page: PageQuery,
): Promise<RowPage<StoredCustomer>> => {
  const { name, parts, values } = conditionFor(query)
  return db.one(listStatement(scope.is_sandbox, name, parts, sortDirection), {
    ...scope,
    ...values,
    ...page,
  })
}

/** `parts` are alternative conditions, each with its own index. Empty for all customers. */
type Condition = { readonly name: string; readonly parts: readonly string[]; readonly values: Values }

/** Prefix search in any case. In the collation "C", names with the same beginning are adjacent. */
const nameStartsSql = (name: string) =>
  `lower(${name}) collate "C" >= (lower(:query::text) collate "C") and lower(${name}) collate "C" < (lower(:query::text) collate "C") || chr(1114111)`

function conditionFor(query: string): Condition {
  if (query === '') return { name: '', parts: [], values: {} }
  if (isId('customer', query)) return { name: 'id', parts: ['c.id = :query'], values: { query } }
  // Compares with a lower and an upper bound. For `like` with a parameter, the planner does not know the prefix and cannot use the index.
  return {
    name: 'text',
    parts: [
      'c.email_key >= :email_key and c.email_key < :email_key::text || chr(1114111)',
      'c.external_id = :query',
      nameStartsSql('c.lastname'),
      nameStartsSql("coalesce(c.firstname || ' ' || c.lastname, c.firstname, c.lastname)"),
    ],
    values: { email_key: emailKey(query), query },
  }
}

const ROW =
  'c.merchant_id, c.id, c.email, c.firstname, c.lastname, c.phone, c.external_id, c.meta, c.created_at, c.updated_at'

const family = statementFamily<RowPage<StoredCustomer>>()

function listStatement(
  is_sandbox: boolean,
  name: string,
  parts: readonly string[],
  direction: Direction,
): Statement<RowPage<StoredCustomer>> {
  const isWhole = parts.length === 0
  // Each mode has its own partial index, and the statement must contain the index's condition: docs/decisions/0032.
  const all = `customers c where c.merchant_id = :merchant_id and ${is_sandbox ? 'c.is_sandbox' : 'not c.is_sandbox'}`
  // Uses union instead of "or". If the statistics show an empty table, the planner would answer "or" by scanning all customers by age.
  const matching = `(${parts.map((part) => `select c.id, c.created_at from ${all} and ${part}`).join(' union ')}) c`
  const order = `order by c.created_at ${direction}, c.id ${direction}`
  const page = (columns: string, from: string) =>
    `(select ${columns} from ${from} ${order} limit :limit offset :offset)`
  const pageByIds = `${page('c.id', matching)} found
         cross join lateral (
           select ${ROW} from customers c where c.merchant_id = :merchant_id and c.id = found.id offset 0
         ) c`
  // Addresses are looked up only for the rows of the page.
  return family(
    [is_sandbox ? 'customers.list_test' : 'customers.list_live', direction, name].filter(Boolean).join('_'),
    `select
     ${isWhole ? storedModeCountSql('customers') : `(select count(*) from ${matching})`} as total,
     coalesce((
       select json_agg(page)
       from (
         select ${CUSTOMER_COLUMNS}
         from ${isWhole ? `${page(ROW, all)} c` : pageByIds}
         ${order}
       ) page
     ), '[]') as rows`,
  )
}
