// API versions as a shop sees them: the changes of each, the version that the shop is set to, and how many requests still use which.

import { type Static, Type } from 'typebox'
import type { Context } from '../../http/endpoint/endpoint.ts'
import { kind, nullable, Timestamp } from '../../http/endpoint/schema.ts'
import { unixSeconds } from '../../lib/clock.ts'
import { notFound } from '../../lib/errors.ts'
import { countByVersion } from '../../request-log/store.ts'
import { HEAD, versions } from '../../versions/index.ts'
import { findMerchantInMode } from '../merchants/store.ts'

/** Days of requests that are counted. */
const DAYS = 7
const DAY_MS = 86_400_000
/** Maximum number of requests that are counted. For a busy shop only the newest are, and the reply says since when. */
const MAX_COUNTED = 20_000

export const ApiVersions = kind('api_versions', {
  data: Type.Array(
    Type.Object({
      date: Type.String(),
      changes: Type.Array(Type.String(), { description: 'What it has changed, a sentence each. Empty: nothing.' }),
      requests: nullable(Type.Integer(), {
        description:
          'How many requests of the shop were answered in it since requests_since, in the mode of the key: of those that the request log keeps. null where it keeps refusals alone, or nothing.',
      }),
    }),
    { description: 'Newest first.' },
  ),
  current: Type.String({
    description:
      'The version of requests that name none: `version` of `PUT /v1/merchants` sets it, to a newer one or back to an older one.',
  }),
  newest: Type.String(),
  requests_since: nullable(Timestamp, {
    description: `From when on requests were counted: ${DAYS} days ago, or later where there were more than ${MAX_COUNTED}. null where none were.`,
  }),
})

export type ApiVersions = Static<typeof ApiVersions>

type VersionContext = Pick<Context, 'db' | 'clock' | 'caller' | 'retention'>

export async function listVersions({
  db,
  clock,
  caller,
  retention,
}: VersionContext): Promise<Static<typeof ApiVersions>> {
  const { requestLog, requestLogDays } = retention
  const isCounted = requestLog === 'all' || requestLog === 'writes'
  const from = new Date(clock.now().getTime() - Math.min(DAYS, requestLogDays) * DAY_MS)
  const [merchant, counts] = await Promise.all([
    findMerchantInMode(db, caller),
    isCounted ? countByVersion(db, caller, from, MAX_COUNTED) : null,
  ])
  if (merchant === null) throw notFound('merchant')
  return {
    data: versions.map(({ date, changes }) => ({
      date,
      changes: changes.map(({ summary }) => summary),
      requests: counts && (counts.requests.get(date) ?? 0),
    })),
    current: merchant.api_version,
    newest: HEAD,
    requests_since: counts && unixSeconds(counts.since),
  }
}
