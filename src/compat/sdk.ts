// What existing clients (the SDK `@chec/commerce.js`, its seeder, its CLI) need of HTTP that no clean client would, each with its reason; their
// headers are named nowhere else. Forms of bodies and links that many clients send are read where they belong: body-rewrite.ts of products
// and of capture, customers/login-link.ts; and a session beside `X-Authorization: undefined` in serve-endpoint.ts.

import type { FastifyInstance, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { endpoint } from '../http/endpoint/endpoint.ts'
import { kind } from '../http/endpoint/schema.ts'
import { type ApiError, notValid } from '../lib/errors.ts'
import { isJsonObject } from '../versions/change.ts'

/**
 * The SDK's HTTP client sends the body `null` with a JSON content type on GET and DELETE. Fastify never reads a body on GET;
 * this makes DELETE the same, whatever the body says.
 */
export function ignoreBodiesOfDelete(server: FastifyInstance) {
  server.addHttpMethod('DELETE', { hasBody: false, overrideExisting: true })
}

/** The same client sends `null` for "no data" on POST and PUT: an empty object, not a wrong type. */
export const bodyOrEmpty = (body: unknown): unknown => body ?? {}

/**
 * The seeder builds `//v1/products`, and Node clients behind a proxy send the absolute form `GET http://host/v1/products`.
 * Only the path is touched: a query may hold slashes of its own.
 */
export function rewriteTarget(target: string): string {
  const path = target.startsWith('/') ? target : withoutOrigin(target)
  const end = path.indexOf('?')
  const pathname = end === -1 ? path : path.slice(0, end)
  if (!pathname.includes('//')) return path
  return pathname.replace(/\/{2,}/g, '/') + (end === -1 ? '' : path.slice(end))
}

function withoutOrigin(target: string): string {
  const origin = /^https?:\/\/[^/?#]*/i.exec(target)
  if (!origin) return target
  const rest = target.slice(origin[0].length)
  return rest.startsWith('/') ? rest : `/${rest}`
}

/** Existing storefronts name the API version by this header; ours is `Service-Version`. */
export const VERSION_HEADER_ALIAS = 'chec-version'
/** The same, as people write it. */
export const SHOWN_VERSION_HEADER_ALIAS = 'Chec-Version'

const isSdk = ({ headers }: FastifyRequest) => headers['x-chec-agent'] !== undefined

/**
 * The SDK takes any 404 under a cart for "the cart is gone": it makes a new cart, forgets the shopper's, and sends the call
 * again. So to the SDK a line that is missing from a cart that is there is a mistake in the request.
 */
export function spareTheCart(error: ApiError, request: FastifyRequest): ApiError {
  const isMissingInside = error.status === 404 && error.thing !== undefined && error.thing !== 'cart'
  if (!isMissingInside || !request.operation?.startsWith('carts.') || !isSdk(request)) return error
  return notValid({ line_item_id: ['line_item_id must be the id of a line of this cart; the cart has no such line.'] })
}

/**
 * In older versions a change of a cart names its event as `event`; the SDK reads `_event` and dispatches it in the page, where
 * storefronts listen. Outside of a browser, which alone sends an Origin, there is no page, and the SDK would fail on it.
 */
export function repeatEvent(body: unknown, request: FastifyRequest): unknown {
  if (!isJsonObject(body) || typeof body.event !== 'string' || !request.operation?.startsWith('carts.')) return body
  return isSdk(request) && request.headers.origin !== undefined ? { ...body, _event: body.event } : body
}

/**
 * Many storefronts name no version, and so get the newest, where a change of a cart answers the bare cart; they were written for
 * the envelope that was answered before, and read its `.cart`. So to the SDK a change answers both: the fields of the cart and, beside
 * them, the envelope, which is what the handler told for older versions. (Reference commercejs-sdk, section 5: the two do not collide.)
 * Null where there is nothing to add. `text` is the cart as JSON, which is written once and stands there twice.
 */
export function cartInBothForms(request: FastifyRequest, text: () => string): string | null {
  const { call, operation } = request
  if (call?.plan !== null || typeof call.facts.event !== 'string') return null
  if (!operation?.startsWith('carts.') || !isSdk(request)) return null
  const cart = text()
  const beside = JSON.stringify({ success: true, ...call.facts })
  return `${cart.slice(0, -1)},${beside.slice(1, -1)},"cart":${cart}}`
}

export const NoScript = kind('no_script', { sift_js: Type.String({ description: 'Always empty.' }) })

/**
 * The SDK runs the `sift_js` of this answer as a script, where a fraud detector once stood, and fails on anything else. Nothing is
 * looked up: there is no script for any token. It belongs to checkouts, who list it.
 */
export const protectCheckout = endpoint({
  operation: 'checkouts.protect',
  summary: 'Gives an empty script, for older storefronts that run it.',
  method: 'GET',
  path: '/v1/checkouts/:id/protect',
  access: 'public',
  noStore: true,
  params: Type.Object({ id: Type.String({ description: 'The id of a checkout token: chkt_…' }) }),
  status: 200,
  returns: NoScript,
  handle: async () => ({ sift_js: '' }),
})
