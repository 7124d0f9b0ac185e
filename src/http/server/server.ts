// The HTTP server: limits, hooks in the order of a request, and the given endpoints. It knows no resource.

import type { Server as HttpServer } from 'node:http'
import fastify, {
  type FastifyBaseLogger,
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type FastifyServerOptions,
  LogController,
} from 'fastify'
import { unavailable } from '../../lib/errors.ts'
import type { RequestLog } from '../../request-log/writer.ts'
import { ignoreBodiesOfDelete, readJsonBodies } from '../endpoint/body.ts'
import { createBrowserKeyRefuser } from '../endpoint/caller.ts'
import { createClientMeter } from '../endpoint/client-meter.ts'
import type { Endpoint } from '../endpoint/endpoint.ts'
import { errorReader, errorSender } from '../endpoint/errors.ts'
import { createMeter } from '../endpoint/metering.ts'
import { createPieceCache } from '../endpoint/pieces.ts'
import { type ServeOptions, serveEndpoint } from '../endpoint/serve.ts'
import { compileValidator } from '../endpoint/validation.ts'
import { createSettingReader } from '../endpoint/versioning.ts'
import { serializerCompiler } from '../serialization.ts'
import { routeDashboardTarget } from '../session/target.ts'
import { createBrokenRequestHandler, createConnectHandler } from './broken-requests.ts'
import { isConnectionClosed, limitUnansweredRequests, shareConnections, watchSilentConnections } from './connections.ts'
import { allowAnyOrigin, exposedHeaders } from './cors.ts'
import { setDeadlines } from './deadline.ts'
import { answerEarly } from './early-answers.ts'
import { requestIds } from './log.ts'
import type { Metrics } from './metrics.ts'
import { createUnknownHostWarner, knownOrigins, type OurNames } from './origins.ts'
import { createUnroutedHandler, refuseOtherMethods, routeOf } from './other-methods.ts'
import { requestRecorder } from './request-log.ts'
import { createProxyWarner, type IsTrusted, trustedProxies } from './trusted-proxies.ts'

export type ServerOptions = OurNames & {
  endpoints: readonly Endpoint[]
  /** Named schemas that endpoints refer to. */
  kinds: readonly { $id: string }[]
  serving: Omit<
    ServeOptions,
    | 'settingOf'
    | 'handlerMs'
    | 'isStopping'
    | 'strangerBodyBytes'
    | 'refuseKeyInBrowser'
    | 'tellUnknownHost'
    | 'metering'
    | 'pieces'
    | 'endpoints'
    | 'takeReply'
  >
  log: FastifyBaseLogger
  metrics: Metrics
  /** Request log for developers who use the API; null if it is off. */
  requests?: RequestLog | null
  tls?: { cert: Buffer; key: Buffer }
  /** Proxies with trusted `X-Forwarded-*` and `X-Request-Id` headers. Default: none. */
  trustProxy?: string[] | IsTrusted
  limits?: Partial<Limits>
  /** Budget of one client on metered endpoints, in small requests per second. 0: no limit. */
  clientRequestsPerSecond?: number
}

/** Type from Fastify, which only knows the arguments of its own compilers. */
type CompilersFactory = NonNullable<FastifyServerOptions['schemaController']>['compilersFactory']

/** Name for code that should not depend on the framework. */
export type Server = FastifyInstance

type Limits = {
  bodyBytes: number
  /** Body limit without a secret key. */
  strangerBodyBytes: number
  headersMs: number
  requestMs: number
  handlerMs: number
  keepAliveMs: number
  connections: number
  /** Share of the connections for one client's network. */
  clientConnections: number
  /** Time that a connection may stay idle while an answer is due. Longer than any handler. */
  stallMs: number
  /** Limit per connection. */
  unansweredRequests: number
}

const LIMITS: Limits = {
  bodyBytes: 1_048_576,
  // More than the largest meta, 16 KB, with every character escaped.
  strangerBodyBytes: 131_072,
  // A deliberately slow client must not hold a connection for ever; Node's and Fastify's defaults are minutes or none.
  headersMs: 10_000,
  // Enough for the largest upload, 10 MB, on a slow line.
  requestMs: 60_000,
  handlerMs: 30_000,
  keepAliveMs: 5_000,
  connections: 10_000,
  clientConnections: 1_000,
  // Twice the time of a handler, during which nothing moves either.
  stallMs: 60_000,
  unansweredRequests: 8,
}

/** A hundred shoppers behind one address who click once a second, each with some lines. */
export const CLIENT_REQUESTS_PER_SECOND = 300

export function buildServer(options: ServerOptions): Server {
  const limits = { ...LIMITS, ...options.limits }
  const { versions, compat } = options.serving
  const isTrusted = trustedProxies(options.trustProxy)
  const origins = knownOrigins(options)
  const warnAboutProxy = createProxyWarner(options.trustProxy !== undefined, options.log)
  const recorder = options.requests ? requestRecorder(options.requests, options.serving.authenticate) : null
  let isClosing = false
  const readError = errorReader({ bodyLimit: limits.bodyBytes, isClosing: () => isClosing })
  const sendError = errorSender({ versions, compat, readError })
  const sockets = {
    headersTimeout: limits.headersMs,
    connectionsCheckingInterval: Math.min(1_000, limits.headersMs),
    // Node's own refusal has no body; the first hook below has ours.
    requireHostHeader: false,
  }
  const compileSerializer = serializerCompiler(options.kinds)
  const compilers = { buildValidator: () => compileValidator, buildSerializer: () => compileSerializer }
  const settings: FastifyServerOptions = {
    loggerInstance: options.log,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'request_id' }),
    genReqId: requestIds(isTrusted),
    trustProxy: options.trustProxy === undefined ? false : isTrusted,
    bodyLimit: limits.bodyBytes,
    requestTimeout: limits.requestMs,
    keepAliveTimeout: limits.keepAliveMs,
    // Ends an answer that its client does not read. A slow reader is not cut off: each sent byte restarts the time.
    connectionTimeout: limits.stallMs,
    forceCloseConnections: 'idle',
    // Our own 503 below has an error body; Fastify's has none.
    return503OnClosing: false,
    rewriteUrl: (request) => routeDashboardTarget(request, compat.rewriteTarget(request.url ?? '/')),
    routerOptions: {
      ignoreTrailingSlash: true,
      // Permalinks and SKUs have up to 255 characters, more than the router's default of a hundred. It counts an emoji as two.
      maxParamLength: 1_024,
      // ../endpoint/query.ts parses queries, where an error becomes a reply.
      querystringParser: () => ({}),
    },
    // Set here and not later: otherwise Fastify loads its own compilers at every start.
    schemaController: { compilersFactory: compilers as unknown as CompilersFactory },
    frameworkErrors: refuseAddress,
    clientErrorHandler: createBrokenRequestHandler(options.log, options.metrics),
  }
  const server = options.tls
    ? (fastify({
        ...settings,
        https: { ...sockets, ...options.tls, handshakeTimeout: limits.headersMs },
      } as FastifyServerOptions) as FastifyInstance)
    : fastify({ ...settings, http: sockets })
  const http = server.server as HttpServer
  http.maxConnections = limits.connections
  // Node answers other expectations than 100-continue with a bare 417; RFC 9110 allows ignoring them.
  http.on('checkExpectation', (request, response) => http.emit('request', request, response))
  // Node would hang up silently.
  http.on('connect', createConnectHandler(options.log, options.metrics))
  shareConnections(http, limits.clientConnections, isTrusted, options.log)
  limitUnansweredRequests(http, limits.unansweredRequests, options.log)

  server.decorate('otherVersionHeader', compat.versionHeader.toLowerCase())
  server.decorate('exposedHeaders', exposedHeaders(compat.versionHeader))
  server.decorateRequest('call', null)
  server.decorateRequest('version', versions.head)
  server.decorateRequest('operation', null)
  server.decorateRequest('isForShoppers', false)
  server.decorateRequest('heldKey', null)
  server.decorateRequest('origin', '')
  server.decorateRequest('lastingOrigin', '')
  server.decorateRequest('metered', null)
  server.decorateRequest('knownPath', null)
  server.decorateRequest('knownCaller', null)
  server.decorateRequest('keptReply', null)
  server.decorate('readError', readError)
  server.decorate('isSameOrigin', origins.isSame)
  server.decorate('metering', createMeter(clientMeter(options), options.metrics))
  for (const kind of options.kinds) server.addSchema(kind)
  ignoreBodiesOfDelete(server)
  readJsonBodies(server)
  setDeadlines(server, limits)

  const endSilentConnections = watchSilentConnections(http)
  server.addHook('preClose', async () => {
    isClosing = true
    endSilentConnections()
  })
  const answerWithoutRoute = createUnroutedHandler(options.endpoints)
  server.addHook('onRequest', (request, reply, done) => {
    if (isConnectionClosed(request.raw)) return
    addCommonHeaders(request, reply)
    warnAboutProxy(request.headers)
    if (isClosing) {
      // On secret routes too: the route is not known yet, and the message reveals nothing.
      allowAnyOrigin(reply)
      reply.header('connection', 'close')
      return done(unavailable('This server is stopping. Send the request again.'))
    }
    const names = origins.read(request)
    if (names instanceof Error) {
      allowAnyOrigin(reply)
      return done(names)
    }
    request.origin = names.origin
    request.lastingOrigin = names.lastingOrigin
    if (!request.is404) return done()
    // Here instead of in a not-found handler, which would run after the body was read.
    answerWithoutRoute(request, reply, done)
  })
  server.addHook('onSend', (request, reply, payload, done) => {
    recorder?.takeRefusal(request, reply, payload)
    // A kept-alive connection would delay the stop until the client closes it.
    if (isClosing) reply.header('connection', 'close')
    answerEarly(request, reply, reply.statusCode >= 400, done)
  })
  server.addHook('onResponse', (request, reply, done) => {
    record(request, reply)
    done()
  })
  server.setErrorHandler(sendError)

  const serving: ServeOptions = {
    ...options.serving,
    settingOf: createSettingReader(versions, options.log),
    refuseKeyInBrowser: createBrowserKeyRefuser(options.serving.services.clock, origins.isOurs),
    tellUnknownHost: createUnknownHostWarner(options.log),
    handlerMs: limits.handlerMs,
    isStopping: () => isClosing,
    pieces: createPieceCache(),
    endpoints: options.endpoints,
    metering: server.metering,
    takeReply: recorder?.takeReply ?? null,
    strangerBodyBytes: Math.min(limits.bodyBytes, limits.strangerBodyBytes),
  }
  for (const endpoint of options.endpoints) serveEndpoint(server, endpoint, serving)
  refuseOtherMethods(server, options.endpoints)
  return server

  function record(request: FastifyRequest, reply: FastifyReply) {
    options.metrics.observe(request, reply)
    logRequest(request, reply)
    recorder?.record(request, reply)
  }

  /** Handles URLs that the router cannot parse. No hook runs for such a request, and it lacks the properties of `decorateRequest`. */
  function refuseAddress(error: FastifyError, request: FastifyRequest, reply: FastifyReply) {
    Object.assign(request, {
      call: null,
      version: versions.head,
      operation: null,
      knownPath: null,
      knownCaller: null,
      keptReply: null,
    })
    addCommonHeaders(request, reply)
    allowAnyOrigin(reply)
    answerEarly(request, reply, true, () => {
      sendError(error, request, reply)
      record(request, reply)
    })
  }
}

function addCommonHeaders(request: FastifyRequest, reply: FastifyReply) {
  reply.header('x-request-id', request.id)
  reply.header('x-content-type-options', 'nosniff')
  reply.header('cache-control', 'no-store')
  if (request.protocol === 'https') reply.header('strict-transport-security', 'max-age=31536000')
}

const clientMeter = ({ clientRequestsPerSecond = CLIENT_REQUESTS_PER_SECOND }: ServerOptions) =>
  clientRequestsPerSecond === 0 ? null : createClientMeter(clientRequestsPerSecond)

/** One line per request. It contains the route, not the URL, which may hold a token. */
function logRequest(request: FastifyRequest, reply: FastifyReply) {
  request.log.info(
    {
      method: request.method,
      route: routeOf(request),
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime * 10) / 10,
      version: request.version,
      merchant_id: request.call?.caller.merchant_id,
    },
    'request',
  )
}
