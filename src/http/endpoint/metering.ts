// Refuses requests that would cost too much: those that there is no room for, and those of a client that has spent its share.

// Every endpoint that is open without a secret key is metered: a client that has spent its share is refused before its body is
// read and the database is asked, and what a request did cost is counted once its answer is written. What shoppers gather and what they
// only read are two shares: a client that reads a catalogue without end can still pay for its cart. docs/decisions/0090.

import type { FastifyInstance, FastifyReply, FastifyRequest, onSendHookHandler } from 'fastify'
import { networksOf } from '../../lib/addresses.ts'
import { type Quota, sandboxFull, tooManyRequests, unavailable } from '../../lib/errors.ts'
import { MAX_LIMIT } from '../../lib/page.ts'
import { isOpen } from '../server/cors.ts'
import type { Metrics } from '../server/metrics.ts'
import { type ClientMeter, costOf, type Refusal, type Visit } from './client-meter.ts'
import type { Caller, Disk, Endpoint } from './endpoint.ts'

/** A request that is being metered. */
type MeteredRequest = {
  /** So many lines were read for it. `resultId`: the id of what came of them. */
  weigh(lines: number, resultId?: string): void
  /** Its answer is written, and on its way. */
  end(bytes: number): void
  /** Its answer is out, or the client has left. */
  close(): void
}

declare module 'fastify' {
  interface FastifyRequest {
    /** null where nothing is metered: another kind of endpoint, a secret key, or a service without the limit. */
    metered: MeteredRequest | null
  }
  interface FastifyInstance {
    metering: Meter
  }
}

type Spender = {
  /** The share is one of the shop and mode; or, by a name, of an address that needs no key. */
  readonly caller: Pick<Caller, 'merchantId' | 'isSandbox'> | string
  /** Which of the shop's shares; unless given, that of carts and checkouts. */
  readonly share?: 'reading'
  /** The id of what the request is about, or the name of the list. */
  readonly thing: string
  /** Those that the client may hold, the narrowest first; none where it is not limited. */
  readonly networks: readonly string[]
  readonly isLong: boolean
}

export type Meter = {
  /** Throws a 429. A promise where others of the same client come first. */
  begin(request: FastifyRequest, reply: FastifyReply, spender: Spender): Promise<void> | undefined
  end(request: FastifyRequest, payload: unknown): void
}

export function metering(meter: ClientMeter | null, metrics: Metrics): Meter {
  return {
    begin(request, reply, { caller, share, thing, networks, isLong }) {
      if (meter === null || networks.length === 0) return
      const refuse = (refusal: Refusal) => {
        metrics.clientRefused(request)
        throw tooManyRequests(refusal.retryAfterSeconds)
      }
      const scope = typeof caller === 'string' ? caller : scopeOf(caller, share)
      const visit = meter.enter({ networks, scope }, { thing, isLong })
      if ('retryAfterSeconds' in visit) return refuse(visit)
      request.metered = meteredRequest(visit)
      // Ends it also when there was no answer, because the client has left.
      const close = () => request.metered?.close()
      reply.raw.once('finish', close).once('close', close)
      return visit.turn?.then((refusal) => {
        if (refusal !== null) refuse(refusal)
      })
    },
    // Characters and not bytes: near enough, and counting bytes of some megabytes takes its time.
    end: (request, payload) =>
      request.metered?.end(typeof payload === 'string' || payload instanceof Buffer ? payload.length : 0),
  }
}

const scopeOf = ({ merchantId, isSandbox }: Pick<Caller, 'merchantId' | 'isSandbox'>, share = 'gathering') =>
  `${merchantId} ${isSandbox ? 'sandbox' : 'live'} ${share}`

/**
 * Larger answers keep their turn until the client has read them. Else a client that reads slowly, over many connections, could have us hold
 * as many large answers in memory as it has connections.
 */
const LARGE_BYTES = 262_144

function meteredRequest({ leave, release }: Visit): MeteredRequest {
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

/** How the requests of one endpoint are metered; null where it takes the secret key, which is a server's and speaks for many shoppers. */
export function meterOf(endpoint: Endpoint, { begin, end }: Meter) {
  if (!isOpen(endpoint)) return null
  const { metered, operation } = endpoint
  const parameter = firstParameterOf(endpoint)
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
    /** Before they are looked for: a client pays for the entries that it asks for, also where there are fewer. */
    weighEntries({ metered: visit, query }: FastifyRequest) {
      if (isList) visit?.weigh(Math.min((query as { limit?: number }).limit ?? MAX_LIMIT, MAX_LIMIT))
    },
    end: ((request, _reply, payload, done) => {
      end(request, payload)
      done(null, payload)
    }) as onSendHookHandler,
  }
}

/** Under which name the router gives what an address is about: `/v1/probes/:id/parts/:part_id` is about one probe. */
const firstParameterOf = ({ path }: Endpoint): string => /:(\w+)/.exec(path)?.[1] ?? ''

/** As much as a hundred lines of a cart: for each one somebody else's server may be asked. 30 a second, and 1,200 at once, are below the limit. */
const LINES_OF_OPEN = 90

/**
 * For an address outside of /v1 that needs no key and makes us ask a provider: what one client may cost there, apart from all else that it
 * does in the shop. A provider is such a client too, so it counts for each gateway by itself.
 */
export const meteredOpenly = (server: FastifyInstance, scopeOf: (params: Record<string, string>) => string) => ({
  async onRequest(request: FastifyRequest, reply: FastifyReply) {
    const scope = scopeOf(request.params as Record<string, string>)
    await server.metering.begin(request, reply, {
      caller: scope,
      thing: scope,
      networks: networksOf(request.ip),
      isLong: true,
    })
    request.metered?.weigh(LINES_OF_OPEN)
  },
  async onSend(request: FastifyRequest, _reply: FastifyReply, payload: unknown) {
    server.metering.end(request, payload)
    return payload
  },
})

/** For an address outside of /v1 that needs no key and costs what the lines do that it reads, as carts and checkouts do. */
export const meteredByLines = (
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

// Requests that there is no room for: what strangers would write while the disk is nearly full, and what the sandbox of a shop holds enough
// of. Refused before anything is read: PostgreSQL must never come to the end of the disk. Whoever has a secret key may go on, to make room.

/** When it may be worth another try: making room takes a person. */
const RETRY_SECONDS = 60

export const noRoom = () =>
  unavailable('The server is short of disk space and saves nothing more at the moment. Try again later.', RETRY_SECONDS)

export function refuseWithoutRoom(
  { method, writes, makes }: Pick<Endpoint, 'method' | 'writes' | 'makes'>,
  caller: Caller,
  disk: Disk,
) {
  if (caller.isSecret) return
  if (disk.isShort() && (method !== 'GET' || writes)) throw noRoom()
  if (makes !== undefined && isSandboxFull(caller, makes)) throw sandboxFull(makes)
}

/** Whether this caller makes no more of it. For what is not made by every request of an endpoint: there the rule asks. */
export const isSandboxFull = ({ isSecret, isSandbox, fullSandbox }: Caller, kind: Quota): boolean =>
  !isSecret && isSandbox && (fullSandbox?.includes(kind) ?? false)
