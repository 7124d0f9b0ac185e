// URLs outside /v1 that need no key, such as those of files. Their signature authorises access, or they are public. Browsers may call
// them from any origin. Unsupported methods are refused as under /v1.

import type { FastifyContextConfig, FastifyInstance, FastifyRequest, HTTPMethods, RouteHandlerMethod } from 'fastify'
import { methodNotAllowed, notFound } from '../../lib/errors.ts'
import { readMerchantNumber } from '../../lib/ids.ts'
import { allowAnyOrigin, answerPreflight } from './cors.ts'

/** Parts of a URL: an object of a merchant, and the query that may hold a signature. */
export type SignedAddress = { readonly merchant_id: number; readonly id: string; readonly query: string }

type OpenAddress = {
  path: string
  methods: readonly ('GET' | 'HEAD' | 'PUT')[]
  /** Settings for deadline.ts: large bodies take longer than the usual limit. */
  config: Pick<FastifyContextConfig, 'deadlineMs' | 'isStreamed'>
  handler: RouteHandlerMethod
}

const ALL_METHODS: readonly HTTPMethods[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']

export function serveOpenAddress(server: FastifyInstance, { path, methods, config, handler }: OpenAddress) {
  server.options(path, answerPreflight(methods))
  server.route({
    method: [...methods],
    url: path,
    config,
    exposeHeadRoute: false,
    onRequest: (_request, reply, done) => {
      allowAnyOrigin(reply)
      done()
    },
    handler,
  })
  server.route({
    method: ALL_METHODS.filter((method) => !(methods as readonly HTTPMethods[]).includes(method)),
    url: path,
    exposeHeadRoute: false,
    onRequest: (_request, reply, done) => {
      allowAnyOrigin(reply)
      done(methodNotAllowed(methods))
    },
    handler: async () => undefined,
  })
}

const ID = /^\w{1,64}$/

/** Reads `/…/:merchant_id/:id…`. An invalid id gets the same answer as a missing object, without a lookup. */
export function parseSignedAddress(request: FastifyRequest, thing: string): SignedAddress {
  const { merchant_id: merchant = '', id = '' } = request.params as Record<string, string>
  const merchant_id = readMerchantNumber(merchant)
  if (merchant_id === null || !ID.test(id)) throw notFound(thing)
  const mark = request.url.indexOf('?')
  return { merchant_id, id, query: mark === -1 ? '' : request.url.slice(mark + 1) }
}
