// Any thrown thing → the one error body. Errors of every layer come through here: router, parser, limits, handlers, crashes.

import type { ErrorObject } from 'ajv'
import {
  ApiError,
  badRequest,
  missingParameter,
  payloadTooLarge,
  routeNotFound,
  unprocessable,
  unsupportedMediaType,
} from '../lib/errors.ts'
import { fieldErrors } from './validation.ts'

export type ErrorBody = {
  error: { type: string; message: string; errors?: Record<string, string[]>; param?: string }
  status_code: number
  /** What the error shows beside, such as `live`. */
  [shown: string]: unknown
}

export type ErrorReply = { status: number; headers: Record<string, string>; body: ErrorBody }

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
export function expected(error: unknown, bodyLimit: number): ApiError | null {
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
  return unprocessable(fieldErrors(mistakes, part))
}

export function errorReply(error: ApiError): ErrorReply {
  const { status, type, message, errors, param, headers, shown } = error
  const inner: ErrorBody['error'] = { type, message }
  if (errors) inner.errors = errors
  if (param !== undefined) inner.param = param
  return { status, headers, body: { error: inner, status_code: status, ...shown } }
}

/** The answer to a bug: the request id finds the cause in the log; nothing else leaves the house. */
export const crashed = (requestId: string) =>
  new ApiError(
    500,
    'server_error',
    `Something went wrong on our side. Please report it with the request id ${requestId}.`,
  )
