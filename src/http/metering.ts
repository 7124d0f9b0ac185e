// Meters what shoppers' requests cost, on the endpoints that say `metered`: refuses a client that has spent its share before its body is
// read and the database is asked, and counts what a request did cost once its answer is written.

import type { FastifyReply, FastifyRequest } from 'fastify'
import { networksOf } from '../lib/addresses.ts'
import { tooManyRequests } from '../lib/errors.ts'
import { type Client, type ClientMeter, costOf } from './client-meter.ts'
import type { Caller } from './endpoint.ts'
import type { Metrics } from './metrics.ts'

/** A request that is being metered. */
export type MeteredRequest = {
  /** So many lines of a cart or a checkout were read for it. */
  weigh(lines: number): void
  /** Its answer is written. */
  end(bytes: number): void
}

declare module 'fastify' {
  interface FastifyRequest {
    /** null where nothing is metered: another kind of endpoint, a secret key, or a service without the limit. */
    metered: MeteredRequest | null
  }
}

export type Metering = {
  /** Throws a 429. */
  begin(request: FastifyRequest, reply: FastifyReply, caller: Caller): void
  end(request: FastifyRequest, payload: unknown): void
}

export function metering(meter: ClientMeter | null, metrics: Metrics): Metering {
  return {
    begin(request, reply, caller) {
      const client = clientOf(request, caller)
      if (meter === null || client === null) return
      const visit = meter.enter(client, thingOf(request))
      if ('retryAfterSeconds' in visit) {
        metrics.clientRefused(request)
        throw tooManyRequests(visit.retryAfterSeconds)
      }
      let lines = 0
      request.metered = {
        weigh(read) {
          lines += read
        },
        end: (bytes) => visit.leave(costOf({ lines, bytes })),
      }
      // Of a request that gets no answer, as its client has left.
      reply.raw.once('close', () => request.metered?.end(0))
    },
    // Characters and not bytes: near enough, and counting bytes of some megabytes takes its time.
    end: (request, payload) => request.metered?.end(typeof payload === 'string' ? payload.length : 0),
  }
}

/** Whose share a request spends. A secret key is a server's, which speaks for many shoppers. */
const clientOf = ({ ip }: FastifyRequest, { merchantId, isSandbox, isSecret }: Caller): Client | null =>
  isSecret ? null : { networks: networksOf(ip), scope: `${merchantId} ${isSandbox ? 'sandbox' : 'live'}` }

/** The operation and the cart or token that the address names: what costs much is one of these. */
function thingOf({ operation, params }: FastifyRequest): string {
  const { cart_id: cartId, id = '' } = params as { cart_id?: string; id?: string }
  return `${operation} ${cartId ?? id}`
}
