// Serves files that may be fetched so many times, to whoever has a signed link: each time whole, counted, kept by no cache, and never as
// something that runs.

import type { Readable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import { notFound } from '../../lib/errors.ts'
import { addressOf, type SignedAddress, serveOpenAddress } from '../server/open-address.ts'
import { DEADLINE_MS, offeredAs } from './files.ts'

/** `params`: all that the path names. */
export type DownloadAddress = SignedAddress & { readonly params: Readonly<Record<string, string>> }

export type FoundDownload = {
  readonly size: number
  readonly contentType: string
  /** The name it is saved under. */
  readonly filename: string
  /** Counts one download and gives its bytes; null when the store has lost them. Throws when others were faster and none is left. */
  take(): Promise<Readable | null>
}

type Downloads = {
  /** With `:merchant_id` and `:id`. */
  readonly path: string
  /** Throws where the address opens nothing. */
  find(address: DownloadAddress): Promise<FoundDownload>
}

export function serveDownloads(server: FastifyInstance, { path, find }: Downloads) {
  serveOpenAddress(server, {
    path,
    methods: ['GET', 'HEAD'],
    config: { deadlineMs: DEADLINE_MS },
    handler: async (request, reply) => {
      const params = request.params as DownloadAddress['params']
      const found = await find({ ...addressOf(request, 'download'), params })
      // Programs look before they load; only what is loaded counts.
      const bytes = request.method === 'GET' ? await found.take() : undefined
      if (bytes === null) {
        request.log.error({ download: request.params }, 'the bytes of a download are missing from the store')
        throw notFound('download')
      }
      reply.headers({
        ...offeredAs(found.filename, false),
        'cache-control': 'private, no-store',
        // Pieces could be asked for without end, and each would have to count as one.
        'accept-ranges': 'none',
        'content-length': found.size,
      })
      return reply.type(found.contentType).send(bytes)
    },
  })
}
