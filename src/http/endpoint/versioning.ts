// Which API version a request is served in: its header, else the merchant's setting.

import type { FastifyBaseLogger, FastifyReply, FastifyRequest } from 'fastify'
import { badRequest } from '../../lib/errors.ts'
import type { Versions } from '../../versions/apply.ts'
import type { ChangeContext } from '../../versions/change.ts'
import type { Caller } from './endpoint.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Under which name existing clients send and read the version, in lower case. */
    otherVersionHeader: string
  }
}

const VERSION_HEADER = 'service-version'

/** The version named by the request's headers, or null. One that does not exist is refused with the list of those that do. */
export function requestedVersion({ headers, server }: FastifyRequest, dates: readonly string[]): string | null {
  const named = headers[VERSION_HEADER] ?? headers[server.otherVersionHeader]
  if (named === undefined) return null
  const date = String(named).trim()
  if (dates.includes(date)) return date
  throw badRequest(`The Service-Version header must name one of these versions: ${dates.join(', ')}.`)
}

/** Names the version used, under both names. Replies that belong to no version, such as /health, go without. */
export function nameVersion(reply: FastifyReply, version: string) {
  reply.header(VERSION_HEADER, version)
  reply.header(reply.server.otherVersionHeader, version)
}

/**
 * The version of a merchant's setting. One that does not exist here was written by a newer release, while this process is still
 * to be replaced: the newest version we know is the nearest to it, and the log says so once for each.
 */
export function settingReader(versions: Versions, log: FastifyBaseLogger): (caller: Caller) => string {
  const warned = new Set<string>()
  return ({ apiVersion, merchantId }) => {
    if (apiVersion === versions.head || versions.has(apiVersion)) return apiVersion
    if (!warned.has(apiVersion)) {
      warned.add(apiVersion)
      log.warn(
        { api_version: apiVersion, served: versions.head, merchant_id: merchantId },
        "a merchant's API version is unknown to this release; it is served the newest",
      )
    }
    return versions.head
  }
}

/** What the changes of older versions may know of a request, besides the data they are given. */
export const changeContextOf = (
  { call, params }: FastifyRequest,
  facts: Record<string, unknown> = {},
): ChangeContext => ({
  merchantId: call?.caller.merchantId ?? null,
  params: (params ?? {}) as ChangeContext['params'],
  facts: facts as ChangeContext['facts'],
})
