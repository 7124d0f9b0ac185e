// Receipts by mail: put in with the order itself, or when the merchant asks for another, and sent by a job.
// One that was sent and whose job died before it could say so is sent again, with the same Message-ID: mail programs then show one.
// Better twice than never: it may hold what was bought.

import type { Database } from '../../db/db.ts'
import { takeFromLimits } from '../../db/request-limits.ts'
import type { Services } from '../../http/endpoint.ts'
import type { JobHandler } from '../../jobs/job.ts'
import { enqueue } from '../../jobs/queue.ts'
import type { Clock } from '../../lib/clock.ts'
import { ApiError, notFound } from '../../lib/errors.ts'
import { MailRefused, mailIdOf } from '../../mail/mailer.ts'
import { receiptMail } from '../../mail/receipt-mail.ts'
import { emailKey } from '../customers/match-store.ts'
import { mailShop } from '../merchants/mail-shop.ts'
import { type OrderOwner, orderAddresses } from './links.ts'
import { findOrder, type Owner } from './store.ts'
import { viewOrder } from './view.ts'
import { tellOrder } from './writer.ts'

export const SEND_RECEIPT = 'orders.send_receipt'

export type ReceiptJob = {
  readonly orderId: string
  readonly isSandbox: boolean
  /** Of the request that asked for it. */
  readonly origin: string
  /** The merchant asked for it, so that it is sent also where receipts are switched off. */
  readonly isResend: boolean
}

/** What the job of an order that is being made carries. */
export const receiptJob = ({ isSandbox, addresses }: OrderOwner, orderId: string): ReceiptJob => ({
  orderId,
  isSandbox,
  origin: addresses.origin,
  isResend: false,
})

export const resendReceipt = (db: Database, clock: Clock, owner: OrderOwner, id: string) =>
  db.transaction(async (tx) => {
    const row = await findOrder(tx, owner, id)
    if (row === null) throw notFound('order')
    const now = clock.now()
    await enqueue(tx, {
      merchantId: owner.merchantId,
      kind: SEND_RECEIPT,
      // Whoever presses the button twice means one mail.
      key: `resend ${id}`,
      payload: { ...receiptJob(owner, id), isResend: true } satisfies ReceiptJob,
      runAt: now,
    })
    await tellOrder(tx, owner, 'orders.receipt.resend', row, now)
  })

export const sendReceipt = (services: Services): JobHandler => ({
  kind: SEND_RECEIPT,
  lane: 'mail',
  async handle({ payload, merchantId, jobId, attempt, signal }) {
    const { db, clock, mailer } = services
    const job = payload as ReceiptJob
    const owner: Owner = { merchantId, isSandbox: job.isSandbox }
    const origin = trustedOrigin(services, job)
    const found = await mailShop(services, merchantId, origin ?? '')
    if (found === null || !(found.mails.orders || job.isResend)) return
    const addresses = await orderAddresses(services, origin ?? '')
    const row = await findOrder(db, owner, job.orderId)
    if (row === null) return
    const now = clock.now()
    // Only the first time: a mail server that is down must not use up what an address may get.
    if (job.isSandbox && mailer.goesOut && attempt === 1) await countReceipt(services, owner, row.email)
    const shop = origin === null ? { ...found.shop, logoUrl: null } : found.shop
    const order = viewOrder(row, addresses, now)
    await mailer.send(
      {
        ...owner,
        kind: 'receipt',
        id: mailIdOf(jobId),
        to: row.email,
        from: { name: shop.name, replyTo: shop.supportEmail },
        ...receiptMail(shop, order, { hasLinks: origin !== null }),
      },
      signal,
    )
  },
})

/**
 * The address that a shopper's request named us by is anybody's to choose: in a mail to somebody else it would be a link to theirs, in the
 * name of the shop. Without a PUBLIC_URL such a mail holds no links.
 */
const trustedOrigin = ({ publicUrl, mailer }: Services, { origin, isResend }: ReceiptJob): string | null =>
  publicUrl ?? (isResend || !mailer.goesOut ? origin : null)

const HOUR_MS = 3_600_000

/** A public sandbox key is in every browser and buys with made-up cards: without a limit anybody could have us write to anybody. */
async function countReceipt({ db, clock }: Services, { merchantId }: Owner, email: string) {
  const limits = [
    { subject: `receipt sandbox ${emailKey(email)}`, most: 5, windowMs: HOUR_MS },
    { subject: 'receipt sandbox all', most: 200, windowMs: HOUR_MS },
  ]
  try {
    await db.transaction((tx) => takeFromLimits(tx, merchantId, limits, clock.now()))
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    throw new MailRefused('A receipt of the sandbox was not sent: 5 an hour go to one address, 200 to all.')
  }
}
