// The pages of every list together contain each entry once, in a stable order. List parameters have bounds.

import { describe, expect, it } from 'vitest'
import type { Ids } from '../access/objects.ts'
import { digital, draftOf } from '../api/orders/support.ts'
import { type Operation, openProperties, operations, titled } from './support.ts'

const shop = await openProperties()
const { app, world } = shop

const lists = operations.filter(({ endpoint }) => endpoint.method === 'GET' && endpoint.query?.properties.limit)

/** Lists without pages: the limit is the number of report entries. */
const WITHOUT_PAGES = ['reports.products', 'reports.stock']

const paged = lists.filter(({ name }) => !WITHOUT_PAGES.includes(name))

const operationAt = (route: string) => operations.find((each) => each.route === route)
const operationOf = (name: string) => operations.find((each) => each.name === name) as Operation

const repeat = async (times: number, make: (index: number) => Promise<unknown>) => {
  for (let index = 0; index < times; index++) {
    // Two entries get the same timestamp: their order must still be deterministic.
    if (index !== 2) app.clock.advance(1)
    await make(index)
  }
}

/** Fills lists that no POST of their own fills. */
const FILLERS: Readonly<Record<string, (ids: Ids) => Promise<unknown>>> = {
  'giftcards.list_entries': (ids) =>
    repeat(4, (index) => shop.send(operationOf('giftcards.update'), { ids, body: { balance: index } })),
  'orders.list': () => repeat(4, () => world.make('order')),
  'customers.list_orders': ({ email = '' }) =>
    repeat(4, () => world.shop.orders.order({ customer: { ...draftOf().customer, email } })),
  'orders.get_timeline': (ids) =>
    repeat(4, (index) => shop.send(operationOf('orders.add_note'), { ids, body: { text: `Note ${index}` } })),
  'webhooks.list_deliveries': (ids) => repeat(4, () => shop.send(operationOf('webhooks.test'), { ids })),
  'events.list': () => repeat(4, () => world.make('attribute')),
  'developer.list_mails': () => repeat(4, () => world.make('mail')),
  'developer.list_logs': () => repeat(4, () => world.make('request')),
}

/** A product with two options has only two variants. */
const MOST: Readonly<Record<string, number>> = { 'variants.list': 1 }

/** Returns objects with several entries in their list. */
async function filled(operation: Operation): Promise<Ids> {
  if (operation.name === 'orders.list_packages') {
    const [file] = digital().packages
    const packages = ['One', 'Two', 'Three'].flatMap((name) => (file ? [{ ...file, name }] : []))
    return { order: (await world.shop.orders.order({ lines: [digital({ packages })] })).id }
  }
  const ids = await shop.newIds(operation)
  const create = operationAt(operation.route.replace('GET', 'POST'))
  const fill = FILLERS[operation.name]
  if (fill) await fill(ids)
  else if (create) {
    const parents = { ...(await shop.newIds(create)), ...ids }
    await repeat(MOST[operation.name] ?? 4, async () => {
      const answer = await shop.send(create, { ids: parents, body: shop.bodyOf(create, parents) })
      expect([create.name, answer.status, answer.text]).toEqual([create.name, create.row.served, answer.text])
    })
  } else throw new Error(`${operation.name} is a list: say in FILLERS how it is filled.`)
  return ids
}

type Page = {
  data: Record<string, unknown>[]
  next?: string | null
  meta?: { pagination: Record<string, unknown> & { links: { next?: string; previous?: string } } }
}

const get = async (operation: Operation, ids: Ids, query: string) => {
  const answer = await shop.send(operation, { ids, query })
  expect([query, answer.status, answer.text]).toEqual([query, 200, answer.text])
  return answer.body as Page
}

/** Returns the fields that identify an entry. Signed links differ in each response. */
const named = ({ data }: Page) => data.map((entry) => String(entry.id ?? JSON.stringify(entry)))

/** Returns every sort order of the list; one empty string if it has a single order. */
function ordersOf({ endpoint }: Operation): string[] {
  const { sortBy, sortDirection } = (endpoint.query?.properties ?? {}) as Record<string, { enum?: string[] }>
  const directions = sortDirection?.enum?.map((each) => `&sortDirection=${each}`) ?? ['']
  const fields = sortBy?.enum?.map((each) => `&sortBy=${each}`) ?? ['']
  return fields.flatMap((field) => directions.map((direction) => `${field}${direction}`))
}

async function pagesByNumber(operation: Operation, ids: Ids, order: string, limit: number): Promise<string[]> {
  const { meta: whole } = await get(operation, ids, `limit=200${order}`)
  const total = Number(whole?.pagination.total)
  const count = Math.ceil(total / limit)
  const entries: string[] = []
  for (let page = 1; page <= count; page++) {
    const found = await get(operation, ids, `limit=${limit}&page=${page}${order}`)
    entries.push(...named(found))
    const { links, ...numbers } = found.meta?.pagination ?? { links: {} }
    const size = page < count ? limit : total - limit * (count - 1)
    expect(numbers).toEqual({ total, count: size, per_page: limit, current_page: page, total_pages: count })
    expect([links.previous !== undefined, links.next !== undefined]).toEqual([page > 1, page < count])
  }
  expect(named(await get(operation, ids, `limit=${limit}&page=${count + 1}${order}`))).toEqual([])
  return entries
}

async function pagesByKey(operation: Operation, ids: Ids, limit: number): Promise<string[]> {
  const entries: string[] = []
  for (let after: string | null | undefined = ''; typeof after === 'string'; ) {
    const page = await get(operation, ids, `limit=${limit}${after === '' ? '' : `&after=${encodeURIComponent(after)}`}`)
    expect(page.data.length).toBeLessThanOrEqual(limit)
    entries.push(...named(page))
    after = page.next
  }
  return entries
}

const isByKey = ({ endpoint }: Operation) => endpoint.query?.properties.page === undefined

describe('the pages of', () => {
  it.each(titled(paged))('%s are the whole, in every order that it offers', async (_, operation) => {
    const ids = await filled(operation)
    for (const order of ordersOf(operation)) {
      const whole = named(await get(operation, ids, `limit=200${order}`))
      expect(whole.length).toBeGreaterThan(1)
      expect(new Set(whole).size).toBe(whole.length)
      const limit = whole.length > 3 ? Math.ceil(whole.length / 4) : 1
      const pages = isByKey(operation)
        ? await pagesByKey(operation, ids, limit)
        : await pagesByNumber(operation, ids, order, limit)
      expect([order, pages]).toEqual([order, whole])
    }
  })
})

/** Returns meaningless values for each parameter. */
function wrongQueries({ endpoint }: Operation): [string, string][] {
  type Shape = { type?: string; enum?: string[]; minimum?: number; maximum?: number; maxLength?: number }
  return Object.entries((endpoint.query?.properties ?? {}) as Record<string, Shape>).flatMap(
    ([name, { type, enum: choices, minimum, maximum, maxLength }]): [string, string][] => [
      ...(name === 'after' ? [[name, 'nonsense'] as [string, string]] : []),
      ...(choices || type === 'integer' || type === 'boolean' ? [[name, 'nonsense'] as [string, string]] : []),
      ...(minimum === undefined ? [] : [[name, String(minimum - 1)] as [string, string]]),
      ...(maximum === undefined ? [] : [[name, String(maximum + 1)] as [string, string]]),
      ...(maxLength === undefined ? [] : [[name, 'x'.repeat(maxLength + 1)] as [string, string]]),
    ],
  )
}

const withQuery = operations.filter(({ endpoint }) => endpoint.method === 'GET' && endpoint.query)

describe('a parameter without a meaning', () => {
  it.each(titled(withQuery))('is named in the 422 of %s', async (_, operation) => {
    const ids = await shop.sharedIds(operation)
    const usual = operation.row.query?.(ids) ?? ''
    const problems: unknown[] = []
    for (const [name, value] of wrongQueries(operation)) {
      const kept = usual.split('&').filter((part) => part !== '' && !part.startsWith(`${name}=`))
      const answer = await shop.send(operation, { ids, query: [...kept, `${name}=${value}`].join('&') })
      const errors = (answer.body as { error?: { errors?: object } }).error?.errors ?? {}
      if (answer.status !== 422 || !Object.hasOwn(errors, name)) problems.push([name, value.slice(0, 20), answer.text])
    }
    expect(problems).toEqual([])
  })
})

describe('a limit above 200', () => {
  const unbounded = lists.filter(({ endpoint }) => !('maximum' in (endpoint.query?.properties.limit ?? {})))
  it.each(titled(unbounded))('is cut to 200, and has a default: %s', async (_, operation) => {
    const ids = await shop.sharedIds(operation)
    const perPage = async (query: string) => (await get(operation, ids, query)).meta?.pagination.per_page
    const { default: usual } = (operation.endpoint.query?.properties.limit ?? {}) as { default?: number }
    expect([200, undefined]).toContain(await perPage('limit=100000'))
    expect([usual, undefined]).toContain(await perPage(''))
  })
})

/** Lists with entries in every new shop. */
const NEVER_EMPTY = ['gateways.list', 'events.list', 'developer.list_logs', 'developer.list_mails']

describe('a list', () => {
  const ofShop = paged.filter(({ endpoint, name }) => !endpoint.params && !NEVER_EMPTY.includes(name))
  it.each(titled(ofShop))('is empty in a new shop: %s', async (_, operation) => {
    const { keys } = await app.merchant()
    const { body } = await shop.send(operation, { key: keys.sandbox.secret })
    expect(body).toEqual(
      isByKey(operation)
        ? { data: [], next: null }
        : {
            data: [],
            meta: { pagination: expect.objectContaining({ total: 0, count: 0, total_pages: 1, links: {} }) },
          },
    )
  })
})
