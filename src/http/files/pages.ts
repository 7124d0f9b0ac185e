// Serves pages for people, outside /v1. Each page defines its answer and its content security policy. It gets the same facts about the
// request as endpoints do.

import type { Socket } from 'node:net'
import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify'
import type { RequestSignal } from '../../db/db.ts'
import { type ApiError, methodNotAllowed, serverError } from '../../lib/errors.ts'
import { identifyClient } from '../endpoint/caller.ts'
import { meterByLines, meterProviderCalls } from '../endpoint/metering.ts'
import { isDeadlineError } from '../server/deadline.ts'
import { plainHttpProblem } from '../session/origin.ts'
import { compressBody } from './compress.ts'
import { EMPTY_FORM, readForm, type SubmittedForm } from './form.ts'

export type PageRequest = {
  /** GET routes also receive HEAD, which must create nothing. */
  readonly method: string
  /** Path and query. */
  readonly url: string
  readonly path: string
  readonly query: URLSearchParams
  readonly params: Readonly<Record<string, string>>
  /** Empty if no form was sent. It may contain a card number, so it must never be logged. */
  readonly form: SubmittedForm
  header(name: string): string | null
  readonly id: string
  /** Same as in `Context`. */
  readonly origin: string
  readonly lastingOrigin: string
  readonly clientAddress: string
  readonly clientNetworks: readonly string[]
  /** True for HTTPS, here or at a trusted proxy. */
  readonly isSecure: boolean
  /** Null if the dashboard may answer, else a sentence that names the missing setting. */
  plainHttpProblem(): string | null
  /** Aborted when the request has timed out. */
  readonly deadline: RequestSignal & { readonly signal: AbortSignal }
  isClientWaiting(): boolean
  reportLinesRead(lines: number, resultId?: string): void
}

type Headers = Readonly<Record<string, string>>

export type PageAnswer =
  | {
      readonly type: string
      readonly body: string | Buffer
      /** Content security policy, unless `headers` has one. */
      readonly policy?: string
      readonly status?: number
      /** Replace the default headers of pages. With `content-encoding` the body is sent unchanged. */
      readonly headers?: Headers
    }
  | { readonly location: string; readonly status: 302 | 303 | 308; readonly headers?: Headers }

export type PageRoute = {
  readonly method: 'GET' | 'POST'
  readonly path: string
  /**
   * Limits the cost per client, for each merchant separately. True: each request may call a provider. `by_lines`: `reportLinesRead` sets the cost.
   */
  readonly isMetered?: true | 'by_lines'
  /** Size limit of a form in bytes. */
  readonly bodyLimit?: number
  answer(request: PageRequest): Promise<PageAnswer>
  /** Page shown if the request fails, even before `answer` runs. Default: the error of the API. */
  fail?(error: ApiError, request: PageRequest): Promise<PageAnswer>
}

const FORM_BYTES = 131_072

const ALL_METHODS: readonly HTTPMethods[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']

export function servePages(server: FastifyInstance, pages: readonly PageRoute[]) {
  // A separate scope: forms are accepted nowhere else.
  server.register(async (scope) => {
    if (pages.some(({ fail }) => fail !== undefined)) scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'buffer' }, (_request, body, done) =>
      done(null, body),
    )
    for (const page of pages) {
      const { method, path, answer, bodyLimit = FORM_BYTES } = page
      scope.route({
        method,
        url: path,
        bodyLimit,
        ...meteringHooks(server, page),
        ...errorHandling(page),
        handler: async (request, reply) => {
          try {
            const pageAnswer = await answer(pageRequest(request, reply, parseForm(request)))
            // The 503 is sent.
            return request.deadline.aborted ? reply : await send(request, reply, pageAnswer)
          } catch (error) {
            if (isDeadlineError(request, error)) return reply
            throw error
          }
        },
      })
    }
    refuseOtherMethods(scope, pages)
  })
}

function meteringHooks(server: FastifyInstance, { isMetered, method }: PageRoute) {
  const scopeOf = ({ merchant_id: merchant }: Record<string, string>) => `pages ${merchant}`
  if (isMetered === undefined) return {}
  return isMetered === true ? meterProviderCalls(server, scopeOf) : meterByLines(server, scopeOf, method === 'POST')
}

function errorHandling({ fail }: PageRoute) {
  if (fail === undefined) return {}
  return {
    async errorHandler(thrown: Error, request: FastifyRequest, reply: FastifyReply) {
      const error = request.server.readError(thrown, request) ?? serverError(request.id)
      const pageAnswer = await fail(error, pageRequest(request, reply, parseFormOrEmpty(request)))
      reply.headers(error.headers)
      return send(request, reply, pageAnswer)
    },
  }
}

/** Answers unsupported methods with a page too, where people see pages. */
function refuseOtherMethods(scope: FastifyInstance, pages: readonly PageRoute[]) {
  const pagesForPeople = pages.filter(({ fail }) => fail !== undefined)
  for (const path of new Set(pagesForPeople.map((page) => page.path))) {
    const samePath = pagesForPeople.filter((page) => page.path === path)
    const allowed = samePath.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))
    scope.route({
      method: ALL_METHODS.filter((method) => !allowed.includes(String(method))),
      url: path,
      exposeHeadRoute: false,
      ...errorHandling(samePath[0] as PageRoute),
      // Runs before the body is read.
      onRequest: (_request, _reply, done) => done(methodNotAllowed(allowed)),
      handler: async () => undefined,
    })
  }
}

const parseForm = ({ body }: FastifyRequest): SubmittedForm => (Buffer.isBuffer(body) ? readForm(body) : EMPTY_FORM)

function parseFormOrEmpty(request: FastifyRequest): SubmittedForm {
  try {
    return parseForm(request)
  } catch {
    return EMPTY_FORM
  }
}

function pageRequest(request: FastifyRequest, reply: FastifyReply, form: SubmittedForm): PageRequest {
  const { url, headers } = request
  const at = url.indexOf('?')
  // A closed connection has no address any more, whatever Fastify's types say.
  const { ip, socket } = request as { ip: string | undefined; socket: Socket }
  const from = { sentFrom: ip ?? '', socketAddress: socket.remoteAddress ?? '' }
  return {
    method: request.method,
    url,
    path: at === -1 ? url : url.slice(0, at),
    query: new URLSearchParams(at === -1 ? '' : url.slice(at + 1)),
    params: request.params as PageRequest['params'],
    form,
    header(name) {
      const value = headers[name]
      return typeof value === 'string' ? value : null
    },
    id: request.id,
    origin: request.origin,
    lastingOrigin: request.lastingOrigin,
    ...identifyClient(from, undefined, { isSecret: false }),
    isSecure: request.protocol === 'https',
    plainHttpProblem: () => plainHttpProblem(request),
    deadline: request.deadline,
    isClientWaiting: () => !reply.raw.destroyed,
    reportLinesRead: (lines, resultId) => request.metered?.reportLinesRead(lines, resultId),
  }
}

async function send(request: FastifyRequest, reply: FastifyReply, answer: PageAnswer): Promise<FastifyReply> {
  reply.header('referrer-policy', 'no-referrer')
  if ('location' in answer) {
    if (answer.headers !== undefined) reply.headers(answer.headers)
    return reply.redirect(answer.location, answer.status)
  }
  const { type, body, policy, status = 200, headers = {} } = answer
  if (policy !== undefined) reply.header('content-security-policy', policy)
  reply.headers(headers).status(status).type(type)
  if ('content-encoding' in headers) return reply.send(body)
  reply.header('vary', 'accept-encoding')
  const compressedBody = type.startsWith('text/') ? await compressBody(body, request.headers['accept-encoding']) : null
  if (compressedBody === null) return reply.send(body)
  return reply.header('content-encoding', compressedBody.encoding).send(compressedBody.bytes)
}
