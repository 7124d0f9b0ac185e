// The HTTP server: limits, hooks in the order of a request, and the endpoints it is given. Knows no resource.

import { randomUUID } from 'node:crypto'
import type { Server as HttpServer } from 'node:http'
import type { Socket } from 'node:net'
import fastify, {
  type FastifyBaseLogger,
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type FastifyServerOptions,
  LogController,
} from 'fastify'
import { ApiError, badRequest, methodNotAllowed, routeNotFound, unavailable } from '../lib/errors.ts'
import type { Versions } from '../versions/apply.ts'
import { readJsonBodies } from './body.ts'
import { allowAnyOrigin, answerPreflight, isOpen } from './cors.ts'
import type { Endpoint } from './endpoint.ts'
import { crashed, type ErrorReply, errorReply, expected } from './error-response.ts'
import { ignoreBodiesOfDelete, rewriteTarget } from './legacy-sdk.ts'
import type { Metrics } from './metrics.ts'
import { nameVersion, type Serving, serveEndpoint } from './serve-endpoint.ts'
import { watchSilentConnections } from './silent-connections.ts'
import { validateWithoutCoercion } from './validation.ts'
import { requestedVersion } from './versioning.ts'

export type ServerOptions = {
  endpoints: readonly Endpoint[]
  /** Named schemas that endpoints refer to. */
  kinds: readonly { $id: string }[]
  serving: Omit<Serving, 'origin'>
  log: FastifyBaseLogger
  metrics: Metrics
  tls?: { cert: Buffer; key: Buffer }
  /** Which proxies' `X-Forwarded-*` headers count; none by default. */
  trustProxy?: string[] | ((address: string, hop: number) => boolean)
  /** The address shoppers and merchants reach us by, where it is not the request's own. */
  publicUrl?: string
  limits?: Partial<Limits>
}

export type Limits = {
  bodyBytes: number
  headersMs: number
  requestMs: number
  handlerMs: number
  keepAliveMs: number
  connections: number
}

const LIMITS: Limits = {
  bodyBytes: 1_048_576,
  // A client that sends slowly on purpose must not hold a connection for ever; Node's and Fastify's defaults are minutes or none.
  headersMs: 10_000,
  requestMs: 30_000,
  handlerMs: 30_000,
  keepAliveMs: 5_000,
  connections: 10_000,
}

export function buildServer(options: ServerOptions): FastifyInstance {
  const limits = { ...LIMITS, ...options.limits }
  const sockets = {
    headersTimeout: limits.headersMs,
    connectionsCheckingInterval: Math.min(1_000, limits.headersMs),
    // Node's own refusal has no body; ours is in the first hook.
    requireHostHeader: false,
  }
  const settings: FastifyServerOptions = {
    loggerInstance: options.log,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'request_id' }),
    genReqId: (request) => requestId(request.headers['x-request-id'], options.trustProxy !== undefined),
    trustProxy: options.trustProxy ?? false,
    bodyLimit: limits.bodyBytes,
    requestTimeout: limits.requestMs,
    handlerTimeout: limits.handlerMs,
    keepAliveTimeout: limits.keepAliveMs,
    forceCloseConnections: 'idle',
    // Our own 503 below has the error body; Fastify's has not.
    return503OnClosing: false,
    rewriteUrl: (request) => rewriteTarget(request.url ?? '/'),
    routerOptions: {
      ignoreTrailingSlash: true,
      // Queries are read by http/query.ts, where an error becomes a reply.
      querystringParser: () => ({}),
    },
    frameworkErrors: refuseAddress,
    clientErrorHandler: refuseBrokenRequest,
  }
  const server = options.tls
    ? (fastify({ ...settings, https: { ...sockets, ...options.tls } } as FastifyServerOptions) as FastifyInstance)
    : fastify({ ...settings, http: sockets })
  const http = server.server as HttpServer
  http.maxConnections = limits.connections
  // Node answers an expectation other than 100-continue with a bare 417; RFC 9110 lets a server pass over it.
  http.on('checkExpectation', (request, response) => http.emit('request', request, response))

  server.decorateRequest('call', null)
  server.decorateRequest('version', options.serving.versions.head)
  server.decorateRequest('operation', null)
  for (const kind of options.kinds) server.addSchema(kind)
  ignoreBodiesOfDelete(server)
  readJsonBodies(server)
  validateWithoutCoercion(server)

  let closing = false
  const endSilentConnections = watchSilentConnections(http, options.tls !== undefined)
  server.addHook('preClose', async () => {
    closing = true
    endSilentConnections()
  })
  server.addHook('onRequest', (request, reply, done) => {
    addCommonHeaders(request, reply)
    if (closing) {
      // On secret routes too: which route it would be is not known yet, and the message gives nothing away.
      allowAnyOrigin(reply)
      reply.header('connection', 'close')
      return done(unavailable('This server is stopping. Send the request again.'))
    }
    if (request.headers.host === undefined && request.raw.httpVersion === '1.1')
      return done(badRequest('Send a Host header; HTTP/1.1 requires one.'))
    if (!request.is404) return done()
    // Here and not in a not-found handler, which runs after the body has been read.
    allowAnyOrigin(reply)
    if (request.method !== 'OPTIONS') return done(routeNotFound())
    answerPreflight(['GET', 'POST', 'PUT', 'DELETE'])(request, reply)
  })
  server.addHook('onSend', (_request, reply, _payload, done) => {
    // An answer that keeps the connection would hold up the stop until the client lets go of it.
    if (closing) reply.header('connection', 'close')
    done()
  })
  server.addHook('onResponse', (request, reply, done) => {
    record(request, reply)
    done()
  })
  server.setErrorHandler(sendError)

  const serving: Serving = { ...options.serving, origin: originOf(options.publicUrl) }
  for (const endpoint of options.endpoints) serveEndpoint(server, endpoint, serving)
  refuseOtherMethods(server, options.endpoints)
  return server

  function record(request: FastifyRequest, reply: FastifyReply) {
    options.metrics.observe(request, reply)
    logRequest(request, reply)
  }

  /** The router could not read the address. No hook runs for such a request, and it lacks what `decorateRequest` adds. */
  function refuseAddress(error: FastifyError, request: FastifyRequest, reply: FastifyReply) {
    Object.assign(request, { call: null, version: options.serving.versions.head, operation: null })
    addCommonHeaders(request, reply)
    allowAnyOrigin(reply)
    sendError(error, request, reply)
    record(request, reply)
  }

  /** Every error of a request ends here, ages to the request's version and is answered. */
  function sendError(error: FastifyError | Error, request: FastifyRequest, reply: FastifyReply) {
    const known = wentAway(request, error)
      ? badRequest('The connection ended before the request did.')
      : expected(error, request.routeOptions.bodyLimit ?? limits.bodyBytes)
    // Expected or not, a failure on our side leaves a trace: a full disk or an unreachable database is somebody's to mend.
    if (known === null || (known.status >= 500 && !closing))
      request.log.error({ err: error, operation: request.operation }, 'request failed')
    const fresh = errorReply(known ?? crashed(request.id))
    const { status, body } = agedOrCrashed(request, fresh)
    nameVersion(reply, request.version)
    reply.code(status).headers(fresh.headers)
    return reply.type('application/json; charset=utf-8').serializer(JSON.stringify).send(body)
  }

  /** A change that throws is a bug like any other; thrown from here it would be answered in Fastify's form. */
  function agedOrCrashed(request: FastifyRequest, fresh: ErrorReply): { status: number; body: unknown } {
    try {
      return aged(request, fresh)
    } catch (error) {
      request.log.error({ err: error, operation: request.operation }, 'ageing an error failed')
      return errorReply(crashed(request.id))
    }
  }

  function aged(request: FastifyRequest, { status, body }: ErrorReply): { status: number; body: unknown } {
    const { versions } = options.serving
    if (request.version === versions.head && request.call === null) nameRequestedVersion(request, versions)
    if (request.version === versions.head) return { status, body }
    const plan = request.call?.plan ?? versions.planFor(request.version, request.operation)
    if (!plan?.ageError) return { status, body }
    const told = {
      merchantId: request.call?.caller.merchantId ?? null,
      params: (request.params ?? {}) as never,
      facts: {},
    }
    return plan.ageError({ status, body: body as never }, told)
  }
}

function addCommonHeaders(request: FastifyRequest, reply: FastifyReply) {
  reply.header('x-request-id', request.id)
  reply.header('x-content-type-options', 'nosniff')
  reply.header('cache-control', 'no-store')
  if (request.protocol === 'https') reply.header('strict-transport-security', 'max-age=31536000')
}

/** An error from before authentication (an unknown address, say) is still given in the version the client asked for. */
function nameRequestedVersion(request: FastifyRequest, versions: Versions) {
  try {
    request.version = requestedVersion(request.headers, versions.dates) ?? request.version
  } catch {
    // A version that does not exist: the newest form of the error stands.
  }
}

/** A known address with another method is 405 and says which there are; preflights are answered per address. */
function refuseOtherMethods(server: FastifyInstance, endpoints: readonly Endpoint[]) {
  const paths = groupByPath(endpoints)
  for (const [path, known] of paths) {
    const allowed = [...new Set(known.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method])))]
    const open = known.filter(isOpen).map(({ method }) => method)
    server.options(path, { onRequest: answerPreflight(open) }, async () => undefined)
    server.route({
      method: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'].filter((method) => !allowed.includes(method)),
      url: path,
      onRequest: (_request, reply, done) => {
        if (open.length > 0) allowAnyOrigin(reply)
        done(methodNotAllowed(allowed))
      },
      handler: async () => undefined,
    })
  }
}

function groupByPath(endpoints: readonly Endpoint[]): Map<string, Endpoint[]> {
  const paths = new Map<string, Endpoint[]>()
  for (const endpoint of endpoints) paths.set(endpoint.path, [...(paths.get(endpoint.path) ?? []), endpoint])
  return paths
}

const SAFE_ID = /^[\w.-]{8,100}$/

/** Ours, or the proxy's own where there is a proxy we trust, so that its log and ours can be read together. */
const requestId = (given: string | string[] | undefined, trusted: boolean): string =>
  trusted && typeof given === 'string' && SAFE_ID.test(given) ? given : `req_${randomUUID().replaceAll('-', '')}`

/** HTTP/1.0 may leave the host out. */
const hostOf = ({ host, socket }: FastifyRequest) => host || `localhost:${socket.localPort}`

const originOf = (publicUrl: string | undefined) =>
  publicUrl === undefined ? (request: FastifyRequest) => `${request.protocol}://${hostOf(request)}` : () => publicUrl

/** The client left in the middle of its body. Nobody reads the answer; it only must not count as a failure of ours. */
const wentAway = ({ raw }: FastifyRequest, error: unknown) =>
  !raw.complete && raw.destroyed && error instanceof Error && 'code' in error && error.code === 'ECONNRESET'

/** One line per request. It names the route and not the address, which may hold a token. */
function logRequest(request: FastifyRequest, reply: FastifyReply) {
  request.log.info(
    {
      method: request.method,
      route: request.routeOptions.url ?? null,
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime * 10) / 10,
      version: request.version,
      merchant_id: request.call?.caller.merchantId,
    },
    'request',
  )
}

const BROKEN: Record<string, [number, string, string]> = {
  HPE_HEADER_OVERFLOW: [431, 'headers_too_large', 'The request headers are larger than the 16 KB accepted.'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'request_timeout', 'The request did not arrive in time.'],
}

/** How long a refused client has to read why. Without an end to it, one that never closes its side would keep the connection. */
const LINGER_MS = 500

/** What Node could not read as HTTP never becomes a request; the error body is written to the socket itself. */
function refuseBrokenRequest(this: FastifyInstance, error: NodeJS.ErrnoException, socket: Socket) {
  if (error.code === 'ECONNRESET' || socket.destroyed || !socket.writable) {
    socket.destroy()
    return
  }
  const [status, type, message] = BROKEN[error.code ?? ''] ?? [400, 'bad_request', 'The request is not valid HTTP.']
  const id = requestId(undefined, false)
  this.log.info({ request_id: id, status, reason: error.code }, 'request refused')
  const { body } = errorReply(new ApiError(status, type as 'bad_request', message))
  const text = JSON.stringify(body)
  socket.end(
    `HTTP/1.1 ${status} ${type}\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(text)}\r\n` +
      `X-Request-Id: ${id}\r\nAccess-Control-Allow-Origin: *\r\nConnection: close\r\n\r\n${text}`,
  )
  setTimeout(() => socket.destroy(), LINGER_MS).unref()
}
