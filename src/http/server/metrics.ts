// Metrics for an operator's Prometheus at /metrics: requests by route and status, the connection pool, and the process.

import type { FastifyReply, FastifyRequest } from 'fastify'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { Database } from '../../db/db.ts'
import { routeOf } from './other-methods.ts'

export interface Metrics {
  observe(request: FastifyRequest, reply: FastifyReply): void
  /** Counts a refusal that happened before there was a request. */
  refused(status: number): void
  /** Counts a request of a client over its budget. */
  clientRefused(request: FastifyRequest): void
  /** Counts rows of the request log that were not written. */
  logDropped(rows: number): void
  text(): Promise<string>
  readonly registry: Registry
}

export function createMetrics(db: Database): Metrics {
  const registry = new Registry()
  const requests = new Counter({
    name: 'cartwright_http_requests_total',
    help: 'Requests answered.',
    labelNames: ['method', 'route', 'status'],
    registers: [registry],
  })
  const seconds = new Histogram({
    name: 'cartwright_http_request_seconds',
    help: 'Time from the first byte of a request to the last of its answer.',
    labelNames: ['method', 'route'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers: [registry],
  })
  const clientRefusals = new Counter({
    name: 'cartwright_client_refusals_total',
    help: 'Metered requests refused because their client had reached its limit.',
    labelNames: ['route'],
    registers: [registry],
  })
  const droppedRows = new Counter({
    name: 'cartwright_request_log_dropped_total',
    help: 'Requests missing from the request log because they could not be written in time.',
    registers: [registry],
  })
  new Gauge({
    name: 'cartwright_db_connections',
    help: 'Database connections by state; waiting counts requests without a connection.',
    labelNames: ['state'],
    registers: [registry],
    collect() {
      const { total, idle, waiting } = db.usage
      this.set({ state: 'busy' }, total - idle)
      this.set({ state: 'idle' }, idle)
      this.set({ state: 'waiting' }, waiting)
    },
  })

  return {
    registry,
    observe(request, reply) {
      // Label with the route pattern, not the URL: one series per route, whatever ids and guesses arrive.
      const route = routeOf(request) ?? 'none'
      requests.inc({ method: request.method, route, status: reply.statusCode })
      seconds.observe({ method: request.method, route }, reply.elapsedTime / 1_000)
    },
    refused: (status) => requests.inc({ method: 'none', route: 'none', status }),
    clientRefused: (request) => clientRefusals.inc({ route: routeOf(request) ?? 'none' }),
    logDropped: (rows) => droppedRows.inc(rows),
    text: () => registry.metrics(),
  }
}

/** Measures memory, CPU, event-loop lag and garbage collection of this process. */
export const measureProcess = (metrics: Metrics) => collectDefaultMetrics({ register: metrics.registry })
