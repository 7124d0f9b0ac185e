// Files of the program that pages of ours load, under names that change with what is in them: kept by browsers for good, and sent as small as
// the browser takes them.

import type { FastifyInstance } from 'fastify'
import { notFound } from '../../lib/errors.ts'

/** A file, and the same compressed. */
export type BuiltFile = {
  readonly type: string
  readonly plain: Buffer
  readonly gzip: Buffer
  readonly br: Buffer
}

const HEADERS = {
  'cache-control': 'public, max-age=31536000, immutable',
  // Also where the browser was sent it as it is: caches in between keep one for each.
  vary: 'accept-encoding',
  'x-content-type-options': 'nosniff',
  // For pages of this origin alone.
  'cross-origin-resource-policy': 'same-origin',
}

export function serveBuiltFiles(server: FastifyInstance, path: string, files: ReadonlyMap<string, BuiltFile>) {
  server.route({
    method: ['GET', 'HEAD'],
    url: `${path}/:name`,
    exposeHeadRoute: false,
    handler: async (request, reply) => {
      const file = files.get((request.params as { name: string }).name)
      if (file === undefined) throw notFound('file')
      const coding = codingOf(request.headers['accept-encoding'])
      const bytes = file[coding]
      reply.headers(HEADERS).type(file.type).header('content-length', bytes.length)
      if (coding !== 'plain') reply.header('content-encoding', coding)
      return reply.send(request.method === 'HEAD' ? undefined : bytes)
    },
  })
}

/** The smallest that the client takes (RFC 9110, 12.5.3): one that it refuses by `q=0` is not sent. */
export function codingOf(header: string | undefined): 'br' | 'gzip' | 'plain' {
  const taken = (header ?? '').split(',').flatMap((part) => {
    const [name = '', ...parameters] = part
      .toLowerCase()
      .split(';')
      .map((each) => each.trim())
    return parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter)) ? [] : name
  })
  if (taken.includes('br')) return 'br'
  return taken.includes('gzip') || taken.includes('x-gzip') ? 'gzip' : 'plain'
}
