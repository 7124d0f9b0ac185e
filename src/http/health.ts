// What machines ask of the service itself, none of it needing a key: alive, ready, metrics, what there is.

import type { FastifyInstance } from 'fastify'
import { unavailable } from '../lib/errors.ts'
import type { Metrics } from './metrics.ts'

export type Readiness = () => Promise<{ ready: true } | { ready: false; reason: string }>

export function serveHealth(
  server: FastifyInstance,
  metrics: Metrics,
  readiness: Readiness,
  describe: () => Promise<object>,
) {
  /** The process answers. Nothing else is looked at: a restart does not mend a database. */
  server.get('/health/live', async () => ({ status: 'ok' }))

  server.get('/health/ready', async () => {
    const state = await readiness()
    if (!state.ready) throw unavailable(state.reason)
    return { status: 'ok' }
  })

  server.get('/metrics', async (_request, reply) => {
    reply.type('text/plain; version=0.0.4; charset=utf-8')
    return metrics.text()
  })

  // Made when it is first asked for: most starts never are, and it would slow each of them.
  let document: Promise<object> | undefined
  server.get('/openapi.json', async () => {
    document ??= describe()
    return document
  })

  server.get('/', async () => ({
    name: 'Cartwright',
    description: 'A commerce API. Every address under /v1 needs a key in the X-Authorization header.',
    openapi: '/openapi.json',
    health: '/health/ready',
  }))
}
