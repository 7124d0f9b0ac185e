// What a mail that anybody can have us send to anybody may hold, and how many of them go out.

import { isWithinLimits } from '../../db/request-limits.ts'
import type { Services } from '../../http/endpoint.ts'
import type { JobContext } from '../../jobs/job.ts'

/**
 * What links to us, and the logo, begin with. Null where a mail holds neither: the host that a request named us by is anybody's to choose, and
 * in a mail to somebody else it would be theirs in the name of the shop.
 */
export const mailOrigin = (
  { publicUrl }: Pick<Services, 'publicUrl'>,
  { lastingOrigin }: { readonly lastingOrigin?: string },
): string | null => publicUrl ?? (lastingOrigin || null)

export type SandboxMail = {
  readonly kind: 'receipt' | 'login link'
  /** In the form that addresses are compared in. */
  readonly emailKey: string
}

const HOUR_MS = 3_600_000

/**
 * A public sandbox key is in every browser and buys with made-up cards: without a limit anybody could have us write to anybody. False,
 * with a line in the log, where it must not go out: a failed job for each would let the same anybody fill the table of jobs.
 */
export async function countSandboxMail(
  { db, clock, log, merchantId, jobId, attempt }: Omit<JobContext, 'payload'>,
  { kind, emailKey }: SandboxMail,
): Promise<boolean> {
  // Only the first time: a mail server that is down must not use up what an address may get.
  if (attempt > 1) return true
  const limits = [
    { subject: `${kind} sandbox ${emailKey}`, most: 5, windowMs: HOUR_MS },
    { subject: `${kind} sandbox all`, most: 200, windowMs: HOUR_MS },
  ]
  if (await isWithinLimits(db, merchantId, limits, clock.now())) return true
  log.warn({ merchantId, jobId }, `A ${kind} of the sandbox was not sent: 5 an hour go to one address, 200 to all.`)
  return false
}
