// Pages for people, outside of /v1: whoever owns one says what it answers, and under which policy a browser opens it. What a page is told of
// its request are the same facts that endpoints go by.

import type { Socket } from 'node:net'
import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify'
import type { Stop } from '../../db/db.ts'
import { type ApiError, methodNotAllowed, serverError } from '../../lib/errors.ts'
import { clientOf } from '../endpoint/caller.ts'
import { meteredByLines, meteredOpenly } from '../endpoint/metering.ts'
import { isGivingUp } from '../server/deadline.ts'
import { plainHttpProblem } from '../session/origin.ts'
import { compressed } from './compress.ts'
import { EMPTY_FORM, type Form, readForm } from './form.ts'

export type PageRequest = {
  /** HEAD comes to what answers GET: it may make nothing. */
  readonly method: string
  /** Path and query. */
  readonly url: string
  readonly path: string
  readonly query: URLSearchParams
  readonly params: Readonly<Record<string, string>>
  /** Empty where none was sent. Its values may hold a card: they are for what the page calls, and for no log. */
  readonly form: Form
  header(name: string): string | null
  readonly id: string
  /** As those of `Context`. */
  readonly origin: string
  readonly lastingOrigin: string
  readonly clientAddress: string
  readonly clientNetworks: readonly string[]
  /** By HTTPS, here or at a proxy that is trusted. */
  readonly isSecure: boolean
  /** Null where the dashboard may answer, else the sentence that says which setting is missing. */
  plainHttpProblem(): string | null
  /** When the request is given up. */
  readonly deadline: Stop & { readonly signal: AbortSignal }
  isWaitedFor(): boolean
  weigh(lines: number, resultId?: string): void
}

type Headers = Readonly<Record<string, string>>

export type PageAnswer =
  | {
      readonly type: string
      readonly body: string | Buffer
      /** The content policy, where `headers` do not have it. */
      readonly policy?: string
      readonly status?: number
      /** In place of those that every page has. With `content-encoding` the body goes out as it is. */
      readonly headers?: Headers
    }
  | { readonly location: string; readonly status: 302 | 303 | 308; readonly headers?: Headers }

export type Page = {
  readonly method: 'GET' | 'POST'
  readonly path: string
  /**
   * What one client may cost there is limited, for each merchant by itself. True: each request makes us ask a provider. `by_lines`: it costs what
   * `weigh` says.
   */
  readonly isMetered?: true | 'by_lines'
  /** Bytes of a form. */
  readonly bodyLimit?: number
  answer(request: PageRequest): Promise<PageAnswer>
  /** What a person is shown where it fails, also before it was asked. Unless given, the answer is that of the API. */
  fail?(error: ApiError, request: PageRequest): Promise<PageAnswer>
}

const FORM_BYTES = 131_072

const ALL_METHODS: readonly HTTPMethods[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']

export function servePages(server: FastifyInstance, pages: readonly Page[]) {
  // In a scope of its own: nowhere else is a form taken.
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
        ...meterOf(server, page),
        ...errorsOf(page),
        handler: async (request, reply) => {
          try {
            const given = await answer(requestOf(request, reply, formOf(request)))
            // The 503 is out.
            return request.deadline.aborted ? reply : await send(request, reply, given)
          } catch (error) {
            if (isGivingUp(request, error)) return reply
            throw error
          }
        },
      })
    }
    refuseOtherMethods(scope, pages)
  })
}

function meterOf(server: FastifyInstance, { isMetered, method }: Page) {
  const scopeOf = ({ merchant_id: merchant }: Record<string, string>) => `pages ${merchant}`
  if (isMetered === undefined) return {}
  return isMetered === true ? meteredOpenly(server, scopeOf) : meteredByLines(server, scopeOf, method === 'POST')
}

function errorsOf({ fail }: Page) {
  if (fail === undefined) return {}
  return {
    async errorHandler(thrown: Error, request: FastifyRequest, reply: FastifyReply) {
      const error = request.server.readError(thrown, request) ?? serverError(request.id)
      const given = await fail(error, requestOf(request, reply, formIfGood(request)))
      reply.headers(error.headers)
      return send(request, reply, given)
    },
  }
}

/** Where people are shown a page, also whoever asks by a method that it does not have. */
function refuseOtherMethods(scope: FastifyInstance, pages: readonly Page[]) {
  const shown = pages.filter(({ fail }) => fail !== undefined)
  for (const path of new Set(shown.map((page) => page.path))) {
    const own = shown.filter((page) => page.path === path)
    const allowed = own.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))
    scope.route({
      method: ALL_METHODS.filter((method) => !allowed.includes(String(method))),
      url: path,
      exposeHeadRoute: false,
      ...errorsOf(own[0] as Page),
      // Before its body is read.
      onRequest: (_request, _reply, done) => done(methodNotAllowed(allowed)),
      handler: async () => undefined,
    })
  }
}

const formOf = ({ body }: FastifyRequest): Form => (Buffer.isBuffer(body) ? readForm(body) : EMPTY_FORM)

function formIfGood(request: FastifyRequest): Form {
  try {
    return formOf(request)
  } catch {
    return EMPTY_FORM
  }
}

function requestOf(request: FastifyRequest, reply: FastifyReply, form: Form): PageRequest {
  const { url, headers } = request
  const at = url.indexOf('?')
  // A connection that was cut has no address any more, whatever Fastify's types say.
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
    ...clientOf(from, undefined, { isSecret: false }),
    isSecure: request.protocol === 'https',
    plainHttpProblem: () => plainHttpProblem(request),
    deadline: request.deadline,
    isWaitedFor: () => !reply.raw.destroyed,
    weigh: (lines, resultId) => request.metered?.weigh(lines, resultId),
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
  const packed = type.startsWith('text/') ? await compressed(body, request.headers['accept-encoding']) : null
  if (packed === null) return reply.send(body)
  return reply.header('content-encoding', packed.encoding).send(packed.bytes)
}
