// The addresses below /dashboard/api that are no endpoints of /v1: logging in, and what belongs to the account. Each is described by who owns it; here
// every one gets the same doors: HTTPS or this machine, no page but ours, JSON and nothing else, no cache.

import type { Socket } from 'node:net'
import type { ErrorObject } from 'ajv'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { TObject } from 'typebox'
import { badRequest, payloadTooLarge, routeNotFound, unprocessable } from '../../lib/errors.ts'
import { bodyOrEmpty, readBody } from '../endpoint/body.ts'
import { clientOf } from '../endpoint/caller.ts'
import type { Caller, Endpoint } from '../endpoint/endpoint.ts'
import { compileValidator, fieldErrors } from '../endpoint/validation.ts'
import { readCookie, setCookie } from './cookies.ts'
import { refuseOtherPages, refusePlainHttp } from './origin.ts'

declare module 'fastify' {
  interface FastifyInstance {
    isSameOrigin(origin: string, request: FastifyRequest): boolean
  }
}

/** What is known of a request that may be somebody's who is logged in. */
export type RoomRequest<Params = unknown, Body = unknown> = {
  readonly params: Params
  readonly body: Body
  /** Whether it asks for something to be changed. */
  readonly isWrite: boolean
  /** As the header X-Mode says: `live`, else the sandbox. */
  readonly isSandbox: boolean
  readonly csrfToken: string | null
  readonly agent: string
  readonly clientAddress: string
  readonly clientNetworks: readonly string[]
  /** As that of `Context`. */
  readonly lastingOrigin: string
  /** As it was sent, which proves nothing. */
  cookie(name: 'session' | 'devices'): string | null
  /** Null: the browser is to forget it. */
  setCookie(name: 'session' | 'devices', value: string | null): void
  setHeader(name: string, value: string): void
}

export type RoomRoute = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  readonly path: `/dashboard/api/${string}`
  readonly params?: TObject
  readonly body?: TObject
  readonly status: 200 | 201 | 202 | 204
  readonly handle: (request: RoomRequest) => Promise<unknown>
}

/** What endpoints of /v1 ask where they are called by a session. */
export type Sessions = {
  /** The caller of this operation. Throws `unauthorized`; and `forbidden` where a write does not carry the session's own token. */
  authenticate(request: RoomRequest, operation: string): Promise<Caller>
  /** Throws `forbidden` where the role of the account may not do that in this mode. */
  refuseRole(operation: string, caller: Caller): Promise<void>
}

/** Some older addresses save something by a GET: they are asked for as a write is. */
export function whoIsLoggedIn(
  request: FastifyRequest,
  reply: FastifyReply,
  { operation, method, writes, status }: Endpoint,
  sessions: Sessions,
): Promise<Caller> {
  const isWrite = method !== 'GET' || writes === true || status === 201
  openDoor(request, isWrite)
  return sessions.authenticate(roomRequestOf(request, reply, isWrite, new Map()), operation)
}

const BODY_BYTES = 16_384

export function serveRoom(server: FastifyInstance, routes: readonly RoomRoute[]) {
  for (const { method, path, params, body, status, handle } of routes) {
    const checkBody = body && method === 'DELETE' ? bodyCheck(body) : null
    server.route({
      method,
      url: path,
      bodyLimit: BODY_BYTES,
      exposeHeadRoute: false,
      schema: { ...(params && { params }), ...(body && checkBody === null && { body }) },
      onRequest: async (request) => {
        openDoor(request)
        // PostgreSQL refuses U+0000 in text, and no id or token holds one.
        if (Object.values(request.params as Record<string, string>).some((id) => id.includes('\0')))
          throw routeNotFound()
      },
      preValidation: async (request) => {
        if (checkBody !== null) request.body = checkBody(await bodyOfDelete(request))
        else if (body) request.body = bodyOrEmpty(request.body)
      },
      handler: async (request, reply) => {
        const cookies: Cookies = new Map()
        const given = await handle(roomRequestOf(request, reply, isWriting(request), cookies))
        if (request.deadline.aborted) return reply
        for (const [name, value] of cookies) setCookie(request, reply, name, value)
        reply.code(status).header('cross-origin-resource-policy', 'same-origin')
        return status === 204 ? reply.send() : given
      },
    })
  }
  // Not the page that every other path below /dashboard shows: whoever calls an address that does not exist is to hear of it.
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

/** Before anybody asks whose session it is. `isWrite`: unless the method says it. */
function openDoor(request: FastifyRequest, isWrite = isWriting(request)) {
  refusePlainHttp(request)
  refuseOtherPages(request, (origin) => request.server.isSameOrigin(origin, request), isWrite)
}

const isWriting = ({ method }: FastifyRequest): boolean => method !== 'GET' && method !== 'HEAD'

/** Those that go out with the answer: none where it fails, and each once, also where a transaction had to run again. */
type Cookies = Map<'session' | 'devices', string | null>

function roomRequestOf(request: FastifyRequest, reply: FastifyReply, isWrite: boolean, cookies: Cookies): RoomRequest {
  const { headers } = request
  // A connection that was cut has no address any more, whatever Fastify's types say.
  const { ip, socket } = request as { ip: string | undefined; socket: Socket }
  const from = { sentFrom: ip ?? '', socketAddress: socket.remoteAddress ?? '' }
  return {
    params: request.params,
    body: request.body,
    isWrite,
    isSandbox: !isLive(headers['x-mode']),
    csrfToken: textOf(headers['x-csrf-token']),
    agent: headers['user-agent'] ?? '',
    ...clientOf(from, undefined, { isSecret: false }),
    lastingOrigin: request.lastingOrigin,
    cookie: (name) => readCookie(request, name),
    setCookie: (name, value) => void cookies.set(name, value),
    setHeader: (name, value) => void reply.header(name, value),
  }
}

const textOf = (header: string | string[] | undefined): string | null => (typeof header === 'string' ? header : null)

function isLive(mode: string | string[] | undefined): boolean {
  if (mode === undefined || mode === 'sandbox') return false
  if (mode === 'live') return true
  throw badRequest('The header X-Mode must be live or sandbox.')
}

/** The framework checks no body of a DELETE. Throws what it would. */
function bodyCheck(schema: TObject): (body: unknown) => unknown {
  const validate = compileValidator({ schema, method: 'DELETE', url: '', httpPart: 'body' }) as {
    (body: unknown): boolean
    errors?: ErrorObject[]
  }
  return (sent) => {
    const body = bodyOrEmpty(sent)
    if (!validate(body)) throw unprocessable(fieldErrors(validate.errors ?? [], 'body'))
    return body
  }
}

/** The server reads no body of a DELETE, as clients of the API send some that mean nothing. Here one may hold a password. */
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
