// How many of the connections one client may hold. Without a share, one that opens them all and says nothing closes the service for everybody.

import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyBaseLogger } from 'fastify'
import { networksOf, perNetwork } from '../lib/addresses.ts'
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
  let isSaid = false
  server.on('connection', (socket: Socket) => {
    const { remoteAddress: address } = socket
    // It has left already, or is no network connection.
    if (address === undefined || isTrusted(address, 0)) return
    const shares = perNetwork(networksOf(address), share)
    if (shares.some(({ network, most }) => (held.get(network) ?? 0) >= most)) {
      socket.destroy()
      // Once: whoever opens them in a loop must not fill the log.
      if (!isSaid) log.warn({ address, share }, BEYOND)
      isSaid = true
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
