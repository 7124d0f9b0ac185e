// Serves files that our pages load, under names that change with their content. Browsers cache them for good and get the best compression
// that they accept.

import type { FastifyInstance } from 'fastify'
import { notFound } from '../../lib/errors.ts'

/** A file with its compressed forms. */
export type BuiltFile = {
  readonly type: string
  readonly uncompressed: Buffer
  readonly gzip: Buffer
  readonly br: Buffer
}

const HEADERS = {
  'cache-control': 'public, max-age=31536000, immutable',
  // Also without compression: caches in between keep one copy per encoding.
  vary: 'accept-encoding',
  'x-content-type-options': 'nosniff',
  // Only for pages of this origin.
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
      const coding = chooseContentCoding(request.headers['accept-encoding'])
      const bytes = file[coding]
      reply.headers(HEADERS).type(file.type).header('content-length', bytes.length)
      if (coding !== 'uncompressed') reply.header('content-encoding', coding)
      return reply.send(request.method === 'HEAD' ? undefined : bytes)
    },
  })
}

/** The smallest form that the client accepts (RFC 9110, 12.5.3); `q=0` refuses one. */
export function chooseContentCoding(header: string | undefined): 'br' | 'gzip' | 'uncompressed' {
  const acceptedNames = (header ?? '').split(',').flatMap((part) => {
    const [name = '', ...parameters] = part
      .toLowerCase()
      .split(';')
      .map((each) => each.trim())
    return parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter)) ? [] : name
  })
  if (acceptedNames.includes('br')) return 'br'
  return acceptedNames.includes('gzip') || acceptedNames.includes('x-gzip') ? 'gzip' : 'uncompressed'
}
