// Downloads a file from a URL that a client names, through the guard of outbound/guarded-request.ts. Clients get one of three messages
// about a URL: finer ones would let them explore our network.

import type { IncomingMessage } from 'node:http'
import { ApiError, notValid, payloadTooLarge } from '../lib/errors.ts'
import { parseUrl } from '../lib/url.ts'
import { type GuardOptions, guardedRequests, PrivateAddressError, parseHttpUrl } from '../outbound/guarded-request.ts'
import { receiveFile } from './receive.ts'
import type { ReceivedFile } from './store.ts'

type DownloadOptions = GuardOptions & {
  /** Limit for everything: DNS lookups, redirects and the last byte. */
  totalMs?: number
  connectMs?: number
}

/** `signal` aborts the download. */
export type FileDownloader = (
  url: string,
  limitBytes: number,
  temporaryFolder: string,
  signal?: AbortSignal,
) => Promise<ReceivedFile>

const MAX_REDIRECTS = 3

const badlyFormed = () =>
  notValid({ url: ['url must be an absolute http or https address without a user name or password.'] })

const notPublic = () =>
  notValid({ url: ['url must lead to a server on the public internet; files are not fetched from private addresses.'] })

const NOT_FETCHED =
  'The file at url could not be fetched: its server must answer within 10 seconds with status 200 and the plain file, after at most 3 redirects.'

const notFetched = () => notValid({ url: [NOT_FETCHED] })

/** No server answers, it fails, or the file is missing: a retry may help. Clients get the same message as for other failed downloads. */
export class UnreachableSource extends ApiError {
  constructor() {
    super(422, 'not_valid', NOT_FETCHED, { errors: { url: [NOT_FETCHED] } })
  }
}

const isMissing = (status = 0): boolean => status === 404 || status === 410 || status >= 500

/**
 * Throws `payloadTooLarge` for a file over the limit. Throws `unavailable` if we are the cause: the disk is full or too many lookups run.
 * Throws `UnreachableSource` if a retry may help, and `notValid` on `url` for everything else.
 */
export function createFileDownloader(options: DownloadOptions): FileDownloader {
  const { totalMs = 10_000, connectMs = 5_000 } = options
  const send = guardedRequests(options)

  return async function download(address, limitBytes, temporaryFolder, callerSignal) {
    const first = parseHttpUrl(address)
    if (!first) throw badlyFormed()
    const timeoutSignal = AbortSignal.timeout(totalMs)
    const signal = callerSignal === undefined ? timeoutSignal : AbortSignal.any([timeoutSignal, callerSignal])
    const get = (url: URL) => send(url, { method: 'GET', headers: HEADERS, signal, connectMs })
    let reply: IncomingMessage | undefined
    try {
      reply = await follow(first, get)
      if (isMissing(reply.statusCode)) throw new UnreachableSource()
      if (reply.statusCode !== 200 || !isPlain(reply)) throw notFetched()
      if (Number(reply.headers['content-length'] ?? 0) > limitBytes) throw payloadTooLarge(limitBytes)
      return await receiveFile(reply, limitBytes, temporaryFolder)
    } catch (error) {
      if (error instanceof ApiError) throw error
      if (error instanceof PrivateAddressError) throw notPublic()
      throw new UnreachableSource()
    } finally {
      // Also stops a server that keeps sending after we stopped reading.
      reply?.destroy()
    }
  }
}

// Request no compression: a few kilobytes could unfold into gigabytes.
const HEADERS = { accept: '*/*', 'accept-encoding': 'identity', 'user-agent': 'Cartwright' }

const REDIRECTS = new Set([301, 302, 303, 307, 308])

/** Returns the last reply of a chain of redirects. Each hop passes the guard again. */
async function follow(first: URL, get: (url: URL) => Promise<IncomingMessage>): Promise<IncomingMessage> {
  let url = first
  for (let redirects = 0; ; redirects++) {
    const reply = await get(url)
    if (!REDIRECTS.has(reply.statusCode ?? 0)) return reply
    reply.destroy()
    const { location } = reply.headers
    if (location === undefined || redirects === MAX_REDIRECTS) throw notFetched()
    const next = parseHttpUrl(parseUrl(location, url.href)?.href ?? '')
    if (!next) throw notFetched()
    url = next
  }
}

function isPlain(reply: IncomingMessage): boolean {
  const encoding = reply.headers['content-encoding']?.trim().toLowerCase() ?? ''
  return encoding === '' || encoding === 'identity'
}
