// Scope and URLs of order requests. Signs download links, computes when downloads expire, and describes their limits and sizes in
// words.

import type { Database, Scope } from '../../db/db.ts'
import type { Context, Services } from '../../http/endpoint/endpoint.ts'
import { signedQuery } from '../../keys/signing.ts'
import type { Precondition } from '../context.ts'
import type { LifespanRow } from '../products/read-store.ts'

/** Name of the secret that signs download links. */
const DOWNLOAD_SECRET = 'downloads'

/** Last second of the year 9999. */
const NEVER = 253_402_300_799

/** The grant that a signature covers: one download of one order. */
export const downloadGrant = (merchant_id: number, orderId: string, id: string) =>
  ({ purpose: 'download', merchant_id, id: `${orderId}/${id}` }) as const

export const downloadSecret = ({ signingSecret }: Pick<Services, 'signingSecret'>) => signingSecret(DOWNLOAD_SECRET)

export type OrderAddresses = {
  /** Scheme and host of the URLs. */
  readonly origin: string
  /**
   * `expires` is the end of the download itself. It is null for a download without an end, and for one that is not paid yet.
   * The link must not expire earlier: receipts and events contain it, and they are read weeks later. Each use checks again that the order
   * is paid and that the download is neither revoked nor used up.
   */
  linkTo(merchant_id: number, orderId: string, id: string, expires: number | null): string
}

/** For code that changes an order: URLs for the reply, and lasting ones for events, jobs and mails. */
export type ReplyAndLastingAddresses = OrderAddresses & { readonly lasting: OrderAddresses }

/**
 * `origin` is that of the request; a job passes the lasting origin that it was given. `lastingOrigin` is needed only if the two differ.
 * Call it before opening a transaction.
 */
export async function createOrderAddresses(
  services: Pick<Services, 'signingSecret'>,
  origin: string,
  lastingOrigin = origin,
): Promise<ReplyAndLastingAddresses> {
  const secret = await downloadSecret(services)
  return { ...addressesAt(origin, secret), lasting: addressesAt(lastingOrigin, secret) }
}

const addressesAt = (origin: string, secret: Uint8Array): OrderAddresses => ({
  origin,
  linkTo(merchant_id, orderId, id, expires) {
    const grant = { ...downloadGrant(merchant_id, orderId, id), expires: expires ?? NEVER }
    return `${origin}/fulfill/${merchant_id}/${orderId}/${id}?${signedQuery(secret, grant)}`
  },
})

/** Scope of an order, and the URLs to show it with. */
export type OrderOwner = Scope & {
  /** Result of `createOrderAddresses(…)`. */
  readonly addresses: ReplyAndLastingAddresses
}

/** The parts of a request that order functions need. */
export type OrderContext = Precondition &
  Pick<Context, 'clock' | 'origin' | 'lastingOrigin' | 'signingSecret'> & {
    readonly db: Database
    readonly caller: Scope
  }

export const resolveOrderOwner = async (context: Omit<OrderContext, 'db' | 'clock'>): Promise<OrderOwner> => ({
  merchant_id: context.caller.merchant_id,
  is_sandbox: context.caller.is_sandbox,
  addresses: await createOrderAddresses(context, context.origin, context.lastingOrigin),
})

type Lifespan = LifespanRow | null

const DAY_MS = 86_400_000
const DAYS = { days: 1, weeks: 7 } as const

/** End of the download; null if it has none. */
export function computeDownloadEnd(lifespan: Lifespan, paidAt: Date): Date | null {
  if (lifespan === null || lifespan.duration === null || lifespan.period === null) return null
  const { duration, period } = lifespan
  return period === 'months'
    ? monthsAfter(paidAt, duration)
    : new Date(paidAt.getTime() + duration * DAYS[period] * DAY_MS)
}

/** Same day of a later month, or the last day of that month. A month after 31 January is 28 or 29 February, not 3 March. */
function monthsAfter(moment: Date, months: number): Date {
  const later = new Date(moment)
  later.setUTCMonth(moment.getUTCMonth() + months)
  if (later.getUTCDate() !== moment.getUTCDate()) later.setUTCDate(0)
  return later
}

export function describeLifespan(lifespan: Lifespan): string {
  const limit = lifespan?.download_limit ?? null
  const often = limit === null ? '' : limit === 1 ? 'once' : `${limit} times`
  const long = durationText(lifespan)
  if (often !== '') return `It can be downloaded ${often}${long === '' ? '' : ` within ${long} of payment`}.`
  return long === '' ? 'It can be downloaded at any time.' : `It can be downloaded for ${long} after payment.`
}

function durationText(lifespan: Lifespan): string {
  if (lifespan === null || lifespan.duration === null || lifespan.period === null) return ''
  const { duration, period } = lifespan
  return duration === 1 ? `1 ${period.slice(0, -1)}` : `${duration} ${period}`
}

const UNITS = ['KB', 'MB', 'GB', 'TB'] as const

/** `38.71 KB`, where 1 KB is 1024 bytes. */
export function describeSize(bytes: number): string {
  if (bytes < 1_024) return `${bytes} B`
  let size = bytes / 1_024
  let unit = 0
  // Switches below 1024, because 1023.995 KB would be shown as 1024.00 KB instead of 1.00 MB.
  for (; size >= 1_023.995 && unit < UNITS.length - 1; unit++) size /= 1_024
  return `${size.toFixed(2)} ${UNITS[unit]}`
}
