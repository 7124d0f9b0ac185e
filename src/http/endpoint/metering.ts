// Refuses requests that would cost too much: those without room on disk or in the sandbox, and those of a client over its budget.

// Every endpoint that is open without a secret key is metered. A client over its budget is refused before its body is read and before any
// query. The cost of a request is counted when its answer is written. Carts and checkouts have their own budget, apart from reading: a
// client that reads a catalogue without end can still pay. See docs/decisions/0090.

import type { FastifyInstance, FastifyReply, FastifyRequest, onSendHookHandler } from 'fastify'
import { networksOf } from '../../lib/addresses.ts'
import { type Quota, sandboxFull, tooManyRequests, unavailable } from '../../lib/errors.ts'
import { MAX_LIMIT } from '../../lib/page.ts'
import { isOpenToBrowsers } from '../server/cors.ts'
import type { Metrics } from '../server/metrics.ts'
import { type ClientMeter, costOf, type MeteredVisit, type MeterRefusal } from './client-meter.ts'
import type { Caller, Disk, Endpoint } from './endpoint.ts'

/** A metered request. */
type MeteredRequest = {
  /** Reports lines read for it. `resultId` is the id of the result. */
  weigh(lines: number, resultId?: string): void
  /** Ends it when its answer is written and on its way. */
  end(bytes: number): void
  /** Closes it when its answer is out or the client has left. */
  close(): void
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Null if nothing is metered: another kind of endpoint, a secret key, or a service without the limit. */
    metered: MeteredRequest | null
  }
  interface FastifyInstance {
    metering: Meter
  }
}

type Spender = {
  /** The budget belongs to a shop and mode, or, as a name, to a path without a key. */
  readonly caller: Pick<Caller, 'merchantId' | 'isSandbox'> | string
  /** The shop's budget to use. Default: that of carts and checkouts. */
  readonly share?: 'reading'
  /** Id of the object that the request is about, or the name of the list. */
  readonly thing: string
  /** Networks that the client may hold, narrowest first; empty if it is not limited. */
  readonly networks: readonly string[]
  readonly isLong: boolean
}

export type Meter = {
  /** Throws a 429. Returns a promise if other requests of the same client come first. */
  begin(request: FastifyRequest, reply: FastifyReply, spender: Spender): Promise<void> | undefined
  end(request: FastifyRequest, payload: unknown): void
}

export function createMeter(meter: ClientMeter | null, metrics: Metrics): Meter {
  return {
    begin(request, reply, { caller, share, thing, networks, isLong }) {
      if (meter === null || networks.length === 0) return
      const refuse = (refusal: MeterRefusal) => {
        metrics.clientRefused(request)
        throw tooManyRequests(refusal.retryAfterSeconds)
      }
      const scope = typeof caller === 'string' ? caller : budgetScope(caller, share)
      const visit = meter.enter({ networks, scope }, { thing, isLong })
      if ('retryAfterSeconds' in visit) return refuse(visit)
      request.metered = meteredRequest(visit)
      // Also ends it without an answer, when the client has left.
      const close = () => request.metered?.close()
      reply.raw.once('finish', close).once('close', close)
      return visit.turn?.then((refusal) => {
        if (refusal !== null) refuse(refusal)
      })
    },
    // Counts characters instead of bytes: close enough, and counting the bytes of some megabytes takes time.
    end: (request, payload) =>
      request.metered?.end(typeof payload === 'string' || payload instanceof Buffer ? payload.length : 0),
  }
}

const budgetScope = ({ merchantId, isSandbox }: Pick<Caller, 'merchantId' | 'isSandbox'>, share = 'gathering') =>
  `${merchantId} ${isSandbox ? 'sandbox' : 'live'} ${share}`

/**
 * Larger answers keep their slot until the client has read them. Otherwise a slow reader with many connections could make us hold as many
 * large answers in memory.
 */
const LARGE_BYTES = 262_144

function meteredRequest({ leave, release }: MeteredVisit): MeteredRequest {
  let lines = 0
  let resultId: string | undefined
  return {
    weigh(read, id) {
      lines += read
      resultId = id ?? resultId
    },
    end: (bytes) => leave(costOf({ lines, bytes }), resultId, bytes > LARGE_BYTES),
    close() {
      leave(costOf({ lines, bytes: 0 }), resultId)
      release()
    },
  }
}

/** Metering of one endpoint. Null if it needs the secret key, which a server uses for many shoppers. */
export function createEndpointMeter(endpoint: Endpoint, { begin, end }: Meter) {
  if (!isOpenToBrowsers(endpoint)) return null
  const { metered, operation } = endpoint
  const parameter = firstParameter(endpoint)
  const isList = endpoint.query?.properties.limit !== undefined
  return {
    begin(request: FastifyRequest, reply: FastifyReply, caller: Caller, networks: readonly string[]) {
      return begin(request, reply, {
        caller,
        ...(metered === undefined && { share: 'reading' }),
        thing: (request.params as Record<string, string>)[parameter] ?? operation,
        networks,
        isLong: metered === 'long',
      })
    },
    /** Runs before the lookup: a client pays for the entries that it requests, even if there are fewer. */
    weighEntries({ metered: visit, query }: FastifyRequest) {
      if (isList) visit?.weigh(Math.min((query as { limit?: number }).limit ?? MAX_LIMIT, MAX_LIMIT))
    },
    end: ((request, _reply, payload, done) => {
      end(request, payload)
      done(null, payload)
    }) as onSendHookHandler,
  }
}

/** Router name of the parameter that a path is about: `/v1/probes/:id/parts/:part_id` is about one probe. */
const firstParameter = ({ path }: Endpoint): string => /:(\w+)/.exec(path)?.[1] ?? ''

/**
 * Each request costs as much as a hundred cart lines, because it may call a provider. 30 a second, and 1,200 at once, are below the limit.
 */
const OPEN_REQUEST_LINES = 90

/**
 * Metering for a path outside /v1 that needs no key and may call a provider. Its budget is separate from the client's other requests to
 * the shop. A provider is such a client too, so each gateway has its own budget.
 */
export const meterProviderCalls = (server: FastifyInstance, scopeOf: (params: Record<string, string>) => string) => ({
  async onRequest(request: FastifyRequest, reply: FastifyReply) {
    const scope = scopeOf(request.params as Record<string, string>)
    await server.metering.begin(request, reply, {
      caller: scope,
      thing: scope,
      networks: networksOf(request.ip),
      isLong: true,
    })
    request.metered?.weigh(OPEN_REQUEST_LINES)
  },
  async onSend(request: FastifyRequest, _reply: FastifyReply, payload: unknown) {
    server.metering.end(request, payload)
    return payload
  },
})

/** Metering for a path outside /v1 that needs no key and costs by the lines it reads, like carts and checkouts. */
export const meterByLines = (
  server: FastifyInstance,
  scopeOf: (params: Record<string, string>) => string,
  isLong: boolean,
) => ({
  async onRequest(request: FastifyRequest, reply: FastifyReply) {
    const params = request.params as Record<string, string>
    const scope = scopeOf(params)
    await server.metering.begin(request, reply, {
      caller: scope,
      thing: params.id ?? scope,
      networks: networksOf(request.ip),
      isLong,
    })
  },
  async onSend(request: FastifyRequest, _reply: FastifyReply, payload: unknown) {
    server.metering.end(request, payload)
    return payload
  },
})

// Refuses requests without room: writes of strangers while the disk is nearly full, and new objects in a full sandbox. The check comes
// first, because PostgreSQL must never fill the disk. Callers with a secret key may continue, to free space.

/** Retry interval: freeing space needs a person. */
const RETRY_SECONDS = 60

export const noRoomError = () =>
  unavailable('The server is low on disk space and cannot save anything at the moment. Try again later.', RETRY_SECONDS)

export function refuseWithoutRoom(
  { method, writes, makes }: Pick<Endpoint, 'method' | 'writes' | 'makes'>,
  caller: Caller,
  disk: Disk,
) {
  if (caller.isSecret) return
  if (disk.isShort() && (method !== 'GET' || writes)) throw noRoomError()
  if (makes !== undefined && isSandboxFull(caller, makes)) throw sandboxFull(makes)
}

/** True if this caller may create no more of this kind. For endpoints that do not create one with every request: their rule calls it. */
export const isSandboxFull = ({ isSecret, isSandbox, fullSandbox }: Caller, kind: Quota): boolean =>
  !isSecret && isSandbox && (fullSandbox?.includes(kind) ?? false)
