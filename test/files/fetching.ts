// Servers on loopback, a resolver that answers as told, and the three refusals of a download.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { LookupFunction } from 'node:net'
import { listenOn } from '../support/waiting.ts'

export type Handler = (request: IncomingMessage, response: ServerResponse) => void

/** Lasts as long as the process, and does not keep it from ending. */
export const listen = (handler: Handler, host?: string): Promise<number> =>
  listenOn(createServer(handler).unref(), host)

/** A server that must never be asked. */
export async function startCanary(host: string): Promise<{ port: number; hits: number }> {
  const canary = { port: 0, hits: 0 }
  canary.port = await listen((_, response) => {
    canary.hits += 1
    response.end('secret')
  }, host)
  return canary
}

/** Answers for the resolver: each name's list of answers, the last one for ever. */
export function resolver(answers: Record<string, string[][]>): LookupFunction & { asked: string[] } {
  const asked: string[] = []
  const lookup: LookupFunction = (hostname, options, callback) => {
    asked.push(hostname)
    const queue = answers[hostname]
    const addresses = queue && queue.length > 1 ? queue.shift() : queue?.[0]
    if (!addresses) return callback(Object.assign(new Error('unknown'), { code: 'ENOTFOUND' }), '', 0)
    const found = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
    const [first = { address: '', family: 4 }] = found
    if (options.all) callback(null, found)
    else callback(null, first.address, first.family)
  }
  return Object.assign(lookup, { asked })
}

export const refusedAsPrivate = {
  status: 422,
  type: 'not_valid',
  errors: { url: ['url must lead to a server on the public internet; files are not fetched from private addresses.'] },
}
export const refusedAsBadlyFormed = {
  status: 422,
  type: 'not_valid',
  errors: { url: ['url must be an absolute http or https address without a user name or password.'] },
}
export const notFetched = {
  status: 422,
  type: 'not_valid',
  errors: {
    url: [
      'The file at url could not be fetched: its server must answer within 10 seconds with status 200 and the plain file, after at most 3 redirects.',
    ],
  },
}

export const MB = 1_048_576
