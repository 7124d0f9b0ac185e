// What the tests of carts share: a shop with short ways to call, and the whole bodies of a cart and its lines.

import { expect } from 'vitest'
import type { Cart } from '../../../src/api/carts/schema.ts'
import type { LineItem } from '../../../src/api/lines/line.ts'
import type { Product } from '../../../src/api/products/schema.ts'
import type { Database } from '../../../src/db/db.ts'
import type { Caller } from '../../../src/http/endpoint/endpoint.ts'
import { signingSecrets } from '../../../src/keys/signing.ts'
import type { TestApp } from '../../support/app.ts'
import {
  type Call,
  callsOf,
  expectUnchanged,
  type Method,
  matching,
  missing,
  ORIGIN,
  price,
  replyOf,
  unixNow,
} from '../../support/shop.ts'
import { openShop, type Shop } from '../products/support.ts'

export const THIRTY_DAYS = 2_592_000

export const NO_CART = missing('cart')
export const NO_LINE = missing('line item')

/** A shop, and its carts by its sandbox public key unless another is named. What does not say `call` must succeed. */
export type CartShop = {
  shop: Shop
  call: Call
  /** Each a second after the one before, so that ids sort as they were made. */
  newCart(key?: string): Promise<Cart>
  add(cart: { id: string }, product: { id: string }, more?: Record<string, unknown>, key?: string): Promise<Cart>
  get(cart: { id: string }, key?: string): Promise<Cart>
  update(cart: { id: string }, body: unknown): Promise<Cart>
  updateLine(cart: { id: string }, line: { id: string }, body: unknown): Promise<Cart>
  /** A refusal of a request below the address of the cart, after which every byte of the cart is as before. */
  refused(cart: { id: string }, method: Method, path: string, body?: unknown): Promise<unknown>
}

export async function openCartShop(app: TestApp, draft: { currency?: string } = {}): Promise<CartShop> {
  const shop = await openShop(app, draft)
  const { call, succeed } = callsOf(app, 'carts', shop.keys.sandbox.public)
  return {
    shop,
    call,
    newCart: (key) => {
      app.clock.advance(1)
      return succeed(201, 'GET', '', undefined, key)
    },
    add: (cart, { id }, more = {}, key) => {
      app.clock.advance(1)
      return succeed(200, 'POST', `/${cart.id}`, { id, ...more }, key)
    },
    get: ({ id }, key) => succeed(200, 'GET', `/${id}`, undefined, key),
    update: ({ id }, body) => succeed(200, 'PUT', `/${id}`, body),
    updateLine: (cart, line, body) => succeed(200, 'PUT', `/${cart.id}/items/${line.id}`, body),
    refused: ({ id }, method, path, body) =>
      expectUnchanged(
        async () => (await call('GET', `/${id}`)).text,
        () => {
          app.clock.advance(1)
          return replyOf(call(method, `/${id}${path}`, body))
        },
      ),
  }
}

/** The cart that is made at this moment, whole. */
export const shownCart = (app: TestApp, { shop }: CartShop, id: string | null, more: Record<string, unknown> = {}) => ({
  id: id ?? matching('cart_'),
  created: unixNow(app),
  updated: unixNow(app),
  expires: unixNow(app) + THIRTY_DAYS,
  total_items: 0,
  total_unique_items: 0,
  subtotal: price(0, '0.00'),
  hosted_checkout_url:
    id === null
      ? expect.stringMatching(`^${ORIGIN}/checkout/${shop.id}/cart/cart_[0-9A-Za-z]{26}$`)
      : `${ORIGIN}/checkout/${shop.id}/cart/${id}`,
  currency: { code: 'USD', symbol: '$' },
  discount: [],
  meta: null,
  line_items: [],
  ...more,
})

/** One of this product without options, whole. */
export const shownLine = (product: Product, more: Record<string, unknown> = {}) => ({
  id: matching('item_'),
  product_id: product.id,
  name: product.name,
  product_name: product.name,
  sku: product.sku,
  permalink: product.permalink,
  quantity: 1,
  price: product.price,
  line_total: product.price,
  is_valid: true,
  product_meta: product.meta,
  selected_options: [],
  variant: null,
  image: product.image,
  ...more,
})

/** The only line of the cart. */
export function onlyLine({ line_items }: Cart): LineItem {
  const [line, ...others] = line_items
  if (line === undefined || others.length > 0) throw new Error(`The cart has ${line_items.length} lines.`)
  return line
}

/** The lines as pairs of name and quantity. */
export const contents = ({ line_items }: Cart) => line_items.map(({ name, quantity }) => [name, quantity])

/** Every operation on a cart and its line, with a body that would succeed. */
export const operationsOn = (line: string, productId: string) =>
  [
    ['GET', '', undefined],
    ['POST', '', { id: productId }],
    ['PUT', '', { meta: {} }],
    ['GET', '/items', undefined],
    ['PUT', `/items/${line}`, { quantity: 2 }],
    ['PUT', `/items/${line}`, { quantity: 0 }],
    ['PUT', `/items/${line}`, { options: {} }],
    ['DELETE', `/items/${line}`, undefined],
    ['DELETE', '/items', undefined],
    ['DELETE', '', undefined],
  ] as const

/** The cart is 404 for every operation. */
export async function expectGone(call: Call, id: string, line: string, productId: string) {
  for (const [method, path, body] of operationsOn(line, productId)) {
    const { status, body: gone } = await call(method, `/${id}${path}`, body)
    expect([method, path, status, gone]).toEqual([method, path, 404, NO_CART])
  }
}

/** The context in which `shop` changes carts on `db` without a server around it. `addFacts` receives what each change did. */
export const shoppingAt = (
  app: TestApp,
  shop: { id: number },
  db: Database,
  addFacts: (facts: unknown) => void = () => {},
) => ({
  db,
  clock: app.clock,
  caller: { merchant_id: shop.id, is_sandbox: true, isSecret: false, currency: 'USD' } as Caller,
  origin: '',
  signingSecret: signingSecrets(app.db, app.clock),
  clientNetworks: [],
  reportLinesRead: () => undefined,
  addFacts,
})

/** `db`, which does something else right before it sends this statement for the first time. */
export function meddlingDb(db: Database, name: string, meddle: () => Promise<unknown>) {
  let isDone = false
  const meddling: Database = {
    ...db,
    async maybe(asked, values) {
      if (!isDone && asked.name === name) {
        isDone = true
        await meddle()
      }
      return db.maybe(asked, values)
    },
  }
  return { db: meddling, isDone: () => isDone }
}
