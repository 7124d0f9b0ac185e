// Connections on which nothing has been asked yet, as browsers open them in advance. Node does not count them as idle, and of those whose
// TLS handshake has not ended it knows nothing, so without this each of them would hold up a stop until its time is over.

import type { Server } from 'node:http'
import type { Socket } from 'node:net'

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
