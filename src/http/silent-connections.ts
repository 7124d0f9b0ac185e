// Connections on which nothing has been asked yet, as browsers open them in advance. Node does not count them as idle, so without
// this each of them would hold up a stop until its time is over.

import type { Server } from 'node:http'
import type { Socket } from 'node:net'

/** A request that is on its way when the stop begins still gets its answer. */
const GRACE_MS = 200

/** Returns what ends them; to be called once the server takes no new connections. */
export function watchSilentConnections(server: Server, isTls: boolean): () => void {
  const silent = new Set<Socket>()
  server.on(isTls ? 'secureConnection' : 'connection', (socket: Socket) => {
    silent.add(socket)
    socket.once('close', () => silent.delete(socket))
  })
  server.on('request', ({ socket }) => silent.delete(socket))
  return () => {
    const end = () => {
      for (const socket of silent) socket.destroy()
    }
    setTimeout(end, GRACE_MS).unref()
  }
}
