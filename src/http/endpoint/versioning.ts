// Chooses the API version of a request: from its header, else from the merchant's setting.

import type { FastifyBaseLogger, FastifyReply, FastifyRequest } from 'fastify'
import { badRequest } from '../../lib/errors.ts'
import type { Versions } from '../../versions/apply.ts'
import type { ChangeContext } from '../../versions/change.ts'
import type { Caller } from './endpoint.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Header name that existing clients use for the version, in lower case. */
    otherVersionHeader: string
  }
}

const VERSION_HEADER = 'service-version'

/** The version in the request's headers, or null. Refuses an unknown one with a list of the existing ones. */
export function requestedVersion({ headers, server }: FastifyRequest, dates: readonly string[]): string | null {
  const header = headers[VERSION_HEADER] ?? headers[server.otherVersionHeader]
  if (header === undefined) return null
  const date = String(header).trim()
  if (dates.includes(date)) return date
  throw badRequest(`The Service-Version header must name one of these versions: ${dates.join(', ')}.`)
}

/** Adds the version to the reply, under both header names. Replies without a version, such as /health, do not call it. */
export function addVersionHeaders(reply: FastifyReply, version: string) {
  reply.header(VERSION_HEADER, version)
  reply.header(reply.server.otherVersionHeader, version)
}

/**
 * Version of a merchant's setting. A version unknown here was written by a newer release, while this process is about to be replaced. The
 * newest known version is the closest, and the log reports each unknown one once.
 */
export function createSettingReader(versions: Versions, log: FastifyBaseLogger): (caller: Caller) => string {
  const loggedVersions = new Set<string>()
  return ({ apiVersion, merchant_id }) => {
    if (apiVersion === versions.head || versions.has(apiVersion)) return apiVersion
    if (!loggedVersions.has(apiVersion)) {
      loggedVersions.add(apiVersion)
      log.warn(
        { api_version: apiVersion, served: versions.head, merchant_id },
        "a merchant's API version is unknown to this release; it is served the newest",
      )
    }
    return versions.head
  }
}

/** Facts about a request that the changes of older versions may read, besides their data. */
export const changeContextOf = (
  { call, params }: FastifyRequest,
  facts: Record<string, unknown> = {},
): ChangeContext => ({
  merchant_id: call?.caller.merchant_id ?? null,
  params: (params ?? {}) as ChangeContext['params'],
  facts: facts as ChangeContext['facts'],
})
