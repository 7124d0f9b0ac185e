// The time a request may take once it has arrived. Fastify's `handlerTimeout` is not used: it takes the `close` of a request for
// the client's leaving, but Node emits that as soon as a body has been read: no request with a body would ever be given up.

import type { FastifyContextConfig, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { tookTooLong } from '../../lib/errors.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** When the request is given up. */
    deadline: Deadline
  }
  interface FastifyContextConfig {
    /** How long this route may take, its answer included, where the usual time is too short. */
    deadlineMs?: number
    /** The handler reads the body itself, as it comes. */
    isStreamed?: boolean
  }
}

type Times = { readonly requestMs: number; readonly handlerMs: number }

/** Counts from when the body is here: until then Node's `requestTimeout` does. */
export function setDeadlines(server: FastifyInstance, times: Times) {
  server.decorateRequest('deadline', null as never)
  server.addHook('preValidation', (request, reply, done) => {
    request.deadline = startDeadline(request, reply, limitOf(request.routeOptions.config, times))
    done()
  })
}

/** Of a streamed body nothing has come yet; when the time to receive it is over, Node has refused what is not here. */
const limitOf = ({ deadlineMs, isStreamed = false }: FastifyContextConfig, { requestMs, handlerMs }: Times): number =>
  (deadlineMs ?? handlerMs) + (isStreamed ? requestMs : 0)

/** What a signal tells, without the signal until somebody wants to listen: making one takes longer than all the rest of this. */
export class Deadline {
  #controller: AbortController | undefined
  #reason: Error | undefined
  /** Whose deadline it is. */
  readonly requestId: string
  /** The person at the dashboard who asks; null for everybody else. */
  readonly actor: string | null
  /** Called before each statement and commit: throws where the request has lost what it must hold while it changes something. */
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
    const error = tookTooLong(request.method)
    deadline.abort(error)
    // Once an answer has begun, such as a file, it can only be cut off. A second answer would be thrown at nobody: a crash.
    if (reply.raw.headersSent) reply.raw.destroy()
    else reply.send(error)
  }, limitMs)
  // Comes when the answer is out, and when the client leaves. That one gets no answer, and its request may go on: nobody waits, and a
  // change that was asked for is made.
  reply.raw.once('close', () => clearTimeout(timer))
  return deadline
}

/** True of what ends a handler because its request was given up. That has been answered and logged. */
export const isGivingUp = ({ deadline }: FastifyRequest, error: unknown): boolean =>
  deadline.aborted && error === deadline.reason
