// The SQL that gives one page of customers and the count of all that match. Each filter and order is a statement of its own, because one
// text with "or :query is null" would use none of the indexes.

import { type Db, type Scope, type Statement, statementOfFamily, type Values } from '../../db/db.ts'
import { isId } from '../../lib/ids.ts'
import type { Page } from '../../lib/page.ts'
import { CUSTOMER_COLUMNS, emailKey, type StoredCustomer } from './store.ts'

type Direction = 'asc' | 'desc'
type Listed = { total: number; rows: StoredCustomer[] }

export const listCustomers = (
  db: Db,
  { merchantId, isSandbox }: Scope,
  { query = '', sortDirection }: { readonly query?: string; readonly sortDirection: Direction },
  page: Page,
): Promise<Listed> => {
  const { name, where, values } = condition(query)
  return db.one(listing(name, where, sortDirection), {
    ...values,
    ...page,
    merchant_id: merchantId,
    is_sandbox: isSandbox,
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

const prepared = new Map<string, Statement<Listed>>()

/** The same text for the same name, always. */
function listing(conditions: string, where: string, direction: Direction): Statement<Listed> {
  const name = ['customers.list', direction, conditions].filter(Boolean).join('_')
  const known = prepared.get(name)
  if (known) return known
  const chosen = `customers c where c.merchant_id = :merchant_id and c.is_sandbox = :is_sandbox ${where}`
  const order = `order by c.created_at ${direction}, c.id ${direction}`
  // The addresses are looked up for the rows of the page alone.
  const made = statementOfFamily<Listed>(
    name,
    `select
     (select count(*) from ${chosen}) as total,
     coalesce((
       select json_agg(page)
       from (
         select ${CUSTOMER_COLUMNS}
         from (
           select c.merchant_id, c.id, c.email, c.firstname, c.lastname, c.phone, c.external_id, c.meta, c.created_at, c.updated_at
           from ${chosen}
           ${order}
           limit :limit offset :offset
         ) c
         ${order}
       ) page
     ), '[]') as rows`,
  )
  prepared.set(name, made)
  return made
}
