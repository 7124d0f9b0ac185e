// Takes what somebody else's server posts, as the very bytes that came: a signature is made of them.

import type { FastifyInstance } from 'fastify'
import { meteredOpenly } from '../endpoint/metering.ts'
import { addressOf } from '../server/open-address.ts'

const MOST_BYTES = 1_048_576

type Message = {
  readonly merchantId: number
  readonly id: string
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: Buffer
}

/** `thing`: what the address names, in the words of a 404. */
export function serveMessages(
  server: FastifyInstance,
  { path, thing, take }: { path: string; thing: string; take: (message: Message) => Promise<void> },
) {
  // In a scope of its own: here a body of any type is taken, unread.
  server.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
    const limit = meteredOpenly(server, ({ merchant_id: merchant, id }) => `messages ${merchant} ${id}`)
    scope.post(path, { bodyLimit: MOST_BYTES, ...limit }, async (request, reply) => {
      const { merchantId, id } = addressOf(request, thing)
      const headers = Object.fromEntries(
        Object.entries(request.headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : value]),
      )
      await take({ merchantId, id, headers, body: (request.body as Buffer | undefined) ?? Buffer.alloc(0) })
      return reply.send({ received: true })
    })
  })
}
