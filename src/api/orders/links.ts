// Whose orders a request is about, and the addresses that they show: signed links to what was bought as a download. And how long and how
// often that can be fetched, and how large it is, also in words.

import type { Database, Scope } from '../../db/db.ts'
import type { Context, Services } from '../../http/endpoint/endpoint.ts'
import { signedQuery } from '../../keys/signing.ts'
import type { Conditional } from '../context.ts'
import type { LifespanRow } from '../products/read-store.ts'

/** The secret that signs the links of downloads. */
const DOWNLOAD_SECRET = 'downloads'

/** The last second of the year 9999. */
const NEVER = 253_402_300_799

/** One download of one order, as a signature names it. */
export const downloadGrant = (merchantId: number, orderId: string, id: string) =>
  ({ purpose: 'download', merchantId, id: `${orderId}/${id}` }) as const

export const downloadSecret = ({ signingSecret }: Pick<Services, 'signingSecret'>) => signingSecret(DOWNLOAD_SECRET)

export type OrderAddresses = {
  /** Scheme and host that addresses begin with. */
  readonly origin: string
  /**
   * `expires` is the end of the download itself, null where it has none or where that is not known before it is paid. Nothing less: the
   * link is in receipts and in events, which are read weeks later. What it opens is decided when it is used: paid for, not revoked, not
   * used up.
   */
  linkTo(merchantId: number, orderId: string, id: string, expires: number | null): string
}

/** For whoever changes an order: the reply's addresses, and those of all that outlives it: events, jobs, mails. */
export type OwnerAddresses = OrderAddresses & { readonly lasting: OrderAddresses }

/**
 * `origin`: of the request; of a job, the lasting one that it was given. `lastingOrigin`: where the two differ. Ask before a transaction is
 * opened.
 */
export async function orderAddresses(
  services: Pick<Services, 'signingSecret'>,
  origin: string,
  lastingOrigin = origin,
): Promise<OwnerAddresses> {
  const secret = await downloadSecret(services)
  return { ...addressesAt(origin, secret), lasting: addressesAt(lastingOrigin, secret) }
}

const addressesAt = (origin: string, secret: Uint8Array): OrderAddresses => ({
  origin,
  linkTo(merchantId, orderId, id, expires) {
    const grant = { ...downloadGrant(merchantId, orderId, id), expires: expires ?? NEVER }
    return `${origin}/fulfill/${merchantId}/${orderId}/${id}?${signedQuery(secret, grant)}`
  },
})

/** Whose orders, and by which addresses they are shown. */
export type OrderOwner = Scope & {
  /** What `orderAddresses(…)` gives. */
  readonly addresses: OwnerAddresses
}

/** What a rule of orders needs of a request. */
export type OrderContext = Conditional &
  Pick<Context, 'clock' | 'origin' | 'lastingOrigin' | 'signingSecret'> & {
    readonly db: Database
    readonly caller: Scope
  }

export const ownerOf = async (context: Omit<OrderContext, 'db' | 'clock'>): Promise<OrderOwner> => ({
  merchantId: context.caller.merchantId,
  isSandbox: context.caller.isSandbox,
  addresses: await orderAddresses(context, context.origin, context.lastingOrigin),
})

type Lifespan = LifespanRow | null

const DAY_MS = 86_400_000
const DAYS = { days: 1, weeks: 7 } as const

/** When it ends; null where it never does. */
export function endOf(lifespan: Lifespan, paidAt: Date): Date | null {
  if (lifespan === null || lifespan.duration === null || lifespan.period === null) return null
  const { duration, period } = lifespan
  return period === 'months'
    ? monthsAfter(paidAt, duration)
    : new Date(paidAt.getTime() + duration * DAYS[period] * DAY_MS)
}

/** The same day of a later month, or its last: a month after the 31st of January is the 28th or 29th of February, not the 3rd of March. */
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
  // Not at 1024: what rounds to 1024.00 KB is shown as 1.00 MB.
  for (; size >= 1_023.995 && unit < UNITS.length - 1; unit++) size /= 1_024
  return `${size.toFixed(2)} ${UNITS[unit]}`
}
