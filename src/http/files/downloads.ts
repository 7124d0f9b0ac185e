// Serves files with a limited number of downloads to anybody with a signed link. Each is sent whole, counted, never cached, and never as
// something that a browser runs.

import type { Readable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import { notFound } from '../../lib/errors.ts'
import { parseSignedAddress, type SignedAddress, serveOpenAddress } from '../server/open-address.ts'
import { DEADLINE_MS, fileSafetyHeaders } from './files.ts'

/** `params` holds all parameters of the path. */
export type DownloadAddress = SignedAddress & { readonly params: Readonly<Record<string, string>> }

export type FoundDownload = {
  readonly size: number
  readonly contentType: string
  /** Name under which the file is saved. */
  readonly filename: string
  /** Counts one download and returns its bytes; null if the store has lost them. Throws if others were faster and none is left. */
  take(): Promise<Readable | null>
}

type Downloads = {
  /** Path with `:merchant_id` and `:id`. */
  readonly path: string
  /** Throws if the URL opens nothing. */
  find(address: DownloadAddress): Promise<FoundDownload>
}

export function serveDownloads(server: FastifyInstance, { path, find }: Downloads) {
  serveOpenAddress(server, {
    path,
    methods: ['GET', 'HEAD'],
    config: { deadlineMs: DEADLINE_MS },
    handler: async (request, reply) => {
      const params = request.params as DownloadAddress['params']
      const download = await find({ ...parseSignedAddress(request, 'download'), params })
      // Programs send HEAD before they download; only a GET counts.
      const bytes = request.method === 'GET' ? await download.take() : undefined
      if (bytes === null) {
        request.log.error({ download: request.params }, 'the bytes of a download are missing from the store')
        throw notFound('download')
      }
      reply.headers({
        ...fileSafetyHeaders(download.filename, false),
        'cache-control': 'private, no-store',
        // Without this, pieces could be requested without end, and each would have to count as a download.
        'accept-ranges': 'none',
        'content-length': download.size,
      })
      return reply.type(download.contentType).send(bytes)
    },
  })
}
