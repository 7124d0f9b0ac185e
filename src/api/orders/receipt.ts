// Receipts by mail. A new order enqueues one, a merchant can request another, and a job sends it.
// If a job dies after sending and before it could record that, the receipt is sent again with the same Message-ID. Mail programs then show
// one.
// Twice is better than never, because the receipt may contain the purchased downloads.

import type { Services } from '../../http/endpoint/endpoint.ts'
import { type JobContext, type JobHandler, jobScope } from '../../jobs/job.ts'
import { enqueue } from '../../jobs/queue.ts'
import { networksOf } from '../../lib/addresses.ts'
import { notFound } from '../../lib/errors.ts'
import { type Mail, mailIdOf } from '../../mail/mailer.ts'
import { receiptMail } from '../../mail/orders/receipt-mail.ts'
import { storeUnsentMail } from '../../mail/outbox-store.ts'
import { sendMail } from '../../mail/send.ts'
import { allowFreeMail, mailOrigin } from '../../mail/trust.ts'
import { emailKey, findVouched } from '../customers/store.ts'
import { findMailSender } from '../merchants/view.ts'
import { createOrderAddresses, type OrderContext, type OrderOwner, resolveOrderOwner } from './links.ts'
import { emitOrderEvent } from './order.ts'
import type { OrderRow } from './read-store.ts'
import { findOrder } from './store.ts'
import { insertOrderHistory } from './timeline/store.ts'
import { viewOrder } from './view.ts'

export const SEND_RECEIPT = 'orders.send_receipt'

/** Sender of the capture that made the order. */
export type CaptureSender = {
  /** True if the merchant's server sent it, with the secret key. */
  is_secret: boolean
  /** Same as `Context.clientNetworks`. */
  networks: readonly string[]
}

type ReceiptJob = {
  readonly orderId: string
  readonly isSandbox: boolean
  /** Origin of the request that caused the receipt. Older jobs hold an unchecked `origin`, which is ignored. */
  readonly lastingOrigin: string
  /** Requested by the merchant: sent even if receipts are switched off, and regardless of earlier ones. */
  readonly isResend: boolean
  /** Sender of the capture. Missing if it is unknown, as for a resend. */
  readonly capturedBy?: { readonly isSecret: boolean; readonly networks: readonly string[] } | undefined
}

/** Payload of the receipt job for an order that is being made. */
export const receiptJob = (
  { is_sandbox, addresses }: OrderOwner,
  orderId: string,
  capturedBy: CaptureSender | null = null,
): ReceiptJob => ({
  orderId,
  isSandbox: is_sandbox,
  lastingOrigin: addresses.lasting.origin,
  isResend: false,
  capturedBy: capturedBy ? { isSecret: capturedBy.is_secret, networks: capturedBy.networks } : undefined,
})

export async function resendReceipt(context: OrderContext, id: string): Promise<void> {
  const owner = await resolveOrderOwner(context)
  await context.db.transaction(async (tx) => {
    const row = await findOrder(tx, owner, id)
    if (row === null) throw notFound('order')
    const now = context.clock.now()
    await enqueue(tx, {
      merchant_id: owner.merchant_id,
      kind: SEND_RECEIPT,
      // Pressing the button twice sends one mail.
      key: `resend ${id}`,
      payload: { ...receiptJob(owner, id), isResend: true } satisfies ReceiptJob,
      runAt: now,
    })
    await emitOrderEvent(tx, owner, 'orders.receipt.resend', row, now)
  })
}

export const sendReceipt = (services: Services): JobHandler<ReceiptJob> => ({
  kind: SEND_RECEIPT,
  lane: 'mail',
  async handle(run) {
    const { db, clock, mailer } = services
    const { jobId, payload: job } = run
    const scope = jobScope(run)
    const origin = mailOrigin(services, job)
    const addresses = await createOrderAddresses(services, origin ?? '')
    const [mailing, row] = await db.together((all) => [
      findMailSender({ db: all }, scope, origin),
      findOrder(all, scope, job.orderId),
    ])
    if (mailing === null || !(mailing.mails.orders || job.isResend) || row === null) return
    if (mailer.goesOut && !job.isResend && !isPaidOrAuthorized(row) && !(await countReceipt(run, row))) return
    const { shop } = mailing
    const order = viewOrder(row, addresses, clock.now())
    const mail: Mail = {
      ...scope,
      kind: 'receipt',
      id: mailIdOf(jobId),
      to: row.email,
      from: { name: shop.name, replyTo: shop.supportEmail },
      ...receiptMail(shop, order, { hasLinks: origin !== null }),
    }
    const historyEntry = { orderId: row.id, id: mail.id, kind: 'mail', content: mail.kind, person: mail.to } as const
    if (mailer.goesOut) await sendMail(services, run, mail)
    // Without a mail server, the mail is stored for reading. Each run uses the same id, so a retry stores it once.
    await run.endWith((all) =>
      Promise.all([
        ...(mailer.goesOut ? [] : [storeUnsentMail(all, mail, clock.now())]),
        insertOrderHistory(all, scope, historyEntry, clock.now()),
      ]),
    )
  },
})

/**
 * True if the order is paid, or the customer's bank has promised the money. Anybody can make any number of other orders, for any address.
 */
export const isPaidOrAuthorized = ({ is_sandbox, order_value, status_payment }: OrderRow): boolean =>
  !is_sandbox && order_value > 0 && status_payment !== 'not_paid'

async function countReceipt(run: JobContext<ReceiptJob>, row: OrderRow): Promise<boolean> {
  const scope = jobScope(run)
  const { isSecret, networks } = run.payload.capturedBy ?? {
    isSecret: false,
    networks: networksOf(row.content.client_details.ip_address),
  }
  const key = emailKey(row.email)
  const isVouched = (await findVouched(run.db, scope, key)) ?? false
  return allowFreeMail(run, {
    kind: 'receipt',
    is_sandbox: scope.is_sandbox,
    emailKey: key,
    isVouched,
    isSecret,
    networks,
  })
}
