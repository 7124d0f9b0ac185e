// Which API version a request is served in: its header, else the merchant's setting.

import type { IncomingHttpHeaders } from 'node:http'
import { badRequest } from '../lib/errors.ts'
import { VERSION_HEADER_ALIAS } from './legacy-sdk.ts'

export const VERSION_HEADER = 'service-version'

/** The version named by the request's headers, or null. One that does not exist is refused with the list of those that do. */
export function requestedVersion(headers: IncomingHttpHeaders, dates: readonly string[]): string | null {
  const named = headers[VERSION_HEADER] ?? headers[VERSION_HEADER_ALIAS]
  if (named === undefined) return null
  const date = String(named).trim()
  if (dates.includes(date)) return date
  throw badRequest(`The Service-Version header must name one of these versions: ${dates.join(', ')}.`)
}
