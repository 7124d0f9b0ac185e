// Every route that a running server has, as Fastify itself tells while it registers them: methods that are refused, preflights and the
// twins of GET included.

import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { FastifyInstance, RouteOptions } from 'fastify'

/** Published by Fastify for each server that is made, before anything is registered. */
const MADE = 'fastify.initialization'

/** The routes of the first server that `make` makes, each as `GET /v1/products/:id`, with what was made. */
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
