// Addresses outside of /v1 that need no key, those of files. What they open is said by their own signature, or they are public.
// Browsers reach them from anywhere; a method they do not have is refused as under /v1.

import type { FastifyContextConfig, FastifyInstance, FastifyRequest, HTTPMethods, RouteHandlerMethod } from 'fastify'
import { methodNotAllowed, notFound } from '../../lib/errors.ts'
import { readMerchantNumber } from '../../lib/ids.ts'
import { allowAnyOrigin, answerPreflight } from './cors.ts'

/** What an address names: an object of a merchant, and the query that may hold a signature. */
export type SignedAddress = { readonly merchantId: number; readonly id: string; readonly query: string }

type OpenAddress = {
  path: string
  methods: readonly ('GET' | 'HEAD' | 'PUT')[]
  /** What deadline.ts reads: large bodies take longer than the server's usual limit. */
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

/** Reads `/…/:merchant_id/:id…`. What cannot be an id is not looked up, and answered like one that does not exist. */
export function addressOf(request: FastifyRequest, thing: string): SignedAddress {
  const { merchant_id: merchant = '', id = '' } = request.params as Record<string, string>
  const merchantId = readMerchantNumber(merchant)
  if (merchantId === null || !ID.test(id)) throw notFound(thing)
  const mark = request.url.indexOf('?')
  return { merchantId, id, query: mark === -1 ? '' : request.url.slice(mark + 1) }
}
