// What a request leaves in the request log: the few things that are at hand when it has been answered. Rows are made of them later
// (src/request-log). Only requests whose key is known belong to a shop, and are kept.

import type { FastifyReply, FastifyRequest, onSendHookHandler } from 'fastify'
import { timeOfId } from '../../lib/ids.ts'
import type { Bodies, Schemas } from '../../request-log/row.ts'
import type { RequestLog } from '../../request-log/writer.ts'
import type { Authenticate } from '../endpoint/caller.ts'
import type { Caller, Endpoint } from '../endpoint/endpoint.ts'
import { routeOf } from './other-methods.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Whose key or token it was sent with: null before anybody has asked, false where nobody's. */
    knownCaller: Caller | false | null
    /** The text of an answer whose body is kept. */
    keptReply: string | null
  }
  interface FastifyContextConfig {
    /** What the route is of: its schemas say what of its bodies is secret. */
    endpoint?: Endpoint
  }
}

export type Recorder = {
  /** The last hook of an endpoint's answer: takes the text of one that is kept. */
  readonly takeReply: onSendHookHandler
  /** The same for what no endpoint has answered. */
  takeRefusal(request: FastifyRequest, reply: FastifyReply, payload: unknown): void
  record(request: FastifyRequest, reply: FastifyReply): void
}

export function requestRecorder(log: RequestLog, authenticate: Authenticate): Recorder {
  return {
    takeReply(request, reply, payload, done) {
      take(request, reply, payload)
      done(null, payload)
    },
    takeRefusal(request, reply, payload) {
      if (request.operation === null) take(request, reply, payload)
    },
    record(request, reply) {
      if (!isKept(request, reply)) return
      const { knownCaller } = request
      if (knownCaller) keep(request, reply, knownCaller)
      else if (knownCaller === null) keepIfKnown(request, reply)
    },
  }

  function isKept(request: FastifyRequest, { statusCode }: FastifyReply): boolean {
    if (statusCode >= 400) return true
    // A dashboard that looks at the log every two seconds would be all that is in it.
    const { knownCaller } = request
    if (knownCaller && knownCaller.account !== undefined && !isWrite(request)) return false
    if (log.mode === 'all') return true
    if (log.mode === 'errors') return false
    // A GET may save something, too.
    const { endpoint } = request.routeOptions.config ?? {}
    return isWrite(request) || endpoint?.writes === true || endpoint?.status === 201
  }

  /** It was refused before its key was looked at: an address that does not exist, say, or a version. */
  function keepIfKnown(request: FastifyRequest, reply: FastifyReply) {
    const key = request.headers['x-authorization']
    if (typeof key !== 'string' || !request.url.startsWith('/v1/')) return
    try {
      const found = authenticate(key.trim())
      if (!(found instanceof Promise)) return keep(request, reply, found)
      found.then(
        (caller) => keep(request, reply, caller),
        () => undefined,
      )
    } catch {
      // Nobody's key.
    }
  }

  function keep(request: FastifyRequest, reply: FastifyReply, caller: Caller) {
    const { headers, id } = request
    const { 'x-authorization': key, 'user-agent': userAgent = null, 'idempotency-key': idempotencyKey } = headers
    const ms = reply.elapsedTime
    const isGiven = headers['x-request-id'] === id
    log.add({
      merchantId: caller.merchantId,
      isSandbox: caller.isSandbox,
      id,
      isGiven,
      at: isGiven ? Math.round(Date.now() - ms) : timeOfId('request', id),
      version: request.version,
      keyId: caller.keyId,
      key: caller.keyId !== null && typeof key === 'string' ? key.trim() : null,
      account: caller.account ? `${caller.account.email} (${caller.account.role})` : null,
      method: request.method,
      url: request.url,
      route: routeOf(request),
      query: request.routeOptions.config?.endpoint?.query,
      isSecure: request.protocol === 'https',
      address: request.call?.client.clientAddress ?? (request.ip as string | undefined) ?? '',
      status: reply.statusCode,
      ms,
      userAgent,
      idempotencyKey: typeof idempotencyKey === 'string' ? idempotencyKey : null,
      bodies: hasBodies(request, reply) ? bodiesOf(request) : null,
    })
  }
}

function take(request: FastifyRequest, reply: FastifyReply, payload: unknown) {
  if (typeof payload === 'string' && hasBodies(request, reply)) request.keptReply = payload
}

const isWrite = ({ method }: FastifyRequest): boolean => method !== 'GET' && method !== 'HEAD'

const hasBodies = (request: FastifyRequest, { statusCode }: FastifyReply): boolean =>
  statusCode >= 400 || isWrite(request)

const NO_SCHEMAS: Schemas = {}

const bodiesOf = ({ body, headers, keptReply, routeOptions }: FastifyRequest): Bodies => ({
  request: body,
  requestSize: Number(headers['content-length'] ?? 0) || 0,
  response: keptReply,
  schemas: routeOptions.config?.endpoint ?? NO_SCHEMAS,
})
