// Methods that an address does not have: a known address answers 405 and says which there are; preflights are answered per
// address.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { methodNotAllowed, routeNotFound } from '../../lib/errors.ts'
import type { Endpoint } from '../endpoint/endpoint.ts'
import { allowAnyOrigin, answerPreflight, isOpen } from './cors.ts'

const USUAL = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']

/**
 * A GET that creates has no HEAD: whoever only looks must not leave a thing behind. Nor has one whose answers no cache may keep: it may
 * save what it was asked, as checks do, and a HEAD is sent by those who mean to change nothing, such as previews.
 */
export const hasHead = ({ method, status, noStore }: Endpoint): boolean =>
  method === 'GET' && status !== 201 && noStore !== true

type Address = { readonly path: string; readonly allowed: readonly string[]; readonly open: readonly string[] }

export function refuseOtherMethods(server: FastifyInstance, endpoints: readonly Endpoint[]) {
  for (const { path, allowed, open } of addressesOf(endpoints)) {
    server.options(path, { onRequest: answerPreflight(open) }, async () => undefined)
    server.route({
      method: USUAL.filter((method) => !allowed.includes(method)),
      url: path,
      onRequest: (_request, reply, done) => {
        if (open.length > 0) allowAnyOrigin(reply)
        done(methodNotAllowed(allowed))
      },
      handler: async () => undefined,
    })
  }
}

/**
 * Answers what the router has no route for: an address that does not exist, or one that does with a method like TRACE. Those are
 * matched here and not routed, which would take a route for each of the thirty methods that Node can read.
 */
export function unroutedAnswerer(endpoints: readonly Endpoint[]) {
  const addresses = addressesOf(endpoints).map((address) => ({ ...address, pattern: patternOf(address.path) }))
  return (request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void) => {
    const [path = ''] = request.url.split('?', 1)
    const isUsual = request.method === 'OPTIONS' || USUAL.includes(request.method)
    const known = isUsual ? undefined : addresses.find(({ pattern }) => pattern.test(path))
    if (known === undefined || known.open.length > 0) allowAnyOrigin(reply)
    if (known) return done(methodNotAllowed(known.allowed))
    if (request.method !== 'OPTIONS') return done(routeNotFound())
    answerPreflight(['GET', 'POST', 'PUT', 'DELETE'])(request, reply)
  }
}

function addressesOf(endpoints: readonly Endpoint[]): Address[] {
  const paths = new Map<string, Endpoint[]>()
  for (const endpoint of endpoints) paths.set(endpoint.path, [...(paths.get(endpoint.path) ?? []), endpoint])
  return [...paths].map(([path, known]) => ({
    path,
    allowed: [...new Set(known.flatMap((endpoint) => (hasHead(endpoint) ? ['GET', 'HEAD'] : [endpoint.method])))],
    open: known.filter(isOpen).map(({ method }) => method),
  }))
}

/** `/v1/things/:id` as the router reads it, a slash at the end included. Paths have no other signs that mean something here. */
const patternOf = (path: string) => new RegExp(`^${path.replaceAll('.', '\\.').replace(/:\w+/g, '[^/]+')}/?$`)
