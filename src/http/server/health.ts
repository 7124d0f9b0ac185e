// Public endpoints about the service itself, without a key: liveness, readiness, metrics, `/` and `/openapi.json`.

import { createHash } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { unavailable } from '../../lib/errors.ts'
import { sharedAnswer } from '../../lib/memory.ts'
import { hasCurrentFile } from '../files/files.ts'
import type { Metrics } from './metrics.ts'

type Readiness = () => Promise<{ ready: true } | { ready: false; reason: string }>

/** Anybody may request the metrics, and with several processes each request calls them all. */
const METRICS_CACHE_MS = 1_000

export function serveHealth(server: FastifyInstance, metrics: Metrics, readiness: Readiness) {
  /** The process answers. It checks nothing else, because a restart does not repair a database. */
  server.get('/health/live', async () => ({ status: 'ok' }))

  server.get('/health/ready', async () => {
    const state = await readiness()
    if (!state.ready) throw unavailable(state.reason)
    return { status: 'ok' }
  })

  const metricsText = sharedAnswer(() => metrics.text(), METRICS_CACHE_MS)
  server.get('/metrics', async (_request, reply) => {
    reply.type('text/plain; version=0.0.4; charset=utf-8')
    return metricsText.get()
  })
}

export function serveAbout(server: FastifyInstance, describe: () => Promise<object>) {
  server.get('/', async () => ({
    name: 'Cartwright',
    description: 'A commerce API. Every address under /v1 needs a key in the X-Authorization header.',
    openapi: '/openapi.json',
    health: '/health/ready',
  }))

  // Created on first request: most starts never need it, and it would slow each of them. All clients get the same bytes.
  const description = sharedAnswer(async () => serializeDocument(await describe()), Number.POSITIVE_INFINITY)
  server.get('/openapi.json', async (request, reply) => {
    const { bytes, etag } = await description.get()
    // Browsers must revalidate it: the next release has another description at the same URL.
    reply.header('etag', etag).header('cache-control', 'no-cache')
    if (hasCurrentFile(request.headers['if-none-match'], etag)) return reply.code(304).send()
    return reply.type('application/json; charset=utf-8').send(bytes)
  })
}

function serializeDocument(document: object): { bytes: Buffer; etag: string } {
  const bytes = Buffer.from(JSON.stringify(document))
  return { bytes, etag: `"${createHash('sha256').update(bytes).digest('base64url')}"` }
}
