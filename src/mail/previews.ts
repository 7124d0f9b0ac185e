// Renders each kind of mail for a real or a sample order, so that a merchant can see it before a customer does.

import { html } from '../lib/html/html.ts'
import { toOneLine } from '../lib/text.ts'
import { declineMail } from './decline-mail.ts'
import { heading, type MailShop, paragraph, type WrittenMail, writePage } from './layout.ts'
import { loginMail } from './login-mail.ts'
import { type CancellationSubject, cancellationMail } from './orders/cancellation-mail.ts'
import { type MerchantOrder, newOrderMail } from './orders/new-order-mail.ts'
import { orderDigestMail } from './orders/order-digest-mail.ts'
import { receiptMail } from './orders/receipt-mail.ts'
import { type RefundSubject, refundMail } from './orders/refund-mail.ts'
import { sampleCancellation, sampleOrder, sampleRefund, sampleShipment } from './orders/sample.ts'
import { type ShipmentSubject, shipmentMail } from './orders/shipment-mail.ts'

export const MAIL_KINDS = [
  'login',
  'receipt',
  'shipment',
  'refund',
  'cancellation',
  'new_order',
  'order_digest',
  'declines',
] as const

export type PreviewMailKind = (typeof MAIL_KINDS)[number]

/** An order with its latest shipment, refund and cancellation. */
export type MailedOrder = {
  readonly orderId: string
  readonly order: MerchantOrder
  readonly shipment: ShipmentSubject | null
  readonly refund: RefundSubject | null
  readonly cancellation: CancellationSubject | null
}

export type PreviewData = {
  readonly shop: MailShop
  readonly mailedOrder: MailedOrder
  /** Start of links to this service; null if mails have no links. */
  readonly origin: string | null
  /** Address of the order in the dashboard. */
  readonly orderUrl: string | null
}

/** Returns null if the order has nothing to report in this kind of mail. */
export function writePreviewMail(
  kind: PreviewMailKind,
  { shop, mailedOrder, origin, orderUrl }: PreviewData,
): WrittenMail | null {
  const ordersUrl = origin === null ? null : `${origin}/dashboard/orders`
  const { order, shipment, refund, cancellation } = mailedOrder
  switch (kind) {
    case 'login':
      return loginMail(shop, {
        link: 'https://shop.example/login?token=a-token-that-opens-nothing',
        minutes: 15,
        is_sandbox: order.sandbox,
      })
    case 'receipt':
      return receiptMail(shop, order, { hasLinks: origin !== null })
    case 'shipment':
      return shipment && shipmentMail(shop, shipment)
    case 'refund':
      return refund && refundMail(shop, refund)
    case 'cancellation':
      return cancellation && cancellationMail(shop, cancellation)
    case 'new_order':
      return newOrderMail(shop, order, { url: orderUrl })
    case 'order_digest':
      return orderDigestMail(shop, {
        is_sandbox: order.sandbox,
        orders: 2_140,
        references: [order.customer_reference],
        url: ordersUrl,
      })
    case 'declines':
      return declineMail(shop, { is_sandbox: order.sandbox, declines: 265, attempts: 281, url: ordersUrl })
  }
}

export const SAMPLE_ORDER_ID = 'ord_sample'

type SampleOptions = {
  readonly currency?: string
  /** Marks the order as a sandbox order, for a mail that is really sent. */
  readonly isTest?: boolean
}

export function sampleMailedOrder(
  origin: string,
  now: Date,
  { currency, isTest = false }: SampleOptions = {},
): MailedOrder {
  const order = { ...sampleOrder(origin, now, currency), sandbox: isTest }
  return {
    orderId: SAMPLE_ORDER_ID,
    order,
    shipment: sampleShipment(order, now),
    refund: sampleRefund(order, currency),
    cancellation: sampleCancellation(order, currency),
  }
}

/** A mail that only confirms its delivery. */
export function testMail(shop: MailShop): WrittenMail {
  const title = `A test mail of ${toOneLine(shop.name)}`
  const sentences = [
    'It has arrived: mails of this shop can be sent, and reach this mailbox.',
    'Look at the sender and at where an answer would go. If it lies among the spam, the records SPF, DKIM and DMARC of the sender’s domain are the first to look at.',
  ]
  const why = 'You get this mail because somebody of the shop has asked for it, to try the mail server.'
  const content = html`${heading(title)}${sentences.map((sentence) => paragraph(sentence))}`
  return {
    subject: `[Test] ${title}`,
    text: [title, '', ...sentences.flatMap((sentence) => [sentence, '']), `-- \n${why}`, ''].join('\n'),
    html: writePage(shop, { title, preheader: sentences[0] ?? '', content, footer: html`${why}` }),
  }
}
