// Time limit of a request after it has arrived. Fastify's `handlerTimeout` does not work here: it takes the request's `close` event for the
// client leaving. But Node emits `close` as soon as a body is read, so no request with a body would ever time out.

import type { FastifyContextConfig, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { requestTimedOut } from '../../lib/errors.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Deadline at which the request is given up. */
    deadline: Deadline
  }
  interface FastifyContextConfig {
    /** Time limit of this route including its answer, if the usual one is too short. */
    deadlineMs?: number
    /** True if the handler reads the body itself as a stream. */
    isStreamed?: boolean
  }
}

type Times = { readonly requestMs: number; readonly handlerMs: number }

/** Starts when the body has arrived: until then Node's `requestTimeout` applies. */
export function setDeadlines(server: FastifyInstance, times: Times) {
  server.decorateRequest('deadline', null as never)
  server.addHook('preValidation', (request, reply, done) => {
    request.deadline = startDeadline(request, reply, limitOf(request.routeOptions.config, times))
    done()
  })
}

/** A streamed body has not arrived yet, so its receiving time is added. After that time Node refuses the rest. */
const limitOf = ({ deadlineMs, isStreamed = false }: FastifyContextConfig, { requestMs, handlerMs }: Times): number =>
  (deadlineMs ?? handlerMs) + (isStreamed ? requestMs : 0)

/** Works like an AbortSignal, but creates one only if needed: that would take longer than everything else here. */
export class Deadline {
  #controller: AbortController | undefined
  #reason: Error | undefined
  /** Id of the request. */
  readonly requestId: string
  /** Dashboard account that sends the request; null for everybody else. */
  readonly actor: string | null
  /** Called before each statement and commit. Throws if the request has lost a lease that it needs for changes. */
  guard: (() => void) | null = null

  constructor(requestId: string, actor: string | null = null) {
    this.requestId = requestId
    this.actor = actor
  }

  get aborted(): boolean {
    return this.#reason !== undefined
  }

  get reason(): Error | undefined {
    return this.#reason
  }

  throwIfAborted() {
    if (this.#reason !== undefined) throw this.#reason
    this.guard?.()
  }

  abort(reason: Error) {
    this.#reason ??= reason
    this.#controller?.abort(this.#reason)
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController()
    if (this.#reason !== undefined) this.#controller.abort(this.#reason)
    return this.#controller.signal
  }
}

function startDeadline(request: FastifyRequest, reply: FastifyReply, limitMs: number): Deadline {
  const account = request.call?.caller.account
  const deadline = new Deadline(request.id, account && (account.name || account.email))
  const timer = setTimeout(() => {
    if (reply.sent || request.heldKey?.isEnding) return
    const error = requestTimedOut(request.method)
    deadline.abort(error)
    // After an answer has begun, such as a file, it can only be cut off. A second answer would throw an uncaught error and crash.
    if (reply.raw.headersSent) reply.raw.destroy()
    else reply.send(error)
  }, limitMs)
  // Emitted when the answer is sent, and when the client leaves. In the second case the work may continue: nobody waits, and a requested
  // change is made.
  reply.raw.once('close', () => clearTimeout(timer))
  return deadline
}

/** True if the error ended a handler because its request timed out. That was already answered and logged. */
export const isDeadlineError = ({ deadline }: FastifyRequest, error: unknown): boolean =>
  deadline.aborted && error === deadline.reason
