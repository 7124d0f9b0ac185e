// What a mail that anybody can have us send to anybody may hold, and how many of them go out.

import { isWithinLimits, type Limit, networkLimits } from '../../db/request-limits.ts'
import type { Services } from '../../http/endpoint.ts'
import type { JobContext } from '../../jobs/job.ts'
import { inboxOf } from '../../lib/email.ts'

/**
 * What links to us, and the logo, begin with. Null where a mail holds neither: the host that a request named us by is anybody's to choose, and
 * in a mail to somebody else it would be theirs in the name of the shop.
 */
export const mailOrigin = (
  { publicUrl }: Pick<Services, 'publicUrl'>,
  { lastingOrigin }: { readonly lastingOrigin?: string },
): string | null => publicUrl ?? (lastingOrigin || null)

/** A mail that nobody has paid for: who gets it, and who has brought it about. */
export type FreeMail = {
  readonly kind: 'receipt' | 'login link'
  readonly isSandbox: boolean
  /** In the form that addresses are compared in. */
  readonly emailKey: string
  /** Whether somebody stands for the address (customers/vouched-store.ts). */
  readonly isVouched: boolean
  /** Whether the merchant's server has brought it about, with the secret key. */
  readonly isSecret: boolean
  /** Of whoever has brought it about, as `Context.clientNetworks`. */
  readonly networks: readonly string[]
}

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/** An hour, to all addresses together that nobody stands for: with a public key, and with the secret one. */
const LOGIN_LINKS = { live: [1_000, 5_000], sandbox: [200, 1_000] } as const
const SANDBOX_RECEIPTS = [200, 1_000] as const

/** To one address: an hour from one place, an hour in all, and a day in all. */
const RECEIPTS_TO_ONE = { shopper: [5, 8, 24], server: [20, 40, 200] } as const
/** An hour from one network, to addresses that nobody stands for. */
const RECEIPTS_FROM_NETWORK = 60

/**
 * Whether a mail that nobody has paid for may go out; counted, where it may. False, with a line in the log, where it must not: a failed
 * job for each would let anybody fill the table of jobs.
 * What is counted for many addresses together never stops a mail to one that somebody stands for: else whoever makes up a thousand
 * addresses would keep the shop's customers from theirs.
 */
export async function countFreeMail(
  { db, clock, log, merchantId, jobId, attempt }: Omit<JobContext, 'payload'>,
  mail: FreeMail,
): Promise<boolean> {
  const limits = mail.kind === 'receipt' ? receiptLimits(mail) : loginLimits(mail)
  // Only the first time: a mail server that is down must not use up what an address may get.
  if (attempt > 1 || limits.length === 0) return true
  if (await isWithinLimits(db, merchantId, limits, clock.now())) return true
  log.warn({ merchantId, jobId, sandbox: mail.isSandbox }, NOT_SENT[mail.kind])
  return false
}

const NOT_SENT = {
  receipt:
    'A receipt was not sent: too many of orders that are free, not paid or of the sandbox went to this address, or came from this network. The merchant can send it with POST /v1/orders/{id}/receipt.',
  'login link':
    'A login link was not sent: too many went to addresses that have neither bought nor logged in. Links to those that have are sent.',
} as const

/** How often a link may be asked for, by and for whom, is for the request that asks for it (customers/login.ts). */
function loginLimits({ isSandbox, isSecret, isVouched }: FreeMail): Limit[] {
  if (isVouched) return []
  const [byShoppers, byServer] = LOGIN_LINKS[isSandbox ? 'sandbox' : 'live']
  const subject = subjectOf('login link', isSandbox, isSecret)
  return [{ subject: `${subject} all`, most: isSecret ? byServer : byShoppers, windowMs: HOUR_MS }]
}

function receiptLimits({ isSandbox, isSecret, isVouched, emailKey, networks }: FreeMail): Limit[] {
  const subject = subjectOf('receipt', isSandbox, isSecret)
  const inbox = inboxOf(emailKey)
  const [fromPlace, anHour, aDay] = RECEIPTS_TO_ONE[isSecret ? 'server' : 'shopper']
  const [byShoppers, byServer] = SANDBOX_RECEIPTS
  return [
    // The widest: who has a whole network orders from each part of it.
    { subject: `${subject} to ${inbox} from ${networks.at(-1) ?? ''}`, most: fromPlace, windowMs: HOUR_MS },
    { subject: `${subject} to ${inbox}`, most: anHour, windowMs: HOUR_MS },
    // Whoever builds a shop orders all day.
    ...(isSandbox ? [] : [{ subject: `${subject} a day to ${inbox}`, most: aDay, windowMs: DAY_MS }]),
    ...(isVouched ? [] : networkLimits(`${subject} from`, networks, RECEIPTS_FROM_NETWORK, HOUR_MS)),
    ...(isVouched || !isSandbox
      ? []
      : [{ subject: `${subject} all`, most: isSecret ? byServer : byShoppers, windowMs: HOUR_MS }]),
  ]
}

const subjectOf = (kind: FreeMail['kind'], isSandbox: boolean, isSecret: boolean): string =>
  [kind, isSandbox ? 'sandbox' : 'live', ...(isSecret ? ['by server'] : [])].join(' ')
