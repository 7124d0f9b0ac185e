// Razorpay client: requests, and the fields we read from replies. outcomes.ts interprets payments and refusals.
// Names and limits follow razorpay/razorpay-node 2.9 (types and documents).
// Errors contain no credentials. They show only the host of a URL.

import type { Minor } from '../../lib/money.ts'
import type { GatewayCall, Money } from '../call.ts'
import type { GatewayPorts, RefundRequest } from '../gateway.ts'
import { type CurrencyRules, readProviderSum, toProviderUnits } from '../provider/amounts.ts'
import { type ProviderAnswer, readProviderAnswer } from '../provider/answer.ts'
import type { ProviderReply } from '../provider/client.ts'
import { type JsonRecord, objectOrEmpty, readAllOrNull, readLogCode, textOf } from '../provider/json.ts'

/** One host for both modes; the key selects the mode. */
const HOST = 'https://api.razorpay.com'

/** Names of our keys in the notes that Razorpay stores with an order or a refund. */
const KEY_OF_CHARGE = 'cartwright_attempt'
const KEY_OF_REFUND = 'cartwright_refund'

/** Maximum length of a list page. */
const PAGE = 100

/**
 * In currencies with three decimals, the last one must be 0. Some currencies with no decimals or with three are
 * missing, because Razorpay does not publish their units.
 */
export const RAZORPAY_CURRENCIES: CurrencyRules = {
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
  /** Null if it is not a valid amount. */
  readonly sum: Money | null
  readonly orderId: string | null
  /** True if it was ever captured, even if it is fully refunded now. */
  readonly isCaptured: boolean
  readonly isRefunded: boolean
  /** card, upi, netbanking, wallet, … */
  readonly method: string
  readonly card: { readonly network: string | null; readonly lastFour: string | null }
  /** Reason of a failure. */
  readonly reason: string | null
  readonly createdAt: Date
}

type RazorpayOrder = { readonly id: string; readonly sum: Money | null; readonly key: string | null }

export type RazorpayRefund = {
  readonly id: string
  /** pending, processed or failed. */
  readonly status: string
  readonly amount: Minor | null
  /** Our key, if we requested the refund. */
  readonly key: string | null
}

export type RazorpayDispute = {
  readonly id: string
  readonly paymentId: string | null
  readonly status: string
  readonly amount: Minor | null
  readonly reason: string | null
}

/** Razorpay's refusal. We compare the description, but never show it: it is for developers. */
export type RazorpayRefusal = {
  readonly status: number
  readonly code: string | null
  readonly reason: string | null
  readonly field: string | null
  readonly description: string
}

type Call = Pick<GatewayCall, 'config' | 'signal'>
type RequestParts = { readonly body?: JsonRecord; readonly headers?: Readonly<Record<string, string>> }

export type RazorpayApi = ReturnType<typeof razorpayApi>

export function razorpayApi({ http, address }: Pick<GatewayPorts, 'http' | 'address'>) {
  const send = ({ config, signal }: Call, method: 'GET' | 'POST', path: string, { body, headers }: RequestParts = {}) =>
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

  const callApi = async <T>(read: (body: unknown) => T | null, ...request: Parameters<typeof send>) =>
    readProviderAnswer(await send(...request), { provider: 'Razorpay', read, refusalOf })

  /** Reads all pages. The signal ends a list that takes too long. */
  async function readAllPages<T>(
    read: (item: unknown) => T | null,
    call: Call,
    path: string,
  ): Promise<ProviderAnswer<T[], RazorpayRefusal>> {
    const items: T[] = []
    for (let skip = 0; ; skip += PAGE) {
      const query = new URLSearchParams({ count: String(PAGE), skip: String(skip) })
      const answer = await callApi((body) => listIn(body, read), call, 'GET', `${path}?${query}`)
      if (!answer.ok) return answer
      items.push(...answer.value)
      if (answer.value.length < PAGE) return { ok: true, value: items }
    }
  }

  const paymentPath = (id: string) => `/v1/payments/${encodeURIComponent(id)}`
  const orderPath = (id: string) => `/v1/orders/${encodeURIComponent(id)}`

  return {
    /**
     * Creating an order moves no money. `capture: 'manual'` overrides the account's setting, so that only we capture
     * payments.
     */
    createOrder: (call: GatewayCall, sum: Money) =>
      callApi(orderIn, call, 'POST', '/v1/orders', {
        body: {
          ...moneyOf(sum),
          receipt: call.key,
          notes: { [KEY_OF_CHARGE]: call.key },
          payment: { capture: 'manual' },
        },
      }),
    findOrder: (call: Call, id: string) => callApi(orderIn, call, 'GET', orderPath(id)),
    /** Orders created under our key. */
    listOrders: (call: GatewayCall) =>
      callApi((body) => listIn(body, orderIn), call, 'GET', `/v1/orders?${new URLSearchParams({ receipt: call.key })}`),
    /** Checks if the key may read at all. */
    listAnyOrder: (call: Call) => callApi((body) => listIn(body, orderIn), call, 'GET', '/v1/orders?count=1'),
    listPaymentsOf: (call: Call, orderId: string) =>
      callApi((body) => listIn(body, paymentIn), call, 'GET', `${orderPath(orderId)}/payments`),
    /** Includes the card, which Razorpay omits by default. */
    findPayment: (call: Call, id: string) =>
      callApi(paymentIn, call, 'GET', `${paymentPath(id)}?${new URLSearchParams({ 'expand[]': 'card' })}`),
    /**
     * `sum` is the full amount, because Razorpay refuses a part. Captures have no idempotency key; a second one is
     * refused.
     */
    capture: (call: Call, id: string, sum: Money) =>
      callApi(paymentIn, call, 'POST', `${paymentPath(id)}/capture`, { body: moneyOf(sum) }),
    refund: (call: RefundRequest) =>
      callApi((body) => refundIn(body, call.currency), call, 'POST', `${paymentPath(call.transactionId)}/refund`, {
        body: {
          amount: moneyOf(call).amount,
          speed: 'normal',
          receipt: call.key,
          notes: { [KEY_OF_REFUND]: call.key },
        },
        headers: { 'x-refund-idempotency': call.key },
      }),
    listRefunds: (call: Call, paymentId: string, currency: string) =>
      readAllPages((item) => refundIn(item, currency), call, `${paymentPath(paymentId)}/refunds`),
    listDisputes: (call: Call) => readAllPages(disputeIn, call, '/v1/disputes'),
  }
}

/**
 * A sandbox order must never take real money, and a live order must not be paid by a test.
 * Both modes share a host, so only the key shows the mode. A key of another form passes, and Razorpay accepts or
 * refuses it.
 */
export function modeProblem({ config, is_sandbox }: Pick<GatewayCall, 'config' | 'is_sandbox'>): string | null {
  const [, mode] = /^rzp_(test|live)_/.exec(config.key_id ?? '') ?? []
  return mode === undefined || mode === (is_sandbox ? 'test' : 'live')
    ? null
    : `The key that is set up for Razorpay is of its ${mode} mode, and this is ${is_sandbox ? 'the sandbox' : 'a live shop'}.`
}

const moneyOf = (sum: Money) => ({ amount: toProviderUnits(RAZORPAY_CURRENCIES, sum), currency: sum.currency })

// Reads replies and messages.

/** Razorpay sends an empty list if there are no notes. */
const noteIn = (entity: JsonRecord, name: string): string | null => textOf(objectOrEmpty(entity.notes)[name])

export const chargeKeyIn = (entity: JsonRecord): string | null => noteIn(entity, KEY_OF_CHARGE)
export const razorpayRefundKey = (entity: JsonRecord): string | null => noteIn(entity, KEY_OF_REFUND)

function refusalOf({ status, body }: ProviderReply): RazorpayRefusal {
  const { code, reason, field, description } = objectOrEmpty(objectOrEmpty(body).error)
  return {
    status,
    code: readLogCode(code),
    reason: readLogCode(reason),
    field: readLogCode(field),
    description: textOf(description) ?? '',
  }
}

function listIn<T>(body: unknown, read: (item: unknown) => T | null): T[] | null {
  const { items } = objectOrEmpty(body)
  return Array.isArray(items) ? readAllOrNull(items, read) : null
}

function paymentIn(value: unknown): RazorpayPayment | null {
  const payment = objectOrEmpty(value)
  const [id, status] = [textOf(payment.id), textOf(payment.status)]
  if (id === null || status === null) return null
  const { network, last4 } = objectOrEmpty(payment.card)
  const { amount_refunded: refunded, created_at: created } = payment
  return {
    id,
    status,
    sum: readProviderSum(RAZORPAY_CURRENCIES, payment),
    orderId: textOf(payment.order_id),
    isCaptured: payment.captured === true,
    isRefunded: status === 'refunded' || (typeof refunded === 'number' && refunded > 0),
    method: textOf(payment.method) ?? 'other',
    card: { network: textOf(network), lastFour: textOf(last4) },
    reason: readLogCode(payment.error_reason),
    createdAt: new Date(typeof created === 'number' ? created * 1_000 : 0),
  }
}

function orderIn(value: unknown): RazorpayOrder | null {
  const order = objectOrEmpty(value)
  const id = textOf(order.id)
  return id === null
    ? null
    : { id, sum: readProviderSum(RAZORPAY_CURRENCIES, order), key: chargeKeyIn(order) ?? textOf(order.receipt) }
}

function refundIn(value: unknown, currency: string): RazorpayRefund | null {
  const refund = objectOrEmpty(value)
  const [id, status] = [textOf(refund.id), textOf(refund.status)]
  if (id === null || status === null) return null
  return {
    id,
    status,
    amount: readProviderSum(RAZORPAY_CURRENCIES, { currency, ...refund })?.amount ?? null,
    key: razorpayRefundKey(refund),
  }
}

function disputeIn(value: unknown): RazorpayDispute | null {
  const dispute = objectOrEmpty(value)
  const [id, status] = [textOf(dispute.id), textOf(dispute.status)]
  if (id === null || status === null) return null
  return {
    id,
    status,
    paymentId: textOf(dispute.payment_id),
    amount: readProviderSum(RAZORPAY_CURRENCIES, dispute)?.amount ?? null,
    reason: textOf(dispute.reason_code),
  }
}
