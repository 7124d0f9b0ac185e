// The one way by which anything is asked of a payment provider over the network. No redirect is followed, a reply has a most of bytes and
// is JSON, connections are kept for a moment, and a failure says whether the provider can have seen the request. Nothing is sent twice,
// but for what the provider says it has not executed (429). What a refusal means is for each gateway to say.

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
import { isObject, parseJson } from './json.ts'

export type ProviderRequest = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly url: string
  readonly headers: OutgoingHttpHeaders
  readonly body?: string
  /** Ends everything: connecting, and the reply that is being read. */
  readonly signal: AbortSignal
  /** The reply is text and no JSON, and a refusal needs no words: a certificate, say. */
  readonly isText?: true
  /** Whether a reply says that somebody else is at it at this moment: it leaves open what has happened, also with the status 429. */
  isBusy?(reply: ProviderReply): boolean
}

/**
 * `body` is what the JSON holds, or the text (`isText`); undefined where there is none, as with 204, or with 401 and 403 that are not written in
 * JSON.
 */
export type ProviderReply = {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: unknown
}

/**
 * Gives what the provider has decided: a success, or a refusal with 4xx in its own words. Everything else is thrown as `GatewayUnavailable`:
 * what did not get there, a timeout, a reply that breaks off or is none, a page, a redirect, 408, 429 and 5xx.
 */
export type ProviderClient = {
  (request: ProviderRequest): Promise<ProviderReply>
  /** Lets go of the connections that are kept. */
  close(): void
}

const MOST_BYTES = 1_048_576
/** At most so many connections to one host. A provider that hangs holds up its own payments only. */
const MOST_CONNECTIONS = 64
/** Shorter than servers keep them: a request on a connection that is being closed would leave open whether it got there. */
const KEPT_MS = 4_000
/** Waiting longer than this for a provider that is busy, a shopper would rather hear that it did not work. */
const LONGEST_RETRY_MS = 3_000

/** Calls, by their signals, in which a provider has said something: it is up, whatever it has said. */
const answered = new WeakSet<AbortSignal>()

export const hasAnswered = (signal: AbortSignal): boolean => answered.has(signal)

/** `name`: what providers see as the sender. */
export function providerClient(name = 'Cartwright'): ProviderClient {
  const options = { keepAlive: true, maxSockets: MOST_CONNECTIONS, maxFreeSockets: 8, timeout: KEPT_MS }
  const agents = { 'http:': new http.Agent(options), 'https:': new https.Agent(options) } as const
  // A request that had to wait for one of them gets it without being told that it was used before.
  const connected = new WeakSet<Socket>()

  async function ask(request: ProviderRequest): Promise<ProviderReply> {
    const reply = await exchange(request)
    if (reply.status < 500) answered.add(request.signal)
    if (reply.status !== 429 || request.isBusy?.(reply)) return decided(request, reply)
    await pause(retryMs(reply.headers), undefined, { signal: request.signal }).catch((cause: unknown) => {
      throw notExecuted(request, cause)
    })
    return decided(request, await exchange(request))
  }

  /** Sends it once, and gives whatever comes back. */
  function exchange(request: ProviderRequest): Promise<ProviderReply> {
    return new Promise((resolve, reject) => {
      const url = new URL(request.url)
      const isTls = url.protocol === 'https:'
      let isConnected = false
      const fail = (cause: unknown) =>
        // What could not connect has sent nothing.
        reject(
          new GatewayUnavailable(
            `${nameOf(url)} ${isConnected ? 'broke off before it had answered' : 'could not be reached'}.`,
            { isNothingCharged: !isConnected, isOutage: true, cause },
          ),
        )
      const outgoing = begin(request, url)
      outgoing.once('socket', (socket) => {
        isConnected = outgoing.reusedSocket || connected.has(socket)
        if (isConnected) return
        socket.once(isTls ? 'secureConnect' : 'connect', () => {
          connected.add(socket)
          isConnected = true
        })
      })
      outgoing.on('error', fail)
      let hasReply = false
      outgoing.once('close', () => {
        if (!hasReply) fail(new Error('The connection was closed without a reply.'))
      })
      outgoing.once('response', (incoming) => {
        hasReply = true
        isConnected = true
        readReply(incoming, request).then(resolve, fail)
      })
      outgoing.end(request.body)
    })
  }

  function begin(request: ProviderRequest, url: URL): ClientRequest {
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
      // Credentials may have been pasted with a line break in them.
      const problem = `${nameOf(url)} cannot be asked: something in the settings cannot stand in a request.`
      throw new GatewayUnavailable(problem, { isNothingCharged: true, cause })
    }
  }

  return Object.assign(ask, {
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

/** The host alone: an address may name a payment. */
const nameOf = ({ host }: URL) => host

async function readReply(incoming: IncomingMessage, { isText }: ProviderRequest): Promise<ProviderReply> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    size += chunk.length
    // Leaving the loop destroys the connection.
    if (size > MOST_BYTES) throw new Error(`The reply has more than ${MOST_BYTES} bytes.`)
    chunks.push(chunk)
  }
  if (!incoming.complete) throw new Error('The reply broke off.')
  const text = Buffer.concat(chunks).toString('utf8')
  return { status: incoming.statusCode ?? 0, headers: incoming.headers, body: isText ? text : parseJson(text) }
}

/** What the provider has decided; the rest is thrown. */
function decided(request: ProviderRequest, reply: ProviderReply): ProviderReply {
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

// A page of somebody in between, or nothing at all, is no word of the provider's: a 404 without one does not say that there is no payment.

const isAnswer = ({ status, body }: ProviderReply): boolean =>
  status === 204 || (status >= 200 && status < 300 && body !== undefined)

/** Who is not let in has done nothing, whoever says so. */
const isRefusal = ({ status, body }: ProviderReply, { isText }: ProviderRequest): boolean =>
  status === 401 ||
  status === 403 ||
  (status >= 400 && status < 500 && status !== 408 && (isText === true || isObject(body)))

const notExecuted = ({ url }: ProviderRequest, cause?: unknown) =>
  new GatewayUnavailable(`${nameOf(new URL(url))} takes no more requests at the moment.`, {
    isNothingCharged: true,
    cause,
  })

/** `Retry-After` in seconds; a date in it, or none, is a second. */
function retryMs({ 'retry-after': value }: IncomingHttpHeaders): number {
  const seconds = Number(value)
  return Number.isFinite(seconds) && seconds >= 0 ? Math.min(seconds * 1_000, LONGEST_RETRY_MS) : 1_000
}
