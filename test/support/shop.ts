// A shop to test with: its keys, ways to call the API for it, makers of what is sold and bought, and the bodies that every resource
// refuses with. What belongs to one resource alone is in the support.ts beside its tests.

import { expect } from 'vitest'
import type { Cart } from '../../src/api/carts/schema.ts'
import type { CheckoutToken } from '../../src/api/checkouts/schema.ts'
import type { OpenedMerchant } from '../../src/api/merchants/merchant.ts'
import type { Product } from '../../src/api/products/schema.ts'
import type { Variant } from '../../src/api/products/variants/schema.ts'
import type { ShippingZone } from '../../src/api/shipping/schema.ts'
import { type Db, statement } from '../../src/db/db.ts'
import { toldOf } from '../api/words.ts'
import type { Answer, TestApp } from './app.ts'

/** Where the tests' clock stands at first: 2026-01-02T03:04:05Z. */
export const START = 1_767_323_045
export const DAY = 86_400
export const ORIGIN = 'http://localhost:80'

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'
export type Body = Record<string, unknown>
export type Keys = OpenedMerchant['keys']
export type Draft = NonNullable<Parameters<TestApp['merchant']>[0]>

export type Call = (method: Method, path: string, body?: unknown, key?: string) => Promise<Answer>
/** What must be answered with `status`; gives the body. */
export type Succeed = <T>(status: number, ...request: Parameters<Call>) => Promise<T>

export type BareShop = {
  id: number
  keys: Keys
  /** The owner's login. */
  dashboard: OpenedMerchant['dashboard']
  call: Call
  succeed: Succeed
}

/** A merchant, and calls below /v1 and `at`. */
export async function openShopAt(app: TestApp, at: string, draft: Draft = {}): Promise<BareShop> {
  const { id, keys, dashboard } = await app.merchant(draft)
  return { id, keys, dashboard, ...callsOf(app, at, keys.sandbox.secret) }
}

/**
 * Calls below /v1 and `at`, by this key unless another is named. For live keys the app must trust every proxy: they are told to have
 * come over HTTPS.
 */
export function callsOf(app: TestApp, at: string, usual: string): { call: Call; succeed: Succeed } {
  const call: Call = (method, path, body, key = usual) =>
    app.call(method, `/v1/${at}${path}`, {
      key,
      headers: { 'x-forwarded-proto': key.includes('_test_') ? 'http' : 'https' },
      ...(body === undefined ? {} : { body }),
    })
  const succeed: Succeed = async <T>(status: number, ...request: Parameters<Call>) => {
    const answer = await call(...request)
    expect([answer.status, answer.text]).toEqual([status, answer.text])
    return answer.body as T
  }
  return { call, succeed }
}

export type Shop = Awaited<ReturnType<typeof openShop>>

/** A shop as its shoppers see it, who have the public key, and what the merchant makes for them to buy. */
export async function openShop(app: TestApp, draft: Draft = {}) {
  const { id, keys, dashboard } = await app.merchant(draft)
  const { call, succeed } = callsOf(app, '', keys.sandbox.public)
  const { secret } = keys.sandbox
  const make =
    <T = { id: string; code: string }>(path: string) =>
    (body: Body) =>
      succeed<T>(201, 'POST', path, body, secret)
  const cart = async (lines: Body[], key?: string): Promise<Cart> => {
    const { id: cartId } = await succeed<Cart>(201, 'GET', 'carts', undefined, key)
    // Apart in time, so that the order of the lines is that of their ids.
    for (const line of lines) {
      app.clock.advance(1)
      await succeed(200, 'POST', `carts/${cartId}`, line, key)
    }
    return succeed<Cart>(200, 'GET', `carts/${cartId}`, undefined, key)
  }
  const ofCart = (cartId: string, key?: string) =>
    succeed<CheckoutToken>(201, 'GET', `checkouts/${cartId}?type=cart`, undefined, key)
  return {
    id,
    keys,
    /** The owner's login. */
    dashboard,
    call,
    succeed,
    product: (body: Body = {}) => {
      app.clock.advance(1)
      return make<Product>('products')({ name: 'Thing', price: 10, ...body })
    },
    variant: (productId: string, body: Body) => make<Variant>(`products/${productId}/variants`)(body),
    zone: (body: Body = {}) =>
      make<ShippingZone>('shipping_zones')({
        name: 'Home',
        countries: ['US'],
        methods: [{ description: 'Post', price: 5 }],
        ...body,
      }),
    taxZone: make('tax_zones'),
    discount: make('discounts'),
    giftCard: make('giftcards'),
    settings: (body: Body) => succeed(200, 'PUT', 'merchants', body, secret),
    cart,
    ofCart,
    /** A token of a cart with these lines. */
    token: async (...lines: Body[]) => ofCart((await cart(lines)).id),
  }
}

export const matching = (prefix: string) => expect.stringMatching(new RegExp(`^${prefix}[0-9A-Za-z]{26}$`))

export const price = (raw: number, formatted: string) => ({
  raw,
  formatted,
  formatted_with_symbol: formatted.startsWith('-') ? `-$${formatted.slice(1)}` : `$${formatted}`,
  formatted_with_code: `${formatted} USD`,
})

export const unixNow = (app: TestApp) => Math.floor(app.clock.now().getTime() / 1_000)

/** The whole body of a refusal that names fields, for programmers or for shoppers. `said`: what these are told, where a test knows it. */
export function refusal(type: 'unprocessable_entity' | 'not_valid', errors: Record<string, string[]>, said?: string) {
  const [first, ...others] = Object.values(errors).flat()
  const more = others.length === 0 ? '' : ` (and ${others.length} more ${others.length === 1 ? 'error' : 'errors'})`
  return { error: toldOf({ type, message: `${first}${more}`, errors }, said), status_code: 422 }
}

export const malformed = (errors: Record<string, string[]>, said?: string) =>
  refusal('unprocessable_entity', errors, said)
export const notValid = (errors: Record<string, string[]>, said?: string) => refusal('not_valid', errors, said)

/** The status and the body of a refusal that names one field, by the rule it breaks. */
export const malformedField = (field: string, rule: string) => [422, malformed({ [field]: [`${field} ${rule}`] })]
export const notValidField = (field: string, rule: string) => [422, notValid({ [field]: [`${field} ${rule}`] })]

const failure = (type: string, status: number, message: string) => ({ error: { type, message }, status_code: status })

/** For programmers or for shoppers. */
export const missing = (thing: string) => ({
  error: toldOf({ type: 'not_found', message: `There is no ${thing} with that id.` }),
  status_code: 404,
})
export const unauthorized = (message: string) => failure('unauthorized', 401, message)
export const NO_KEY = unauthorized('Send your API key in the X-Authorization header.')
export const FORBIDDEN = failure('forbidden', 403, 'A public key may not do this; use the secret key, from a server.')
export const NO_ROUTE = failure(
  'not_found',
  404,
  'There is nothing at this address. The routes are listed in /openapi.json.',
)

export type TestEvent = { name: string; kind: string; sandbox: boolean | null; payload: unknown; response_code: number }

const selectEvents = statement<TestEvent>(
  'test.shop_events',
  `select name, kind, sandbox, payload, response_code from events
   where merchant_id = :merchant_id and (:kind::text is null or kind = :kind)
   order by created_at, id`,
)

/** What a shop has been told so far, oldest first: of everything, or of one kind. */
export const eventsOf = (db: Db, merchantId: number, kind: string | null = null) =>
  db.many(selectEvents, { merchant_id: merchantId, kind })
