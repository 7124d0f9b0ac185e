// Every accommodation for existing clients of this API (the SDK `@chec/commerce.js`, its seeder and its CLI) that no clean
// client would need, each with its reason. Nothing elsewhere in the code knows them.

import type { FastifyInstance } from 'fastify'

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
