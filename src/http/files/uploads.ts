// Takes the bytes of a file at a signed address, as they come, from a server or from a browser. All of them must have arrived
// within the server's `requestMs`, which Node knows for the whole server only; the time to store them counts from there.

import type { Readable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import { unsupportedEncoding } from '../../lib/errors.ts'
import { isGivingUp } from '../server/deadline.ts'
import { addressOf, type SignedAddress, serveOpenAddress } from '../server/open-address.ts'

/** Stores what arrives. Throws when the address does not allow it or the file is not accepted. `signal`: the request is given up. */
type TakeUpload = (
  address: SignedAddress,
  bytes: Readable,
  announcedSize: number | null,
  signal: AbortSignal,
) => Promise<void>

/** `thing`: what the address names, in the words of a 404. */
export function serveUploads(server: FastifyInstance, { thing, take }: { thing: string; take: TakeUpload }) {
  // In a scope of its own: here any type of body is taken, and as a stream.
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
        const announced = length === undefined ? null : Number(length)
        const bytes = (request.body as Readable | undefined) ?? request.raw
        try {
          await take(addressOf(request, thing), bytes, announced, request.deadline.signal)
        } catch (error) {
          if (!isGivingUp(request, error)) throw error
        }
        // The 503 is out; a status set now would only make the log untrue.
        return request.deadline.aborted ? reply : reply.code(204).send()
      },
    })
  })
}
