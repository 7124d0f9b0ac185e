// Reads request bodies: JSON in UTF-8 and nothing else.

import type { FastifyInstance, FastifyRequest } from 'fastify'
import { badRequest, unsupportedMediaType } from '../../lib/errors.ts'
import { parseJson, refuseForbiddenText, refuseInfinity } from '../../lib/json.ts'

const JSON_TYPE = /^application\/(?:[\w.-]+\+)?json\b/i
const OTHER_CHARSET = /charset\s*=(?!\s*"?utf-?8\b)/i
const decoder = new TextDecoder('utf-8', { fatal: true })

/**
 * Clients send `null`, with a JSON content type, where they have nothing to send: on GET and DELETE, whose bodies nobody reads, and on
 * POST and PUT, where it stands for an empty object.
 */
export const bodyOrEmpty = (body: unknown): unknown => body ?? {}

/** Fastify never reads a body on GET; this makes DELETE the same, whatever the body says. */
export function ignoreBodiesOfDelete(server: FastifyInstance) {
  server.addHttpMethod('DELETE', { hasBody: false, overrideExisting: true })
}

export function readJsonBodies(server: FastifyInstance) {
  server.removeAllContentTypeParsers()
  server.addContentTypeParser(JSON_TYPE, { parseAs: 'buffer' }, (request, body, done) => {
    try {
      done(null, readBody(request, body as Buffer))
    } catch (error) {
      done(error as Error)
    }
  })
}

function readBody(request: FastifyRequest, body: Buffer): unknown {
  const { 'content-type': type = '', 'content-encoding': encoding = 'identity' } = request.headers
  if (encoding !== 'identity' || OTHER_CHARSET.test(type)) throw unsupportedMediaType()
  if (body.length === 0) return undefined
  const text = decode(body)
  const value = parseJson(text)
  refuseForbiddenText(value, text)
  refuseInfinity(value, text)
  return value
}

function decode(body: Buffer): string {
  try {
    return decoder.decode(body)
  } catch {
    throw badRequest('The request body is not valid UTF-8.')
  }
}
