// What the tests of categories share: a shop with short ways to call, the form of refusals, and a look into the tables.

import type { Category } from '../../../src/api/categories/schema.ts'
import type { Answer, TestApp } from '../../support/app.ts'
import { changeRows, rowTexts } from '../../support/rows.ts'
import { callsOf, eventsOf as eventsOfShop, type Keys, notValid, openShopAt } from '../../support/shop.ts'

export const UNKNOWN_ID = `cat_${'0'.repeat(26)}`

/** A merchant and short ways to call the API for it. */
export type Shop = {
  id: number
  keys: Keys
  list(query?: string, key?: string): Promise<Category[]>
  get(id: string, query?: string): Promise<Category>
  post(body: unknown): Promise<Answer>
  put(id: string, body: unknown): Promise<Answer>
  delete(id: string): Promise<Answer>
  /** Creates one that must succeed, a second after the one before: siblings then stand in the order of their making. */
  create(slug: string, more?: Record<string, unknown>): Promise<Category>
  addProduct(categories: readonly string[], active?: boolean): Promise<{ id: string; categories: { id: string }[] }>
}

export async function openShop(app: TestApp): Promise<Shop> {
  const { id, keys, call, succeed } = await openShopAt(app, 'categories')
  const others = callsOf(app, '', keys.sandbox.secret)
  return {
    id,
    keys,
    list: async (query = '', key) => (await succeed<{ data: Category[] }>(200, 'GET', query, undefined, key)).data,
    get: (path, query = '') => succeed<Category>(200, 'GET', `/${path}${query}`),
    post: (body) => call('POST', '', body),
    put: (path, body) => call('PUT', `/${path}`, body),
    delete: (path) => call('DELETE', `/${path}`),
    create: async (slug, more = {}) => {
      app.clock.advance(1)
      return succeed<Category>(201, 'POST', '', { slug, name: slug.toUpperCase(), ...more })
    },
    addProduct: (categories, active = true) =>
      others.succeed(201, 'POST', 'products', { name: 'Thing', price: 1, categories, active }),
  }
}

export const linkTo = ({ id, slug, name }: { id: string; slug: string; name: string }) => ({ id, slug, name })

export const CIRCLE_BY_PARENT = notValid({
  parent_id: ['parent_id must not be the category itself or one of its descendants.'],
})

/** Events of the categories, by category id. */
export const eventsOf = async (app: TestApp, { id }: Pick<Shop, 'id'>) =>
  (await eventsOfShop(app.db, id, 'category'))
    .map((event) => ({ ...event, payload: event.payload as Category }))
    .sort((one, other) => (one.payload.id < other.payload.id ? -1 : 1))

export const forgetEvents = (app: TestApp, { id }: Pick<Shop, 'id'>) =>
  changeRows(app.db, 'delete from events', { merchant_id: id })

/** Every row and every event of a merchant's categories: equal texts mean that no byte was changed. */
export const stateOf = async (app: TestApp, shop: Shop) => ({
  rows: await rowTexts(app.db, shop.id, 'categories', 'category_assets', 'product_categories'),
  events: await eventsOf(app, shop),
})
