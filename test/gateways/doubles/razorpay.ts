// Razorpay, as far as it is used here, over a real socket and with state. What is known of it stands here once: names, states and limits as in
// ../specifications/razorpay.ts; razorpay.com/docs "Orders", "Payments", "Refunds", "Capture settings" and "Webhooks". Not published, and
// chosen here: the words of refusals, and that an id which the account does not have is 400. Every request is held against the
// specification; what differs stands in `mistakes`.

import { createHmac } from 'node:crypto'
import { OPERATIONS, operationNameOf } from '../specifications/razorpay.ts'
import { NO_FIELDS, violations } from '../specifications/shape.ts'
import { type DoubleReply, type DoubleRequest, openDouble, openRefusals } from './double.ts'

const HOST = 'https://api.razorpay.com'
export const WEBHOOK_SECRET = 'rzp_webhook_secret'

/** What a merchant sets up. */
export const RAZORPAY_CONFIG = {
  key_id: 'rzp_test_1DP5mmOlF5G5ag',
  key_secret: 'rzp_key_secret',
  webhook_secret: WEBHOOK_SECRET,
}

type Notes = Record<string, string> | never[]
type Sum = { amount: number; currency: string }
type Order = { id: string; receipt: string | null; status: string; notes: Notes } & Sum
export type Payment = Sum & {
  id: string
  status: string
  order_id: string | null
  method: string
  amount_refunded: number
  captured: boolean
  error_reason: string | null
  created_at: number
}
type Refund = { id: string; entity: 'refund'; payment_id: string; status: string; notes: Notes } & Sum
type Dispute = Record<string, unknown> & { id: string; payment_id: string; status: string }

type RazorpayError = { status: number; code?: string; description: string; reason?: string; field?: string }

/** What a shopper does in the window. */
export type Paying = {
  amount?: number
  currency?: string
  orderId?: string
  status?: 'created' | 'authorized' | 'failed'
  method?: string
  reason?: string
}

class Refused extends Error {
  readonly reply: RazorpayError

  constructor(reply: RazorpayError) {
    super(reply.description)
    this.reply = reply
  }
}

const refused = (description: string, more: Partial<RazorpayError> = {}) =>
  new Refused({ status: 400, description, ...more })

type Body = Record<string, unknown>
type List = { entity: 'collection'; count: number; items: readonly unknown[] }

const hmac = (secret: string, message: string | Buffer) => createHmac('sha256', secret).update(message).digest('hex')

/** As the window signs. */
export const signPayment = (orderId: string, paymentId: string, secret = RAZORPAY_CONFIG.key_secret): string =>
  hmac(secret, `${orderId}|${paymentId}`)

/** As webhooks are signed: over the bytes. */
export const sign = (body: Buffer, secret = WEBHOOK_SECRET, eventId = 'evt_1') => ({
  headers: { 'x-razorpay-signature': hmac(secret, body), 'x-razorpay-event-id': eventId },
  body,
})

export async function openRazorpay(now: () => Date) {
  const orders = new Map<string, Order>()
  const payments = new Map<string, Payment>()
  const refunds = new Map<string, Refund>()
  const disputes: Dispute[] = []
  const kept = new Map<string, { text: string; reply: DoubleReply }>()
  const mistakes: string[] = []
  const { refuse, refusalOf } = openRefusals<RazorpayError>()
  /** A refund is `processed` at once, or first `pending`. */
  const settings = { refundStatus: 'processed' as 'processed' | 'pending' }
  let count = 0
  const idOf = (prefix: string) => `${prefix}_Double${String(++count).padStart(8, '0')}`
  const seconds = () => Math.floor(now().getTime() / 1_000)

  function found<T>(map: Map<string, T>, id: string): T {
    const value = map.get(id)
    if (value === undefined) throw refused('The id provided does not exist')
    return value
  }

  function put<T extends { id: string }>(map: Map<string, T>, value: T): T {
    map.set(value.id, value)
    return value
  }

  function createOrder({ amount, currency, receipt, notes }: Body): Order {
    if (currency === 'INR' && Number(amount) < 100)
      throw refused('Order amount less than minimum amount allowed', { field: 'amount' })
    return put(orders, {
      id: idOf('order'),
      amount: Number(amount),
      currency: String(currency),
      receipt: receipt === undefined ? null : String(receipt),
      status: 'created',
      notes: (notes as Notes | undefined) ?? [],
    })
  }

  const write = (payment: Payment, changes: Partial<Payment>): Payment => put(payments, { ...payment, ...changes })

  function capture(id: string, { amount, currency }: Body): Payment {
    const payment = found(payments, id)
    if (payment.captured) throw refused('This payment has already been captured')
    if (payment.status !== 'authorized')
      throw refused('Only payments which have been authorized and not yet captured can be captured')
    if (payment.amount !== amount || payment.currency !== currency)
      throw refused('Capture amount must be equal to the amount authorized', { field: 'amount' })
    const order = payment.order_id === null ? undefined : orders.get(payment.order_id)
    if (order?.status === 'paid') throw refused('The order has been paid already')
    if (order !== undefined) put(orders, { ...order, status: 'paid' })
    return write(payment, { status: 'captured', captured: true })
  }

  function refund(id: string, { amount, notes }: Body): Refund {
    const payment = found(payments, id)
    if (!payment.captured) throw refused('The payment status should be captured for action to be taken')
    if (disputes.some(({ payment_id, status }) => payment_id === id && /open|under_review/.test(status)))
      throw refused('The payment is under dispute and cannot be refunded')
    if (payment.status === 'refunded') throw refused('The payment has been fully refunded already')
    const sum = Number(amount ?? payment.amount)
    if (sum > payment.amount - payment.amount_refunded)
      throw refused('The total refund amount is greater than the refund payment amount', { field: 'amount' })
    const whole = payment.amount_refunded + sum === payment.amount
    write(payment, {
      amount_refunded: payment.amount_refunded + sum,
      status: whole ? 'refunded' : payment.status,
    })
    return put(refunds, {
      id: idOf('rfnd'),
      entity: 'refund',
      amount: sum,
      currency: payment.currency,
      payment_id: id,
      notes: (notes as Notes | undefined) ?? [],
      status: settings.refundStatus,
    })
  }

  /** With its card where that was asked for. */
  const shown = (payment: Payment, query: URLSearchParams) =>
    payment.method === 'card' && query.get('expand[]') === 'card'
      ? { ...payment, card: { last4: '1111', network: 'Visa' } }
      : payment

  /** Newest first, ten at a time unless told. */
  function list(rows: readonly unknown[], query: URLSearchParams): List {
    const [skip, most] = [Number(query.get('skip') ?? 0), Number(query.get('count') ?? 10)]
    const items = [...rows].reverse().slice(skip, skip + most)
    return { entity: 'collection', count: items.length, items }
  }

  function act(operation: string, { path, query }: DoubleRequest, body: Body): unknown {
    const id = decodeURIComponent(path.split('/')[3] ?? '')
    const ordersOf = (receipt: string | null) =>
      [...orders.values()].filter((order) => receipt === null || order.receipt === receipt)
    const paymentsOf = (order: Order) => [...payments.values()].filter(({ order_id }) => order_id === order.id)
    const refundsOf = (payment: Payment) => [...refunds.values()].filter(({ payment_id }) => payment_id === payment.id)
    const operations: Readonly<Record<string, () => unknown>> = {
      'POST /v1/orders': () => createOrder(body),
      'GET /v1/orders': () => list(ordersOf(query.get('receipt')), query),
      'GET /v1/orders/*': () => found(orders, id),
      'GET /v1/orders/*/payments': () => list(paymentsOf(found(orders, id)), query),
      'GET /v1/payments/*': () => shown(found(payments, id), query),
      'POST /v1/payments/*/capture': () => capture(id, body),
      'POST /v1/payments/*/refund': () => refund(id, body),
      'GET /v1/payments/*/refunds': () => list(refundsOf(found(payments, id)), query),
    }
    return operations[operation]?.() ?? list(disputes, query)
  }

  const refusal = ({ status, code = 'BAD_REQUEST_ERROR', description, reason, field }: RazorpayError): DoubleReply => ({
    status,
    body: { error: { code, description, reason: reason ?? 'input_validation_failed', ...(field ? { field } : {}) } },
  })

  function attempt(work: () => unknown): DoubleReply {
    try {
      return { status: 200, body: work() }
    } catch (error) {
      if (error instanceof Refused) return refusal(error.reply)
      throw error
    }
  }

  /** Refunds alone have keys: the same with the same body has the first answer again. */
  function once(operation: string, request: DoubleRequest, body: Body): DoubleReply {
    const key = request.headers['x-refund-idempotency']
    const place = `${request.path} ${key}`
    const before = key === undefined ? undefined : kept.get(place)
    if (before !== undefined)
      return before.text === request.text
        ? before.reply
        : refusal({ status: 400, description: 'Different request body for the same idempotency key' })
    const reply = attempt(() => act(operation, request, body))
    if (key !== undefined && reply.status === 200) kept.set(place, { text: request.text, reply })
    return reply
  }

  const CREDENTIALS = `Basic ${Buffer.from(`${RAZORPAY_CONFIG.key_id}:${RAZORPAY_CONFIG.key_secret}`).toString('base64')}`

  function answer(request: DoubleRequest): DoubleReply {
    const { method, path, headers, text, query } = request
    const name = operationNameOf(method, path)
    const operation = name === undefined ? undefined : OPERATIONS[name]
    const wrong = (rule: string) => {
      mistakes.push(`${method} ${path}: ${rule}`)
      return refusal({ status: 400, description: `${rule} is/are not required and should not be sent` })
    }
    if (name === undefined || operation === undefined) return wrong('there is no such operation')
    if (headers.authorization !== CREDENTIALS) return refusal({ status: 401, description: 'Authentication failed' })
    if (text !== '' && headers['content-type'] !== 'application/json') return wrong('it is not said to be JSON')
    const body = text === '' ? {} : JSON.parse(text)
    const own = Object.fromEntries(Object.entries(headers).filter(([header]) => header.startsWith('x-')))
    const unfit = [
      ...violations(operation.body ?? NO_FIELDS, body),
      ...violations(operation.query ?? NO_FIELDS, Object.fromEntries(query)),
      ...violations(operation.headers ?? NO_FIELDS, own),
    ]
    if (unfit.length > 0) return wrong(unfit.join(', '))
    const error = refusalOf(request)
    return error === undefined ? once(name, request, body) : refusal(error)
  }

  const server = await openDouble(answer)
  return Object.assign(server, {
    places: { [HOST]: server.url } as Readonly<Record<string, string>>,
    orders,
    payments,
    refunds,
    mistakes,
    settings,
    refuse,
    /** The shopper pays in the window: of an order the sum of the order. */
    pay: ({ amount, currency, orderId, status = 'authorized', method = 'card', reason }: Paying = {}) => {
      const order = orderId === undefined ? undefined : found(orders, orderId)
      if (order !== undefined) put(orders, { ...order, status: 'attempted' })
      return put(payments, {
        id: idOf('pay'),
        amount: amount ?? order?.amount ?? 1_234,
        currency: currency ?? order?.currency ?? 'USD',
        status,
        order_id: orderId ?? null,
        method,
        amount_refunded: 0,
        captured: false,
        error_reason: reason ?? (status === 'failed' ? 'payment_failed' : null),
        created_at: seconds(),
      })
    },
    /** What the window gives the storefront for a payment of an order. */
    given: ({ id, order_id }: Payment) => ({
      payment_id: id,
      order_id: order_id ?? '',
      signature: signPayment(order_id ?? '', id),
    }),
    /** By somebody else than us: the dashboard, or Razorpay itself. */
    set: (id: string, changes: Partial<Payment>) => write(found(payments, id), changes),
    captureByHand: (id: string) => capture(id, found(payments, id)),
    refundByHand: (id: string, amount: number) => refund(id, { amount }),
    /** [U] How long Razorpay remembers the keys of refunds is not published: all are forgotten. */
    forgetKeys: () => kept.clear(),
    settleRefund: (id: string, status: string) => void put(refunds, { ...found(refunds, id), status }),
    dispute: (paymentId: string, status: string) => {
      const { amount, currency } = found(payments, paymentId)
      const made = {
        ...{ id: idOf('disp'), entity: 'dispute', payment_id: paymentId, amount, currency, status },
        ...{ amount_deducted: 0, reason_code: 'goods_not_received', created_at: seconds() },
      }
      disputes.push(made)
      return made
    },
    /** An event as Razorpay sends it, by the entities that it contains. */
    message: (event: string, entities: Record<string, unknown>) => {
      const payload = Object.fromEntries(Object.entries(entities).map(([name, entity]) => [name, { entity }]))
      // Without its time, the next message of the same kind would have the same bytes, and so the same id.
      const body = JSON.stringify({ entity: 'event', event, payload, created_at: seconds() })
      return sign(Buffer.from(body), WEBHOOK_SECRET, idOf('evt'))
    },
  })
}
