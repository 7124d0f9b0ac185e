// Answers that go out while their request is still arriving. Node goes on waiting for the rest of the body, and when that does not
// come in time it would have 408 answered to a request that has its answer already.

import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyReply, FastifyRequest } from 'fastify'

/** How long a client has to read its answer. Without an end to it, one that never closes its side would keep the connection. */
const LINGER_MS = 500

/** The last request on a connection that was answered before it had arrived. */
const answered = new WeakMap<Socket, IncomingMessage>()

/**
 * To be called when an answer is ready; `write` writes it. A refusal ends the connection. A success, which has no use for the body
 * (that of a DELETE, say), leaves it to the client to send the rest.
 */
export function answerEarly({ raw }: FastifyRequest, reply: FastifyReply, isRefusal: boolean, write: () => void) {
  if (raw.complete !== false || !announcesBody(raw.headers)) return write()
  // Node hands a request over before it looks at what came in the same packet: a short body may be here already.
  setImmediate(() => {
    // The deadline has come in between, and its answer is out; a second one would be thrown at nobody.
    if (reply.raw.headersSent) return
    if (!raw.complete) answered.set(raw.socket, raw)
    if (!raw.complete && isRefusal) {
      reply.header('connection', 'close')
      // Node calls this when the answer is out, and would close at once.
      raw.socket.destroySoon = () => endGently(raw.socket)
    }
    write()
  })
}

const announcesBody = (headers: IncomingHttpHeaders): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0

/** True while what arrives on a connection is the rest of a request that has its answer. */
export const hasAnsweredEarly = (socket: Socket): boolean => answered.get(socket)?.complete === false

/** Closed at once, what the client still sends would reset the connection, often before it has read why. */
export function endGently(socket: Socket, lastWords = '') {
  socket.end(lastWords)
  setTimeout(() => socket.destroy(), LINGER_MS).unref()
}
