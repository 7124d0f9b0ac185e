// A store that speaks enough S3 over a real socket: it recomputes every signature from the raw request with node:crypto,
// keeps objects only when all their bytes match the signed hash, and can be told to fail, reset or hang.

import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { listenOn } from '../support/waiting.ts'

export type Mishap = 'fail' | 'reset' | 'hang' | 'reset-midway' | 'refuse' | 'slow-down'

export type S3Server = {
  settings: { endpoint: string; bucket: string; region: string; accessKeyId: string; secretAccessKey: string }
  objects: Map<string, { bytes: Buffer; modified: Date }>
  /** What happens to the next requests, one each, before they are served well again. */
  mishaps: Mishap[]
  /** `PUT /bucket/key` for each request, in order. */
  requests: string[]
  /** Objects on a page of a listing. */
  pageSize: number
  close(): Promise<void>
}

const REGION = 'eu-test-1'
const BUCKET = 'shop-files'
const ACCESS_KEY = 'AKIATEST'
const SECRET = 'a/secret+with=signs'

export async function startS3Server(): Promise<S3Server> {
  const objects: S3Server['objects'] = new Map()
  const state = { objects, mishaps: [] as Mishap[], requests: [] as string[], pageSize: 1_000 }

  const server = createServer(async (request, response) => {
    state.requests.push(`${request.method} ${request.url}`)
    const mishap = state.mishaps.shift()
    if (mishap === 'hang') return
    if (mishap === 'reset') return request.socket.resetAndDestroy()
    if (mishap === 'fail') return refuse(response, 500, 'InternalError')
    if (mishap === 'slow-down') return refuse(response, 503, 'SlowDown')
    if (mishap === 'refuse') return refuse(response, 403, 'AccessDenied')
    const body = await bytesOf(request).catch(() => null)
    if (body === null) return
    const wrong = signatureProblem(request, body)
    if (wrong) return refuse(response, 403, wrong)
    serve(request, response, body, state, mishap === 'reset-midway')
  })
  const port = await listenOn(server)
  return Object.assign(state, {
    settings: {
      endpoint: `http://127.0.0.1:${port}`,
      bucket: BUCKET,
      region: REGION,
      accessKeyId: ACCESS_KEY,
      secretAccessKey: SECRET,
    },
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  })
}

type State = Pick<S3Server, 'objects' | 'pageSize'>

function serve(request: IncomingMessage, response: ServerResponse, body: Buffer, state: State, cutMidway: boolean) {
  const url = new URL(request.url ?? '/', 'http://store')
  const [, bucket, ...rest] = decodeURIComponent(url.pathname).split('/')
  const key = rest.join('/')
  if (bucket !== BUCKET) return refuse(response, 404, 'NoSuchBucket')
  if (key === '') return list(url, response, state)
  if (request.method === 'PUT') {
    if (Number(request.headers['content-length']) !== body.length) return refuse(response, 411, 'MissingContentLength')
    state.objects.set(key, { bytes: body, modified: new Date() })
    return response.writeHead(200, { etag: '"x"' }).end()
  }
  if (request.method === 'DELETE') {
    state.objects.delete(key)
    return response.writeHead(204).end()
  }
  const object = state.objects.get(key)
  if (!object) return refuse(response, 404, 'NoSuchKey')
  const size = object.bytes.length
  const range = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '')
  const [start, end] = range ? [Number(range[1]), Math.min(Number(range[2]), size - 1)] : [0, size - 1]
  if (range && start >= size) return refuse(response, 416, 'InvalidRange')
  const part = object.bytes.subarray(start, end + 1)
  const headers: Record<string, string | number> = { 'content-length': part.length }
  if (range) headers['content-range'] = `bytes ${start}-${end}/${size}`
  response.writeHead(range ? 206 : 200, headers)
  if (!cutMidway) return response.end(part)
  response.write(part.subarray(0, part.length >> 1), () => request.socket.resetAndDestroy())
}

function list(url: URL, response: ServerResponse, state: State) {
  if (url.searchParams.get('list-type') !== '2') return refuse(response, 400, 'InvalidRequest')
  const token = url.searchParams.get('continuation-token')
  const after = token === null ? (url.searchParams.get('start-after') ?? '') : Buffer.from(token, 'base64').toString()
  const keys = [...state.objects.keys()].filter((key) => key > after).sort((one, other) => (one < other ? -1 : 1))
  const page = keys.slice(0, Math.min(state.pageSize, Number(url.searchParams.get('max-keys') ?? 1_000)))
  const isTruncated = page.length < keys.length
  const contents = page.map((key) => {
    const modified = state.objects.get(key)?.modified.toISOString()
    return `<Contents><Key>${escaped(key)}</Key><LastModified>${modified}</LastModified><Size>1</Size></Contents>`
  })
  const next = `<NextContinuationToken>${Buffer.from(page.at(-1) ?? '').toString('base64')}</NextContinuationToken>`
  response.writeHead(200, { 'content-type': 'application/xml' })
  response.end(
    `<?xml version="1.0" encoding="UTF-8"?><ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">` +
      `<Name>${BUCKET}</Name><Prefix></Prefix><IsTruncated>${isTruncated}</IsTruncated>${contents.join('')}` +
      `${isTruncated ? next : ''}</ListBucketResult>`,
  )
}

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

function refuse(response: ServerResponse, status: number, code: string) {
  response.writeHead(status, { 'content-type': 'application/xml' })
  response.end(`<?xml version="1.0"?><Error><Code>${code}</Code><Message>No.</Message></Error>`)
}

async function bytesOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks)
}

/** Signature version 4, from the raw request line and headers; null when it is right. */
function signatureProblem(request: IncomingMessage, body: Buffer): string | null {
  const authorization = request.headers.authorization ?? ''
  const match = /^AWS4-HMAC-SHA256 Credential=([^,]+), SignedHeaders=([^,]+), Signature=([0-9a-f]{64})$/.exec(
    authorization,
  )
  if (!match) return 'MissingSecurityHeader'
  const [, credential = '', signedHeaders = '', signature = ''] = match
  const [accessKey, date = '', region = '', service = ''] = credential.split('/')
  const moment = String(request.headers['x-amz-date'] ?? '')
  if (accessKey !== ACCESS_KEY || region !== REGION || service !== 's3' || !moment.startsWith(date))
    return 'InvalidAccessKeyId'
  const sent = Date.parse(moment.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'))
  if (Math.abs(sent - Date.now()) > 15 * 60_000) return 'RequestTimeTooSkewed'
  const signed = signedHeaders.split(';')
  if (!['host', 'x-amz-content-sha256', 'x-amz-date'].every((name) => signed.includes(name))) return 'UnsignedHeaders'
  const hash = String(request.headers['x-amz-content-sha256'])
  if (hash !== sha256(body)) return 'XAmzContentSHA256Mismatch'

  const [path = '', query = ''] = (request.url ?? '/').split('?')
  const encode = (text: string) =>
    encodeURIComponent(text).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)
  const canonicalQuery = [...new URLSearchParams(query)]
    .map(([name, value]) => `${encode(name)}=${encode(value)}`)
    .sort()
    .join('&')
  const canonical = [
    request.method,
    path
      .split('/')
      .map((part) => encode(decodeURIComponent(part)))
      .join('/'),
    canonicalQuery,
    ...signed.map((name) => `${name}:${String(request.headers[name]).trim()}`),
    '',
    signedHeaders,
    hash,
  ].join('\n')
  const scope = `${date}/${region}/s3/aws4_request`
  const toSign = ['AWS4-HMAC-SHA256', moment, scope, sha256(canonical)].join('\n')
  const key = ['s3', 'aws4_request'].reduce(hmac, hmac(hmac(`AWS4${SECRET}`, date), region))
  const isRight = timingSafeEqual(hmac(key, toSign), Buffer.from(signature, 'hex'))
  return isRight ? null : 'SignatureDoesNotMatch'
}

const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest('hex')
const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest()
