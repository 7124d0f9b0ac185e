// Lists every route of a running server, as Fastify registers them: including refused methods, preflights and HEAD routes.

import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { FastifyInstance, RouteOptions } from 'fastify'

/** Fastify publishes this for each new server, before anything is registered. */
const MADE = 'fastify.initialization'

/** Returns the first server that `make` creates, and its routes, each as `GET /v1/products/:id`. */
export async function routesOf<T>(make: () => Promise<T>): Promise<{ made: T; routes: readonly string[] }> {
  const routes = new Set<string>()
  let isFirst = true
  const listen = (message: unknown) => {
    if (!isFirst) return
    isFirst = false
    const { fastify } = message as { fastify: FastifyInstance }
    fastify.addHook('onRoute', ({ method, url }: RouteOptions) => {
      for (const one of [method].flat()) routes.add(`${one} ${url}`)
    })
  }
  subscribe(MADE, listen)
  try {
    return { made: await make(), routes: [...routes] }
  } finally {
    unsubscribe(MADE, listen)
  }
}
