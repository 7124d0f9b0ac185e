// Stores files in an S3-compatible store: Amazon, MinIO, R2 and others. It uses path-style addresses and version 4 signatures. An object
// appears only if the store has all its bytes and they match the signed hash, so no partial file exists. The signing client and the reader
// of listings follow below.

import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { Agent, type IncomingMessage, request as plainRequest } from 'node:http'
import { Agent as TlsAgent, request as tlsRequest } from 'node:https'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { AwsV4Signer } from 'aws4fetch'
import { trimEndCharacters } from '../lib/text.ts'
import { discard } from './receive.ts'
import { checkKey, type FileStore, isKey, type ReceivedFile, storeFailure } from './store.ts'

export function s3Store(settings: S3Settings, timing: Partial<S3Timing> = {}): FileStore {
  const send = s3Client(settings, timing)

  return {
    async put(key, file) {
      try {
        checkKey(key)
        await upload(send, key, file)
      } finally {
        await discard(file)
      }
    },

    async open(key, range) {
      checkKey(key)
      try {
        const headers: Record<string, string> = range ? { range: `bytes=${range.start}-${range.end}` } : {}
        const reply = await send({ method: 'GET', key, headers })
        if (await isMissing(reply)) return null
        await expectStatus(reply, range ? [206] : [200])
        return { stream: reply, size: wholeSize(reply) }
      } catch (error) {
        throw storeFailure(error)
      }
    },

    async remove(key) {
      checkKey(key)
      try {
        const reply = await send({ method: 'DELETE', key })
        if (await isMissing(reply)) return
        await expectStatus(reply, [200, 204])
        reply.resume()
      } catch (error) {
        throw storeFailure(error)
      }
    },

    async listOlderThan(moment, afterKey, limit) {
      try {
        return await listOlder(send, moment, afterKey, limit)
      } catch (error) {
        throw storeFailure(error)
      }
    },

    // An object that did not arrive completely does not exist.
    removeUnfinished: async () => 0,
  }
}

async function upload(send: S3Client, key: string, file: ReceivedFile): Promise<void> {
  try {
    const headers = { 'x-amz-content-sha256': await sha256(file.path), 'content-length': String(file.size) }
    const reply = await send({ method: 'PUT', key, headers, body: () => createReadStream(file.path) })
    await expectStatus(reply, [200])
    reply.resume()
  } catch (error) {
    throw storeFailure(error)
  }
}

async function listOlder(send: S3Client, moment: Date, afterKey: string | null, limit: number): Promise<string[]> {
  const keys: string[] = []
  let token: string | null = null
  do {
    const query: Record<string, string> = { 'list-type': '2', 'max-keys': '1000' }
    if (token !== null) query['continuation-token'] = token
    else if (afterKey !== null) query['start-after'] = afterKey
    const reply: IncomingMessage = await send({ method: 'GET', key: '', query })
    await expectStatus(reply, [200])
    const page = readListing(await text(reply, LONGEST_LISTING))
    for (const { key, modified } of page.objects) {
      // The bucket may hold other people's files. The sweep must not delete them.
      if (!isKey(key) || modified >= moment) continue
      keys.push(key)
      if (keys.length === limit) return keys
    }
    // Getting the same page again would loop for ever.
    if (page.next !== null && page.next === token)
      throw new Error('The store returned the same page of the listing twice.')
    token = page.next
  } while (token !== null)
  return keys
}

// Fits a thousand keys of at most 1,024 bytes, escaped, with the XML around them.
const LONGEST_LISTING = 8 * 1_048_576
const LONGEST_ERROR = 65_536

/** True if the object does not exist. A missing bucket is an error. */
async function isMissing(reply: IncomingMessage): Promise<boolean> {
  if (reply.statusCode !== 404) return false
  const body = await text(reply, LONGEST_ERROR)
  if (body.includes('NoSuchBucket')) throw new S3ReplyError(404, body)
  return true
}

async function expectStatus(reply: IncomingMessage, statuses: readonly number[]): Promise<void> {
  if (statuses.includes(reply.statusCode ?? 0)) return
  throw new S3ReplyError(reply.statusCode ?? 0, await text(reply, LONGEST_ERROR))
}

/** Size of the whole object, even if only a part was requested: `bytes 0-9/1234`. */
function wholeSize(reply: IncomingMessage): number {
  const { 'content-range': range, 'content-length': length } = reply.headers
  const size = Number(range === undefined ? length : /\/(\d+)$/.exec(range)?.[1])
  if (!Number.isSafeInteger(size)) {
    reply.destroy()
    throw new Error('The store did not return the size of the object.')
  }
  return size
}

async function text(reply: IncomingMessage, limit: number): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of reply) {
    size += chunk.length
    // Leaving the loop also closes the connection.
    if (size > limit) throw new Error('The reply of the store is too long.')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

async function sha256(path: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(path), hash)
  return hash.digest('hex')
}

// Sends signed requests to an S3-compatible store, with time-outs and retries. It uses node:http instead of fetch: a body of known length
// must stream, and fetch decodes bytes that we pass on.

export type S3Settings = {
  readonly endpoint: string
  readonly bucket: string
  readonly region: string
  readonly accessKeyId: string
  readonly secretAccessKey: string
}

type S3Timing = {
  /** Total number of tries. */
  tries: number
  /** Wait before the second try; each further wait is twice as long. */
  firstWaitMs: number
  /** Idle time after which a connection is closed. */
  idleMs: number
}

type S3Request = {
  method: 'GET' | 'PUT' | 'DELETE'
  /** Empty for the bucket itself. */
  key: string
  query?: Record<string, string>
  headers?: Record<string, string>
  /** Creates the body again for each try. */
  body?: () => Readable
}

/** Resolves when the headers of the reply arrive, whatever its status. The caller reads or destroys the body. */
type S3Client = (request: S3Request) => Promise<IncomingMessage>

/** A reply that is neither success nor "not found": wrong credentials, a wrong bucket, a failing store. For the log. */
class S3ReplyError extends Error {
  override readonly name = 'S3ReplyError'
  constructor(status: number, body: string) {
    super(`The store answered ${status}: ${body.slice(0, 500)}`)
  }
}

// Hash of an empty body, which requests without a body sign.
const NO_BODY = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'

function s3Client(settings: S3Settings, timing: Partial<S3Timing> = {}): S3Client {
  const { tries = 3, firstWaitMs = 100, idleMs = 15_000 } = timing
  const { bucket, region, accessKeyId, secretAccessKey } = settings
  const root = `${trimEndCharacters(settings.endpoint, '/')}/${encodeURIComponent(bucket)}`
  const isTls = new URL(root).protocol === 'https:'
  const pool = { keepAlive: true, maxSockets: 64 }
  const agent = isTls ? new TlsAgent(pool) : new Agent(pool)
  // Signing keys derived from the secret, one per day.
  const cache = new Map<string, ArrayBuffer>()

  async function sendOnce({ method, key, query = {}, headers = {}, body }: S3Request): Promise<IncomingMessage> {
    const url = new URL(key === '' ? root : `${root}/${key}`)
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
    const signedRequest = await new AwsV4Signer({
      method,
      url: url.href,
      headers: { 'x-amz-content-sha256': NO_BODY, ...headers },
      accessKeyId,
      secretAccessKey,
      service: 's3',
      region,
      cache,
    }).sign()
    return new Promise((resolve, reject) => {
      const outgoing = (isTls ? tlsRequest : plainRequest)(signedRequest.url, {
        method,
        headers: Object.fromEntries(signedRequest.headers),
        agent,
        timeout: idleMs,
      })
      const source = body?.()
      outgoing.on('timeout', () => outgoing.destroy(new Error('The store does not answer.')))
      outgoing.on('error', (error) => {
        source?.destroy()
        reject(error)
      })
      outgoing.once('response', (reply) => {
        // From here on the reader sets the pace. A slow reader must not look like a silent store.
        reply.socket.setTimeout(idleMs * 4)
        resolve(reply)
      })
      outgoing.once('close', () => {
        source?.destroy()
        reject(new Error('The connection was closed without a reply.'))
      })
      source?.on('error', (error) => outgoing.destroy(error))
      if (source) source.pipe(outgoing)
      else outgoing.end()
    })
  }

  return async function send(request) {
    for (let round = 1; ; round++) {
      const isLast = round === tries
      try {
        const reply = await sendOnce(request)
        const hasFailed = (reply.statusCode ?? 0) >= 500 || reply.statusCode === 429
        if (isLast || !hasFailed) return reply
        reply.destroy()
      } catch (error) {
        if (isLast) throw error
      }
      // Add jitter, so that processes that failed together do not retry together.
      await sleep(firstWaitMs * 2 ** (round - 1) * (0.5 + Math.random() / 2))
    }
  }
}

// Reads the only XML we receive: a page of ListObjectsV2. It is no full parser; it looks up a few elements by name. So it expands no
// entities, follows no declarations, and its time grows only with the length of the text.

type Listing = {
  objects: { key: string; modified: Date }[]
  /** The token of the next page, or null on the last. */
  next: string | null
}

export function readListing(xml: string): Listing {
  const objects: Listing['objects'] = []
  let outside = ''
  let at = 0
  for (;;) {
    const start = xml.indexOf('<Contents>', at)
    const end = start === -1 ? -1 : xml.indexOf('</Contents>', start)
    outside += xml.slice(at, end === -1 ? undefined : start)
    if (end === -1) break
    const element = xml.slice(start, end)
    const key = textOf(element, 'Key')
    const modified = new Date(textOf(element, 'LastModified') ?? '')
    if (key === null || Number.isNaN(modified.getTime()))
      throw new Error('The listing has an object without key or time.')
    objects.push({ key, modified })
    at = end + '</Contents>'.length
  }
  const isTruncated = textOf(outside, 'IsTruncated')
  if (isTruncated === null) throw new Error('The reply is not a listing.')
  const next = isTruncated === 'true' ? textOf(outside, 'NextContinuationToken') : null
  if (isTruncated === 'true' && next === null)
    throw new Error('The listing is incomplete and has no token for its next page.')
  return { objects, next }
}

/** The text of the first element of that name, or null. */
function textOf(xml: string, name: string): string | null {
  const start = xml.indexOf(`<${name}>`)
  const end = start === -1 ? -1 : xml.indexOf(`</${name}>`, start)
  return end === -1 ? null : plainText(xml.slice(start + name.length + 2, end))
}

const NAMED_ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

/** One pass, so that `&amp;lt;` stays the text `&lt;`. */
function plainText(text: string): string {
  return text.replace(/&(?:#x([0-9a-f]{1,6})|#([0-9]{1,7})|([a-z]{2,4}));/gi, (whole, hex, decimal, name) => {
    if (name !== undefined) return NAMED_ENTITIES[name] ?? whole
    const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16)
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole
  })
}
