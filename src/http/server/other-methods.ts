// Methods that an address does not have: a known address answers 405 and says which there are; preflights are answered per
// address.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { methodNotAllowed, routeNotFound } from '../../lib/errors.ts'
import type { Endpoint } from '../endpoint/endpoint.ts'
import { allowAnyOrigin, answerPreflight, isOpen } from './cors.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Of a request that has no route: the address that it was for, as endpoints write it. */
    knownPath: string | null
  }
}

/** The pattern of the address, never the address itself, which may hold a token. Null where there is none. */
export const routeOf = ({ routeOptions, knownPath }: FastifyRequest): string | null => routeOptions.url ?? knownPath

const USUAL = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']

/**
 * A GET that creates has no HEAD: whoever only looks must not leave a thing behind. Nor has one whose answers no cache may keep: it may
 * save what it was asked, as checks do, and a HEAD is sent by those who mean to change nothing, such as previews.
 */
export const hasHead = ({ method, status, noStore }: Endpoint): boolean =>
  method === 'GET' && status !== 201 && noStore !== true

type Address = {
  readonly path: string
  readonly pattern: RegExp
  readonly allowed: readonly string[]
  readonly open: readonly string[]
}

/**
 * Only where the router would take the address for another one: a GET of `/v1/things/search`, say, for that of the thing with the id "search". A
 * route for each method of each address would be twice as many routes as there are endpoints, at every start.
 */
export function refuseOtherMethods(server: FastifyInstance, endpoints: readonly Endpoint[]) {
  const addresses = addressesOf(endpoints)
  for (const { path, allowed, open } of addresses) {
    const others = addresses.filter((other) => other.path !== path && other.pattern.test(path.replace(/:\w+/g, 'any')))
    const method = USUAL.filter(
      (name) => !allowed.includes(name) && others.some((other) => other.allowed.includes(name)),
    )
    if (method.length > 0)
      server.route({
        method,
        url: path,
        onRequest: (_request, reply, done) => {
          if (open.length > 0) allowAnyOrigin(reply)
          done(methodNotAllowed(allowed))
        },
        handler: async () => undefined,
      })
  }
}

/** Answers what the router has no route for: an address that does not exist, or one that does with another method; and preflights. */
export function unroutedAnswerer(endpoints: readonly Endpoint[]) {
  const addresses = addressesOf(endpoints)
  return (request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void) => {
    const [path = ''] = request.url.split('?', 1)
    const known = addresses.find(({ pattern }) => pattern.test(path))
    request.knownPath = known?.path ?? null
    if (request.method === 'OPTIONS')
      return answerPreflight(known?.open ?? ['GET', 'POST', 'PUT', 'DELETE'])(request, reply)
    if (known === undefined || known.open.length > 0) allowAnyOrigin(reply)
    done(known === undefined ? routeNotFound() : methodNotAllowed(known.allowed))
  }
}

/** As the router would choose among them: a word before a parameter, from left to right. */
function addressesOf(endpoints: readonly Endpoint[]): Address[] {
  const paths = new Map<string, Endpoint[]>()
  for (const endpoint of endpoints) paths.set(endpoint.path, [...(paths.get(endpoint.path) ?? []), endpoint])
  const choice = ({ path }: Address) => path.replace(/[^/:]+/g, '').replace(/:/g, '~')
  return [...paths]
    .map(([path, known]) => ({
      path,
      pattern: patternOf(path),
      allowed: [...new Set(known.flatMap((endpoint) => (hasHead(endpoint) ? ['GET', 'HEAD'] : [endpoint.method])))],
      open: known.filter(isOpen).map(({ method }) => method),
    }))
    .sort((one, other) => (choice(one) < choice(other) ? -1 : 1))
}

/** `/v1/things/:id` as the router reads it, a slash at the end included. Paths have no other signs that mean something here. */
const patternOf = (path: string) => new RegExp(`^${path.replaceAll('.', '\\.').replace(/:\w+/g, '[^/]+')}/?$`)
