// Serves files to whoever has their address: whole or in pieces (RFC 9110), cached for good, and never as something that runs.

import type { Readable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import { notFound, rangeNotSatisfiable } from '../../lib/errors.ts'
import { addressOf, type SignedAddress, serveOpenAddress } from '../server/open-address.ts'

type ServedFile = {
  readonly size: number
  readonly contentType: string
  /** Shown in the page; everything else is offered for saving. */
  readonly isInline: boolean
  /** The name it is saved under. */
  readonly filename: string
  /** Names these bytes and no others. */
  readonly etag: string
  readonly cacheControl: string
  open(range?: ByteRange): Promise<{ stream: Readable } | null>
}

/** The file at an address, or null when there is none or the address does not open it. */
export type FindFile = (address: SignedAddress) => Promise<ServedFile | null>

/** The largest file at the speed of a poor mobile connection. */
export const DEADLINE_MS = 600_000

export function serveFiles(server: FastifyInstance, find: FindFile) {
  serveOpenAddress(server, {
    // What follows the id is a name for people. A wildcard, because it may be anything, of any length.
    path: '/files/:merchant_id/:id/*',
    methods: ['GET', 'HEAD'],
    config: { deadlineMs: DEADLINE_MS },
    handler: async (request, reply) => {
      const file = await find(addressOf(request, 'file'))
      if (file === null) throw notFound('file')
      const { 'if-none-match': ifNoneMatch, 'if-range': ifRange, range: rangeHeader } = request.headers
      const cached = isKnown(ifNoneMatch, file.etag)
      // Only GET knows ranges.
      const mayBePart = request.method === 'GET' && !cached && isSameFile(singleText(ifRange), file.etag)
      const range = mayBePart ? readRange(rangeHeader, file.size) : null
      if (range === 'none') throw rangeNotSatisfiable(file.size)
      const opened = request.method === 'GET' && !cached ? await file.open(range ?? undefined) : undefined
      if (opened === null) {
        request.log.error({ file: file.etag }, 'the bytes of a file are missing from the store')
        throw notFound('file')
      }
      // Set last: an error must not carry headers that tell caches to keep it for a year.
      reply.headers(headersOf(file))
      if (cached) return reply.code(304).send()
      reply.type(file.contentType)
      reply.header('content-length', range ? range.end - range.start + 1 : file.size)
      if (range) reply.code(206).header('content-range', `bytes ${range.start}-${range.end}/${file.size}`)
      return reply.send(opened?.stream)
    },
  })
}

const singleText = (value: string | string[] | undefined) => (Array.isArray(value) ? value[0] : value)

const headersOf = ({ etag, cacheControl, isInline, filename }: ServedFile) => ({
  etag,
  'cache-control': cacheControl,
  'accept-ranges': 'bytes',
  ...offeredAs(filename, isInline),
})

/** How a browser takes bytes that somebody else has chosen. */
export const offeredAs = (filename: string, isInline: boolean) => ({
  'content-disposition': `${isInline ? 'inline' : 'attachment'}; ${namesOf(filename)}`,
  // Whatever the bytes may be taken for, nothing in them runs, loads or reaches this origin.
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

// The parts of RFC 9110 that let a client fetch a piece of a file, or nothing when it has it already.

type ByteRange = { start: number; end: number }

const SINGLE = /^bytes=(\d{0,15})-(\d{0,15})$/i

/**
 * The piece that is asked for: null for the whole file, 'none' for a piece that lies outside. Several pieces at once, and what cannot
 * be read, count as the whole: a server may always answer with it.
 */
export function readRange(header: string | undefined, size: number): ByteRange | null | 'none' {
  const found = header === undefined ? null : SINGLE.exec(header.trim())
  if (!found) return null
  const [, first = '', last = ''] = found
  if (first === '') {
    if (last === '') return null
    // `bytes=-5`: the last five.
    const length = Math.min(Number(last), size)
    return length === 0 ? 'none' : { start: size - length, end: size - 1 }
  }
  const start = Number(first)
  const end = last === '' ? size - 1 : Math.min(Number(last), size - 1)
  if (last !== '' && Number(last) < start) return null
  return start >= size ? 'none' : { start, end }
}

/** Whether `If-None-Match` names this version of the file. */
export function isKnown(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false
  return header.split(',').some((entry) => {
    const tag = entry.trim()
    return tag === '*' || tag.replace(/^W\//, '') === etag
  })
}

/** Whether a piece may be given to a client that holds another piece of `If-Range`'s version. A date never counts: we send none. */
const isSameFile = (header: string | undefined, etag: string): boolean => header === undefined || header.trim() === etag
