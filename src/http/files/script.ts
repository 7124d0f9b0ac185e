// Serves a script that pages of any origin may load, without a key. Everybody gets the same bytes.

import { createHash } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { serveOpenAddress } from '../server/open-address.ts'
import { hasCurrentFile } from './files.ts'

type Script = {
  /** All URLs of the script. */
  readonly paths: readonly string[]
  readonly text: string
}

/** Limits how long browsers keep an old script after a release. */
const CACHE_CONTROL = 'public, max-age=3600'

export function serveScript(server: FastifyInstance, { paths, text }: Script) {
  const bytes = Buffer.from(text)
  const headers = {
    etag: `"${createHash('sha256').update(bytes).digest('base64url')}"`,
    'cache-control': CACHE_CONTROL,
    // Pages with the policy `require-corp` load only scripts with this header.
    'cross-origin-resource-policy': 'cross-origin',
  }
  for (const path of paths)
    serveOpenAddress(server, {
      path,
      methods: ['GET', 'HEAD'],
      config: {},
      handler: async (request, reply) => {
        reply.headers(headers)
        if (hasCurrentFile(request.headers['if-none-match'], headers.etag)) return reply.code(304).send()
        reply.type('text/javascript; charset=utf-8').header('content-length', bytes.length)
        return reply.send(request.method === 'HEAD' ? undefined : bytes)
      },
    })
}
