// The only HTTP client for payment providers. It follows no redirects, limits the reply size and accepts only JSON.
// It keeps connections open for a moment. Each failure says if the provider can have seen the request.
// It never repeats a request, except after 429, where the provider has not executed it. Each gateway interprets the refusals itself.

import http, {
  type ClientRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type OutgoingHttpHeaders,
} from 'node:http'
import https from 'node:https'
import type { Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { GatewayUnavailable } from '../call.ts'
import { isObject, tryParseJson } from './json.ts'

export type ProviderRequest = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly url: string
  readonly headers: OutgoingHttpHeaders
  readonly body?: string
  /** Aborts everything: connecting, and reading the reply. */
  readonly signal: AbortSignal
  /** The reply is text instead of JSON, such as a certificate. A refusal needs no body. */
  readonly isText?: true
  /** True if the reply reports a concurrent request. The outcome is then unknown, even with the status 429. */
  isBusy?(reply: ProviderReply): boolean
}

/** `body` is the parsed JSON, or the text (`isText`). It is undefined if there is none, as with 204, or if a 401 or 403 has no JSON. */
export type ProviderReply = {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: unknown
}

/**
 * Returns the provider's decision: a success, or a refusal with 4xx in its own words. Everything else throws `GatewayUnavailable`: a failed
 * connection, a timeout, a broken or missing reply, an HTML page, a redirect, 408, 429 and 5xx.
 */
export type ProviderClient = {
  (request: ProviderRequest): Promise<ProviderReply>
  /** Closes the idle connections. */
  close(): void
}

const MAX_REPLY_BYTES = 1_048_576
/** Maximum number of connections to one host. A hanging provider blocks only its own payments. */
const MAX_CONNECTIONS = 64
/** Shorter than servers keep connections. A request on a closing connection would leave open if it arrived. */
const KEEP_ALIVE_MS = 4_000
/** A shopper should rather see an error than wait longer than this for a busy provider. */
const MAX_RETRY_MS = 3_000

/** Signals of the calls that a provider answered. Any answer shows that it is up. */
const answeredSignals = new WeakSet<AbortSignal>()

export const hasAnswered = (signal: AbortSignal): boolean => answeredSignals.has(signal)

/** `name` is the user agent that providers see. */
export function providerClient(name = 'Cartwright'): ProviderClient {
  const options = { keepAlive: true, maxSockets: MAX_CONNECTIONS, maxFreeSockets: 8, timeout: KEEP_ALIVE_MS }
  const agents = { 'http:': new http.Agent(options), 'https:': new https.Agent(options) } as const
  // A request that waited for a free connection is not told that it is a reused one. So we track connected sockets ourselves.
  const connectedSockets = new WeakSet<Socket>()

  async function sendWithRetry(request: ProviderRequest): Promise<ProviderReply> {
    const reply = await exchange(request)
    if (reply.status < 500) answeredSignals.add(request.signal)
    if (reply.status !== 429 || request.isBusy?.(reply)) return requireDecision(request, reply)
    await pause(retryMs(reply.headers), undefined, { signal: request.signal }).catch((cause: unknown) => {
      throw notExecuted(request, cause)
    })
    return requireDecision(request, await exchange(request))
  }

  /** Sends the request once and returns any reply. */
  function exchange(request: ProviderRequest): Promise<ProviderReply> {
    return new Promise((resolve, reject) => {
      const url = new URL(request.url)
      const isTls = url.protocol === 'https:'
      let isConnected = false
      const rejectWith = (cause: unknown) =>
        // Nothing was sent without a connection.
        reject(
          new GatewayUnavailable(
            `${nameOf(url)} ${isConnected ? 'gave no complete answer' : 'could not be reached'}.`,
            { isNothingCharged: !isConnected, isOutage: true, cause },
          ),
        )
      const outgoing = openRequest(request, url)
      outgoing.once('socket', (socket) => {
        isConnected = outgoing.reusedSocket || connectedSockets.has(socket)
        if (isConnected) return
        socket.once(isTls ? 'secureConnect' : 'connect', () => {
          connectedSockets.add(socket)
          isConnected = true
        })
      })
      outgoing.on('error', rejectWith)
      let hasReply = false
      outgoing.once('close', () => {
        if (!hasReply) rejectWith(new Error('The connection was closed without a reply.'))
      })
      outgoing.once('response', (incoming) => {
        hasReply = true
        isConnected = true
        readReply(incoming, request).then(resolve, rejectWith)
      })
      outgoing.end(request.body)
    })
  }

  function openRequest(request: ProviderRequest, url: URL): ClientRequest {
    const isTls = url.protocol === 'https:'
    try {
      return (isTls ? https : http).request(url, {
        method: request.method,
        headers: headersOf(request, name),
        agent: isTls ? agents['https:'] : agents['http:'],
        signal: request.signal,
        maxHeaderSize: 65_536,
      })
    } catch (cause) {
      // Pasted credentials may contain a line break.
      const problem = `${nameOf(url)} cannot be called: the gateway’s settings contain an invalid character.`
      throw new GatewayUnavailable(problem, { isNothingCharged: true, cause })
    }
  }

  return Object.assign(sendWithRetry, {
    close() {
      for (const agent of Object.values(agents)) agent.destroy()
    },
  })
}

const headersOf = ({ headers, body, isText }: ProviderRequest, name: string): OutgoingHttpHeaders => ({
  accept: isText ? '*/*' : 'application/json',
  'accept-encoding': 'identity',
  'user-agent': name,
  ...(body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }),
  ...headers,
})

/** Only the host: a path may identify a payment. */
const nameOf = ({ host }: URL) => host

async function readReply(incoming: IncomingMessage, { isText }: ProviderRequest): Promise<ProviderReply> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    size += chunk.length
    // Leaving the loop destroys the connection.
    if (size > MAX_REPLY_BYTES) throw new Error(`The reply has more than ${MAX_REPLY_BYTES} bytes.`)
    chunks.push(chunk)
  }
  if (!incoming.complete) throw new Error('The reply is incomplete.')
  const text = Buffer.concat(chunks).toString('utf8')
  return { status: incoming.statusCode ?? 0, headers: incoming.headers, body: isText ? text : tryParseJson(text) }
}

/** Returns the provider's decision and throws for the rest. */
function requireDecision(request: ProviderRequest, reply: ProviderReply): ProviderReply {
  const { status, body } = reply
  const host = nameOf(new URL(request.url))
  if (request.isBusy?.(reply))
    throw new GatewayUnavailable(`${host} is busy with this payment.`, { isNothingCharged: false })
  if (status === 429) throw notExecuted(request)
  if (isAnswer(reply) || isRefusal(reply, request)) return reply
  throw new GatewayUnavailable(`${host} answered with ${status}${body === undefined ? ' and no JSON' : ''}.`, {
    isNothingCharged: false,
    isOutage: status >= 500,
  })
}

// A page of a proxy, or an empty body, does not come from the provider. A 404 without JSON does not prove that a payment is missing.

const isAnswer = ({ status, body }: ProviderReply): boolean =>
  status === 204 || (status >= 200 && status < 300 && body !== undefined)

/** With 401 and 403 nothing was executed, whoever sent the reply. */
const isRefusal = ({ status, body }: ProviderReply, { isText }: ProviderRequest): boolean =>
  status === 401 ||
  status === 403 ||
  (status >= 400 && status < 500 && status !== 408 && (isText === true || isObject(body)))

const notExecuted = ({ url }: ProviderRequest, cause?: unknown) =>
  new GatewayUnavailable(`${nameOf(new URL(url))} accepts no more requests at the moment.`, {
    isNothingCharged: true,
    cause,
  })

/** `Retry-After` in seconds. A date, or no header, counts as one second. */
function retryMs({ 'retry-after': value }: IncomingHttpHeaders): number {
  const seconds = Number(value)
  return Number.isFinite(seconds) && seconds >= 0 ? Math.min(seconds * 1_000, MAX_RETRY_MS) : 1_000
}
