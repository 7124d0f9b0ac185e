// Sends signed requests to an S3-compatible store: signature, time-outs, and another try when the store stumbles.
// Node's own http and not fetch, because a body of known length must stream, and because fetch decodes what it should hand over.

import { Agent, type IncomingMessage, request as plainRequest } from 'node:http'
import { Agent as TlsAgent, request as tlsRequest } from 'node:https'
import type { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { AwsV4Signer } from 'aws4fetch'

export type S3Settings = {
  readonly endpoint: string
  readonly bucket: string
  readonly region: string
  readonly accessKeyId: string
  readonly secretAccessKey: string
}

export type S3Timing = {
  /** Tries in all. */
  tries: number
  /** Before the second try; each further wait is twice as long. */
  firstWaitMs: number
  /** A connection on which nothing has moved for so long is given up. */
  idleMs: number
}

export type S3Request = {
  method: 'GET' | 'PUT' | 'DELETE'
  /** Empty for the bucket itself. */
  key: string
  query?: Record<string, string>
  headers?: Record<string, string>
  /** Made anew for each try. */
  body?: () => Readable
}

/** Gives the reply once its headers are there, whatever its status; its body is read or destroyed by whoever asked. */
export type S3Client = (request: S3Request) => Promise<IncomingMessage>

/** A reply that is neither success nor absence: wrong credentials, a wrong bucket, a store in trouble. For the log. */
export class S3ReplyError extends Error {
  override readonly name = 'S3ReplyError'
  constructor(status: number, body: string) {
    super(`The store answered ${status}: ${body.slice(0, 500)}`)
  }
}

// The hash of nothing, which requests without a body sign.
const NO_BODY = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'

export function s3Client(settings: S3Settings, timing: Partial<S3Timing> = {}): S3Client {
  const { tries = 3, firstWaitMs = 100, idleMs = 15_000 } = timing
  const { bucket, region, accessKeyId, secretAccessKey } = settings
  const root = `${settings.endpoint.replace(/\/+$/, '')}/${encodeURIComponent(bucket)}`
  const isTls = new URL(root).protocol === 'https:'
  const pool = { keepAlive: true, maxSockets: 64 }
  const agent = isTls ? new TlsAgent(pool) : new Agent(pool)
  // Keys derived from the secret, one a day.
  const cache = new Map<string, ArrayBuffer>()

  async function once({ method, key, query = {}, headers = {}, body }: S3Request): Promise<IncomingMessage> {
    const url = new URL(key === '' ? root : `${root}/${key}`)
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
    const signed = await new AwsV4Signer({
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
      const outgoing = (isTls ? tlsRequest : plainRequest)(signed.url, {
        method,
        headers: Object.fromEntries(signed.headers),
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
        // From here on the pace is that of whoever reads, and a slow reader must not look like a silent store.
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
    for (let attempt = 1; ; attempt++) {
      const isLast = attempt === tries
      try {
        const reply = await once(request)
        const hasStumbled = (reply.statusCode ?? 0) >= 500 || reply.statusCode === 429
        if (isLast || !hasStumbled) return reply
        reply.destroy()
      } catch (error) {
        if (isLast) throw error
      }
      // Spread out, so that processes that stumbled together do not come back together.
      await sleep(firstWaitMs * 2 ** (attempt - 1) * (0.5 + Math.random() / 2))
    }
  }
}
