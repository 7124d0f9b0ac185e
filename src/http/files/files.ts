// Serves files by their URL: whole or in ranges (RFC 9110), cached for good, and never as something that a browser runs.

import type { Readable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import { notFound, rangeNotSatisfiable } from '../../lib/errors.ts'
import { parseSignedAddress, type SignedAddress, serveOpenAddress } from '../server/open-address.ts'

type ServedFile = {
  readonly size: number
  readonly contentType: string
  /** Shown in the page; other files are offered for saving. */
  readonly isInline: boolean
  /** Name under which the file is saved. */
  readonly filename: string
  /** Identifies exactly these bytes. */
  readonly etag: string
  readonly cacheControl: string
  open(range?: ByteRange): Promise<{ stream: Readable } | null>
}

/** Finds the file at a URL; null if there is none or the URL does not open it. */
export type FindFile = (address: SignedAddress) => Promise<ServedFile | null>

/** Enough for the largest file on a poor mobile connection. */
export const DEADLINE_MS = 600_000

export function serveFiles(server: FastifyInstance, find: FindFile) {
  serveOpenAddress(server, {
    // The part after the id is a name for people. It is a wildcard, because it may be any text of any length.
    path: '/files/:merchant_id/:id/*',
    methods: ['GET', 'HEAD'],
    config: { deadlineMs: DEADLINE_MS },
    handler: async (request, reply) => {
      const file = await find(parseSignedAddress(request, 'file'))
      if (file === null) throw notFound('file')
      const { 'if-none-match': ifNoneMatch, 'if-range': ifRange, range: rangeHeader } = request.headers
      const isCached = hasCurrentFile(ifNoneMatch, file.etag)
      // Ranges apply only to GET.
      const mayBePart = request.method === 'GET' && !isCached && isSameFile(singleText(ifRange), file.etag)
      const range = mayBePart ? readRange(rangeHeader, file.size) : null
      if (range === 'none') throw rangeNotSatisfiable(file.size)
      const content = request.method === 'GET' && !isCached ? await file.open(range ?? undefined) : undefined
      if (content === null) {
        request.log.error({ file: file.etag }, 'the bytes of a file are missing from the store')
        throw notFound('file')
      }
      // Set the headers last: an error must not tell caches to keep it for a year.
      reply.headers(headersOf(file))
      if (isCached) return reply.code(304).send()
      reply.type(file.contentType)
      reply.header('content-length', range ? range.end - range.start + 1 : file.size)
      if (range) reply.code(206).header('content-range', `bytes ${range.start}-${range.end}/${file.size}`)
      return reply.send(content?.stream)
    },
  })
}

const singleText = (value: string | string[] | undefined) => (Array.isArray(value) ? value[0] : value)

const headersOf = ({ etag, cacheControl, isInline, filename }: ServedFile) => ({
  etag,
  'cache-control': cacheControl,
  'accept-ranges': 'bytes',
  ...fileSafetyHeaders(filename, isInline),
})

/** Headers for bytes that somebody else has chosen. */
export const fileSafetyHeaders = (filename: string, isInline: boolean) => ({
  'content-disposition': `${isInline ? 'inline' : 'attachment'}; ${namesOf(filename)}`,
  // Makes the bytes harmless: whatever a browser takes them for, nothing in them runs, loads or reaches this origin.
  'content-security-policy': "default-src 'none'; sandbox",
  'cross-origin-resource-policy': 'cross-origin',
  'access-control-expose-headers': 'Accept-Ranges, Content-Disposition, Content-Range, ETag, X-Request-Id',
})

/** Both forms of RFC 6266: plain ASCII for the oldest clients, UTF-8 for all others. */
function namesOf(filename: string): string {
  const ascii = filename.replace(/[^\x20-\x7e]/g, '_').replace(/["\\%]/g, '_')
  const encoded = encodeURIComponent(filename).replace(
    /['()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `filename="${ascii}"; filename*=UTF-8''${encoded}`
}

// Range requests and conditional requests of RFC 9110.

type ByteRange = { start: number; end: number }

const SINGLE_RANGE = /^bytes=(\d{0,15})-(\d{0,15})$/i

/**
 * The requested range: null for the whole file, 'none' if it lies outside. Several or unreadable ranges mean the whole file, which a server
 * may always send.
 */
export function readRange(header: string | undefined, size: number): ByteRange | null | 'none' {
  const match = header === undefined ? null : SINGLE_RANGE.exec(header.trim())
  if (!match) return null
  const [, first = '', last = ''] = match
  if (first === '') {
    if (last === '') return null
    // `bytes=-5` means the last five.
    const length = Math.min(Number(last), size)
    return length === 0 ? 'none' : { start: size - length, end: size - 1 }
  }
  const start = Number(first)
  const end = last === '' ? size - 1 : Math.min(Number(last), size - 1)
  if (last !== '' && Number(last) < start) return null
  return start >= size ? 'none' : { start, end }
}

/** True if `If-None-Match` names this version of the file. */
export function hasCurrentFile(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false
  return header.split(',').some((entry) => {
    const tag = entry.trim()
    return tag === '*' || tag.replace(/^W\//, '') === etag
  })
}

/** True if the client's other ranges come from the same version as in `If-Range`. A date never matches: we send none. */
const isSameFile = (header: string | undefined, etag: string): boolean => header === undefined || header.trim() === etag
