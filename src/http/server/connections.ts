// What one client may hold of connections and memory, and which connections a stop ends.

// Without a share, a client that opens all connections and says nothing closes the service for everybody.

import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyBaseLogger } from 'fastify'
import { networksOf, perNetwork } from '../../lib/addresses.ts'
import type { IsTrusted } from './trusted-proxies.ts'

const BEYOND =
  'One client holds as many connections as a client may, and its further ones are closed. If that address is a proxy of yours, name it in TRUST_PROXY: connections of trusted proxies are not counted.'

/**
 * Closes at once what is beyond the share of a client's network. A trusted proxy speaks for many clients and has no share. Each process
 * counts its own connections.
 */
export function shareConnections(
  server: Server,
  share: number,
  isTrusted: IsTrusted,
  log: Pick<FastifyBaseLogger, 'warn'>,
) {
  const held = new Map<string, number>()
  let isLogged = false
  server.on('connection', (socket: Socket) => {
    const { remoteAddress: address } = socket
    // It has left already, or is no network connection.
    if (address === undefined || isTrusted(address, 0)) return
    const shares = perNetwork(networksOf(address), share)
    if (shares.some(({ network, most }) => (held.get(network) ?? 0) >= most)) {
      socket.destroy()
      // Once: whoever opens them in a loop must not fill the log.
      if (!isLogged) log.warn({ address, share }, BEYOND)
      isLogged = true
      return
    }
    for (const { network } of shares) held.set(network, (held.get(network) ?? 0) + 1)
    socket.once('close', () => {
      for (const { network } of shares) {
        const left = (held.get(network) ?? 1) - 1
        if (left === 0) held.delete(network)
        else held.set(network, left)
      }
    })
  })
}

// Requests on one connection that wait for their answers. Node hands over all that a packet holds before the first has been answered, and
// keeps every answer until the client reads it: a few kilobytes of requests, sent without reading, would take gigabytes of answers.

/** A connection with more of them than `most` is closed. Browsers and the usual clients wait for an answer before they ask again. */
export function boundUnansweredRequests(server: Server, most: number, log: Pick<FastifyBaseLogger, 'info'>) {
  const unanswered = new WeakMap<Socket, number>()
  // Before Fastify, which would begin to answer.
  server.prependListener('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    const count = (unanswered.get(socket) ?? 0) + 1
    unanswered.set(socket, count)
    // Also comes, instead of an end of the answer, when the client leaves.
    response.once('close', () => unanswered.set(socket, (unanswered.get(socket) ?? 1) - 1))
    if (count <= most || socket.destroyed) return
    log.info({ most }, 'connection closed: too many requests on it wait for their answers')
    socket.destroy()
  })
}

/** True of a request whose connection was closed before anything was done for it: the rest of a packet. Nothing answers it. */
export const hasNobodyToAnswer = ({ socket }: IncomingMessage): boolean => socket.destroyed

// Connections on which nothing has been asked yet, as browsers open them in advance. Node does not count them as idle, and of those whose
// TLS handshake has not ended it knows nothing, so without this each of them would hold up a stop until its time is over.

/** A request that is on its way when the stop begins still gets its answer. */
const GRACE_MS = 200

/** Returns what ends them; to be called once the server takes no new connections. */
export function watchSilentConnections(server: Server): () => void {
  const silent = new Set<Socket>()
  /** By their client's address and port: Node does not say which connection a TLS socket stands on. */
  const handshakes = new Map<string, Socket>()
  const watch = (socket: Socket) => {
    silent.add(socket)
    socket.once('close', () => silent.delete(socket))
  }
  server.on('connection', (socket: Socket) => {
    watch(socket)
    if (!('setSecureContext' in server)) return
    const client = clientOf(socket)
    handshakes.set(client, socket)
    socket.once('close', () => {
      if (handshakes.get(client) === socket) handshakes.delete(client)
    })
  })
  server.on('secureConnection', (socket: Socket) => {
    const client = clientOf(socket)
    const below = handshakes.get(client)
    handshakes.delete(client)
    if (below) silent.delete(below)
    watch(socket)
  })
  server.on('request', ({ socket }) => silent.delete(socket))
  return () => {
    const end = () => {
      for (const socket of silent) socket.destroy()
    }
    setTimeout(end, GRACE_MS).unref()
  }
}

const clientOf = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress} ${remotePort}`
