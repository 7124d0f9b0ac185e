// Collects data of answered requests for the request log; src/request-log builds the rows later. Only requests with a known key belong to a
// shop and are logged.

import type { FastifyReply, FastifyRequest, onSendHookHandler } from 'fastify'
import { timeOfId } from '../../lib/ids.ts'
import type { Bodies, Schemas } from '../../request-log/row.ts'
import type { RequestLog } from '../../request-log/writer.ts'
import type { Authenticate } from '../endpoint/caller.ts'
import type { Caller, Endpoint } from '../endpoint/endpoint.ts'
import { routeOf } from './other-methods.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Caller of the request: null before authentication, false if it failed. */
    knownCaller: Caller | false | null
    /** Text of an answer with a logged body. */
    keptReply: string | null
  }
  interface FastifyContextConfig {
    /** Endpoint of the route: its schemas say which fields of bodies are secret. */
    endpoint?: Endpoint
  }
}

export type Recorder = {
  /** Last hook of an endpoint's answer: takes its text if the body is logged. */
  readonly takeReply: onSendHookHandler
  /** Takes the text of an answer that no endpoint sent. */
  takeRefusal(request: FastifyRequest, reply: FastifyReply, payload: unknown): void
  record(request: FastifyRequest, reply: FastifyReply): void
}

export function requestRecorder(log: RequestLog, authenticate: Authenticate): Recorder {
  return {
    takeReply(request, reply, payload, done) {
      takeText(request, reply, payload)
      done(null, payload)
    },
    takeRefusal(request, reply, payload) {
      if (request.operation === null) takeText(request, reply, payload)
    },
    record(request, reply) {
      if (!shouldLog(request, reply)) return
      const { knownCaller } = request
      if (knownCaller) addEntry(request, reply, knownCaller)
      else if (knownCaller === null) addIfAuthenticated(request, reply)
    },
  }

  function shouldLog(request: FastifyRequest, { statusCode }: FastifyReply): boolean {
    if (statusCode >= 400) return true
    // Otherwise the log would only show a dashboard that reads it every two seconds.
    const { knownCaller } = request
    if (knownCaller && knownCaller.account !== undefined && !isWrite(request)) return false
    if (log.mode === 'all') return true
    if (log.mode === 'errors') return false
    // A GET may save something too.
    const { endpoint } = request.routeOptions.config ?? {}
    return isWrite(request) || endpoint?.writes === true || endpoint?.status === 201
  }

  /** For requests refused before authentication, because of an unknown URL or version, for example. */
  function addIfAuthenticated(request: FastifyRequest, reply: FastifyReply) {
    const key = request.headers['x-authorization']
    if (typeof key !== 'string' || !request.url.startsWith('/v1/')) return
    try {
      const callerOrPromise = authenticate(key.trim())
      if (!(callerOrPromise instanceof Promise)) return addEntry(request, reply, callerOrPromise)
      callerOrPromise.then(
        (caller) => addEntry(request, reply, caller),
        () => undefined,
      )
    } catch {
      // The key is unknown.
    }
  }

  function addEntry(request: FastifyRequest, reply: FastifyReply, caller: Caller) {
    const { headers, id } = request
    const { 'x-authorization': key, 'user-agent': userAgent = null, 'idempotency-key': idempotencyKey } = headers
    const ms = reply.elapsedTime
    const isProxyId = headers['x-request-id'] === id
    log.add({
      merchant_id: caller.merchant_id,
      is_sandbox: caller.is_sandbox,
      id,
      isGiven: isProxyId,
      at: isProxyId ? Math.round(Date.now() - ms) : timeOfId('request', id),
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

function takeText(request: FastifyRequest, reply: FastifyReply, payload: unknown) {
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
