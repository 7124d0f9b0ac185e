// Requests on one connection that wait for their answers. Node hands over all that a packet holds before the first has been answered, and
// keeps every answer until the client reads it: a few kilobytes of requests, sent without reading, would take gigabytes of answers.

import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyBaseLogger } from 'fastify'

/** A connection with more of them than `most` is closed. Browsers and the usual clients wait for an answer before they ask again. */
export function boundUnansweredRequests(server: Server, most: number, log: Pick<FastifyBaseLogger, 'info'>) {
  const unanswered = new WeakMap<Socket, number>()
  // Before Fastify, which would begin to answer.
  server.prependListener('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    const count = (unanswered.get(socket) ?? 0) + 1
    unanswered.set(socket, count)
    // Also comes, instead of an end of the answer, when the client leaves.
    response.once('close', () => unanswered.set(socket, (unanswered.get(socket) ?? 1) - 1))
    if (count <= most || socket.destroyed) return
    log.info({ most }, 'connection closed: too many requests on it wait for their answers')
    socket.destroy()
  })
}

/** True of a request whose connection was closed before anything was done for it: the rest of a packet. Nothing answers it. */
export const hasNobodyToAnswer = ({ socket }: IncomingMessage): boolean => socket.destroyed
