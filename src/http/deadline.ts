// The time a request may take once it has arrived. Fastify's `handlerTimeout` is not used: it takes the `close` of a request for
// the client's leaving, but Node emits that as soon as a body has been read: no request with a body would ever be given up.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { tookTooLong } from '../lib/errors.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Aborted when the request has been given up. */
    deadline: AbortSignal
  }
}

/** Counts from when the body is here: until then Node's `requestTimeout` does. */
export function setDeadlines(server: FastifyInstance, limitMs: number) {
  server.decorateRequest('deadline', null as never)
  server.addHook('preValidation', (request, reply, done) => {
    request.deadline = startDeadline(request, reply, limitMs)
    done()
  })
}

function startDeadline(request: FastifyRequest, reply: FastifyReply, limitMs: number): AbortSignal {
  const deadline = new AbortController()
  const timer = setTimeout(() => {
    if (reply.sent) return
    const error = tookTooLong(request.method)
    deadline.abort(error)
    reply.send(error)
  }, limitMs)
  const end = () => clearTimeout(timer)
  reply.raw.once('finish', end)
  // A client that leaves gets no answer, and its request may go on: nobody waits, and a change that was asked for is made.
  reply.raw.once('close', end)
  return deadline.signal
}
