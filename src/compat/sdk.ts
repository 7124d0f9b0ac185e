// Describes what the public SDK (`@chec/commerce.js`), its seeder and its CLI send and expect on any request. No other file names their
// headers.

import type { IncomingHttpHeaders } from 'node:http'
import { Type } from 'typebox'
import { defineEndpoint } from '../http/endpoint/endpoint.ts'
import { kind } from '../http/endpoint/schema.ts'

/** Existing storefronts send the API version in this header; ours is `Service-Version`. */
export const VERSION_HEADER = 'Chec-Version'

export const isSdk = (headers: IncomingHttpHeaders): boolean => headers['x-chec-agent'] !== undefined

/**
 * The seeder builds `//v1/products`. Node clients behind a proxy send the absolute form `GET http://host/v1/products`. Only the path
 * changes, because a query may contain slashes.
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

/** SDK 2.0 names the source of a token `identifier_type`. Without this, a cart's id would be looked up among permalinks. */
export function renameTokenType(query: Record<string, unknown>): Record<string, unknown> {
  if (query.identifier_type === undefined) return query
  const { identifier_type: older, type, ...rest } = query
  return { ...rest, type: type === undefined || type === '' ? older : type }
}

export const NoScript = kind('no_script', { sift_js: Type.String({ description: 'Always empty.' }) })

/**
 * The SDK runs the `sift_js` of this response as a script and fails on anything else. It used to load a fraud detector. No lookup is
 * needed, because no token has a script.
 */
export const protectCheckout = defineEndpoint({
  operation: 'checkouts.protect',
  permission: 'read',
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
