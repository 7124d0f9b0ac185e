// What anybody may ask of the service itself without a key: alive, ready, metrics, `/` and `/openapi.json`.

import { createHash } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { unavailable } from '../../lib/errors.ts'
import { sharedAnswer } from '../../lib/memory.ts'
import { isKnown } from '../files/files.ts'
import type { Metrics } from './metrics.ts'

type Readiness = () => Promise<{ ready: true } | { ready: false; reason: string }>

/** Anybody may ask for the metrics; with several processes, each text asks them all. */
const METRICS_KEPT_MS = 1_000

export function serveHealth(server: FastifyInstance, metrics: Metrics, readiness: Readiness) {
  /** The process answers. Nothing else is looked at: a restart does not mend a database. */
  server.get('/health/live', async () => ({ status: 'ok' }))

  server.get('/health/ready', async () => {
    const state = await readiness()
    if (!state.ready) throw unavailable(state.reason)
    return { status: 'ok' }
  })

  const metricsText = sharedAnswer(() => metrics.text(), METRICS_KEPT_MS)
  server.get('/metrics', async (_request, reply) => {
    reply.type('text/plain; version=0.0.4; charset=utf-8')
    return metricsText.ask()
  })
}

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
