// What the public SDK (`@chec/commerce.js`), its seeder and its CLI send and expect of any request, each with its reason. Their headers are
// named nowhere else.

import type { IncomingHttpHeaders } from 'node:http'
import { Type } from 'typebox'
import { endpoint } from '../http/endpoint/endpoint.ts'
import { kind } from '../http/endpoint/schema.ts'

/** Existing storefronts name the API version by this header; ours is `Service-Version`. */
export const VERSION_HEADER = 'Chec-Version'

export const isSdk = (headers: IncomingHttpHeaders): boolean => headers['x-chec-agent'] !== undefined

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

/** SDK 2.0 says what it makes a token of as `identifier_type`. Without this, a cart's id would be looked for among permalinks. */
export function renameTokenType(query: Record<string, unknown>): Record<string, unknown> {
  if (query.identifier_type === undefined) return query
  const { identifier_type: older, type, ...rest } = query
  return { ...rest, type: type === undefined || type === '' ? older : type }
}

export const NoScript = kind('no_script', { sift_js: Type.String({ description: 'Always empty.' }) })

/**
 * The SDK runs the `sift_js` of this answer as a script, where a fraud detector once stood, and fails on anything else. Nothing is
 * looked up: there is no script for any token.
 */
export const protectCheckout = endpoint({
  operation: 'checkouts.protect',
  summary: 'Gives an empty script, for older storefronts that run it.',
  method: 'GET',
  path: '/v1/checkouts/:id/protect',
  access: 'public',
  noStore: true,
  metered: 'short',
  params: Type.Object({ id: Type.String({ description: 'The id of a checkout token: chkt_…' }) }),
  status: 200,
  returns: NoScript,
  handle: async () => ({ sift_js: '' }),
})
