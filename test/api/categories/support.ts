// What the tests of categories share: shops, categories, assets and products to begin with, the form of refusals, and a look
// into the tables.

import { randomBytes } from 'node:crypto'
import { expect } from 'vitest'
import type { Category } from '../../../src/api/categories/schema.ts'
import { type Db, statement } from '../../../src/db/db.ts'
import { newId } from '../../../src/lib/ids.ts'
import type { Answer, TestApp } from '../../support/app.ts'
import { type Keys, missing, notValid, openShopAt, unixNow } from '../../support/shop.ts'

export const CATEGORY_ID = /^cat_[0-9A-Za-z]{26}$/
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
}

export async function openShop(app: TestApp): Promise<Shop> {
  const { id, keys, call, succeed } = await openShopAt(app, 'categories')
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
  }
}

/** The category that `create(slug)` makes at this moment, with every default. */
export const shown = (app: TestApp, slug: string, more: Record<string, unknown> = {}) => {
  const now = unixNow(app)
  return {
    id: expect.stringMatching(CATEGORY_ID),
    parent_id: null,
    slug,
    name: slug.toUpperCase(),
    description: '',
    products: 0,
    created: now,
    updated: now,
    meta: {},
    assets: [],
    children: [],
    ...more,
  }
}

export const linkTo = ({ id, slug, name }: { id: string; slug: string; name: string }) => ({ id, slug, name })

export const NOT_FOUND = missing('category')

export const CIRCLE_BY_PARENT = notValid({
  parent_id: ['parent_id must not be the category itself or one that stands below it.'],
})

export const circleByChild = (index: number) =>
  notValid({
    [`children.${index}`]: [`children.${index} must not be the category itself or one that it stands under.`],
  })

const insertAsset = statement(
  'test.category_asset',
  `insert into assets (
     merchant_id, id, filename, file_key, file_extension, content_type, is_image, file_size, is_private, is_pending,
     created_at, updated_at
   )
   values (:merchant_id, :id, :filename, 'a/file', 'pdf', 'application/pdf', false, 7, :is_private, :is_pending, :created_at, :created_at)`,
)

/** A row without bytes: what is tested here is how assets hang on categories. */
export async function addAsset(app: TestApp, shop: Shop, { isPrivate = false, isPending = false } = {}) {
  const now = app.clock.now()
  const id = newId('asset', now)
  await app.db.run(insertAsset, {
    merchant_id: shop.id,
    id,
    filename: `${id}.pdf`,
    is_private: isPrivate,
    is_pending: isPending,
    created_at: now,
  })
  const moment = Math.floor(now.getTime() / 1_000)
  return {
    id,
    url: `http://localhost:80/files/${shop.id}/${id}/${id}.pdf`,
    description: null,
    is_image: false,
    filename: `${id}.pdf`,
    file_extension: 'pdf',
    file_size: 7,
    image_dimensions: [],
    meta: [],
    private: isPrivate,
    pending: isPending,
    created_at: moment,
    updated_at: moment,
  }
}

const insertProduct = statement(
  'test.category_product',
  `insert into products (
     merchant_id, id, name, permalink, description, price, is_active, is_tax_exempt, is_pay_what_you_want,
     is_inventory_managed, sort_order, collects_fullname, collects_billing_address, is_physical, created_at, updated_at
   )
   values (:merchant_id, :id, 'Thing', :id, '', 100, :is_active, false, false, false, 0, false, false, true, :created_at, :created_at)`,
)
const linkProduct = statement(
  'test.category_product_link',
  `insert into product_categories (merchant_id, product_id, category_id, position)
   select :merchant_id, :product_id, category_id, position from unnest(:category_ids::text[]) with ordinality as listed (category_id, position)`,
)
const countProduct = statement(
  'test.category_product_count',
  `insert into category_counts (merchant_id, category_id, slot, products)
   select :merchant_id, category_id, 0, 1 from unnest(:category_ids::text[]) as listed (category_id)
   on conflict (merchant_id, category_id, slot) do update set products = category_counts.products + 1`,
)

export async function addProduct(app: TestApp, shop: Shop, categoryIds: readonly string[], isActive = true) {
  const id = `prod_${randomBytes(13).toString('hex')}`
  await app.db.run(insertProduct, { merchant_id: shop.id, id, is_active: isActive, created_at: app.clock.now() })
  await app.db.run(linkProduct, { merchant_id: shop.id, product_id: id, category_ids: categoryIds })
  if (isActive) await app.db.run(countProduct, { merchant_id: shop.id, category_ids: categoryIds })
  return id
}

export type StoredEvent = {
  name: string
  kind: string
  sandbox: boolean | null
  response_code: number
  payload: Category
}

const selectEvents = statement<StoredEvent>(
  'test.category_events',
  `select name, kind, sandbox, response_code, payload
   from events where merchant_id = :merchant_id order by created_at, payload ->> 'id'`,
)

export const eventsOf = (db: Db, merchantId: number) => db.many(selectEvents, { merchant_id: merchantId })

const clearEvents = statement('test.category_clear_events', 'delete from events where merchant_id = :merchant_id')

export const forgetEvents = (db: Db, merchantId: number) => db.run(clearEvents, { merchant_id: merchantId })

const selectRows = statement<{ row: string }>(
  'test.category_rows',
  `select c::text as row from categories c where c.merchant_id = :merchant_id
   union all
   select a::text from category_assets a where a.merchant_id = :merchant_id
   union all
   select p::text from product_categories p where p.merchant_id = :merchant_id
   order by 1`,
)

/** Every row of a merchant's categories as PostgreSQL's own text: equal texts mean that no byte was changed. */
export const rowsOf = async (db: Db, merchantId: number): Promise<string[]> =>
  (await db.many(selectRows, { merchant_id: merchantId })).map(({ row }) => row)

/** What a refused request must have left as it was. */
export const stateOf = async (app: TestApp, shop: Shop) => ({
  rows: await rowsOf(app.db, shop.id),
  events: await eventsOf(app.db, shop.id),
})
