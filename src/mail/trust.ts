// Limits mails that strangers can trigger: which links they may contain, and how many are sent.

import type { JobContext } from '../jobs/job.ts'
import { canonicalMailbox } from '../lib/text.ts'
import { countIfWithinLimits, countOrFindLimitEnd, networkLimits } from '../limits/requests.ts'
import type { Limit } from '../limits/store.ts'

/**
 * Start of links to this service and of the logo's address; null if a mail has neither. A client chooses the host name of its request.
 * In a mail to another person, that host would appear in the shop's name.
 */
export const mailOrigin = (
  { publicUrl }: { readonly publicUrl: string | null },
  { lastingOrigin }: { readonly lastingOrigin?: string },
): string | null => publicUrl ?? (lastingOrigin || null)

/** A mail without a payment behind it: its recipient and its trigger. */
type FreeMail = {
  readonly kind: 'receipt' | 'cancellation' | 'login link'
  readonly is_sandbox: boolean
  /** Recipient, normalised for comparison. */
  readonly emailKey: string
  /** True if the address is vouched for, for example by a login link or a paid order (`findVouched` of customers). */
  readonly isVouched: boolean
  /** True if the merchant's server triggered the mail with the secret key. */
  readonly isSecret: boolean
  /** Networks of the client that triggered the mail, as in `Context.clientNetworks`. */
  readonly networks: readonly string[]
}

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/**
 * Per hour, to one address from all sources. The sandbox has a separate, lower limit. Somebody with a public test key must neither use
 * up the limit of the shop's customers nor double it.
 */
const LOGIN_LINKS_TO_ONE = { live: 20, sandbox: 10 } as const
/** Per hour, to all unvouched addresses together: with a public key, and with the secret key. */
const LOGIN_LINKS = { live: [1_000, 5_000], sandbox: [200, 1_000] } as const
const SANDBOX_RECEIPTS = [200, 1_000] as const
/** Per hour, to the merchant, about unpaid orders. */
const NEW_ORDERS = { live: 200, sandbox: 60 } as const

/** To one address: per hour from one source, per hour in total, and per day in total. */
const RECEIPTS_TO_ONE = { shopper: [5, 8, 24], server: [20, 40, 200] } as const
/** The same for a vouched address. A few orders by others must not use up the limit of its owner. */
const RECEIPTS_TO_VOUCHED = { shopper: [5, 40, 200], server: [20, 40, 200] } as const
/** Per hour from one network to unvouched addresses; receipts and login links have one limit each. */
const MAX_PER_NETWORK = 60

/**
 * Counts a mail without a payment and returns true if it may be sent. Otherwise it writes to the log and returns false. A failed job per
 * mail would let anybody fill the table of jobs.
 * Limits for many addresses together never stop a mail to a vouched address. Otherwise a thousand invented addresses would block the
 * shop's customers. Each job counts once, even if it retries its mail.
 */
export async function allowFreeMail(
  run: Pick<JobContext, 'db' | 'clock' | 'log' | 'merchant_id' | 'jobId'>,
  mail: FreeMail,
): Promise<boolean> {
  const { db, clock, log, merchant_id, jobId } = run
  const limits = mail.kind === 'login link' ? loginLinkLimits(mail) : receiptLimits(mail)
  if (await countIfWithinLimits(db, run, limits, clock.now(), jobId)) return true
  log.warn({ merchant_id, jobId, sandbox: mail.is_sandbox }, NOT_SENT[mail.kind])
  return false
}

/**
 * Counts a mail to the merchant about an order that is free, unpaid or in the sandbox. Anybody can create any number of these. Paid
 * orders do not count. Returns null if the mail may be sent, else the end of the hour, when a digest reports the order.
 */
export function countMerchantMail(
  run: Pick<JobContext, 'db' | 'clock' | 'merchant_id' | 'jobId'>,
  { is_sandbox }: { readonly is_sandbox: boolean },
): Promise<Date | null> {
  const { db, clock, jobId } = run
  const mode = is_sandbox ? 'sandbox' : 'live'
  const limits = [{ subject: `new order ${mode}`, most: NEW_ORDERS[mode], windowMs: HOUR_MS }]
  return countOrFindLimitEnd(db, run, limits, clock.now(), jobId)
}

/** The same for the digest, with a limit of one per hour. */
export function countMerchantDigest(
  run: Pick<JobContext, 'db' | 'clock' | 'merchant_id' | 'jobId'>,
  { is_sandbox }: { readonly is_sandbox: boolean },
): Promise<Date | null> {
  const { db, clock, jobId } = run
  const limits = [{ subject: `order digest ${is_sandbox ? 'sandbox' : 'live'}`, most: 1, windowMs: HOUR_MS }]
  return countOrFindLimitEnd(db, run, limits, clock.now(), jobId)
}

const NOT_SENT = {
  receipt:
    'A receipt was not sent: this address or network reached the limit for receipts of free, unpaid or sandbox orders. The merchant can send it with POST /v1/orders/{id}/receipt.',
  cancellation:
    'A mail about an order cancelled for lack of payment was not sent: the address of the customer, or the network of the order, reached the limit for such mails.',
  'login link':
    'A login link was not sent: the hourly limit was reached for this address, or for addresses without a purchase or login, from this network or in total.',
} as const

/** The login request itself limits how often a link can be requested, by whom and for whom (customers/login/login.ts). */
function loginLinkLimits(mail: FreeMail): Limit[] {
  const { is_sandbox, isVouched, networks } = mail
  const mode = is_sandbox ? 'sandbox' : 'live'
  const subject = limitSubject(mail)
  return [
    { subject: `${subject} to ${limitRecipient(mail)}`, most: LOGIN_LINKS_TO_ONE[mode], windowMs: HOUR_MS },
    ...(isVouched
      ? []
      : [
          ...networkLimits(`${subject} from`, networks, MAX_PER_NETWORK, HOUR_MS),
          globalLimit(mail, LOGIN_LINKS[mode]),
        ]),
  ]
}

function receiptLimits(mail: FreeMail): Limit[] {
  const { is_sandbox, isSecret, isVouched, networks } = mail
  const subject = limitSubject(mail)
  const to = limitRecipient(mail)
  const thresholds = isVouched ? RECEIPTS_TO_VOUCHED : RECEIPTS_TO_ONE
  const [fromPlace, anHour, aDay] = thresholds[isSecret ? 'server' : 'shopper']
  return [
    // Use the widest network: an attacker with a whole network orders from each part of it.
    { subject: `${subject} to ${to} from ${networks.at(-1) ?? ''}`, most: fromPlace, windowMs: HOUR_MS },
    { subject: `${subject} to ${to}`, most: anHour, windowMs: HOUR_MS },
    // No daily limit in the sandbox, because developers place test orders all day.
    ...(is_sandbox ? [] : [{ subject: `${subject} a day to ${to}`, most: aDay, windowMs: DAY_MS }]),
    ...(isVouched ? [] : networkLimits(`${subject} from`, networks, MAX_PER_NETWORK, HOUR_MS)),
    ...(isVouched || !is_sandbox ? [] : [globalLimit(mail, SANDBOX_RECEIPTS)]),
  ]
}

const globalLimit = (mail: FreeMail, [byShoppers, byServer]: readonly [number, number]): Limit => ({
  subject: `${limitSubject(mail)} all`,
  most: mail.isSecret ? byServer : byShoppers,
  windowMs: HOUR_MS,
})

/**
 * The limit's key for the recipient. A vouched address counts by itself, so mails to the invented `ada+1@` do not use up the limit of
 * `ada@`. Unvouched addresses count by mailbox, with a prefix that no address has.
 */
const limitRecipient = ({ emailKey, isVouched }: FreeMail): string =>
  isVouched ? emailKey : `mailbox ${canonicalMailbox(emailKey)}`

const limitSubject = ({ kind, is_sandbox, isSecret }: FreeMail): string =>
  [kind, is_sandbox ? 'sandbox' : 'live', ...(isSecret ? ['by server'] : [])].join(' ')
