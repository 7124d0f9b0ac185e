// What Node could not read as HTTP, or not in time, never becomes a request: the error body is written to the socket itself.

import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyBaseLogger } from 'fastify'
import { ApiError, type ErrorType } from '../lib/errors.ts'
import { endGently, hasAnsweredEarly } from './early-answers.ts'
import { errorReply } from './error-response.ts'
import type { Metrics } from './metrics.ts'
import { newRequestId } from './request-id.ts'

const BROKEN: Readonly<Record<string, readonly [status: number, type: ErrorType, message: string]>> = {
  HPE_HEADER_OVERFLOW: [431, 'headers_too_large', 'The request headers are larger than the 16 KB accepted.'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'request_timeout', 'The request did not arrive in time.'],
}

export function brokenRequestRefuser(log: FastifyBaseLogger, metrics: Metrics) {
  return (error: NodeJS.ErrnoException, socket: Socket) => {
    const isAnswered = hasBegunAnswer(socket) || hasAnsweredEarly(socket)
    if (error.code === 'ECONNRESET' || socket.destroyed || !socket.writable || isAnswered) {
      socket.destroy()
      return
    }
    const [status, type, message] = BROKEN[error.code ?? ''] ?? [400, 'bad_request', 'The request is not valid HTTP.']
    const id = newRequestId()
    log.info({ request_id: id, status, reason: error.code }, 'request refused')
    metrics.refused(status)
    endGently(socket, answer(id, new ApiError(status, type, message)))
  }
}

/** An answer is on its way to an earlier request: ours would stand in the middle of it. Node's own refusal asks the same. */
const hasBegunAnswer = (socket: Socket & { _httpMessage?: ServerResponse | null }): boolean =>
  socket._httpMessage?.headersSent === true

function answer(id: string, error: ApiError): string {
  const { status, body } = errorReply(error)
  const text = JSON.stringify(body)
  return [
    `HTTP/1.1 ${status} ${error.type}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(text)}`,
    `X-Request-Id: ${id}`,
    'X-Content-Type-Options: nosniff',
    'Cache-Control: no-store',
    'Access-Control-Allow-Origin: *',
    'Connection: close',
    '',
    text,
  ].join('\r\n')
}
