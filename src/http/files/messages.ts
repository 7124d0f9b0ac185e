// Receives posts of other servers as raw bytes, because their signature covers the exact bytes.

import type { FastifyInstance } from 'fastify'
import { meterProviderCalls } from '../endpoint/metering.ts'
import { parseSignedAddress } from '../server/open-address.ts'

const MAX_BYTES = 1_048_576

type Message = {
  readonly merchant_id: number
  readonly id: string
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: Buffer
}

/** `thing` names the addressed object in a 404. */
export function serveMessages(
  server: FastifyInstance,
  { path, thing, take }: { path: string; thing: string; take: (message: Message) => Promise<void> },
) {
  // A separate scope: here a body of any type is accepted unparsed.
  server.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
    const limit = meterProviderCalls(server, ({ merchant_id: merchant, id }) => `messages ${merchant} ${id}`)
    scope.post(path, { bodyLimit: MAX_BYTES, ...limit }, async (request, reply) => {
      const { merchant_id, id } = parseSignedAddress(request, thing)
      const headers = Object.fromEntries(
        Object.entries(request.headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : value]),
      )
      await take({ merchant_id, id, headers, body: (request.body as Buffer | undefined) ?? Buffer.alloc(0) })
      return reply.send({ received: true })
    })
  })
}
