// Fetches a file from a URL that a client names, through the guard of outbound/guarded-request.ts.
// What a client hears of an address is one of three sentences: finer ones would let it explore the network we stand in.

import type { IncomingMessage } from 'node:http'
import { ApiError, notValid, payloadTooLarge } from '../lib/errors.ts'
import { parseUrl } from '../lib/url.ts'
import { type GuardOptions, guardedRequests, PrivateAddressError, parseHttpUrl } from '../outbound/guarded-request.ts'
import { receive } from './receive.ts'
import type { ReceivedFile } from './store.ts'

type DownloadOptions = GuardOptions & {
  /** For everything: look-ups, redirects, the last byte. */
  totalMs?: number
  connectMs?: number
}

/** `signal` ends it early. */
export type Download = (
  url: string,
  limitBytes: number,
  temporaryFolder: string,
  signal?: AbortSignal,
) => Promise<ReceivedFile>

const MOST_REDIRECTS = 3

const badlyFormed = () =>
  notValid({ url: ['url must be an absolute http or https address without a user name or password.'] })

const notPublic = () =>
  notValid({ url: ['url must lead to a server on the public internet; files are not fetched from private addresses.'] })

const NOT_FETCHED =
  'The file at url could not be fetched: its server must answer within 10 seconds with status 200 and the plain file, after at most 3 redirects.'

const notFetched = () => notValid({ url: [NOT_FETCHED] })

/**
 * Nobody answers there, the server is broken, or the file is not there: another time it may be. A client hears the same as of any other
 * file that could not be fetched.
 */
export class UnreachableSource extends ApiError {
  constructor() {
    super(422, 'not_valid', NOT_FETCHED, { errors: { url: [NOT_FETCHED] } })
  }
}

const isMissing = (status = 0): boolean => status === 404 || status === 410 || status >= 500

/**
 * Throws `payloadTooLarge` for a file over the limit, `unavailable` when it is we who cannot (no room for the file, too many look-ups
 * at once), `UnreachableSource` when trying again may help, and `notValid` on `url` for everything else.
 */
export function downloader(options: DownloadOptions): Download {
  const { totalMs = 10_000, connectMs = 5_000 } = options
  const send = guardedRequests(options)

  return async function download(address, limitBytes, temporaryFolder, stop) {
    const first = parseHttpUrl(address)
    if (!first) throw badlyFormed()
    const inTime = AbortSignal.timeout(totalMs)
    const signal = stop === undefined ? inTime : AbortSignal.any([inTime, stop])
    const get = (url: URL) => send(url, { method: 'GET', headers: HEADERS, signal, connectMs })
    let reply: IncomingMessage | undefined
    try {
      reply = await follow(first, get)
      if (isMissing(reply.statusCode)) throw new UnreachableSource()
      if (reply.statusCode !== 200 || !isPlain(reply)) throw notFetched()
      if (Number(reply.headers['content-length'] ?? 0) > limitBytes) throw payloadTooLarge(limitBytes)
      return await receive(reply, limitBytes, temporaryFolder)
    } catch (error) {
      if (error instanceof ApiError) throw error
      if (error instanceof PrivateAddressError) throw notPublic()
      throw new UnreachableSource()
    } finally {
      // Also stops a server that goes on sending what we have stopped reading.
      reply?.destroy()
    }
  }
}

// Asked for compressed, a few kilobytes could unfold into gigabytes.
const HEADERS = { accept: '*/*', 'accept-encoding': 'identity', 'user-agent': 'Cartwright' }

const REDIRECTS = new Set([301, 302, 303, 307, 308])

/** The last reply of a chain of redirects; each hop goes through the guard anew. */
async function follow(first: URL, get: (url: URL) => Promise<IncomingMessage>): Promise<IncomingMessage> {
  let url = first
  for (let redirects = 0; ; redirects++) {
    const reply = await get(url)
    if (!REDIRECTS.has(reply.statusCode ?? 0)) return reply
    reply.destroy()
    const { location } = reply.headers
    if (location === undefined || redirects === MOST_REDIRECTS) throw notFetched()
    const next = parseHttpUrl(parseUrl(location, url.href)?.href ?? '')
    if (!next) throw notFetched()
    url = next
  }
}

function isPlain(reply: IncomingMessage): boolean {
  const encoding = reply.headers['content-encoding']?.trim().toLowerCase() ?? ''
  return encoding === '' || encoding === 'identity'
}
