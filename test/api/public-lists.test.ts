// The lists that storefronts read, with the queries that published storefronts send: none of them may leave a shop blank.

import { describe, expect, it } from 'vitest'
import { apiSlices } from '../../src/api/index.ts'
import type { Endpoint } from '../../src/http/endpoint/endpoint.ts'
import { versions } from '../../src/versions/index.ts'
import { testApp } from '../support/app.ts'
import { malformed } from '../support/shop.ts'
import { openCustomers } from './customers/shop.ts'
import { digital, draftOf } from './orders/support.ts'

const app = await testApp({ trustProxy: () => true })
const shop = await openCustomers(app)
const { public: open, secret } = shop.keys.sandbox

const make = async <T extends { id: string }>(path: string, body: object): Promise<T> => {
  app.clock.advance(1)
  const answer = await app.call('POST', `/v1/${path}`, { key: secret, body })
  expect([answer.status, answer.text]).toEqual([201, answer.text])
  return answer.body as T
}

const option = (name: string) => ({ name })
const options = ['Small', 'Large'].map(option)
const shirt = await make('products', { name: 'b', price: 3, variant_groups: [{ name: 'Size', options }] })
await make('products', { name: 'a', price: 2, sort_order: 1 })
await make('products', { name: 'c', price: 1 })
await make(`products/${shirt.id}/variants/generate`, {})
const root = await make('categories', { slug: 'root', name: 'Root' })
await make('categories', { slug: 'leaf', name: 'Leaf', parent_id: root.id })
const order = await shop.order({ customer: { ...draftOf().customer, email: 'ann@example.com' } })
await shop.order({ customer: { ...draftOf().customer, email: 'ann@example.com' }, lines: [digital()] })
const session = await shop.logIn(order.customer.id)
for (const name of ['Home', 'Work']) await make(`customers/${order.customer.id}/addresses`, { name })

/** Every list that a storefront may read: where it is, and who reads it. */
const LISTS: Readonly<Record<string, { path: string; by: string; sorted: readonly string[] }>> = {
  'products.list': { path: 'products', by: open, sorted: ['sort_order', 'name', 'created', 'price'] },
  'categories.list': { path: 'categories', by: open, sorted: [] },
  'variants.list': { path: `products/${shirt.id}/variants`, by: open, sorted: [] },
  'variant_groups.list': { path: `products/${shirt.id}/variant_groups`, by: open, sorted: [] },
  'customers.list_addresses': { path: `customers/${order.customer.id}/addresses`, by: session, sorted: [] },
  'customers.list_orders': { path: `customers/${order.customer.id}/orders`, by: session, sorted: ['created_at'] },
}

const isOpenList = ({ method, access, query }: Endpoint) =>
  method === 'GET' && (access === 'public' || access === 'customer') && query?.properties.limit !== undefined

type Page = { data: { id: string }[]; meta: { pagination: Record<string, unknown> } }

const ask = (path: string, by: string, headers: Record<string, string> = {}) =>
  app.call('GET', `/v1/${path}`, {
    ...(by.startsWith('Bearer ') ? {} : { key: by }),
    headers: { ...headers, ...(by.startsWith('Bearer ') ? { authorization: by, 'x-authorization': 'undefined' } : {}) },
  })

/** The entries and the numbers of a page; links repeat the query as it was sent. */
async function read(path: string, by: string, headers?: Record<string, string>) {
  const answer = await ask(path, by, headers)
  expect([path, answer.status, answer.text]).toEqual([path, 200, answer.text])
  const { data, meta } = answer.body as Page
  return { ids: data.map(({ id }) => id), pagination: { ...meta.pagination, links: null } }
}

const SLOPPY = [
  ...['0', '-1', '-99999999999999999999', 'abc', '', 'null', 'NaN', 'Infinity', '0x10', '1e9'].flatMap((value) => [
    `limit=${value}`,
    `page=${value}`,
  ]),
  'limit=0&page=0',
  'limit[a]=1',
  'limit=5&limit=0',
  'page=1.9',
  'page[]=7&page[]=1',
]

const UNSORTED = [
  'sortBy=',
  'sortBy=popularity',
  'sortBy[]=',
  'sortBy[a]=name',
  'sortDirection=',
  'sortDirection=up',
  'sortOrder=newest',
  'sort_by=nothing&sort_order=',
  'sortBy=&sortDirection=&limit=&page=',
]

describe.each(apiSlices.flatMap(({ endpoints }) => endpoints).filter(isOpenList))('$operation', ({ operation }) => {
  const list = LISTS[operation]
  if (list === undefined) throw new Error(`${operation} is open to storefronts: add it to LISTS.`)
  const { path, by, sorted } = list

  it('reads a page that cannot be read as the usual one', async () => {
    const usual = await read(path, by)
    expect(usual.ids.length).toBeGreaterThan(0)
    for (const query of [...SLOPPY, ...UNSORTED])
      expect([query, await read(`${path}?${query}`, by)]).toEqual([query, usual])
  })

  it('cuts what is too large', async () => {
    const { pagination } = await read(`${path}?limit=99999999999999999999`, by)
    expect(pagination).toMatchObject({ per_page: 200, current_page: 1 })
    expect((await read(`${path}?page=99999999999999999999`, by)).ids).toEqual([])
  })

  if (sorted.length === 0) return

  it('reads an order in every spelling', async () => {
    const created = sorted.find((name) => name.startsWith('created'))
    for (const direction of ['asc', 'desc'] as const) {
      const usual = await read(`${path}?sortBy=${created}&sortDirection=${direction}`, by)
      expect(usual.ids.length).toBeGreaterThan(1)
      const upper = direction.toUpperCase()
      for (const query of [
        `sortBy=created_at&sortDirection=${direction}`,
        `sortBy=created&sortDirection=${upper}`,
        `sortBy=createdAt&sortOrder=${direction}`,
        `sortBy=CREATED&sort_order=${upper}`,
        `sort_by=created_at&sort_direction=${direction}ending`,
        `sortBy=created_at&sortDirection=&sortOrder=${direction}`,
        `sortBy[]=created_at&sortDirection=sideways&sortDirection=${direction}`,
      ])
        expect([query, await read(`${path}?${query}`, by)]).toEqual([query, usual])
    }
    const [up, down] = [
      await read(`${path}?sortBy=${created}&sortDirection=asc`, by),
      await read(`${path}?sortBy=${created}&sortDirection=desc`, by),
    ]
    expect(up.ids).toEqual([...down.ids].reverse())
  })
})

describe('a list of products', () => {
  it.each(['2.8.0', null])('is read the same in every version, with the SDK %s', async (sdk) => {
    const headers: Record<string, string> = sdk === null ? {} : { 'x-chec-agent': 'commerce.js/v2' }
    const { ids } = await read('products?sortBy=created&sortDirection=desc', open)
    for (const { date } of versions) {
      const query = 'sortBy=created_at&sortDirection=DESC&limit=0&page=0'
      const found = await read(`products?${query}`, open, { ...headers, 'service-version': date })
      expect([date, found.ids]).toEqual([date, ids])
    }
    expect((await read('products?sortBy=created_at&sortOrder=DESC&limit=', open, headers)).ids).toEqual(ids)
  })

  it('takes an empty filter for none, and reads one in every form that has a meaning', async () => {
    const usual = await read('products', open)
    for (const query of [
      'query=',
      'query=x&query=',
      'active=',
      'active=True',
      'active=YES',
      'active=0&active=1',
      'category_slug=',
      'category_slug[]=&category_id[]=',
      'has_image=',
      'has_image=No',
      'stock_below=',
      'attribute=',
      'attribute[attr_1]=',
    ])
      expect([query, await read(`products?${query}`, open)]).toEqual([query, usual])
    expect((await read('products?active=off', open)).ids).toEqual([])
  })

  it.each([
    ['active=perhaps', { active: ['active must be true or false.'] }],
    ['stock_below=few', { stock_below: ['stock_below must be an integer.'] }],
    ['stock_below=0', { stock_below: ['stock_below must be 1 or more.'] }],
    ['query[a]=b', { query: ['query must be a string.'] }],
    ['category_id[a]=b', { category_id: ['category_id must be a list.'] }],
  ])('refuses the filter %s, which has no meaning', async (query, errors) => {
    const { status, body } = await ask(`products?${query}`, open)
    expect([status, body]).toEqual([422, malformed(errors as unknown as Record<string, string[]>)])
  })
})

describe('a category', () => {
  it.each(['depth=9', 'depth=', 'depth=deep', 'depth=-1', 'depth=0&depth=3', 'include=', 'include=products', 'type='])(
    'is shown with %s as it is without',
    async (query) => {
      for (const path of ['categories', `categories/${root.id}`]) {
        const [sloppy, usual] = [await ask(`${path}?${query}`, open), await ask(path, open)]
        expect([sloppy.status, sloppy.text]).toEqual([200, usual.text])
      }
    },
  )

  it('shows its breadcrumbs beside an unknown part', async () => {
    const { body } = await ask(`categories/${root.id}?include=products,breadcrumbs`, open)
    expect(body).toMatchObject({ breadcrumbs: [{ id: root.id }] })
  })
})
