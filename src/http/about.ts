// What the service says about itself to whoever asks, without a key: `/` and `/openapi.json`.

import { createHash } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { sharedAnswer } from '../lib/shared-answer.ts'
import { isKnown } from './range.ts'

export function serveAbout(server: FastifyInstance, describe: () => Promise<object>) {
  server.get('/', async () => ({
    name: 'Cartwright',
    description: 'A commerce API. Every address under /v1 needs a key in the X-Authorization header.',
    openapi: '/openapi.json',
    health: '/health/ready',
  }))

  // Made when it is first asked for: most starts never are, and it would slow each of them. The same bytes go to all who ask.
  const description = sharedAnswer(async () => described(await describe()), Number.POSITIVE_INFINITY)
  server.get('/openapi.json', async (request, reply) => {
    const { bytes, etag } = await description.ask()
    // To be asked for each time: the next release describes other things at the same address.
    reply.header('etag', etag).header('cache-control', 'no-cache')
    if (isKnown(request.headers['if-none-match'], etag)) return reply.code(304).send()
    return reply.type('application/json; charset=utf-8').send(bytes)
  })
}

function described(document: object): { bytes: Buffer; etag: string } {
  const bytes = Buffer.from(JSON.stringify(document))
  return { bytes, etag: `"${createHash('sha256').update(bytes).digest('base64url')}"` }
}
