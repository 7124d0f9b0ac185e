// What a mail that anybody can have us send to anybody may hold, and how many of them go out.

import type { JobContext } from '../jobs/job.ts'
import { inboxOf } from '../lib/text.ts'
import { findLimitEnd, isWithinLimits, networkLimits } from '../limits/requests.ts'
import type { Limit } from '../limits/store.ts'

/**
 * What links to us, and the logo, begin with. Null where a mail holds neither: the host that a request named us by is anybody's to choose, and
 * in a mail to somebody else it would be theirs in the name of the shop.
 */
export const mailOrigin = (
  { publicUrl }: { readonly publicUrl: string | null },
  { lastingOrigin }: { readonly lastingOrigin?: string },
): string | null => publicUrl ?? (lastingOrigin || null)

/** A mail that nobody has paid for: who gets it, and who has brought it about. */
type FreeMail = {
  readonly kind: 'receipt' | 'cancellation' | 'login link'
  readonly isSandbox: boolean
  /** In the form that addresses are compared in. */
  readonly emailKey: string
  /** Whether somebody stands for the address (`findVouched` of customers). */
  readonly isVouched: boolean
  /** Whether the merchant's server has brought it about, with the secret key. */
  readonly isSecret: boolean
  /** Of whoever has brought it about, as `Context.clientNetworks`. */
  readonly networks: readonly string[]
}

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/**
 * An hour, to one address from everywhere. The sandbox has fewer, and of its own: whoever has a public test key must neither use up what
 * the shop's customers get nor double it.
 */
const LOGIN_LINKS_TO_ONE = { live: 20, sandbox: 10 } as const
/** An hour, to all addresses together that nobody stands for: with a public key, and with the secret one. */
const LOGIN_LINKS = { live: [1_000, 5_000], sandbox: [200, 1_000] } as const
const SANDBOX_RECEIPTS = [200, 1_000] as const
/** An hour, to the merchant itself, of orders that nobody has paid. */
const NEW_ORDERS = { live: 200, sandbox: 60 } as const

/** To one address: an hour from one place, an hour in all, and a day in all. */
const RECEIPTS_TO_ONE = { shopper: [5, 8, 24], server: [20, 40, 200] } as const
/** The same for one that somebody stands for: others must not be able to use up what its owner gets by a few orders. */
const RECEIPTS_TO_VOUCHED = { shopper: [5, 40, 200], server: [20, 40, 200] } as const
/** An hour from one network, to addresses that nobody stands for; receipts and login links each. */
const MOST_FROM_NETWORK = 60

/**
 * Whether a mail that nobody has paid for may go out; counted, where it may. False, with a line in the log, where it must not: a failed
 * job for each would let anybody fill the table of jobs.
 * What is counted for many addresses together never stops a mail to one that somebody stands for: else whoever makes up a thousand
 * addresses would keep the shop's customers from theirs. Each job counts once, however often its mail is tried.
 */
export async function countFreeMail(
  run: Pick<JobContext, 'db' | 'clock' | 'log' | 'merchantId' | 'jobId'>,
  mail: FreeMail,
): Promise<boolean> {
  const { db, clock, log, merchantId, jobId } = run
  const limits = mail.kind === 'login link' ? loginLimits(mail) : receiptLimits(mail)
  if (await isWithinLimits(db, run, limits, clock.now(), jobId)) return true
  log.warn({ merchantId, jobId, sandbox: mail.isSandbox }, NOT_SENT[mail.kind])
  return false
}

/**
 * Counts one more mail to the merchant about an order that is free, not paid or of the sandbox: anybody makes any number of them. Paid ones are
 * not counted. Null where the mail may go out; else the end of the hour, when a digest tells of the order.
 */
export function countOwnMail(
  run: Pick<JobContext, 'db' | 'clock' | 'merchantId' | 'jobId'>,
  { isSandbox }: { readonly isSandbox: boolean },
): Promise<Date | null> {
  const { db, clock, jobId } = run
  const mode = isSandbox ? 'sandbox' : 'live'
  const limits = [{ subject: `new order ${mode}`, most: NEW_ORDERS[mode], windowMs: HOUR_MS }]
  return findLimitEnd(db, run, limits, clock.now(), jobId)
}

/** The same for the digest, of which one goes out an hour. */
export function countOwnDigest(
  run: Pick<JobContext, 'db' | 'clock' | 'merchantId' | 'jobId'>,
  { isSandbox }: { readonly isSandbox: boolean },
): Promise<Date | null> {
  const { db, clock, jobId } = run
  const limits = [{ subject: `order digest ${isSandbox ? 'sandbox' : 'live'}`, most: 1, windowMs: HOUR_MS }]
  return findLimitEnd(db, run, limits, clock.now(), jobId)
}

const NOT_SENT = {
  receipt:
    'A receipt was not sent: too many of orders that are free, not paid or of the sandbox went to this address, or came from this network. The merchant can send it with POST /v1/orders/{id}/receipt.',
  cancellation:
    'A customer was not told that an order was cancelled, as it was not paid in time: too many such mails went to this address, or were brought about from its network.',
  'login link':
    'A login link was not sent: too many went to this address within the hour, or to addresses that have neither bought nor logged in, from this network or in all.',
} as const

/** How often a link may be asked for, by and for whom, is for the request that asks for it (customers/login/login.ts). */
function loginLimits(mail: FreeMail): Limit[] {
  const { isSandbox, isVouched, networks } = mail
  const mode = isSandbox ? 'sandbox' : 'live'
  const subject = subjectOf(mail)
  return [
    { subject: `${subject} to ${recipientOf(mail)}`, most: LOGIN_LINKS_TO_ONE[mode], windowMs: HOUR_MS },
    ...(isVouched
      ? []
      : [
          ...networkLimits(`${subject} from`, networks, MOST_FROM_NETWORK, HOUR_MS),
          limitOfAll(mail, LOGIN_LINKS[mode]),
        ]),
  ]
}

function receiptLimits(mail: FreeMail): Limit[] {
  const { isSandbox, isSecret, isVouched, networks } = mail
  const subject = subjectOf(mail)
  const to = recipientOf(mail)
  const heights = isVouched ? RECEIPTS_TO_VOUCHED : RECEIPTS_TO_ONE
  const [fromPlace, anHour, aDay] = heights[isSecret ? 'server' : 'shopper']
  return [
    // The widest: who has a whole network orders from each part of it.
    { subject: `${subject} to ${to} from ${networks.at(-1) ?? ''}`, most: fromPlace, windowMs: HOUR_MS },
    { subject: `${subject} to ${to}`, most: anHour, windowMs: HOUR_MS },
    // Whoever builds a shop orders all day.
    ...(isSandbox ? [] : [{ subject: `${subject} a day to ${to}`, most: aDay, windowMs: DAY_MS }]),
    ...(isVouched ? [] : networkLimits(`${subject} from`, networks, MOST_FROM_NETWORK, HOUR_MS)),
    ...(isVouched || !isSandbox ? [] : [limitOfAll(mail, SANDBOX_RECEIPTS)]),
  ]
}

const limitOfAll = (mail: FreeMail, [byShoppers, byServer]: readonly [number, number]): Limit => ({
  subject: `${subjectOf(mail)} all`,
  most: mail.isSecret ? byServer : byShoppers,
  windowMs: HOUR_MS,
})

/**
 * Whom a mail counts for. An address that somebody stands for is itself alone: what is sent to `ada+1@`, which anybody makes up, is nothing
 * of what `ada@` gets. One that nobody stands for is its mailbox, and under another name than an address.
 */
const recipientOf = ({ emailKey, isVouched }: FreeMail): string =>
  isVouched ? emailKey : `mailbox ${inboxOf(emailKey)}`

const subjectOf = ({ kind, isSandbox, isSecret }: FreeMail): string =>
  [kind, isSandbox ? 'sandbox' : 'live', ...(isSecret ? ['by server'] : [])].join(' ')
