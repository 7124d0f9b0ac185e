// Turns one endpoint into a Fastify route. Steps of a request: key, version, upgrade (older versions), validation, handler, ageing (older
// versions), reply. For the newest version the compiled serializer writes the reply. No version code runs then, except for old clients.

import type { Socket } from 'node:net'
import type {
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  onSendHookHandler,
  preValidationHookHandler,
} from 'fastify'
import { withRequestSignal } from '../../db/db.ts'
import { ApiError, routeNotFound, unauthorized } from '../../lib/errors.ts'
import { NO_BEHAVIOURS, type Plan, type Versions } from '../../versions/apply.ts'
import { isJsonObject, type JsonData } from '../../versions/change.ts'
import { etagHook, handleIfMatch, findObjectReader as objectReaderOf } from '../if-match.ts'
import type { ReplySerializer } from '../serialization.ts'
import { allowAnyOrigin, isOpenToBrowsers } from '../server/cors.ts'
import { isDeadlineError } from '../server/deadline.ts'
import { hasHead } from '../server/other-methods.ts'
import { authenticateSessionCaller, type Sessions } from '../session/routes.ts'
import { isBySession } from '../session/target.ts'
import { bodyLimitOf, bodyOrEmpty, createFieldReader } from './body.ts'
import {
  type Authenticate,
  type AuthenticateCustomer,
  authenticateCaller,
  type Client,
  identifyClient,
  type RefuseKeyInBrowser,
  refuseAccess,
  refuseSharedWrite,
} from './caller.ts'
import type { Caller, ClientForms, Compat, Context, Endpoint, Services } from './endpoint.ts'
import { idempotencyHooks } from './idempotency.ts'
import { createEndpointMeter, type Meter, refuseWithoutRoom } from './metering.ts'
import {
  ageBody,
  NO_PIECES,
  type PieceCache,
  type PieceKind,
  Pieces,
  sendText,
  sendWrittenReply,
  type Viewer,
  WrittenReply,
} from './pieces.ts'
import { parseQuery, queryReader, trimParameters } from './query.ts'
import { addVersionHeaders, changeContextOf, requestedVersion } from './versioning.ts'

/** State of a request: the caller, the version, and the handler's facts for older envelopes. */
type Call = {
  readonly caller: Caller
  readonly client: Client
  readonly plan: Plan | null
  readonly isVersionNamed: boolean
  facts: Record<string, unknown>
}

declare module 'fastify' {
  interface FastifyRequest {
    call: Call | null
    /** Version of the reply, also for errors before authentication. */
    version: string
    operation: string | null
    /** True if the route is open to shoppers, so that its errors speak to them. */
    isForShoppers: boolean
  }
}

export type ServeOptions = {
  services: Services
  versions: Versions
  compat: Compat
  authenticate: Authenticate
  authenticateCustomer: AuthenticateCustomer
  /** Sessions of the dashboard. */
  sessions: Sessions
  /** Version of a merchant's setting, if this release knows it. */
  settingOf: (caller: Caller) => string
  /** Throws if a secret key was sent by a browser. */
  refuseKeyInBrowser: RefuseKeyInBrowser
  /** For requests that change something. */
  tellUnknownHost: (request: FastifyRequest) => void
  metering: Meter
  /** Time limit of a request. */
  handlerMs: number
  /** True once new requests are refused. */
  isStopping: () => boolean
  /** Cached parts of replies. */
  pieces: PieceCache
  /** All served endpoints. */
  endpoints: readonly Endpoint[]
  /** Last hook of an answer; null if no requests are kept. */
  takeReply: onSendHookHandler | null
  /** Body limit without a secret key, unless an endpoint sets its own. */
  strangerBodyBytes: number
}

export function serveEndpoint(server: FastifyInstance, endpoint: Endpoint, serving: ServeOptions) {
  const { services, versions } = serving
  const forms = serving.compat.formsOf(endpoint.operation)
  const meter = createEndpointMeter(endpoint, serving.metering)
  const reader = objectReaderOf(endpoint, serving.endpoints)
  const idempotency = endpoint.method === 'POST' ? idempotencyHooks(services, serving.handlerMs) : null
  server.route({
    method: endpoint.method,
    url: endpoint.path,
    exposeHeadRoute: hasHead(endpoint),
    ...bodyLimitOf(endpoint, serving.strangerBodyBytes),
    config: { endpoint, ...(endpoint.deadlineMs && { deadlineMs: endpoint.deadlineMs }) },
    schema: {
      ...(endpoint.params && { params: endpoint.params }),
      ...(endpoint.query && { querystring: endpoint.query }),
      ...(endpoint.body && { body: endpoint.body }),
      ...(endpoint.returns && { response: { [endpoint.status]: endpoint.returns } }),
    },
    onRequest: async (request, reply) => {
      request.operation = endpoint.operation
      request.isForShoppers = isOpenToBrowsers(endpoint) && !isBySession(request.raw)
      trimParameters(request.params as Record<string, string>)
      if (isOpenToBrowsers(endpoint)) allowAnyOrigin(reply)
      // A customer's data is personal.
      if (endpoint.noStore || endpoint.access === 'customer') reply.header('cache-control', 'no-store')
      await identify(request, reply, endpoint, serving)
      const { caller, client } = request.call as Call
      if (meter) await meter.begin(request, reply, caller, client.clientNetworks)
    },
    preValidation: idempotency ? [idempotency.claim, prepare(endpoint, forms)] : prepare(endpoint, forms),
    onSend: [etagHook(endpoint, reader), idempotency?.keep, meter?.end, serving.takeReply].flatMap(
      (hook) => hook ?? [],
    ),
    handler: async (request, reply) => {
      const call = request.call as Call
      if (endpoint.method !== 'GET') serving.tellUnknownHost(request)
      const origin = request.heldKey?.origin ?? request.origin
      // Listed one by one: spreading the services took a twentieth of a small request's time.
      const context: Context = {
        clock: services.clock,
        files: services.files,
        signingSecret: services.signingSecret,
        geo: services.geo,
        sessionKeys: services.sessionKeys,
        mailer: services.mailer,
        payments: services.payments,
        webhooks: services.webhooks,
        publicUrl: services.publicUrl,
        disk: services.disk,
        retention: services.retention,
        // Reads need no check of the deadline, and most requests are reads.
        db: endpoint.method === 'GET' ? services.db : withRequestSignal(services.db, request.deadline),
        caller: call.caller,
        params: request.params,
        query: request.query,
        body: request.body,
        origin,
        lastingOrigin: request.lastingOrigin,
        url: origin + request.url,
        clientAddress: call.client.clientAddress,
        clientNetworks: call.client.clientNetworks,
        behaviours: call.plan?.behaviours ?? NO_BEHAVIOURS,
        version: request.version,
        get signal() {
          return request.deadline.signal
        },
        isClientWaiting: () => !reply.raw.destroyed && !serving.isStopping(),
        pieces: endpoint.pieces ? piecesOf(endpoint.pieces, request, reply, call, origin) : NO_PIECES,
        refuseIfChanged: null,
        reportLinesRead: (lines, resultId) => request.metered?.reportLinesRead(lines, resultId),
        idempotencyKey: request.heldKey?.key ?? null,
        markNotFinal: () => request.heldKey?.notFinal(),
        addFacts: (facts) => {
          call.facts = facts
        },
      }
      meter?.reportRequestedEntries(request)
      let body: unknown
      try {
        body =
          endpoint.method !== 'PUT' || request.headers['if-match'] === undefined
            ? await endpoint.handle(context)
            : await handleIfMatch(endpoint, context, reader, objectViewer(request, reply, call, origin))
      } catch (error) {
        if (error instanceof ApiError && error.isPassing) request.heldKey?.notFinal()
        if (!isDeadlineError(request, error)) throw error
        await request.heldKey?.end(null)
        return reply
      }
      // The 503 is sent; setting a status now would only falsify the log.
      if (request.deadline.aborted) {
        // The work is done, so a repeated request must not do it again.
        await request.heldKey?.end({ status: endpoint.status, version: request.version, body: null })
        return reply
      }
      if (body instanceof WrittenReply) return sendWrittenReply(reply, endpoint.status, body)
      reply.code(endpoint.status)
      // Keeps only the fields of the schema: a handler may return more.
      const newest = () => (endpoint.returns ? serializerOf(reply, endpoint).plain(body) : (body ?? {})) as JsonData
      const { plan } = call
      if (request.version !== versions.head && plan?.age)
        return sendAged(request, reply, call, forms, { status: endpoint.status, body: newest() })
      if (endpoint.status === 204) return reply.send()
      if (request.version !== versions.head || (plan === null && !forms?.rewriteNewest)) return body
      const agedReply = ageBody(plan, serializerOf(reply, endpoint), body, changeContextOf(request, call.facts))
      const write = () => (agedReply === null ? String(reply.serialize(body)) : JSON.stringify(agedReply))
      const text = forms?.rewriteNewest?.(write, call.facts, request.headers) ?? null
      if (text !== null) return sendText(reply, text)
      return agedReply === null ? body : sendAsIs(reply, agedReply)
    },
  })

  async function identify(request: FastifyRequest, reply: FastifyReply, endpoint: Endpoint, serving: ServeOptions) {
    const isDashboard = isBySession(request.raw)
    const requestedDate = isDashboard ? versions.head : requestedVersion(request, versions.dates)
    if (requestedDate !== null) request.version = requestedDate
    request.knownCaller = false
    const callerOrPromise = isDashboard
      ? authenticateSessionCaller(request, reply, endpoint, serving.sessions)
      : authenticateCaller(request, endpoint, serving)
    const caller = callerOrPromise instanceof Promise ? await callerOrPromise : callerOrPromise
    request.knownCaller = caller
    if (requestedDate === null) request.version = serving.settingOf(caller)
    addVersionHeaders(reply, request.version)
    serving.refuseKeyInBrowser(request, reply, caller)
    // Plain HTTP with a session is only possible on this machine.
    if (!caller.is_sandbox && request.protocol !== 'https' && !isDashboard)
      throw unauthorized('Live keys work over HTTPS only. Use HTTPS, or a sandbox key (pk_test_…, sk_test_…).')
    refuseAccess(endpoint, caller, request.params)
    if (isDashboard) await serving.sessions.refuseRole(endpoint.operation, caller)
    refuseWithoutRoom(endpoint, caller, services.disk)
    const isVersionNamed = requestedDate !== null
    const plan = planFor(request, isVersionNamed)
    // A closed connection has no address any more, whatever Fastify's types say.
    const { ip, socket } = request as { ip: string | undefined; socket: Socket }
    const from = { sentFrom: ip ?? '', socketAddress: socket.remoteAddress ?? '' }
    const client = identifyClient(from, request.headers['shopper-address'], caller)
    request.call = { caller, client, plan, isVersionNamed, facts: {} }
  }

  /** No plan is needed for the newest version, except for old clients. */
  function planFor(
    { version, headers }: FastifyRequest,
    isNamed: boolean,
    operation = endpoint.operation,
  ): Plan | null {
    if (version !== versions.head) return versions.planFor(version, operation)
    return serving.compat.isOldClient(headers) ? versions.oldClientPlanFor(operation, isNamed) : null
  }

  /** The viewer of what `operation` returns, and the form. */
  function viewerOf(request: FastifyRequest, call: Call, origin: string, operation?: string): Viewer {
    const plan = planFor(request, call.isVersionNamed, operation)
    const form = plan === null ? '' : `${request.version} ${call.isVersionNamed}`
    const ifNoneMatch = request.headers['if-none-match']
    return { caller: call.caller, origin, form, plan, context: changeContextOf(request), ifNoneMatch }
  }

  const piecesOf = (kind: PieceKind, request: FastifyRequest, reply: FastifyReply, call: Call, origin: string) =>
    new Pieces(serving.pieces, kind, reply, viewerOf(request, call, origin, kind.operation))

  const objectViewer = (request: FastifyRequest, reply: FastifyReply, call: Call, origin: string) => ({
    condition: request.headers['if-match'] ?? '',
    reply,
    viewer: viewerOf(request, call, origin, reader?.operation),
  })
}

/** Upgrades the request to its newest form before validation, so that only the newest form is validated. */
function prepare(endpoint: Endpoint, forms: ClientForms | null): preValidationHookHandler {
  const readBody = endpoint.body ? createFieldReader(endpoint.body) : null
  const readQuery = endpoint.query ? queryReader(endpoint.query) : null
  return (request, _reply, done) => {
    try {
      const start = request.url.indexOf('?')
      // PostgreSQL refuses U+0000 in text, and no id or slug contains it.
      if (request.url.lastIndexOf('%00', start === -1 ? undefined : start) !== -1) throw routeNotFound()
      let query: Record<string, unknown> = start === -1 ? {} : parseQuery(request.url.slice(start + 1))
      if (endpoint.body) request.body = bodyOrEmpty(request.body)
      const { plan, caller } = request.call as Call
      // A body that is no object has no fields to upgrade. Validation refuses it with the same message in any version.
      if (plan?.upgrade && (!endpoint.body || isJsonObject(request.body))) {
        const upgraded = plan.upgrade(
          { params: request.params as never, query: query as never, body: (request.body ?? {}) as never },
          changeContextOf(request),
        )
        request.params = upgraded.params
        query = upgraded.query
        if (endpoint.body) request.body = upgraded.body
      }
      if (forms?.rewriteQuery) query = forms.rewriteQuery(query)
      if (forms?.rewriteBody && isJsonObject(request.body)) request.body = forms.rewriteBody(request.body as never)
      refuseSharedWrite(endpoint, caller, request.body)
      if (readBody !== null) request.body = readBody(request.body)
      request.query = readQuery === null ? query : readQuery(query, caller.isSecret)
      done()
    } catch (error) {
      done(error as Error)
    }
  }
}

function sendAged(
  request: FastifyRequest,
  reply: FastifyReply,
  call: Call,
  forms: ClientForms | null,
  newestReply: { status: number; body: unknown },
) {
  const agedReply = call.plan?.age?.(newestReply as never, changeContextOf(request, call.facts)) ?? newestReply
  reply.code(agedReply.status)
  if (agedReply.status === 204) return reply.send()
  return sendAsIs(reply, forms?.rewriteAged ? forms.rewriteAged(agedReply.body, request.headers) : agedReply.body)
}

/** The serializer that ../server/server.ts compiled from the schema. */
const serializerOf = (reply: FastifyReply, { status }: Endpoint) =>
  reply.getSerializationFunction(String(status)) as unknown as ReplySerializer

/** The compiled serializer knows only the newest fields and would silently drop older ones. */
const sendAsIs = (reply: FastifyReply, body: unknown) =>
  reply.type('application/json; charset=utf-8').serializer(JSON.stringify).send(body)
