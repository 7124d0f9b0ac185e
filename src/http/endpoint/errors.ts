// Handles every error of a request, whichever layer threw it: router, parser, limits, handlers or crashes. It converts it to the error
// body, ages that to the request's version and sends it.

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
import { type ShopperRefusal, shopperSentence } from '../../lib/words/refusals.ts'
import type { Versions } from '../../versions/apply.ts'
import type { Compat } from './endpoint.ts'
import { fieldErrors, refusalForShopper } from './validation.ts'
import { addVersionHeaders, changeContextOf, requestedVersion } from './versioning.ts'

/** Under load there are as many overload errors as requests, so log only one per interval. */
const OVERLOAD_LOG_MS = 1_000

type SendError = (error: FastifyError | Error, request: FastifyRequest, reply: FastifyReply) => FastifyReply

/** Returns the expected error behind a thrown value, or null for a bug. Logs whatever somebody must fix. */
type ReadError = (error: unknown, request: FastifyRequest) => ApiError | null

declare module 'fastify' {
  interface FastifyInstance {
    /** For paths with errors that are not API bodies. */
    readError: ReadError
  }
}

type ReadSettings = {
  bodyLimit: number
  /** True while the server stops: a 503 is then no failure. */
  isClosing: () => boolean
}

export function errorReader({ bodyLimit, isClosing }: ReadSettings): ReadError {
  let overloadLoggedAt = Number.NEGATIVE_INFINITY
  return (error, request) => {
    const apiError = hasClientLeft(request, error)
      ? badRequest('The connection ended before the request did.')
      : readExpected(error, request.routeOptions.bodyLimit ?? bodyLimit)
    // The request's own log line has the answer. Log the cause here, because that is what somebody must fix.
    const err = apiError?.cause instanceof Error ? apiError.cause : error
    // Log all failures on our side, even expected ones: somebody must fix a full disk or an unreachable database.
    if (apiError?.isOverload) logOverload(apiError, request)
    else if (apiError === null || (apiError.status >= 500 && !isClosing()))
      request.log.error({ err, operation: request.operation }, 'request failed')
    // A refusal with a cause is not the client's fault: a provider that refuses the credentials, for example.
    else if (apiError.cause instanceof Error) request.log.warn({ err, operation: request.operation }, 'request refused')
    return apiError
  }

  function logOverload(error: ApiError, request: FastifyRequest) {
    const now = performance.now()
    if (now - overloadLoggedAt < OVERLOAD_LOG_MS) return
    overloadLoggedAt = now
    request.log.warn({ operation: request.operation }, error.message)
  }
}

type ErrorSettings = { versions: Versions; compat: Compat; readError: ReadError }

export function errorSender({ versions, compat, readError }: ErrorSettings): SendError {
  return (error, request, reply) => {
    const apiError = readError(error, request)
    const newestReply = errorReply(apiError === null ? serverError(request.id) : forClient(apiError, request), request)
    const { status, body } = ageOrCrash(request, newestReply)
    addVersionHeaders(reply, request.version)
    reply.code(status).headers(newestReply.headers)
    return reply.type('application/json; charset=utf-8').serializer(JSON.stringify).send(body)
  }

  function forClient(error: ApiError, { operation, headers }: FastifyRequest): ApiError {
    const forms = operation === null ? null : compat.formsOf(operation)
    return forms?.rewriteError?.(error, headers) ?? error
  }

  /** A change that throws is a bug like any other. Thrown from here, Fastify would answer it in its own form. */
  function ageOrCrash(request: FastifyRequest, newestReply: ErrorReply): { status: number; body: unknown } {
    try {
      return age(request, newestReply)
    } catch (error) {
      request.log.error(
        { err: error, operation: request.operation },
        'an error could not be converted to the requested API version',
      )
      return errorReply(serverError(request.id))
    }
  }

  function age(request: FastifyRequest, { status, body }: ErrorReply): { status: number; body: unknown } {
    if (request.version === versions.head && request.call === null) nameRequestedVersion(request, versions)
    const isNewest = request.version === versions.head
    const plan = request.call?.plan ?? (isNewest ? null : versions.planFor(request.version, request.operation))
    return plan?.ageError?.({ status, body: body as never }, changeContextOf(request)) ?? { status, body }
  }
}

/** Errors before authentication, such as an unknown URL, still use the requested version. */
function nameRequestedVersion(request: FastifyRequest, versions: Versions) {
  try {
    request.version = requestedVersion(request, versions.dates) ?? request.version
  } catch {
    // The requested version does not exist, so use the newest form of the error.
  }
}

/** True if the client left in the middle of its body. Nobody reads the answer, and it must not count as our failure. */
const hasClientLeft = ({ raw }: FastifyRequest, error: unknown) =>
  !raw.complete && raw.destroyed && error instanceof Error && 'code' in error && error.code === 'ECONNRESET'

type ErrorBody = {
  error: {
    type: string
    message: string
    code?: string
    params?: ShopperRefusal['params']
    errors?: Record<string, string[]>
    param?: string
    current?: object
  }
  status_code: number
  /** Extra fields of the error, such as `live`. */
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

/** True if the client hung up in the middle of its request. The log must not report it as our bug. */
const isHungUp = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ECONNRESET' && error.message === 'aborted'

/** The expected error behind a thrown value, or null for a bug. */
function readExpected(error: unknown, bodyLimit: number): ApiError | null {
  if (error instanceof ApiError) return error
  if (isHungUp(error)) return badRequest('The connection ended before the whole request had arrived.')
  if (!isFrameworkError(error)) return null
  if (error.validation) return validationError(error.validation, error.validationContext ?? 'body')
  switch (error.code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return payloadTooLarge(bodyLimit)
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
    case 'FST_ERR_CTP_EMPTY_TYPE':
      return unsupportedMediaType()
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return badRequest('The length of the request body does not match its Content-Length.')
    case 'FST_ERR_BAD_URL':
      return badRequest('The address holds a percent sign that does not begin a valid escape.')
    case 'FST_ERR_MAX_PARAM_LENGTH':
    // Only the method QUERY needs one, and no address here has it.
    case 'FST_ERR_ROUTE_MISSING_CONTENT_TYPE':
      return routeNotFound()
    default:
      return null
  }
}

/** A missing query parameter gets its own error. Other mistakes are reported field by field. */
function validationError(mistakes: readonly ErrorObject[], part: string): ApiError {
  const missing = mistakes.find(({ keyword, instancePath }) => keyword === 'required' && instancePath === '')
  if (part === 'querystring' && missing) return missingParameter(String(missing.params.missingProperty))
  return unprocessable(fieldErrors(mistakes, part), refusalForShopper(mistakes))
}

/** Reader of an error: shoppers, if the route is open to them. `params` are those of the path. */
type Audience = Pick<FastifyRequest, 'isForShoppers' | 'params'>

const PROGRAMMERS: Audience = { isForShoppers: false, params: {} }

export function errorReply(error: ApiError, audience = PROGRAMMERS): ErrorReply {
  const { status, type, message, param, headers, shown, current } = error
  const said = audience.isForShoppers ? error.shopperMessage : undefined
  const errorBody: ErrorBody['error'] =
    said === undefined
      ? { type, message }
      : { type, message: shopperSentence(said), code: said.code, params: said.params }
  const errors = error.errors ?? (said && messageByField(error, audience))
  if (errors) errorBody.errors = errors
  if (param !== undefined) errorBody.param = param
  if (current !== undefined) errorBody.current = current
  return { status, headers, body: { error: errorBody, status_code: status, ...shown } }
}

/** The programmers' message by field, for clients that read `errors` while `message` speaks to a shopper. Undefined if it adds nothing. */
function messageByField(
  { status, thing, field, message }: ApiError,
  { params }: Audience,
): ErrorBody['error']['errors'] {
  if (field !== undefined) return { [field]: [message] }
  if (thing !== undefined) return { [parameterOf(thing, Object.keys(params as object))]: [message] }
  return status === 400 || status === 409 ? { request: [message] } : undefined
}

/** Path parameter that names a thing, such as `line_item_id` for a line item; else the first one. */
const parameterOf = (thing: string, names: readonly string[]): string =>
  names.find((name) => name.startsWith(thing.replaceAll(' ', '_'))) ?? names[0] ?? 'request'
