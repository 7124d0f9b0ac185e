// What the service says about itself to whoever asks, without a key: `/` and `/openapi.json`.

import type { FastifyInstance } from 'fastify'

export function serveAbout(server: FastifyInstance, describe: () => Promise<object>) {
  server.get('/', async () => ({
    name: 'Cartwright',
    description: 'A commerce API. Every address under /v1 needs a key in the X-Authorization header.',
    openapi: '/openapi.json',
    health: '/health/ready',
  }))

  // Made when it is first asked for: most starts never are, and it would slow each of them.
  let document: Promise<object> | undefined
  server.get('/openapi.json', async () => {
    document ??= describe().catch((error) => {
      // Kept, one failure would be the answer for ever.
      document = undefined
      throw error
    })
    return document
  })
}
