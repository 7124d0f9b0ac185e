// What Node could not read as HTTP, or not in time, and CONNECT never become requests: the error body is written to the socket itself.

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { FastifyBaseLogger } from 'fastify'
import { ApiError, type ErrorType } from '../../lib/errors.ts'
import { errorReply } from '../endpoint/errors.ts'
import { endGently, hasAnsweredEarly } from './early-answers.ts'
import { newRequestId } from './log.ts'
import type { Metrics } from './metrics.ts'

const BROKEN: Readonly<Record<string, readonly [status: number, type: ErrorType, message: string]>> = {
  HPE_HEADER_OVERFLOW: [431, 'headers_too_large', 'The request headers are larger than the 16 KB accepted.'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'request_timeout', 'The request did not arrive in time.'],
}

export function brokenRequestRefuser(log: FastifyBaseLogger, metrics: Metrics) {
  const refuse = refuser(log, metrics)
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

/** CONNECT asks for a tunnel. With it Node lets go of the connection, its error listener included. */
export function connectRefuser(log: FastifyBaseLogger, metrics: Metrics) {
  const refuse = refuser(log, metrics)
  return (_request: IncomingMessage, stream: Duplex) => {
    const socket = stream as Socket
    socket.on('error', () => socket.destroy())
    // An earlier request on this connection waits for its answer: this one would be taken for it.
    if (pendingAnswer(socket)) socket.destroy()
    else refuse(socket, noTunnel(), 'CONNECT')
  }
}

const noTunnel = () =>
  new ApiError(405, 'method_not_allowed', 'This is no proxy: CONNECT is not accepted. Send the request itself.', {
    headers: { allow: 'GET, HEAD, POST, PUT, DELETE, OPTIONS' },
  })

const refuser = (log: FastifyBaseLogger, metrics: Metrics) => (socket: Socket, error: ApiError, reason?: string) => {
  const id = newRequestId()
  log.info({ request_id: id, status: error.status, reason }, 'request refused')
  metrics.refused(error.status)
  endGently(socket, answer(id, error))
}

const pendingAnswer = (socket: Socket & { _httpMessage?: ServerResponse | null }) => socket._httpMessage ?? null

/** An answer is on its way to an earlier request: ours would stand in the middle of it. Node's own refusal asks the same. */
const hasBegunAnswer = (socket: Socket): boolean => pendingAnswer(socket)?.headersSent === true

function answer(id: string, error: ApiError): string {
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
