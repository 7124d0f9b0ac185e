// What the tests of products share: a shop to call, assets, categories and attributes to hang on products,
// and the form of what a product shows.

import { expect } from 'vitest'
import type { Product } from '../../../src/api/products/schema.ts'
import { newId } from '../../../src/lib/ids.ts'
import type { Answer, TestApp } from '../../support/app.ts'
import { countRows, sql } from '../../support/rows.ts'
import {
  type BareShop,
  eventsOf as eventsOfShop,
  matching,
  missing,
  ORIGIN,
  openShopAt,
  price,
  replyOf,
  unixNow,
} from '../../support/shop.ts'

export const UNKNOWN_ID = `prod_${'0'.repeat(26)}`

/** A merchant and short ways to call the API for it, with its sandbox secret key unless another is named. */
export type Shop = BareShop & {
  /** The status and the body of an answer. */
  ask(...request: Parameters<BareShop['call']>): ReturnType<typeof replyOf>
  /** Creates one that must succeed, a second after the one before. */
  create(body?: Record<string, unknown>, key?: string): Promise<Product>
  update(id: string, body: unknown, key?: string): Promise<Product>
  get(id: string, key?: string): Promise<Product>
  /** The names on a page, in order. */
  names(query?: string, key?: string): Promise<string[]>
}

export async function openShop(app: TestApp, draft: { currency?: string } = {}): Promise<Shop> {
  const shop = await openShopAt(app, 'products', draft)
  const { call, succeed } = shop
  return {
    ...shop,
    ask: (...request) => replyOf(call(...request)),
    create: async (body = {}, key) => {
      app.clock.advance(1)
      return succeed<Product>(201, 'POST', '', { name: 'Thing', price: 10, ...body }, key)
    },
    update: (path, body, key) => succeed<Product>(200, 'PUT', `/${path}`, body, key),
    get: (path, key) => succeed<Product>(200, 'GET', `/${path}`, undefined, key),
    names: async (query = '', key) => {
      const { data } = await succeed<{ data: Product[] }>(200, 'GET', query, undefined, key)
      return data.map(({ name }) => name)
    },
  }
}

/** A product's stock as the secret key sees it. */
export const counted = (managed: boolean, available: number, held = 0) => ({
  managed,
  available,
  held,
  on_hand: available + held,
})

/** What a public key sees of a product that a secret key was shown. */
export const publicly = ({ delivery: _, inventory: { managed, available }, ...product }: Product) => ({
  ...product,
  inventory: { managed, available },
})

/** An option and an extra field that are made at this moment with nothing but a name, whole. */
export const shownOption = (app: TestApp, name: string, more: Record<string, unknown> = {}) => ({
  id: matching('optn_'),
  name,
  price: price(0, '0.00'),
  assets: null,
  meta: null,
  created: unixNow(app),
  updated: unixNow(app),
  ...more,
})
export const shownField = (app: TestApp, name: string, more: Record<string, unknown> = {}) => ({
  id: matching('extr_'),
  name,
  type: 'text',
  required: false,
  options: null,
  meta: null,
  created: unixNow(app),
  updated: unixNow(app),
  ...more,
})

/** As its events tell of it: by the links of the live shop, whoever has changed it. */
export const told = <T extends { readonly checkout_url: Product['checkout_url'] }>(product: T): T => ({
  ...product,
  checkout_url: {
    checkout: product.checkout_url.checkout.replace('&sandbox=true', ''),
    display: product.checkout_url.display.replace('?sandbox=true', ''),
  },
})

export const NOT_FOUND = missing('product')

/** A shipping zone, by its id. */
export async function addZone(app: TestApp, { keys }: Pick<Shop, 'keys'>): Promise<string> {
  const body = { name: 'Home', countries: ['CA'], methods: [] }
  const answer = await app.call('POST', '/v1/shipping_zones', { key: keys.sandbox.secret, body })
  expect(answer.status, answer.text).toBe(201)
  return (answer.body as { id: string }).id
}

const insertAsset = sql`
  insert into assets (
    merchant_id, id, filename, file_key, file_extension, content_type, is_image, file_size, read_width, read_height,
    is_private, is_pending, created_at, updated_at
  )
  values (:merchant_id, :id, :filename, 'a/file', :file_extension, 'x/y', :is_image, 7, :read_width, :read_width, :is_private, :is_pending, :created_at, :created_at)`

type AssetTraits = { isImage?: boolean; isPrivate?: boolean; isPending?: boolean }

/** A row without bytes, and what replies show of it: what is tested here is how assets hang on products. */
export async function addAsset(app: TestApp, shop: Pick<Shop, 'id'>, traits: AssetTraits = {}) {
  const { isImage = true, isPrivate = false, isPending = false } = traits
  const now = app.clock.now()
  const id = newId('asset', now)
  const extension = isImage ? 'png' : 'pdf'
  const filename = `${id}.${extension}`
  const side = isImage ? 4 : null
  await app.db.run(insertAsset, {
    merchant_id: shop.id,
    id,
    filename,
    file_extension: extension,
    is_image: isImage,
    read_width: side,
    is_private: isPrivate,
    is_pending: isPending,
    created_at: now,
  })
  return {
    id,
    url: `${ORIGIN}/files/${shop.id}/${id}/${filename}`,
    description: null,
    is_image: isImage,
    filename,
    file_extension: extension,
    file_size: 7,
    image_dimensions: isImage ? { width: 4, height: 4 } : [],
    meta: [],
    private: isPrivate,
    pending: isPending,
    created_at: unixNow(app),
    updated_at: unixNow(app),
  }
}

const made = async (answer: Promise<Answer>) => {
  const { status, text, body } = await answer
  expect([status, text]).toEqual([201, text])
  return body as { id: string }
}

export async function addCategory(app: TestApp, shop: Shop, slug: string) {
  const body = { slug, name: slug.toUpperCase() }
  const { id } = await made(app.call('POST', '/v1/categories', { key: shop.keys.sandbox.secret, body }))
  return { id, ...body }
}

export async function addAttribute(app: TestApp, shop: Shop, type: string, more: Record<string, unknown> = {}) {
  const body = { name: type, description: '', type, ...more }
  const { id } = await made(app.call('POST', '/v1/attributes', { key: shop.keys.sandbox.secret, body }))
  return { id, name: type, meta: null }
}

/** The event that tells of this product as it is now. */
export const productEvent = (verb: 'create' | 'update' | 'delete', product: Product) => ({
  name: `products.${verb}`,
  kind: 'product',
  sandbox: null,
  payload: told(product),
  response_code: { create: 201, update: 200, delete: 204 }[verb],
})

export const eventsOf = (app: TestApp, shop: Pick<Shop, 'id'>) => eventsOfShop(app.db, shop.id, 'product')

/** To see that a refused request left nothing behind. */
export const countsOf = async (app: TestApp, { id: merchant_id }: Shop) => ({
  products: await countRows(app.db, 'products', { merchant_id }),
  events: await countRows(app.db, 'events', { merchant_id }),
})
