// A shop for tests: its keys, calls to its API, its goods and orders, and expected errors. For one resource: the support.ts beside its tests.

import { expect } from 'vitest'
import type { Cart } from '../../src/api/carts/schema.ts'
import type { CheckoutToken } from '../../src/api/checkouts/schema.ts'
import type { CreatedMerchant } from '../../src/api/merchants/merchant.ts'
import type { Product } from '../../src/api/products/schema.ts'
import type { Variant } from '../../src/api/products/variants/schema.ts'
import type { ShippingZone } from '../../src/api/shipping/schema.ts'
import { type Db, statement } from '../../src/db/db.ts'
import { toldOf } from '../api/words.ts'
import type { Answer, TestApp } from './app.ts'

/** Start of the tests' clock: 2026-01-02T03:04:05Z. */
export const START = 1_767_323_045
export const DAY = 86_400
export const ORIGIN = 'http://localhost:80'

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'
export type Body = Record<string, unknown>
export type Keys = CreatedMerchant['keys']
export type Draft = NonNullable<Parameters<TestApp['merchant']>[0]>

export type Call = (method: Method, path: string, body?: unknown, key?: string) => Promise<Answer>
/** Expects the response to have `status`; returns the body. */
export type Succeed = <T>(status: number, ...request: Parameters<Call>) => Promise<T>

export type BareShop = {
  id: number
  keys: Keys
  /** Login of the owner. */
  dashboard: CreatedMerchant['dashboard']
  call: Call
  succeed: Succeed
}

/** Opens a merchant, with calls to paths below /v1 and `at`. */
export async function openShopAt(app: TestApp, at: string, draft: Draft = {}): Promise<BareShop> {
  const { id, keys, dashboard } = await app.merchant(draft)
  return { id, keys, dashboard, ...callsOf(app, at, keys.sandbox.secret) }
}

/**
 * Calls paths below /v1 and `at`, with this key unless the call names another. For live keys the app must trust every proxy, because these
 * calls claim to come over HTTPS.
 */
export function callsOf(app: TestApp, at: string, usual: string): { call: Call; succeed: Succeed } {
  const call: Call = (method, path, body, key = usual) =>
    app.call(method, `/v1/${at}${path}`, {
      key,
      headers: { 'x-forwarded-proto': key.includes('_test_') ? 'http' : 'https' },
      body,
    })
  const succeed: Succeed = async <T>(status: number, ...request: Parameters<Call>) => {
    const answer = await call(...request)
    expect([answer.status, answer.text]).toEqual([status, answer.text])
    return answer.body as T
  }
  return { call, succeed }
}

export type Shop = Awaited<ReturnType<typeof openShop>>

/** Opens a shop seen by its shoppers, who have the public key, with helpers for goods that the merchant creates. */
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
    // Advance the clock, so that ids sort in the order of the lines.
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
    /** Login of the owner. */
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
    /** Creates a token of a cart with these lines. */
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

/** The whole error body that names fields, for programmers or for shoppers. `said`: the expected shopper message, if a test knows it. */
export function refusal(type: 'unprocessable_entity' | 'not_valid', errors: Record<string, string[]>, said?: string) {
  const [first, ...others] = Object.values(errors).flat()
  const more = others.length === 0 ? '' : ` (and ${others.length} more ${others.length === 1 ? 'error' : 'errors'})`
  return { error: toldOf({ type, message: `${first}${more}`, errors }, said), status_code: 422 }
}

export const malformed = (errors: Record<string, string[]>, said?: string) =>
  refusal('unprocessable_entity', errors, said)
export const notValid = (errors: Record<string, string[]>, said?: string) => refusal('not_valid', errors, said)

/** Expects the response to have `status`; returns the body. */
export function bodyOf(status: number, answer: Pick<Answer, 'status' | 'body'>): unknown {
  expect([answer.status, answer.body]).toEqual([status, answer.body])
  return answer.body
}

/** The status and the body of a response, to compare both at once. */
export async function replyOf(answer: Promise<Pick<Answer, 'status' | 'body'>>) {
  const { status, body } = await answer
  return [status, body]
}

/** The status of a refusal, and the fields that it names. */
export async function refusedFields(answer: Promise<Pick<Answer, 'status' | 'body'>>) {
  const { status, body } = await answer
  return [status, Object.keys((body as { error: { errors: object } }).error.errors)]
}

/** Asks so often at the same moment. */
export const atOnce = <T>(count: number, ask: (index: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => ask(index)))

/** Does the work, and expects what `read` gives to be the same before and after it. */
export async function expectUnchanged<T>(read: () => Promise<unknown>, work: () => Promise<T>): Promise<T> {
  const before = await read()
  const result = await work()
  expect(await read()).toEqual(before)
  return result
}

/** The status and the body of an error. */
export const errorReply = (status: number, error: object) => [status, { error, status_code: status }]

/** The status and the body of an error about one field, by the rule it breaks. */
export const malformedField = (field: string, rule: string) => [422, malformed({ [field]: [`${field} ${rule}`] })]
export const notValidField = (field: string, rule: string) => [422, notValid({ [field]: [`${field} ${rule}`] })]

/** The status and the body of an error about several fields, by the rule that each breaks. */
export const malformedFields = (rules: Record<string, string>) => [422, malformed(ruleSentences(rules))]
export const notValidFields = (rules: Record<string, string>) => [422, notValid(ruleSentences(rules))]

/** `{ field: 'breaks this rule.' }` as sentences. */
export const ruleSentences = (rules: Record<string, string>) =>
  Object.fromEntries(Object.entries(rules).map(([field, rule]) => [field, [`${field} ${rule}`]]))

const failure = (type: string, status: number, message: string) => ({ error: { type, message }, status_code: status })

/** For programmers or for shoppers. */
export const missing = (thing: string) => ({
  error: toldOf({ type: 'not_found', message: `There is no ${thing} with that id.` }),
  status_code: 404,
})
export const unauthorized = (message: string) => failure('unauthorized', 401, message)
export const NO_KEY = unauthorized('Send your API key in the X-Authorization header.')
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

/** Returns the events of a shop so far, oldest first: all of them, or those of one kind. */
export const eventsOf = (db: Db, merchant_id: number, kind: string | null = null) =>
  db.many(selectEvents, { merchant_id, kind })
