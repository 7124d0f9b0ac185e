// Refuses requests of a client over its budget, and requests for which the disk or the sandbox has no room.

// Every endpoint that needs no secret key is metered. A client over its budget is refused before its body is read and
// before any query. The cost of a request is counted when its answer is written. Carts and checkouts have one budget,
// and reading has another. A client that reads a catalogue without end can therefore still pay. See
// docs/decisions/0090.

import type { FastifyInstance, FastifyReply, FastifyRequest, onSendHookHandler } from 'fastify'
import { networksOf } from '../../lib/addresses.ts'
import { type Quota, sandboxFull, tooManyRequests, unavailable } from '../../lib/errors.ts'
import { MAX_LIMIT } from '../../lib/page.ts'
import { isOpenToBrowsers } from '../server/cors.ts'
import type { Metrics } from '../server/metrics.ts'
import { type ClientMeter, costOf, type MeteredVisit, type MeterRefusal } from './client-meter.ts'
import type { Caller, Disk, Endpoint } from './endpoint.ts'

type MeteredRequest = {
  /** Adds lines that the request reads. `resultId` is the id of the object that it returns. */
  reportLinesRead(lines: number, resultId?: string): void
  /** Counts the cost when the answer is written. A large answer keeps its slot. */
  end(bytes: number): void
  /** Releases the slot when the answer is sent or the client has left. */
  close(): void
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Null if the request is not metered: its endpoint or its key has no limit, or the operator set none. */
    metered: MeteredRequest | null
  }
  interface FastifyInstance {
    metering: Meter
  }
}

type Spender = {
  /** Owner of the budget: a shop in one mode, or the name of a path that needs no key. */
  readonly caller: Pick<Caller, 'merchant_id' | 'is_sandbox'> | string
  /** The shop's budget to use. Default: that of carts and checkouts. */
  readonly share?: 'reading'
  /** Id of the object that the request is about, or the name of the list. */
  readonly thing: string
  /** Networks that the client may own, narrowest first. Empty if the client has no limit. */
  readonly networks: readonly string[]
  readonly isLong: boolean
}

export type Meter = {
  /** Throws a 429 over the budget. Returns a promise if the request must wait for others of the same client. */
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
      // A client that leaves gets no answer, and its request still has to end.
      const close = () => request.metered?.close()
      reply.raw.once('finish', close).once('close', close)
      return visit.turn?.then((refusal) => {
        if (refusal !== null) refuse(refusal)
      })
    },
    // Counts characters instead of bytes. The difference is small, and counting the bytes of a large answer takes time.
    end: (request, payload) =>
      request.metered?.end(typeof payload === 'string' || payload instanceof Buffer ? payload.length : 0),
  }
}

const budgetScope = ({ merchant_id, is_sandbox }: Pick<Caller, 'merchant_id' | 'is_sandbox'>, share = 'gathering') =>
  `${merchant_id} ${is_sandbox ? 'sandbox' : 'live'} ${share}`

/**
 * Larger answers keep their slot until they are sent. Otherwise a slow client could open many connections and fill our
 * memory with large answers.
 */
const LARGE_BYTES = 262_144

function meteredRequest({ leave, release }: MeteredVisit): MeteredRequest {
  let lines = 0
  let resultId: string | undefined
  return {
    reportLinesRead(read, id) {
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
    /** Runs before the lookup. A client pays for the entries that it requests, even if there are fewer. */
    reportRequestedEntries({ metered: visit, query }: FastifyRequest) {
      if (isList) visit?.reportLinesRead(Math.min((query as { limit?: number }).limit ?? MAX_LIMIT, MAX_LIMIT))
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
 * Each request costs as much as reading 90 cart lines, because it may call a provider. The default budget of a network
 * allows about 30 a second, and about 1,200 in a burst.
 */
const OPEN_REQUEST_LINES = 90

/**
 * Metering for a path outside /v1 that needs no key and may call a provider. Its budget is separate from that of the
 * client's other requests to the shop. `scopeOf` names the budget. Providers send requests here too, so each gateway
 * has its own budget.
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
    request.metered?.reportLinesRead(OPEN_REQUEST_LINES)
  },
  async onSend(request: FastifyRequest, _reply: FastifyReply, payload: unknown) {
    server.metering.end(request, payload)
    return payload
  },
})

/**
 * Metering for a path outside /v1 that needs no key. Its requests cost by the lines they read, like carts and
 * checkouts.
 */
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

// Refuses writes while the disk is nearly full, and new objects in a full sandbox. PostgreSQL must never fill the disk.
// Callers with a secret key may continue, so that they can free space.

/** Sent as `Retry-After`. A person has to free the space. */
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

/**
 * True if the caller may create no more of this kind. Rules call it if only some requests of their endpoint create one.
 */
export const isSandboxFull = ({ isSecret, is_sandbox, fullSandbox }: Caller, kind: Quota): boolean =>
  !isSecret && is_sandbox && (fullSandbox?.includes(kind) ?? false)
