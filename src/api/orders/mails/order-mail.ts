// Mails about orders: to the merchant about a new order, to the customer about a shipment, a refund or a cancellation.
// A change enqueues its mail in its own transaction, so that only committed changes are mailed. It enqueues none that the shop has switched
// off.
// A job renders the mail from the order as it is when the job runs.

import type { Db, Scope, Tx } from '../../../db/db.ts'
import type { Services } from '../../../http/endpoint/endpoint.ts'
import { type JobContext, type JobHandler, jobScope } from '../../../jobs/job.ts'
import { enqueueWithCommit } from '../../../jobs/queue.ts'
import { networksOf } from '../../../lib/addresses.ts'
import type { WrittenMail } from '../../../mail/layout.ts'
import { type Mail, mailIdOf } from '../../../mail/mailer.ts'
import { cancellationMail } from '../../../mail/orders/cancellation-mail.ts'
import { newOrderMail } from '../../../mail/orders/new-order-mail.ts'
import { refundMail } from '../../../mail/orders/refund-mail.ts'
import { shipmentMail } from '../../../mail/orders/shipment-mail.ts'
import { storeUnsentMail } from '../../../mail/outbox-store.ts'
import { sendMail } from '../../../mail/send.ts'
import { allowFreeMail, countMerchantMail, mailOrigin } from '../../../mail/trust.ts'
import { emailKey, findVouched } from '../../customers/store.ts'
import { type MailSettings, mailSettings } from '../../merchants/settings.ts'
import { findSettings } from '../../merchants/store.ts'
import { findMailSender, type MailSender } from '../../merchants/view.ts'
import { createOrderAddresses, type OrderOwner } from '../links.ts'
import type { OrderRow } from '../read-store.ts'
import { isPaidOrAuthorized } from '../receipt.ts'
import type { Order } from '../schema.ts'
import { findOrder } from '../store.ts'
import { viewOrder } from '../view.ts'
import { deferToDigest } from './digest.ts'
import { cancellationSubject, orderDashboardUrl, refundSubject, shipmentSubject } from './subjects.ts'

export const SEND_ORDER_MAIL = 'orders.send_mail'

export type OrderMail =
  | { readonly kind: 'new_order' }
  | { readonly kind: 'shipment'; readonly shipmentId: string }
  | { readonly kind: 'refund'; readonly refundId: string }
  /** `isExpired`: the order expired, and nobody requested the cancellation. */
  | { readonly kind: 'cancellation'; readonly isExpired: boolean }

/** `lastingOrigin`: origin of the request that caused the mail; empty if there was none. */
type OrderMailJob = OrderMail & {
  readonly orderId: string
  readonly isSandbox: boolean
  readonly lastingOrigin: string
}

export const orderMailJob = (
  { is_sandbox, addresses }: OrderOwner,
  orderId: string,
  mail: OrderMail,
): OrderMailJob => ({
  ...mail,
  orderId,
  isSandbox: is_sandbox,
  lastingOrigin: addresses.lasting.origin,
})

/** True if the shop has this kind of mail switched on. */
const isWanted = ({ mails, merchant_mails }: MailSettings, { kind }: OrderMail): boolean =>
  ({
    new_order: merchant_mails.orders,
    shipment: mails.shipments,
    refund: mails.refunds,
    cancellation: mails.cancellations,
  })[kind]

/** True if such a mail goes to the customer of an order that is changed now. */
export async function isOrderMailEnabled(db: Db, scope: Scope, mail: OrderMail) {
  const stored = await findSettings(db, scope)
  return stored !== null && isWanted(mailSettings(stored), mail)
}

/**
 * Call it in the transaction of the change, under the order's lock, so that each change is mailed once.
 * `instead`: mails to send if `mail` is switched off, which would have covered their content.
 */
export async function enqueueOrderMail(
  tx: Tx,
  owner: OrderOwner,
  { id: orderId }: Pick<OrderRow, 'id'>,
  mail: OrderMail,
  now: Date,
  instead: readonly OrderMail[] = [],
): Promise<void> {
  const { merchant_id } = owner
  const stored = await findSettings(tx, owner)
  if (stored === null) return
  const settings = mailSettings(stored)
  const mailsToSend = isWanted(settings, mail) ? [mail] : instead.filter((other) => isWanted(settings, other))
  for (const each of mailsToSend)
    enqueueWithCommit(tx, {
      merchant_id,
      kind: SEND_ORDER_MAIL,
      payload: orderMailJob(owner, orderId, each),
      runAt: now,
    })
}

export const sendOrderMail = (services: Services): JobHandler<OrderMailJob> => ({
  kind: SEND_ORDER_MAIL,
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
    // The merchant may have switched it off meanwhile.
    if (mailing === null || row === null || !isWanted(mailing, job)) return
    const isToMerchant = job.kind === 'new_order'
    const to = isToMerchant ? mailing.merchantEmail : row.email
    const order = viewOrder(row, addresses, clock.now())
    const mailContent = to === '' ? null : renderMail(mailing, row, order, job, origin)
    if (mailContent === null) return
    if (mailer.goesOut && !(await isWithinMailLimit(run, row))) return
    const digestAt =
      mailer.goesOut && isToMerchant && !isPaidOrAuthorized(row) ? await countMerchantMail(run, scope) : null
    if (digestAt !== null) return deferToDigest(run, scope, { ...job, reference: row.customer_reference }, digestAt)
    const mail: Mail = {
      ...scope,
      kind: job.kind,
      id: mailIdOf(jobId),
      to,
      // The merchant's reply to a new-order mail goes to the customer.
      from: { name: mailing.shop.name, replyTo: isToMerchant ? row.email : mailing.shop.supportEmail },
      ...mailContent,
    }
    if (mailer.goesOut) return sendMail(services, run, mail)
    // Without a mail server, the mail is stored for reading. Each run uses the same id, so a retry stores it once.
    await run.endWith((all) => storeUnsentMail(all, mail, clock.now()))
  },
})

function renderMail(
  { shop }: MailSender,
  row: OrderRow,
  order: Order,
  mail: OrderMail,
  origin: string | null,
): WrittenMail | null {
  const orderWithView = { row, order }
  switch (mail.kind) {
    case 'new_order':
      return newOrderMail(shop, order, { url: orderDashboardUrl(origin, row.id) })
    case 'shipment': {
      const subject = shipmentSubject(orderWithView, mail.shipmentId)
      return subject && shipmentMail(shop, subject)
    }
    case 'refund': {
      const subject = refundSubject(orderWithView, mail.refundId)
      return subject && refundMail(shop, subject)
    }
    case 'cancellation': {
      const subject = cancellationSubject(orderWithView, mail.isExpired)
      return subject && cancellationMail(shop, subject)
    }
  }
}

/** Limits the mails to customers that anybody can cause without paying. Mails about changes by the merchant have no limit. */
async function isWithinMailLimit(run: JobContext<OrderMailJob>, row: OrderRow): Promise<boolean> {
  const { payload: job } = run
  const scope = jobScope(run)
  if (job.kind !== 'cancellation' || !job.isExpired) return true
  const key = emailKey(row.email)
  const isVouched = (await findVouched(run.db, scope, key)) ?? false
  const networks = networksOf(row.content.client_details.ip_address)
  return allowFreeMail(run, {
    kind: 'cancellation',
    is_sandbox: scope.is_sandbox,
    emailKey: key,
    isVouched,
    isSecret: false,
    networks,
  })
}
