// Razorpay's API, as far as it is used here: what is sent, and what is read of the answers. What a payment or a refusal means for us:
// outcomes.ts. Names and limits: razorpay/razorpay-node 2.9 (types and documents). No error names a credential, or more of an address than
// its host.

import type { Minor } from '../../lib/money.ts'
import type { GatewayCall, Sum } from '../call.ts'
import type { GatewayPorts, RefundRequest } from '../gateway.ts'
import { type CurrencyRules, sumIn, unitsOf } from '../provider/amounts.ts'
import { type Answer, answerOf } from '../provider/answer.ts'
import type { ProviderReply } from '../provider/client.ts'
import { codeOf, type Json, objectOf, readAll, textOf } from '../provider/json.ts'

/** The same for both modes: the key tells which it is. */
const HOST = 'https://api.razorpay.com'

/** How the key of a charge, and of a refund, stands in the notes that Razorpay keeps with an order or a refund. */
const KEY_OF_CHARGE = 'cartwright_attempt'
const KEY_OF_REFUND = 'cartwright_refund'

/** As many as a list gives at once. */
const PAGE = 100

/**
 * Of three decimals the last has to be 0. Left out are currencies of which it is not published how they are counted: those without decimals
 * but the yen, and those with three but these.
 */
export const CURRENCIES: CurrencyRules = {
  provider: 'Razorpay',
  exceptions: {
    BHD: { decimals: 3, step: 10 },
    KWD: { decimals: 3, step: 10 },
    OMR: { decimals: 3, step: 10 },
  },
  only: (
    'AED ALL AMD ARS AUD AWG BBD BDT BHD BMD BND BOB BSD BWP BZD CAD CHF CNY COP CRC CUP CZK DKK DOP DZD EGP ETB EUR FJD GBP GHS GIP GMD ' +
    'GTQ GYD HKD HNL HTG HUF IDR ILS INR JMD JPY KES KGS KHR KWD KYD KZT LAK LKR LRD LSL MAD MDL MKD MMK MNT MOP MUR MVR MWK MXN MYR NAD ' +
    'NGN NIO NOK NPR NZD OMR PEN PGK PHP PKR QAR RUB SAR SCR SEK SGD SOS SSP SVC SZL THB TTD TWD TZS USD UYU UZS YER ZAR'
  ).split(' '),
}

export type RazorpayPayment = {
  readonly id: string
  /** created, authorized, captured, refunded or failed. */
  readonly status: string
  /** Null where it is no sum that we could name. */
  readonly sum: Sum | null
  readonly orderId: string | null
  /** Whether it was ever taken: also where all of it has gone back since. */
  readonly isCaptured: boolean
  readonly isRefunded: boolean
  /** card, upi, netbanking, wallet, … */
  readonly method: string
  readonly card: { readonly network: string | null; readonly lastFour: string | null }
  /** Why it failed. */
  readonly reason: string | null
  readonly createdAt: Date
}

type RazorpayOrder = { readonly id: string; readonly sum: Sum | null; readonly key: string | null }

export type RazorpayRefund = {
  readonly id: string
  /** pending, processed or failed. */
  readonly status: string
  readonly amount: Minor | null
  /** Ours, where it was asked for from here. */
  readonly key: string | null
}

export type RazorpayDispute = {
  readonly id: string
  readonly paymentId: string | null
  readonly status: string
  readonly amount: Minor | null
  readonly reason: string | null
}

/** What Razorpay will not do. The description is for developers: it is compared, and never handed on. */
export type Refusal = {
  readonly status: number
  readonly code: string | null
  readonly reason: string | null
  readonly field: string | null
  readonly description: string
}

type Call = Pick<GatewayCall, 'config' | 'signal'>
type Sent = { readonly body?: Json; readonly headers?: Readonly<Record<string, string>> }

export type RazorpayApi = ReturnType<typeof razorpayApi>

export function razorpayApi({ http, address }: Pick<GatewayPorts, 'http' | 'address'>) {
  const send = ({ config, signal }: Call, method: 'GET' | 'POST', path: string, { body, headers }: Sent = {}) =>
    http({
      method,
      url: address(HOST) + path,
      headers: {
        authorization: `Basic ${Buffer.from(`${config.key_id ?? ''}:${config.key_secret ?? ''}`).toString('base64')}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal,
    })

  const ask = async <T>(read: (body: unknown) => T | null, ...request: Parameters<typeof send>) =>
    answerOf(await send(...request), { provider: 'Razorpay', read, refusalOf })

  /** Until there are no more: the signal ends what takes too long. */
  async function everyPage<T>(
    read: (item: unknown) => T | null,
    call: Call,
    path: string,
  ): Promise<Answer<T[], Refusal>> {
    const items: T[] = []
    for (let skip = 0; ; skip += PAGE) {
      const query = new URLSearchParams({ count: String(PAGE), skip: String(skip) })
      const answer = await ask((body) => listIn(body, read), call, 'GET', `${path}?${query}`)
      if (!answer.ok) return answer
      items.push(...answer.value)
      if (answer.value.length < PAGE) return { ok: true, value: items }
    }
  }

  const payments = (id: string) => `/v1/payments/${encodeURIComponent(id)}`
  const orders = (id: string) => `/v1/orders/${encodeURIComponent(id)}`

  return {
    /** An order is no payment: nobody can pay it who has not been told its id. Captures are ours alone, whatever the account's setting. */
    createOrder: (call: GatewayCall, sum: Sum) =>
      ask(orderIn, call, 'POST', '/v1/orders', {
        body: {
          ...moneyOf(sum),
          receipt: call.key,
          notes: { [KEY_OF_CHARGE]: call.key },
          payment: { capture: 'manual' },
        },
      }),
    findOrder: (call: Call, id: string) => ask(orderIn, call, 'GET', orders(id)),
    /** Those that were made under our key. */
    listOrders: (call: GatewayCall) =>
      ask((body) => listIn(body, orderIn), call, 'GET', `/v1/orders?${new URLSearchParams({ receipt: call.key })}`),
    /** Whether the key may read at all. */
    listAnyOrder: (call: Call) => ask((body) => listIn(body, orderIn), call, 'GET', '/v1/orders?count=1'),
    listPaymentsOf: (call: Call, orderId: string) =>
      ask((body) => listIn(body, paymentIn), call, 'GET', `${orders(orderId)}/payments`),
    /** With its card, which is left out otherwise. */
    findPayment: (call: Call, id: string) =>
      ask(paymentIn, call, 'GET', `${payments(id)}?${new URLSearchParams({ 'expand[]': 'card' })}`),
    /** All of it: Razorpay takes no part. There is no key: one that was taken before is refused in words. */
    capture: (call: Call, id: string, sum: Sum) =>
      ask(paymentIn, call, 'POST', `${payments(id)}/capture`, { body: moneyOf(sum) }),
    refund: (call: RefundRequest) =>
      ask((body) => refundIn(body, call.currency), call, 'POST', `${payments(call.transactionId)}/refund`, {
        body: {
          amount: moneyOf(call).amount,
          speed: 'normal',
          receipt: call.key,
          notes: { [KEY_OF_REFUND]: call.key },
        },
        headers: { 'x-refund-idempotency': call.key },
      }),
    listRefunds: (call: Call, paymentId: string, currency: string) =>
      everyPage((item) => refundIn(item, currency), call, `${payments(paymentId)}/refunds`),
    listDisputes: (call: Call) => everyPage(disputeIn, call, '/v1/disputes'),
  }
}

/**
 * A sandbox order must never take real money, nor a live one be paid by a test. There is one host: the key alone says which it is, and one that
 * does not say is left to Razorpay.
 */
export function modeProblem({ config, isSandbox }: Pick<GatewayCall, 'config' | 'isSandbox'>): string | null {
  const [, mode] = /^rzp_(test|live)_/.exec(config.key_id ?? '') ?? []
  return mode === undefined || mode === (isSandbox ? 'test' : 'live')
    ? null
    : `The key that is set up for Razorpay is of its ${mode} mode, and this is ${isSandbox ? 'the sandbox' : 'a live shop'}.`
}

const moneyOf = (sum: Sum) => ({ amount: unitsOf(CURRENCIES, sum), currency: sum.currency })

// What is read of answers, and of messages.

/** Notes are an empty list where there are none. */
const noteIn = (entity: Json, name: string): string | null => textOf(objectOf(entity.notes)[name])

export const chargeKeyIn = (entity: Json): string | null => noteIn(entity, KEY_OF_CHARGE)
export const refundKeyIn = (entity: Json): string | null => noteIn(entity, KEY_OF_REFUND)

function refusalOf({ status, body }: ProviderReply): Refusal {
  const { code, reason, field, description } = objectOf(objectOf(body).error)
  return {
    status,
    code: codeOf(code),
    reason: codeOf(reason),
    field: codeOf(field),
    description: textOf(description) ?? '',
  }
}

function listIn<T>(body: unknown, read: (item: unknown) => T | null): T[] | null {
  const { items } = objectOf(body)
  return Array.isArray(items) ? readAll(items, read) : null
}

function paymentIn(value: unknown): RazorpayPayment | null {
  const payment = objectOf(value)
  const [id, status] = [textOf(payment.id), textOf(payment.status)]
  if (id === null || status === null) return null
  const { network, last4 } = objectOf(payment.card)
  const { amount_refunded: refunded, created_at: created } = payment
  return {
    id,
    status,
    sum: sumIn(CURRENCIES, payment),
    orderId: textOf(payment.order_id),
    isCaptured: payment.captured === true,
    isRefunded: status === 'refunded' || (typeof refunded === 'number' && refunded > 0),
    method: textOf(payment.method) ?? 'other',
    card: { network: textOf(network), lastFour: textOf(last4) },
    reason: codeOf(payment.error_reason),
    createdAt: new Date(typeof created === 'number' ? created * 1_000 : 0),
  }
}

function orderIn(value: unknown): RazorpayOrder | null {
  const order = objectOf(value)
  const id = textOf(order.id)
  return id === null ? null : { id, sum: sumIn(CURRENCIES, order), key: chargeKeyIn(order) ?? textOf(order.receipt) }
}

function refundIn(value: unknown, currency: string): RazorpayRefund | null {
  const refund = objectOf(value)
  const [id, status] = [textOf(refund.id), textOf(refund.status)]
  if (id === null || status === null) return null
  return { id, status, amount: sumIn(CURRENCIES, { currency, ...refund })?.amount ?? null, key: refundKeyIn(refund) }
}

function disputeIn(value: unknown): RazorpayDispute | null {
  const dispute = objectOf(value)
  const [id, status] = [textOf(dispute.id), textOf(dispute.status)]
  if (id === null || status === null) return null
  return {
    id,
    status,
    paymentId: textOf(dispute.payment_id),
    amount: sumIn(CURRENCIES, dispute)?.amount ?? null,
    reason: textOf(dispute.reason_code),
  }
}
