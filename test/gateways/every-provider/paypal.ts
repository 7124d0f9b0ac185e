// PayPal, for the tests that are the same for every provider.

import { CONFIG, openPayPal, WEBHOOK_ID } from '../doubles/paypal.ts'
import type { OrderBook } from '../doubles/paypal-books.ts'
import { type Capture, type Messages, type Provider, payBy, standIn } from './provider.ts'

const UP = 'https://api.sandbox.paypal.com/v2/payments/captures/'
const decimal = (amount: number) => ({ currency_code: 'USD', value: (amount / 100).toFixed(2) })

export async function openPayPalProvider(now: () => Date): Promise<Provider & { paypal: typeof paypal }> {
  const paypal = await openPayPal(now)
  const { books } = paypal
  const link = (id: string) => ({ href: `${UP}${id}`, rel: 'up', method: 'GET' })
  const begin = async (capture: Capture) =>
    ((await capture(payBy('paypal', { action: 'authorize' }))).body as { paykey: string }).paykey
  const orderOf = (key: string) => paypal.orderOfKey(key) as OrderBook
  const refundsOf = (id: string) => books.captureOf(id).order.refunds
  let count = 0

  const messages: Messages = {
    moved: ({ key, id }) => ['PAYMENT.CAPTURE.COMPLETED', { id, custom_id: key }],
    failed: ({ key, id }) => ['PAYMENT.CAPTURE.DENIED', { id, custom_id: key, status: 'DECLINED' }],
    refunded: ({ key, id, refund }) => {
      const invoice = key === null ? {} : { invoice_id: key }
      return ['PAYMENT.CAPTURE.REFUNDED', { id: refund, ...invoice, links: [link(id)] }]
    },
    disputed: ({ id }) => ['CUSTOMER.DISPUTE.UPDATED', { disputed_transactions: [{ seller_transaction_id: id }] }],
  }

  return {
    paypal,
    code: 'paypal',
    config: { ...CONFIG, webhook_id: WEBHOOK_ID },
    secret: { name: 'client_secret', revoked: 'ERevokedByNow' },
    ...standIn(paypal),
    taking: /\/orders\/\w+\/capture$/,
    answeredAt: 'capture.confirmed',
    ready: async (capture) => {
      const id = await begin(capture)
      paypal.approve(id)
      return payBy('paypal', { action: 'capture', payment_id: id, payer_id: 'QYR5Z8XDVJNXQ' })
    },
    decline: async (capture) => {
      const id = await begin(capture)
      paypal.approve(id)
      books.orderOf(id).issues.push('PAYER_CANNOT_PAY')
      return payBy('paypal', { action: 'capture', payment_id: id })
    },
    takesHeld: /authorizations\/\w+\/capture$/,
    shows: { client_id: CONFIG.client_id },
    leave: async (capture) => void (await begin(capture)),
    paymentOf: (key) => paypal.orderOfKey(key)?.captures.at(-1)?.id ?? '',
    takenOf: (key) => paypal.orderOfKey(key)?.captures.length ?? 0,
    givenBack: (id) => refundsOf(id).map(({ amount }) => Number(amount.value) * 100),
    // A capture that was on its way has come before it was called off.
    payLate: (key) => {
      const order = orderOf(key)
      Object.assign(order, { intent: 'CAPTURE', custom_id: key, isApproved: true })
      return books.complete(order.id, 'CAPTURE').captures[0]?.id ?? ''
    },
    refundByHand: (id, amount) => books.refund(id, { amount: decimal(amount) }, link).id,
    failRefunds: (id) => {
      const { order, found } = books.captureOf(id)
      for (const refund of order.refunds) refund.status = 'FAILED'
      found.status = 'COMPLETED'
      return order.refunds.at(-1)?.id ?? ''
    },
    dispute: (id) => {
      const dispute = paypal.dispute(id)
      return {
        lose: () => void Object.assign(dispute, { status: 'RESOLVED', outcome_code: 'RESOLVED_BUYER_FAVOUR' }),
      }
    },
    takeByHand: (id, amount) => void books.take(id, decimal(amount)),
    holds: (id) => books.authorizationOf(id).found.status === 'CREATED',
    endHold: (id) => {
      books.authorizationOf(id).found.status = 'VOIDED'
    },
    isHoldTold: true,
    message: (told, about) => {
      const [event_type, resource] = messages[told](about)
      return paypal.signedMessage({ id: `WH-${++count}`, event_type, resource })
    },
    secrets: /EGnHDxD_|ERevoked|A21AA/,
  }
}
