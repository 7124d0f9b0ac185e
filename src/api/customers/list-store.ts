// The SQL that gives one page of customers and the count of all that match. Each filter and order is a statement of its own, because one
// text with "or $n is null" would use none of the indexes.

import { type Db, type Statement, statementOfFamily } from '../../db/db.ts'
import { isId } from '../../lib/ids.ts'
import type { Page } from '../../lib/page.ts'
import type { Owner } from './address-store.ts'
import { CUSTOMER_COLUMNS, emailKey, type StoredCustomer } from './store.ts'

type Direction = 'asc' | 'desc'
type Listed = { total: number; rows: StoredCustomer[] }

export const listCustomers = (
  db: Db,
  { merchantId, isSandbox }: Owner,
  { query = '', sortDirection }: { readonly query?: string; readonly sortDirection: Direction },
  { limit, offset }: Page,
): Promise<Listed> => {
  const { name, where, values } = condition(query)
  return db.one(listing(name, where, sortDirection), [merchantId, isSandbox, limit, offset, ...values])
}

function condition(query: string): { name: string; where: string; values: unknown[] } {
  if (query === '') return { name: '', where: '', values: [] }
  if (isId('customer', query)) return { name: 'id', where: 'and c.id = $5', values: [query] }
  // Between two texts and not `like`: of a pattern that is a parameter the planner does not know how it begins.
  return {
    name: 'text',
    where: 'and (c.email_key >= $5 and c.email_key < $5::text || chr(1114111) or c.external_id = $6)',
    values: [emailKey(query), query],
  }
}

const prepared = new Map<string, Statement<Listed>>()

/** The same text for the same name, always. */
function listing(conditions: string, where: string, direction: Direction): Statement<Listed> {
  const name = ['customers.list', direction, conditions].filter(Boolean).join('_')
  const known = prepared.get(name)
  if (known) return known
  const chosen = `customers c where c.merchant_id = $1 and c.is_sandbox = $2 ${where}`
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
           limit $3 offset $4
         ) c
         ${order}
       ) page
     ), '[]') as rows`,
  )
  prepared.set(name, made)
  return made
}
