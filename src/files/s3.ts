// Files in a store that speaks S3: Amazon's, MinIO, R2, and the like. Path-style addresses, signatures of version 4.
// An object appears only when the store has all of its bytes and they match the signed hash, so there is no half file here either.

import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { pipeline } from 'node:stream/promises'
import { discard } from './receive.ts'
import { type S3Client, S3ReplyError, type S3Settings, type S3Timing, s3Client } from './s3-client.ts'
import { readListing } from './s3-listing.ts'
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

    // An object that has not arrived whole does not exist.
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
      // The bucket may hold other people's files, which are none of our business and certainly not to be swept.
      if (!isKey(key) || modified >= moment) continue
      keys.push(key)
      if (keys.length === limit) return keys
    }
    // The same page again would go round for ever.
    if (page.next !== null && page.next === token) throw new Error('The listing does not get on.')
    token = page.next
  } while (token !== null)
  return keys
}

// A thousand keys of at most 1,024 bytes, escaped, with what stands around them.
const LONGEST_LISTING = 8 * 1_048_576
const LONGEST_ERROR = 65_536

/** Whether the reply says that there is no such object. That there is no such bucket is another matter. */
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

/** The size of the whole object, also when a part of it was asked for: `bytes 0-9/1234`. */
function wholeSize(reply: IncomingMessage): number {
  const { 'content-range': range, 'content-length': length } = reply.headers
  const size = Number(range === undefined ? length : /\/(\d+)$/.exec(range)?.[1])
  if (!Number.isSafeInteger(size)) {
    reply.destroy()
    throw new Error('The store does not say how large the object is.')
  }
  return size
}

async function text(reply: IncomingMessage, limit: number): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of reply) {
    size += chunk.length
    // Leaving the loop closes the connection, too.
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
