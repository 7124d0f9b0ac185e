// The port that the service is to listen on: whether it can, what to say where it cannot, and what `cartwright doctor` says of it.

import { get as getHttp } from 'node:http'
import { get as getHttps } from 'node:https'
import { createServer } from 'node:net'
import { text } from 'node:stream/consumers'
import { type Config, ConfigError } from '../config.ts'
import type { Finding } from './shards.ts'

/** Tried before anything is made: who has to choose another port should not wait for a database first. */
export async function requirePort(config: Config): Promise<void> {
  const refused = await tryPort(config)
  if (refused !== null) throw cannotListen(refused, config)
}

/** Listens for a moment, and gives the reason where that is refused. */
const tryPort = ({ host, port }: Pick<Config, 'host' | 'port'>) =>
  new Promise<NodeJS.ErrnoException | null>((resolve) => {
    const probe = createServer()
    probe.once('error', resolve)
    probe.listen(port, host, () => probe.close(() => resolve(null)))
  })

export const cannotListen = (error: NodeJS.ErrnoException, config: Config) =>
  new ConfigError(whyNotListening(error, config), { cause: error })

function whyNotListening({ code, message }: NodeJS.ErrnoException, { host, port }: Config): string {
  if (code === 'EADDRINUSE') return `Another program listens on port ${port} already; set PORT to another one.`
  if (code === 'EACCES') return `PORT ${port} may not be used by this user; set PORT to one above 1023.`
  return `HOST must be an address of this machine; it is "${host}" (${message}).`
}

/** Free, ours, or somebody else's. */
export async function port({ host, port: number, tls }: Config): Promise<Finding[]> {
  const address = `${host.includes(':') ? `[${host}]` : host}:${number}`
  if ((await tryPort({ host, port: number })) === null) return [{ ok: true, text: `port: ${address} is free` }]
  return (await isCartwright(`${tls ? 'https' : 'http'}://${address}/health/live`))
    ? [{ ok: true, text: `port: Cartwright is running on ${address}` }]
    : [{ ok: false, text: `port: ${address} is taken by another program` }]
}

/** What /health/live answers. */
const ALIVE = '{"status":"ok"}'

/** Who made the certificate does not matter here; whoever has the port and does not answer is not us. */
const isCartwright = (url: string) =>
  new Promise<boolean>((resolve) => {
    const options = { rejectUnauthorized: false, timeout: 2_000 }
    const request = (url.startsWith('https') ? getHttps : getHttp)(url, options, (answer) => {
      text(answer)
        .then((body) => resolve(answer.statusCode === 200 && body === ALIVE))
        .catch(() => resolve(false))
    })
    request.once('timeout', () => request.destroy())
    request.once('error', () => resolve(false))
    // An answer that never ends is not ours either.
    setTimeout(() => request.destroy(), 5_000).unref()
  })
