// Pages for people, outside of /v1: whoever owns one says what it answers, and under which policy a browser opens it.

import type { FastifyInstance } from 'fastify'
import { meteredOpenly } from '../endpoint/metering.ts'

type PageRequest = { readonly url: string; readonly params: Readonly<Record<string, string>> }

export type PageAnswer =
  | { readonly type: string; readonly body: string | Buffer; readonly policy: string; readonly status?: 200 | 404 }
  | { readonly location: string; readonly status: 302 | 303 | 308 }

export type Page = {
  readonly method: 'GET' | 'POST'
  readonly path: string
  /** It makes us ask a provider: what one client may cost there is limited, for each merchant by itself. */
  readonly isMetered?: true
  answer(request: PageRequest): Promise<PageAnswer>
}

export function servePages(server: FastifyInstance, pages: readonly Page[]) {
  // In a scope of its own: nowhere else is a form taken. What a form holds is passed over.
  server.register(async (scope) => {
    scope.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'buffer' }, (_request, _body, done) =>
      done(null, undefined),
    )
    const limit = meteredOpenly(server, ({ merchant_id: merchant }) => `pages ${merchant}`)
    for (const { method, path, isMetered, answer } of pages)
      scope.route({
        method,
        url: path,
        ...(isMetered ? limit : {}),
        handler: async (request, reply) => {
          const page = await answer({ url: request.url, params: request.params as PageRequest['params'] })
          if ('location' in page) return reply.redirect(page.location, page.status)
          reply.header('content-security-policy', page.policy)
          reply.header('referrer-policy', 'no-referrer')
          return reply
            .status(page.status ?? 200)
            .type(page.type)
            .send(page.body)
        },
      })
  })
}
