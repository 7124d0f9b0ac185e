// Serves the paths below /dashboard/api, such as login and account, which are not endpoints of /v1. src/dashboard
// defines them. Here each gets the same checks: HTTPS or this machine, only our own pages, only JSON, no caching.

import type { Socket } from 'node:net'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { TObject } from 'typebox'
import { badRequest, payloadTooLarge, routeNotFound } from '../../lib/errors.ts'
import { bodyOrEmpty, readBody } from '../endpoint/body.ts'
import { identifyClient } from '../endpoint/caller.ts'
import type { Caller, Endpoint } from '../endpoint/endpoint.ts'
import { bodyChecker } from '../endpoint/validation.ts'
import { readCookie, setCookie } from './cookies.ts'
import { refuseOtherPages, refusePlainHttp } from './origin.ts'

declare module 'fastify' {
  interface FastifyInstance {
    isSameOrigin(origin: string, request: FastifyRequest): boolean
  }
}

/** A dashboard request, with or without a session. */
export type DashboardRequest<Params = unknown, Body = unknown> = {
  readonly params: Params
  readonly body: Body
  /** True if the request changes something. */
  readonly isWrite: boolean
  /** False if the header X-Mode is `live`. */
  readonly is_sandbox: boolean
  readonly csrfToken: string | null
  readonly agent: string
  readonly clientAddress: string
  readonly clientNetworks: readonly string[]
  /** Same as `lastingOrigin` in `Context`. */
  readonly lastingOrigin: string
  /** Value that the browser sent. Nothing has verified it. */
  cookie(name: 'session' | 'devices'): string | null
  /** Null deletes the cookie. */
  setCookie(name: 'session' | 'devices', value: string | null): void
  setHeader(name: string, value: string): void
}

export type DashboardRoute = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  readonly path: `/dashboard/api/${string}`
  readonly params?: TObject
  readonly body?: TObject
  readonly status: 200 | 201 | 202 | 204
  readonly handle: (request: DashboardRequest) => Promise<unknown>
}

/** Session checks for endpoints of /v1. */
export type Sessions = {
  /** Caller of this operation. Throws `unauthorized`, or `forbidden` for a write without the session's own token. */
  authenticate(request: DashboardRequest, operation: string): Promise<Caller>
  /** Throws `forbidden` if the account's role does not allow the operation in this mode. */
  refuseRole(operation: string, caller: Caller): Promise<void>
}

/** Some older paths save something with a GET, so they are checked like writes. */
export function authenticateSessionCaller(
  request: FastifyRequest,
  reply: FastifyReply,
  { operation, method, writes, status }: Endpoint,
  sessions: Sessions,
): Promise<Caller> {
  const isWrite = method !== 'GET' || writes === true || status === 201
  checkRequest(request, isWrite)
  return sessions.authenticate(newRoomRequest(request, reply, isWrite, new Map()), operation)
}

const BODY_BYTES = 16_384

export function serveDashboardRoutes(server: FastifyInstance, routes: readonly DashboardRoute[]) {
  for (const { method, path, params, body, status, handle } of routes) {
    const checkBody = body && method === 'DELETE' ? bodyCheck(body) : null
    server.route({
      method,
      url: path,
      bodyLimit: BODY_BYTES,
      exposeHeadRoute: false,
      schema: { ...(params && { params }), ...(body && checkBody === null && { body }) },
      onRequest: async (request) => {
        checkRequest(request)
        // PostgreSQL refuses U+0000 in text, and no id or token contains it.
        if (Object.values(request.params as Record<string, string>).some((id) => id.includes('\0')))
          throw routeNotFound()
      },
      preValidation: async (request) => {
        if (checkBody !== null) request.body = checkBody(await bodyOfDelete(request))
        else if (body) request.body = bodyOrEmpty(request.body)
      },
      handler: async (request, reply) => {
        const cookies: Cookies = new Map()
        const result = await handle(newRoomRequest(request, reply, changesData(request), cookies))
        if (request.deadline.aborted) return reply
        for (const [name, value] of cookies) setCookie(request, reply, name, value)
        reply.code(status).header('cross-origin-resource-policy', 'same-origin')
        return status === 204 ? reply.send() : result
      },
    })
  }
  // Other paths below /dashboard show a page, but an unknown API path must get an error.
  server.route({
    method: ['GET', 'POST', 'PUT', 'DELETE', 'PATCH'],
    url: '/dashboard/api/*',
    exposeHeadRoute: false,
    onRequest: async () => {
      throw routeNotFound()
    },
    handler: async () => undefined,
  })
}

/** Runs before the session is checked. By default, all methods except GET and HEAD are writes. */
function checkRequest(request: FastifyRequest, isWrite = changesData(request)) {
  refusePlainHttp(request)
  refuseOtherPages(request, (origin) => request.server.isSameOrigin(origin, request), isWrite)
}

const changesData = ({ method }: FastifyRequest): boolean => method !== 'GET' && method !== 'HEAD'

/**
 * Cookies to send with a successful answer. A retried transaction may set one twice, and the map keeps the last value.
 */
type Cookies = Map<'session' | 'devices', string | null>

function newRoomRequest(
  request: FastifyRequest,
  reply: FastifyReply,
  isWrite: boolean,
  cookies: Cookies,
): DashboardRequest {
  const { headers } = request
  // A closed connection has no address any more, whatever Fastify's types say.
  const { ip, socket } = request as { ip: string | undefined; socket: Socket }
  const from = { sentFrom: ip ?? '', socketAddress: socket.remoteAddress ?? '' }
  return {
    params: request.params,
    body: request.body,
    isWrite,
    is_sandbox: !isLive(headers['x-mode']),
    csrfToken: onlyText(headers['x-csrf-token']),
    agent: headers['user-agent'] ?? '',
    ...identifyClient(from, undefined, { isSecret: false }),
    lastingOrigin: request.lastingOrigin,
    cookie: (name) => readCookie(request, name),
    setCookie: (name, value) => void cookies.set(name, value),
    setHeader: (name, value) => void reply.header(name, value),
  }
}

const onlyText = (header: string | string[] | undefined): string | null => (typeof header === 'string' ? header : null)

function isLive(mode: string | string[] | undefined): boolean {
  if (mode === undefined || mode === 'sandbox') return false
  if (mode === 'live') return true
  throw badRequest('The header X-Mode must be live or sandbox.')
}

/** Validates the body of a DELETE, which Fastify does not. */
function bodyCheck(schema: TObject): (body: unknown) => unknown {
  const check = bodyChecker(schema)
  return (rawBody) => {
    const body = bodyOrEmpty(rawBody)
    check(body)
    return body
  }
}

/**
 * Reads the body of a DELETE. The server ignores these bodies, because API clients send meaningless ones. Here one may contain a password.
 */
async function bodyOfDelete(request: FastifyRequest): Promise<unknown> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request.raw) {
    size += (chunk as Buffer).length
    if (size > BODY_BYTES) throw payloadTooLarge(BODY_BYTES)
    chunks.push(chunk as Buffer)
  }
  return readBody(request, Buffer.concat(chunks))
}
