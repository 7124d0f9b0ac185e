// The SQL that gives one page of customers and the count of all that match. Each filter and order is a statement of its own, because one
// text with "or :query is null" would use none of the indexes.

import { type Db, type Scope, type Statement, statementFamily, type Values } from '../../db/db.ts'
import { type RowPage, scopeValues } from '../../db/records.ts'
import { isId } from '../../lib/ids.ts'
import type { Page } from '../../lib/page.ts'
import { CUSTOMER_COLUMNS, emailKey, type StoredCustomer } from './store.ts'

type Direction = 'asc' | 'desc'

export const listCustomers = (
  db: Db,
  scope: Scope,
  { query = '', sortDirection }: { readonly query?: string; readonly sortDirection: Direction },
  page: Page,
): Promise<RowPage<StoredCustomer>> => {
  const { name, where, values } = condition(query)
  return db.one(listStatement(scope.isSandbox, name, where, sortDirection), {
    ...values,
    ...page,
    ...scopeValues(scope),
  })
}

function condition(query: string): { name: string; where: string; values: Values } {
  if (query === '') return { name: '', where: '', values: {} }
  if (isId('customer', query)) return { name: 'id', where: 'and c.id = :query', values: { query } }
  // Between two texts and not `like`: of a pattern that is a parameter the planner does not know how it begins.
  return {
    name: 'text',
    where:
      'and (c.email_key >= :email_key and c.email_key < :email_key::text || chr(1114111) or c.external_id = :query)',
    values: { email_key: emailKey(query), query },
  }
}

const family = statementFamily<RowPage<StoredCustomer>>()

function listStatement(
  isSandbox: boolean,
  conditions: string,
  where: string,
  direction: Direction,
): Statement<RowPage<StoredCustomer>> {
  // Each mode has an index of its own, which the text has to name: docs/decisions/0032.
  const mode = isSandbox ? 'c.is_sandbox' : 'not c.is_sandbox'
  const matching = `customers c where c.merchant_id = :merchant_id and ${mode} ${where}`
  const order = `order by c.created_at ${direction}, c.id ${direction}`
  // The addresses are looked up for the rows of the page alone.
  return family(
    [isSandbox ? 'customers.list_test' : 'customers.list_live', direction, conditions].filter(Boolean).join('_'),
    `select
     (select count(*) from ${matching}) as total,
     coalesce((
       select json_agg(page)
       from (
         select ${CUSTOMER_COLUMNS}
         from (
           select c.merchant_id, c.id, c.email, c.firstname, c.lastname, c.phone, c.external_id, c.meta, c.created_at, c.updated_at
           from ${matching}
           ${order}
           limit :limit offset :offset
         ) c
         ${order}
       ) page
     ), '[]') as rows`,
  )
}
