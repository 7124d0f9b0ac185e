// Every error of a request ends here: it becomes the one error body, ages to the request's version and is answered.

import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { type ApiError, badRequest } from '../lib/errors.ts'
import type { Versions } from '../versions/apply.ts'
import { crashed, type ErrorReply, errorReply, expected } from './error-response.ts'
import { spareTheCart } from './legacy-sdk.ts'
import { toldOf } from './serve-endpoint.ts'
import { nameVersion, requestedVersion } from './versioning.ts'

/** Under load there are as many as requests; one says it. */
const OVERLOAD_SAID_MS = 1_000

export type SendError = (error: FastifyError | Error, request: FastifyRequest, reply: FastifyReply) => FastifyReply

/** `isClosing` tells whether the server is stopping: a 503 for that is no failure. */
export function errorSender(versions: Versions, bodyLimit: number, isClosing: () => boolean): SendError {
  let overloadSaidAt = Number.NEGATIVE_INFINITY
  return (error, request, reply) => {
    const known = wentAway(request, error)
      ? badRequest('The connection ended before the request did.')
      : expected(error, request.routeOptions.bodyLimit ?? bodyLimit)
    // Expected or not, a failure on our side leaves a trace: a full disk or an unreachable database is somebody's to mend.
    if (known?.isOverload) sayOverload(known, request)
    else if (known === null || (known.status >= 500 && !isClosing()))
      request.log.error({ err: error, operation: request.operation }, 'request failed')
    const fresh = errorReply(known === null ? crashed(request.id) : spareTheCart(known, request))
    const { status, body } = agedOrCrashed(request, fresh)
    nameVersion(reply, request.version)
    reply.code(status).headers(fresh.headers)
    return reply.type('application/json; charset=utf-8').serializer(JSON.stringify).send(body)
  }

  function sayOverload(error: ApiError, request: FastifyRequest) {
    const now = performance.now()
    if (now - overloadSaidAt < OVERLOAD_SAID_MS) return
    overloadSaidAt = now
    request.log.warn({ operation: request.operation }, error.message)
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
    if (request.version === versions.head && request.call === null) nameRequestedVersion(request, versions)
    if (request.version === versions.head) return { status, body }
    const plan = request.call?.plan ?? versions.planFor(request.version, request.operation)
    return plan?.ageError?.({ status, body: body as never }, toldOf(request)) ?? { status, body }
  }
}

/** An error from before authentication (an unknown address, say) is still given in the version the client asked for. */
function nameRequestedVersion(request: FastifyRequest, versions: Versions) {
  try {
    request.version = requestedVersion(request.headers, versions.dates) ?? request.version
  } catch {
    // A version that does not exist: the newest form of the error stands.
  }
}

/** The client left in the middle of its body. Nobody reads the answer; it only must not count as a failure of ours. */
const wentAway = ({ raw }: FastifyRequest, error: unknown) =>
  !raw.complete && raw.destroyed && error instanceof Error && 'code' in error && error.code === 'ECONNRESET'
