// Answers requests that no endpoint takes: a known path with another method gets a 405, and an unknown path a 404. Also
// answers preflights.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { methodNotAllowed, routeNotFound } from '../../lib/errors.ts'
import type { Endpoint } from '../endpoint/endpoint.ts'
import { allowAnyOrigin, answerPreflight, isOpenToBrowsers } from './cors.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Route pattern for a request without a route, if the path is known. */
    knownPath: string | null
  }
}

/** Route pattern, never the URL itself, which may contain a token. Null if there is none. */
export const routeOf = ({ routeOptions, knownPath }: FastifyRequest): string | null => routeOptions.url ?? knownPath

const USUAL_METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']

/**
 * False for a GET that may save something: one with status 201, or an uncacheable one, such as a check. Clients such as
 * link previews send HEAD and expect no change.
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
 * Adds 405 routes only where the router would match another path. For example, it would read `/v1/things/search` as the
 * thing with the id "search". A route for every method of every path would double the number of routes.
 */
export function refuseOtherMethods(server: FastifyInstance, endpoints: readonly Endpoint[]) {
  const addresses = listAddresses(endpoints)
  for (const { path, allowed, open } of addresses) {
    const others = addresses.filter((other) => other.path !== path && other.pattern.test(path.replace(/:\w+/g, 'any')))
    const method = USUAL_METHODS.filter(
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

/** Answers requests without a route: unknown paths, known ones with another method, and preflights. */
export function createUnroutedHandler(endpoints: readonly Endpoint[]) {
  const addresses = listAddresses(endpoints)
  return (request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void) => {
    const [path = ''] = request.url.split('?', 1)
    const address = addresses.find(({ pattern }) => pattern.test(path))
    request.knownPath = address?.path ?? null
    if (request.method === 'OPTIONS')
      return answerPreflight(address?.open ?? ['GET', 'POST', 'PUT', 'DELETE'])(request, reply)
    if (address === undefined || address.open.length > 0) allowAnyOrigin(reply)
    done(address === undefined ? routeNotFound() : methodNotAllowed(address.allowed))
  }
}

/** Sorted as the router chooses: from left to right, a fixed word before a parameter. */
function listAddresses(endpoints: readonly Endpoint[]): Address[] {
  const paths = new Map<string, Endpoint[]>()
  for (const endpoint of endpoints) paths.set(endpoint.path, [...(paths.get(endpoint.path) ?? []), endpoint])
  const sortKey = ({ path }: Address) => path.replace(/[^/:]+/g, '').replace(/:/g, '~')
  return [...paths]
    .map(([path, group]) => ({
      path,
      pattern: pathPattern(path),
      allowed: [...new Set(group.flatMap((endpoint) => (hasHead(endpoint) ? ['GET', 'HEAD'] : [endpoint.method])))],
      open: group.filter(isOpenToBrowsers).map(({ method }) => method),
    }))
    .sort((one, other) => (sortKey(one) < sortKey(other) ? -1 : 1))
}

/** `/v1/things/:id` as the router reads it, with an optional trailing slash. Paths contain no other special characters. */
const pathPattern = (path: string) => new RegExp(`^${path.replaceAll('.', '\\.').replace(/:\w+/g, '[^/]+')}/?$`)
