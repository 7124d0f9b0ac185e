// Limits the connections and memory of one client, and ends silent connections at a stop.

// Connection limit per client. Without it, a client that opens all connections and stays silent locks out everybody else.

import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyBaseLogger } from 'fastify'
import { networksOf, perNetwork } from '../../lib/addresses.ts'
import type { IsTrusted } from './trusted-proxies.ts'

const LIMIT_MESSAGE =
  'A client has reached the limit of connections; its further ones are closed. If the address is your proxy, name it in TRUST_PROXY: connections of trusted proxies are not counted.'

/**
 * Closes connections above the limit of a client's network. A trusted proxy serves many clients and has no limit. Each process counts its
 * own connections.
 */
export function shareConnections(
  server: Server,
  share: number,
  isTrusted: IsTrusted,
  log: Pick<FastifyBaseLogger, 'warn'>,
) {
  const openConnections = new Map<string, number>()
  let isLogged = false
  server.on('connection', (socket: Socket) => {
    const { remoteAddress: address } = socket
    // It has closed already, or is no network connection.
    if (address === undefined || isTrusted(address, 0)) return
    const shares = perNetwork(networksOf(address), share)
    if (shares.some(({ network, most }) => (openConnections.get(network) ?? 0) >= most)) {
      socket.destroy()
      // Only once: a client that opens them in a loop must not fill the log.
      if (!isLogged) log.warn({ address, share }, LIMIT_MESSAGE)
      isLogged = true
      return
    }
    for (const { network } of shares) openConnections.set(network, (openConnections.get(network) ?? 0) + 1)
    socket.once('close', () => {
      for (const { network } of shares) {
        const remaining = (openConnections.get(network) ?? 1) - 1
        if (remaining === 0) openConnections.delete(network)
        else openConnections.set(network, remaining)
      }
    })
  })
}

// Limits unanswered requests on one connection. Node passes on all requests of a packet before the first is answered, and keeps every
// answer until the client reads it. So a few kilobytes of requests could use gigabytes for answers.

/** Closes a connection with more than `most` unanswered requests. Browsers and usual clients wait for each answer. */
export function limitUnansweredRequests(server: Server, most: number, log: Pick<FastifyBaseLogger, 'info'>) {
  const unanswered = new WeakMap<Socket, number>()
  // Runs before Fastify, which would start to answer.
  server.prependListener('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    const count = (unanswered.get(socket) ?? 0) + 1
    unanswered.set(socket, count)
    // Also emitted, instead of the answer's end, when the client leaves.
    response.once('close', () => unanswered.set(socket, (unanswered.get(socket) ?? 1) - 1))
    if (count <= most || socket.destroyed) return
    log.info({ most }, 'connection closed: it has too many unanswered requests')
    socket.destroy()
  })
}

/** True if the connection was closed before the request was handled. It is the rest of a packet and needs no answer. */
export const isConnectionClosed = ({ socket }: IncomingMessage): boolean => socket.destroyed

// Tracks connections without a request so far, which browsers open in advance. Node does not count them as idle, and does not know those
// with an unfinished TLS handshake. Without this, each of them would delay a stop until its time is over.

/** Time for a request that is already on its way when the stop begins. */
const GRACE_MS = 200

/** Returns a function that ends these connections. Call it once the server accepts no new connections. */
export function watchSilentConnections(server: Server): () => void {
  const silent = new Set<Socket>()
  /** Sockets by the client's address and port: Node does not expose the connection below a TLS socket. */
  const handshakes = new Map<string, Socket>()
  const watch = (socket: Socket) => {
    silent.add(socket)
    socket.once('close', () => silent.delete(socket))
  }
  server.on('connection', (socket: Socket) => {
    watch(socket)
    if (!('setSecureContext' in server)) return
    const client = peerName(socket)
    handshakes.set(client, socket)
    socket.once('close', () => {
      if (handshakes.get(client) === socket) handshakes.delete(client)
    })
  })
  server.on('secureConnection', (socket: Socket) => {
    const client = peerName(socket)
    const plainSocket = handshakes.get(client)
    handshakes.delete(client)
    if (plainSocket) silent.delete(plainSocket)
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

const peerName = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress} ${remotePort}`
