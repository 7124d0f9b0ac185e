// Every error of a request ends here, whichever layer threw it (router, parser, limits, handlers, crashes): it becomes the one error body,
// ages to the request's version and is answered.

import type { ErrorObject } from 'ajv'
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import {
  ApiError,
  badRequest,
  missingParameter,
  payloadTooLarge,
  routeNotFound,
  serverError,
  unprocessable,
  unsupportedMediaType,
} from '../../lib/errors.ts'
import { type Refusal, sentenceOf } from '../../lib/words/refusals.ts'
import type { Versions } from '../../versions/apply.ts'
import type { Compat } from './endpoint.ts'
import { fieldErrors, saidOfMistakes } from './validation.ts'
import { changeContextOf, nameVersion, requestedVersion } from './versioning.ts'

/** Under load there are as many as requests; one says it. */
const OVERLOAD_SAID_MS = 1_000

type SendError = (error: FastifyError | Error, request: FastifyRequest, reply: FastifyReply) => FastifyReply

/** Whatever was thrown → the expected error behind it, or null when it is a bug. Either way the log has what somebody has to mend. */
type ReadError = (error: unknown, request: FastifyRequest) => ApiError | null

declare module 'fastify' {
  interface FastifyInstance {
    /** For addresses whose errors are no bodies of the API. */
    readError: ReadError
  }
}

type ReadSettings = {
  bodyLimit: number
  /** Whether the server is stopping: a 503 for that is no failure. */
  isClosing: () => boolean
}

export function errorReader({ bodyLimit, isClosing }: ReadSettings): ReadError {
  let overloadSaidAt = Number.NEGATIVE_INFINITY
  return (error, request) => {
    const known = wentAway(request, error)
      ? badRequest('The connection ended before the request did.')
      : expected(error, request.routeOptions.bodyLimit ?? bodyLimit)
    // What we have answered is in the log of the request: what has caused it is what somebody has to mend.
    const err = known?.cause instanceof Error ? known.cause : error
    // Expected or not, a failure on our side leaves a trace: a full disk or an unreachable database is somebody's to mend.
    if (known?.isOverload) sayOverload(known, request)
    else if (known === null || (known.status >= 500 && !isClosing()))
      request.log.error({ err, operation: request.operation }, 'request failed')
    // A refusal that has a cause was not the client's: credentials that a provider does not accept, say.
    else if (known.cause instanceof Error) request.log.warn({ err, operation: request.operation }, 'request refused')
    return known
  }

  function sayOverload(error: ApiError, request: FastifyRequest) {
    const now = performance.now()
    if (now - overloadSaidAt < OVERLOAD_SAID_MS) return
    overloadSaidAt = now
    request.log.warn({ operation: request.operation }, error.message)
  }
}

type ErrorSettings = { versions: Versions; compat: Compat; readError: ReadError }

export function errorSender({ versions, compat, readError }: ErrorSettings): SendError {
  return (error, request, reply) => {
    const known = readError(error, request)
    const fresh = errorReply(known === null ? serverError(request.id) : forClient(known, request), request)
    const { status, body } = agedOrCrashed(request, fresh)
    nameVersion(reply, request.version)
    reply.code(status).headers(fresh.headers)
    return reply.type('application/json; charset=utf-8').serializer(JSON.stringify).send(body)
  }

  function forClient(error: ApiError, { operation, headers }: FastifyRequest): ApiError {
    const forms = operation === null ? null : compat.formsOf(operation)
    return forms?.rewriteError?.(error, headers) ?? error
  }

  /** A change that throws is a bug like any other; thrown from here it would be answered in Fastify's form. */
  function agedOrCrashed(request: FastifyRequest, fresh: ErrorReply): { status: number; body: unknown } {
    try {
      return aged(request, fresh)
    } catch (error) {
      request.log.error({ err: error, operation: request.operation }, 'ageing an error failed')
      return errorReply(serverError(request.id))
    }
  }

  function aged(request: FastifyRequest, { status, body }: ErrorReply): { status: number; body: unknown } {
    if (request.version === versions.head && request.call === null) nameRequestedVersion(request, versions)
    const isNewest = request.version === versions.head
    const plan = request.call?.plan ?? (isNewest ? null : versions.planFor(request.version, request.operation))
    return plan?.ageError?.({ status, body: body as never }, changeContextOf(request)) ?? { status, body }
  }
}

/** An error from before authentication (an unknown address, say) is still given in the version the client asked for. */
function nameRequestedVersion(request: FastifyRequest, versions: Versions) {
  try {
    request.version = requestedVersion(request, versions.dates) ?? request.version
  } catch {
    // A version that does not exist: the newest form of the error stands.
  }
}

/** The client left in the middle of its body. Nobody reads the answer; it only must not count as a failure of ours. */
const wentAway = ({ raw }: FastifyRequest, error: unknown) =>
  !raw.complete && raw.destroyed && error instanceof Error && 'code' in error && error.code === 'ECONNRESET'

type ErrorBody = {
  error: {
    type: string
    message: string
    code?: string
    params?: Refusal['params']
    errors?: Record<string, string[]>
    param?: string
    current?: object
  }
  status_code: number
  /** What the error shows beside, such as `live`. */
  [shown: string]: unknown
}

type ErrorReply = { status: number; headers: Record<string, string>; body: ErrorBody }

type FrameworkError = {
  code: string
  validation?: ErrorObject[]
  validationContext?: string
}

const isFrameworkError = (error: unknown): error is FrameworkError =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' && error.code.startsWith('FST_')

/** The client hung up in the middle of its request. Nobody hears the answer, but the log must not take it for a bug of ours. */
const isHungUp = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ECONNRESET' && error.message === 'aborted'

/** The expected error behind a thrown thing, or null when it is a bug. */
function expected(error: unknown, bodyLimit: number): ApiError | null {
  if (error instanceof ApiError) return error
  if (isHungUp(error)) return badRequest('The connection ended before the whole request had arrived.')
  if (!isFrameworkError(error)) return null
  if (error.validation) return refused(error.validation, error.validationContext ?? 'body')
  switch (error.code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return payloadTooLarge(bodyLimit)
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
    case 'FST_ERR_CTP_EMPTY_TYPE':
      return unsupportedMediaType()
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return badRequest('The request body is not as long as its Content-Length says.')
    case 'FST_ERR_BAD_URL':
      return badRequest('The address holds a percent sign that does not begin a valid escape.')
    case 'FST_ERR_MAX_PARAM_LENGTH':
    // Only the method QUERY needs one, and no address here has that method.
    case 'FST_ERR_ROUTE_MISSING_CONTENT_TYPE':
      return routeNotFound()
    default:
      return null
  }
}

/** A query that lacks a parameter asks nothing that could be answered; what is wrong with a value is told field by field. */
function refused(mistakes: readonly ErrorObject[], part: string): ApiError {
  const missing = mistakes.find(({ keyword, instancePath }) => keyword === 'required' && instancePath === '')
  if (part === 'querystring' && missing) return missingParameter(String(missing.params.missingProperty))
  return unprocessable(fieldErrors(mistakes, part), saidOfMistakes(mistakes))
}

/** Whom an error is told: shoppers, where the route is open to them. `params`: those of the path. */
type Audience = Pick<FastifyRequest, 'isForShoppers' | 'params'>

const PROGRAMMERS: Audience = { isForShoppers: false, params: {} }

export function errorReply(error: ApiError, audience = PROGRAMMERS): ErrorReply {
  const { status, type, message, param, headers, shown, current } = error
  const said = audience.isForShoppers ? error.said : undefined
  const inner: ErrorBody['error'] =
    said === undefined ? { type, message } : { type, message: sentenceOf(said), code: said.code, params: said.params }
  const errors = error.errors ?? (said && messageByField(error, audience))
  if (errors) inner.errors = errors
  if (param !== undefined) inner.param = param
  if (current !== undefined) inner.current = current
  return { status, headers, body: { error: inner, status_code: status, ...shown } }
}

/** What programmers are told, for who reads `errors` where the message speaks to a shopper. Undefined where that says no more. */
function messageByField(
  { status, thing, field, message }: ApiError,
  { params }: Audience,
): ErrorBody['error']['errors'] {
  if (field !== undefined) return { [field]: [message] }
  if (thing !== undefined) return { [parameterOf(thing, Object.keys(params as object))]: [message] }
  return status === 400 || status === 409 ? { request: [message] } : undefined
}

/** The parameter of the path that names a thing: `line_item_id` a line item; else the first. */
const parameterOf = (thing: string, names: readonly string[]): string =>
  names.find((name) => name.startsWith(thing.replaceAll(' ', '_'))) ?? names[0] ?? 'request'
