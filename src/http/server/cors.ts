// Cross-origin access for browsers: allowed without credentials on every address that a public key or a customer may call. It is written
// here instead of using a plugin, because it follows each endpoint's access, also for errors.

import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Endpoint } from '../endpoint/endpoint.ts'
import { isForOwnPages } from '../session/target.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Headers of an answer that a page may read. */
    exposedHeaders: string
  }
}

/** Browsers limit this to two hours or a day. Without it, every call of a storefront costs a second round trip. */
const MAX_AGE_SECONDS = '86400'
const HEADER_NAMES = /^[\w\-, ]{1,1000}$/

export const exposedHeaders = (otherVersionHeader: string): string =>
  `Service-Version, ${otherVersionHeader}, X-Request-Id, Retry-After, Idempotency-Replayed, ETag`

export const isOpenToBrowsers = ({ access }: Endpoint): boolean => access === 'public' || access === 'customer'

export function allowAnyOrigin(reply: FastifyReply) {
  if (isForOwnPages(reply.request.raw)) return
  reply.header('access-control-allow-origin', '*')
  reply.header('access-control-expose-headers', reply.server.exposedHeaders)
}

/** Answers a preflight for the open methods of one path. A preflight carries no key and needs none. */
export function answerPreflight(methods: readonly string[]) {
  return (request: FastifyRequest, reply: FastifyReply) => {
    if (methods.length > 0 && !isForOwnPages(request.raw)) {
      const headerNames = request.headers['access-control-request-headers'] ?? ''
      allowAnyOrigin(reply)
      reply.header('access-control-allow-methods', methods.join(', '))
      reply.header('access-control-max-age', MAX_AGE_SECONDS)
      reply.header('vary', 'Access-Control-Request-Headers')
      if (HEADER_NAMES.test(headerNames)) reply.header('access-control-allow-headers', headerNames)
    }
    reply.code(204).send()
  }
}
