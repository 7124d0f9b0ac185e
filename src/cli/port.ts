// Checks the port that the service will listen on, explains why it cannot, and reports it for `cartwright doctor`.

import { get as getHttp } from 'node:http'
import { get as getHttps } from 'node:https'
import { createServer } from 'node:net'
import { text } from 'node:stream/consumers'
import { type Config, ConfigError } from '../config.ts'
import type { Finding } from './shards.ts'

/** Runs before anything is created: a person who must choose another port should not wait for a database first. */
export async function requirePort(config: Config): Promise<void> {
  const error = await tryPort(config)
  if (error !== null) throw listenError(error, config)
}

/** Listens for a moment and returns the error if that fails. */
const tryPort = ({ host, port }: Pick<Config, 'host' | 'port'>) =>
  new Promise<NodeJS.ErrnoException | null>((resolve) => {
    const probe = createServer()
    probe.once('error', resolve)
    probe.listen(port, host, () => probe.close(() => resolve(null)))
  })

export const listenError = (error: NodeJS.ErrnoException, config: Config) =>
  new ConfigError(describeListenError(error, config), { cause: error })

function describeListenError({ code, message }: NodeJS.ErrnoException, { host, port }: Config): string {
  if (code === 'EADDRINUSE') return `Another program listens on port ${port} already; set PORT to another one.`
  if (code === 'EACCES') return `PORT ${port} cannot be used by this user; set PORT to a number above 1023.`
  return `HOST must be an address of this machine; it is "${host}" (${message}).`
}

/** Reports a port as free, used by Cartwright, or used by another program. */
export async function checkPort({ host, port: number, tls }: Config): Promise<Finding[]> {
  const address = `${host.includes(':') ? `[${host}]` : host}:${number}`
  if ((await tryPort({ host, port: number })) === null) return [{ ok: true, text: `port: ${address} is free` }]
  return (await isCartwright(`${tls ? 'https' : 'http'}://${address}/health/live`))
    ? [{ ok: true, text: `port: Cartwright is running on ${address}` }]
    : [{ ok: false, text: `port: ${address} is taken by another program` }]
}

/** Body of a successful /health/live. */
const ALIVE = '{"status":"ok"}'

/** Accepts any certificate. A program that has the port but does not answer is not ours. */
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
    // An endless answer is not ours either.
    setTimeout(() => request.destroy(), 5_000).unref()
  })
