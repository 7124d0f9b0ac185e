// Receipts by mail: put in with the order itself, or when the merchant asks for another, and sent by a job.
// One that was sent and whose job died before it could say so is sent again, with the same Message-ID: mail programs then show one.
// Better twice than never: it may hold what was bought.

import type { Scope } from '../../db/db.ts'
import type { Services } from '../../http/endpoint/endpoint.ts'
import type { JobContext, JobHandler } from '../../jobs/job.ts'
import { enqueue } from '../../jobs/queue.ts'
import { networksOf } from '../../lib/addresses.ts'
import { notFound } from '../../lib/errors.ts'
import { type Mail, mailIdOf } from '../../mail/mailer.ts'
import { receiptMail } from '../../mail/orders/receipt-mail.ts'
import { keepMail } from '../../mail/outbox-store.ts'
import { sendMail } from '../../mail/send.ts'
import { countFreeMail, mailOrigin } from '../../mail/trust.ts'
import { emailKey, findVouched } from '../customers/store.ts'
import { mailShop } from '../merchants/view.ts'
import { type OrderContext, type OrderOwner, orderAddresses, ownerOf } from './links.ts'
import { emitOrder } from './order.ts'
import type { OrderRow } from './read-store.ts'
import { findOrder } from './store.ts'
import { insertHistory } from './timeline/store.ts'
import { viewOrder } from './view.ts'

export const SEND_RECEIPT = 'orders.send_receipt'

/** Who has captured the order that the receipt is of. */
export type CaptureSender = {
  /** Whether it was the merchant's server, with the secret key. */
  is_secret: boolean
  /** As `Context.clientNetworks`. */
  networks: readonly string[]
}

type ReceiptJob = {
  readonly orderId: string
  readonly isSandbox: boolean
  /** Origin of the request that asked for it. Older jobs hold an unchecked `origin` and count as having none. */
  readonly lastingOrigin: string
  /** The merchant asked for it, so that it is sent also where receipts are switched off, and however many there were. */
  readonly isResend: boolean
  /** Whether the merchant's server has sent the capture, and from which networks. Missing where that is not known, as of a resend. */
  readonly capturedBy?: { readonly isSecret: boolean; readonly networks: readonly string[] } | undefined
}

/** What the job of an order that is being made carries. */
export const receiptJob = (
  { isSandbox, addresses }: OrderOwner,
  orderId: string,
  capturedBy: CaptureSender | null = null,
): ReceiptJob => ({
  orderId,
  isSandbox,
  lastingOrigin: addresses.lasting.origin,
  isResend: false,
  capturedBy: capturedBy ? { isSecret: capturedBy.is_secret, networks: capturedBy.networks } : undefined,
})

export async function resendReceipt(context: OrderContext, id: string): Promise<void> {
  const owner = await ownerOf(context)
  await context.db.transaction(async (tx) => {
    const row = await findOrder(tx, owner, id)
    if (row === null) throw notFound('order')
    const now = context.clock.now()
    await enqueue(tx, {
      merchantId: owner.merchantId,
      kind: SEND_RECEIPT,
      // Whoever presses the button twice means one mail.
      key: `resend ${id}`,
      payload: { ...receiptJob(owner, id), isResend: true } satisfies ReceiptJob,
      runAt: now,
    })
    await emitOrder(tx, owner, 'orders.receipt.resend', row, now)
  })
}

export const sendReceipt = (services: Services): JobHandler => ({
  kind: SEND_RECEIPT,
  lane: 'mail',
  async handle(run) {
    const { db, clock, mailer } = services
    const { merchantId, jobId } = run
    const job = run.payload as ReceiptJob
    const scope: Scope = { merchantId, isSandbox: job.isSandbox }
    const origin = mailOrigin(services, job)
    const addresses = await orderAddresses(services, origin ?? '')
    const [mailing, row] = await db.together((all) => [
      mailShop({ db: all }, scope, origin),
      findOrder(all, scope, job.orderId),
    ])
    if (mailing === null || !(mailing.mails.orders || job.isResend) || row === null) return
    if (mailer.goesOut && !job.isResend && !isBought(row) && !(await countReceipt(run, job, row))) return
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
    const sent = { orderId: row.id, id: mail.id, kind: 'mail', content: mail.kind, person: mail.to } as const
    if (mailer.goesOut) await sendMail(services, run, mail)
    // Without a mail server it is kept to be read, under the same id whichever run writes it.
    await run.endWith((all) =>
      Promise.all([
        ...(mailer.goesOut ? [] : [keepMail(all, mail, clock.now())]),
        insertHistory(all, scope, sent, clock.now()),
      ]),
    )
  },
})

/** Whether somebody has paid for it, or their bank has promised to. Anybody makes any number of other orders, for any address. */
export const isBought = ({ is_sandbox, order_value, status_payment }: OrderRow): boolean =>
  !is_sandbox && order_value > 0 && status_payment !== 'not_paid'

async function countReceipt(run: JobContext, { capturedBy, isSandbox }: ReceiptJob, row: OrderRow): Promise<boolean> {
  const { isSecret, networks } = capturedBy ?? {
    isSecret: false,
    networks: networksOf(row.content.client_details.ip_address),
  }
  const key = emailKey(row.email)
  const isVouched = (await findVouched(run.db, { merchantId: run.merchantId, isSandbox }, key)) ?? false
  return countFreeMail(run, { kind: 'receipt', isSandbox, emailKey: key, isVouched, isSecret, networks })
}
