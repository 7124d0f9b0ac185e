// Answers requests that Node cannot parse or that arrive too late, and CONNECT. They never become requests, so the error is written
// directly to the socket.

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { FastifyBaseLogger } from 'fastify'
import { ApiError, type ErrorType } from '../../lib/errors.ts'
import { errorReply } from '../endpoint/errors.ts'
import { endAfterDelay, hasAnsweredEarly } from './early-answers.ts'
import { newRequestId } from './log.ts'
import type { Metrics } from './metrics.ts'

const BROKEN: Readonly<Record<string, readonly [status: number, type: ErrorType, message: string]>> = {
  HPE_HEADER_OVERFLOW: [431, 'headers_too_large', 'The request headers must be at most 16 KB.'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'request_timeout', 'The request did not arrive in time.'],
}

export function createBrokenRequestHandler(log: FastifyBaseLogger, metrics: Metrics) {
  const refuse = newRefuser(log, metrics)
  return (error: NodeJS.ErrnoException, socket: Socket) => {
    const isAnswered = hasBegunAnswer(socket) || hasAnsweredEarly(socket)
    if (error.code === 'ECONNRESET' || socket.destroyed || !socket.writable || isAnswered) {
      socket.destroy()
      return
    }
    const [status, type, message] = BROKEN[error.code ?? ''] ?? [400, 'bad_request', 'The request is not valid HTTP.']
    refuse(socket, new ApiError(status, type, message), error.code)
  }
}

/** CONNECT requests a tunnel. Node then hands over the connection without its error listener. */
export function createConnectHandler(log: FastifyBaseLogger, metrics: Metrics) {
  const refuse = newRefuser(log, metrics)
  return (_request: IncomingMessage, stream: Duplex) => {
    const socket = stream as Socket
    socket.on('error', () => socket.destroy())
    // An earlier request on this connection waits for its answer, and this error would be taken for it.
    if (pendingAnswer(socket)) socket.destroy()
    else refuse(socket, createTunnelError(), 'CONNECT')
  }
}

const createTunnelError = () =>
  new ApiError(405, 'method_not_allowed', 'This is not a proxy: CONNECT is not accepted. Send the request itself.', {
    headers: { allow: 'GET, HEAD, POST, PUT, DELETE, OPTIONS' },
  })

const newRefuser = (log: FastifyBaseLogger, metrics: Metrics) => (socket: Socket, error: ApiError, reason?: string) => {
  const id = newRequestId()
  log.info({ request_id: id, status: error.status, reason }, 'request refused')
  metrics.refused(error.status)
  endAfterDelay(socket, formatResponse(id, error))
}

const pendingAnswer = (socket: Socket & { _httpMessage?: ServerResponse | null }) => socket._httpMessage ?? null

/** True if an answer to an earlier request has started: ours would end up in the middle of it. Node's own refusal checks the same. */
const hasBegunAnswer = (socket: Socket): boolean => pendingAnswer(socket)?.headersSent === true

function formatResponse(id: string, error: ApiError): string {
  const { status, headers, body } = errorReply(error)
  const text = JSON.stringify(body)
  return [
    `HTTP/1.1 ${status} ${error.type}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(text)}`,
    `X-Request-Id: ${id}`,
    'X-Content-Type-Options: nosniff',
    'Cache-Control: no-store',
    'Access-Control-Allow-Origin: *',
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    'Connection: close',
    '',
    text,
  ].join('\r\n')
}
