// Receives a file at a signed URL as a stream, from a server or a browser. It must arrive within the server's `requestMs`, which Node
// knows only for the whole server. The time to store it counts from then.

import type { Readable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import { unsupportedEncoding } from '../../lib/errors.ts'
import { isDeadlineError } from '../server/deadline.ts'
import { parseSignedAddress, type SignedAddress, serveOpenAddress } from '../server/open-address.ts'

/** Stores the upload. Throws if the URL does not allow it or the file is not accepted. `signal` aborts when the request is given up. */
type TakeUpload = (
  address: SignedAddress,
  bytes: Readable,
  announcedSize: number | null,
  signal: AbortSignal,
) => Promise<void>

/** `thing` names the addressed object in a 404. */
export function serveUploads(server: FastifyInstance, { thing, take }: { thing: string; take: TakeUpload }) {
  // A separate scope: here a body of any type is accepted, as a stream.
  server.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', (_request, payload, done) => done(null, payload))
    serveOpenAddress(scope, {
      path: '/uploads/:merchant_id/:id',
      methods: ['PUT'],
      config: { isStreamed: true },
      handler: async (request, reply) => {
        const { 'content-length': length, 'content-encoding': encoding = 'identity' } = request.headers
        if (encoding !== 'identity') throw unsupportedEncoding()
        const announcedSize = length === undefined ? null : Number(length)
        const bytes = (request.body as Readable | undefined) ?? request.raw
        try {
          await take(parseSignedAddress(request, thing), bytes, announcedSize, request.deadline.signal)
        } catch (error) {
          if (!isDeadlineError(request, error)) throw error
        }
        // The 503 is sent; setting a status now would only falsify the log.
        return request.deadline.aborted ? reply : reply.code(204).send()
      },
    })
  })
}
