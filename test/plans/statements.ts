// Every statement that the service may send: those declared while src loads, and the members of families, which are built per request.

import { listCustomers } from '../../src/api/customers/list-store.ts'
import { listOrderIds, listOrderIdsOfCustomer, listOrdersAfter } from '../../src/api/orders/list-store.ts'
import { ORDER_STATUS_FILTERS } from '../../src/api/orders/status.ts'
import { listProducts, type ProductFilter } from '../../src/api/products/list/store.ts'
import { listProductIds } from '../../src/api/products/table/store.ts'
import type { Db, Statement, Values } from '../../src/db/db.ts'
import { declaredStatements } from '../architecture/declared.ts'
import { isOfTests } from '../tenancy/exemptions.ts'
import { RARE_START, RARE_VALUE } from './full-tables.ts'
import type { Subject } from './subject.ts'

/** `values`: the values sent with a member of a family. */
export type KnownStatement = {
  readonly name: string
  readonly text: string
  readonly parameters: readonly string[]
  readonly values?: Values
}

/** Values to filter lists by; the shop has a match for each. */
export type ListSubject = Readonly<
  Record<
    'order_id' | 'customer_id' | 'product_id' | 'category_id' | 'parent_id' | 'slug' | 'parent_slug' | 'attribute_id',
    string
  > & {
    shop: number
    is_sandbox: boolean
    /** Start of an order number, start of an e-mail address, and a word of a product's name. Each matches a few rows. */
    reference: string
    email: string
    word: string
    /** Two moments with few orders between them. */
    from: Date
    until: Date
  }
>

/** Without a subject: for names and texts only. */
export async function knownStatements(subject: ListSubject = NOBODY): Promise<KnownStatement[]> {
  const known = new Map<string, KnownStatement>()
  for (const statement of await declaredStatements())
    if (!isOfTests(statement.name)) known.set(statement.name, statement)
  for (const statement of await membersOfFamilies(subject)) known.set(statement.name, statement)
  return [...known.values()]
}

/** Placeholder ids and texts, in the forms that select different statements. */
const NOBODY: ListSubject = {
  shop: 0,
  is_sandbox: false,
  order_id: `ord_${'0'.repeat(26)}`,
  customer_id: `cstmr_${'0'.repeat(26)}`,
  product_id: `prod_${'0'.repeat(26)}`,
  category_id: 'cat_1',
  parent_id: 'cat_2',
  slug: 'one',
  attribute_id: 'attr_1',
  parent_slug: 'two',
  reference: 'A',
  email: 'a',
  word: 'abc',
  from: new Date(0),
  until: new Date(0),
}

export const listSubject = (subject: Subject): ListSubject => ({
  ...NOBODY,
  ...subject,
  shop: Number(subject.shop),
  is_sandbox: subject.is_sandbox === 'true',
  reference: subject.customer_reference ?? '',
  email: subject.email_key ?? '',
  word: subject.product_name ?? '',
  from: new Date(subject.from ?? ''),
  until: new Date(subject.until ?? ''),
})

const PAGE = { limit: 20, page: 1, offset: 0 }
const DIRECTIONS = ['asc', 'desc'] as const

async function membersOfFamilies(subject: ListSubject): Promise<KnownStatement[]> {
  const members: KnownStatement[] = []
  const take = async <Row>({ name, text, parameters }: Statement<Row>, values: Values) => {
    members.push({ name, text, parameters, values })
    return { total: 0, ids: [], rows: [], entries: '' } as Row
  }
  const db = { one: take, maybe: take, many: take } as unknown as Db
  for (const is_sandbox of [false, true])
    for (const sortDirection of DIRECTIONS) {
      const scope = { merchant_id: subject.shop, is_sandbox, isSecret: true, session: null }
      for (const query of [undefined, subject.customer_id, subject.email])
        await listCustomers(db, scope, { sortDirection, ...(query && { query }) }, PAGE)
      for (const filter of orderFilters(subject)) {
        await listOrderIds(db, scope, { sortDirection, ...filter }, PAGE)
        await listOrderIdsOfCustomer(db, scope, subject.customer_id, { sortDirection, ...filter }, PAGE)
      }
      for (const filter of exportFilters(subject, is_sandbox))
        await listOrdersAfter(db, scope, { sortDirection, ...filter }, null, PAGE.limit)
      for (const sortBy of ['sort_order', 'name', 'price', 'created'] as const)
        for (const filter of productFilters(subject)) {
          await listProducts(db, scope, { sortBy, sortDirection, ...filter }, PAGE)
          await listProductIds(db, scope, { sortBy, sortDirection, ...filter })
        }
    }
  return members
}

/** Combines each element of one list with each of the other. */
const combined = <A extends object, B extends object>(these: readonly A[], those: readonly B[]): (A & B)[] =>
  these.flatMap((one) => those.map((other) => ({ ...one, ...other })))

function orderFilters({ order_id, customer_id, reference, from, until }: ListSubject) {
  const queries = [{}, { query: order_id }, { query: reference }]
  const statuses = [
    ...combined([{}, { status_payment: 'refunded' as const }], [{}, { status_fulfillment: 'returned' as const }]),
    ...ORDER_STATUS_FILTERS.map((status) => ({ status })),
    // The dashboard's list narrows orders to ship in this way.
    { status: 'unshipped' as const, status_payment: 'paid' as const },
  ]
  const times = combined(
    [{}, { created_after: Math.floor(from.getTime() / 1_000) }],
    [{}, { created_before: Math.floor(until.getTime() / 1_000) }],
  )
  return combined(combined(queries, statuses), combined([{}, { customer_id }], times))
}

const FAR_OFF = Date.UTC(2100, 0, 1)

/** One filter each, so that each matches: the order, its number and its customer are in the sandbox. */
const exportFilters = ({ order_id, customer_id, reference, from, until }: ListSubject, is_sandbox: boolean) => [
  ...(is_sandbox ? [{ query: order_id }, { query: reference }, { customer_id }] : []),
  // A dashboard user who has typed a text and chosen days.
  ...(is_sandbox ? [{ query: reference, created_after: 0, created_before: Math.floor(FAR_OFF / 1_000) }] : []),
  ...[{}, ...ORDER_STATUS_FILTERS.map((status) => ({ status }))],
  ...[{ status_payment: 'refunded' as const }, { status_fulfillment: 'returned' as const }],
  { created_after: Math.floor(from.getTime() / 1_000) },
  { created_before: Math.floor(until.getTime() / 1_000) },
]

function productFilters(subject: ListSubject): Partial<ProductFilter>[] {
  const { product_id, category_id, parent_id, slug, parent_slug, word, attribute_id } = subject
  const texts = [{}, { query: product_id }, { query: word }, { query: RARE_START }]
  const categories = [
    {},
    { category_id: [category_id] },
    { category_slug: [slug] },
    { category_id: [category_id, parent_id] },
    { category_slug: [slug, parent_slug] },
    { category_id: [category_id], category_slug: [slug] },
  ]
  const attribute = { [attribute_id]: RARE_VALUE }
  const traits = [
    { attribute },
    { stock_below: 4 },
    { attribute, stock_below: 4 },
    { has_image: true },
    { has_image: false },
  ]
  return [
    ...combined(combined(texts, categories), [{}, { active: true }]),
    ...combined(traits, [{}, { active: true }]),
    { category_id: [category_id], attribute, stock_below: 4, has_image: false },
    // A dashboard user who narrows a list step by step.
    { query: word, stock_below: 4 },
    { query: RARE_START, active: true, has_image: false },
    { stock_below: 4, has_image: true },
    { attribute: { ...attribute, [`${attribute_id}_other`]: RARE_VALUE } },
    { query: word, attribute, stock_below: 4, has_image: false },
    { active: false },
  ]
}
