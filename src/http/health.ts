// What machines ask of the service itself, none of it needing a key: alive, ready, metrics.

import type { FastifyInstance } from 'fastify'
import { unavailable } from '../lib/errors.ts'
import { sharedAnswer } from '../lib/shared-answer.ts'
import type { Metrics } from './metrics.ts'

export type Readiness = () => Promise<{ ready: true } | { ready: false; reason: string }>

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
