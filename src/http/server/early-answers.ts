// Handles answers sent while their request is still arriving. Node keeps waiting for the rest of the body. If that is late, it would answer
// 408 to an already answered request.

import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyReply, FastifyRequest } from 'fastify'

/** Time that a client has to read its answer. Without a limit, a client that never closes its side would keep the connection. */
const LINGER_MS = 500

/** Last request on a connection that was answered before it had arrived. */
const answered = new WeakMap<Socket, IncomingMessage>()

/**
 * Call it when an answer is ready; `write` sends it. A refusal ends the connection. A success that ignores the body, such as a DELETE, lets
 * the client send the rest.
 */
export function answerEarly({ raw }: FastifyRequest, reply: FastifyReply, isRefusal: boolean, write: () => void) {
  if (raw.complete !== false || !announcesBody(raw.headers)) return write()
  // Node passes on a request before it reads the rest of the packet: a short body may already be here.
  setImmediate(() => {
    // The deadline has answered meanwhile; a second answer would throw an uncaught error.
    if (reply.raw.headersSent) return
    if (!raw.complete) answered.set(raw.socket, raw)
    if (!raw.complete && isRefusal) {
      reply.header('connection', 'close')
      // Node calls this when the answer is sent, and would close at once.
      raw.socket.destroySoon = () => endAfterDelay(raw.socket)
    }
    write()
  })
}

const announcesBody = (headers: IncomingHttpHeaders): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0

/** True while a connection still receives the rest of a request that has its answer. */
export const hasAnsweredEarly = (socket: Socket): boolean => answered.get(socket)?.complete === false

/**
 * Closes a connection after a delay. Closed at once, data that the client still sends would reset it, often before the client has read the
 * error.
 */
export function endAfterDelay(socket: Socket, lastText = '') {
  socket.end(lastText)
  setTimeout(() => socket.destroy(), LINGER_MS).unref()
}
