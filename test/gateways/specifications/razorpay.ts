// What is published of the operations of Razorpay that are used here: fields, types, limits and values, as tables of our own. Razorpay has no
// OpenAPI file: read off razorpay/razorpay-node, commit 9737ef1 of 2025-07-24 (lib/types/*.d.ts and documents/*.md). Limits of receipt (40),
// of notes (15 of 256 characters) and of the refund's key (10 and more of A-Za-z0-9_-): razorpay.com/docs, "Orders" and "Refunds".

import { flag, like, listOf, type ObjectShape, object, oneOf, orNull, type Shape, text } from './shape.ts'

const integer: Shape = { is: 'integer', least: 0 }
const positive: Shape = { is: 'integer', least: 1 }
const notes: Shape = { is: 'own', brokenBy: brokenNotes }

const currency = like(/^[A-Z]{3}$/)
const orderId = like(/^order_\w+$/)
const paymentId = like(/^pay_\w+$/)

const order = object(
  {
    id: orderId,
    entity: oneOf('order'),
    amount: integer,
    amount_paid: integer,
    amount_due: integer,
    currency,
    receipt: orNull(text(40)),
    offer_id: orNull(text()),
    status: oneOf('created attempted paid'),
    attempts: integer,
    notes,
    created_at: integer,
  },
  'id',
  'entity',
  'amount',
  'amount_paid',
  'currency',
  'status',
)

const card = object({
  id: like(/^card_\w+$/),
  entity: oneOf('card'),
  name: text(),
  last4: like(/^\d{4}$/),
  network: {
    is: 'text',
    values: ['American Express', 'Diners Club', 'Maestro', 'MasterCard', 'RuPay', 'Unknown', 'Visa'],
  },
  type: oneOf('credit debit prepaid unknown'),
  issuer: orNull(text()),
  international: flag,
  emi: flag,
})

const payment = object(
  {
    id: paymentId,
    entity: oneOf('payment'),
    amount: integer,
    currency,
    status: oneOf('created authorized captured refunded failed'),
    order_id: orNull(orderId),
    invoice_id: orNull(text()),
    international: flag,
    method: oneOf('card upi netbanking wallet emi'),
    amount_refunded: integer,
    refund_status: orNull(oneOf('partial full')),
    captured: flag,
    description: orNull(text()),
    card_id: orNull(like(/^card_\w+$/)),
    card,
    bank: orNull(text()),
    wallet: orNull(text()),
    vpa: orNull(text()),
    email: text(),
    contact: text(),
    notes,
    fee: orNull(integer),
    tax: orNull(integer),
    error_code: orNull(text()),
    error_description: orNull(text()),
    error_source: orNull(text()),
    error_step: orNull(text()),
    error_reason: orNull(text()),
    acquirer_data: object({}),
    created_at: integer,
  },
  'id',
  'entity',
  'amount',
  'currency',
  'status',
  'order_id',
  'method',
  'captured',
  'created_at',
)

const refund = object(
  {
    id: like(/^rfnd_\w+$/),
    entity: oneOf('refund'),
    amount: integer,
    currency,
    payment_id: paymentId,
    notes,
    receipt: orNull(text(40)),
    acquirer_data: object({ arn: orNull(text()) }),
    created_at: integer,
    batch_id: orNull(text()),
    status: oneOf('pending processed failed'),
    speed_processed: oneOf('instant normal'),
    speed_requested: oneOf('normal optimum'),
  },
  'id',
  'entity',
  'amount',
  'payment_id',
  'status',
)

const dispute = object(
  {
    id: like(/^disp_\w+$/),
    entity: oneOf('dispute'),
    payment_id: paymentId,
    amount: integer,
    currency,
    amount_deducted: integer,
    reason_code: text(),
    respond_by: integer,
    status: oneOf('open under_review won lost closed'),
    phase: oneOf('fraud retrieval chargeback pre_arbitration arbitration'),
    created_at: integer,
  },
  'id',
  'payment_id',
  'amount',
  'status',
)

const collection = (of: Shape) =>
  object({ entity: oneOf('collection'), count: integer, items: listOf(of) }, 'entity', 'count', 'items')

/** What every refusal is. */
export const REFUSAL = object(
  {
    error: object(
      {
        code: oneOf('BAD_REQUEST_ERROR GATEWAY_ERROR SERVER_ERROR'),
        description: text(),
        source: text(),
        step: text(),
        reason: text(),
        field: text(),
        metadata: object({}),
      },
      'code',
      'description',
    ),
  },
  'error',
)

type Operation = {
  readonly query?: ObjectShape
  readonly body?: ObjectShape
  readonly headers?: ObjectShape
  readonly reply: Shape
}

/** In an address everything is text. */
const pages = { count: like(/^([1-9]|[1-9]\d|100)$/), skip: like(/^\d+$/) }

/** By method and path; `*` is an id. */
export const OPERATIONS: Readonly<Record<string, Operation>> = {
  'POST /v1/orders': {
    body: object(
      {
        amount: positive,
        currency,
        receipt: text(40),
        notes,
        partial_payment: flag,
        payment: object({ capture: oneOf('automatic manual') }, 'capture'),
      },
      'amount',
      'currency',
    ),
    reply: order,
  },
  'GET /v1/orders': {
    query: object({ ...pages, receipt: text(40), authorized: oneOf('0 1') }),
    reply: collection(order),
  },
  'GET /v1/orders/*': { reply: order },
  'GET /v1/orders/*/payments': { reply: collection(payment) },
  'GET /v1/payments/*': { query: object({ 'expand[]': oneOf('card emi offers upi') }), reply: payment },
  'POST /v1/payments/*/capture': { body: object({ amount: positive, currency }, 'amount', 'currency'), reply: payment },
  'POST /v1/payments/*/refund': {
    body: object({ amount: positive, speed: oneOf('normal optimum'), notes, receipt: text(40) }),
    headers: object({ 'x-refund-idempotency': like(/^[\w-]{10,}$/) }),
    reply: refund,
  },
  'GET /v1/payments/*/refunds': { query: object(pages), reply: collection(refund) },
  'GET /v1/disputes': { query: object(pages), reply: collection(dispute) },
}

/** The name of a request's operation; undefined where there is none. */
export function operationNameOf(method: string, path: string): string | undefined {
  const name = `${method} ${path.replace(/^(\/v1\/\w+\/)[^/]+/, '$1*')}`
  return Object.hasOwn(OPERATIONS, name) ? name : undefined
}

/** An empty list where there are none; else texts by name. */
function brokenNotes(value: unknown): string | null {
  if (Array.isArray(value)) return value.length === 0 ? null : 'is a list'
  if (typeof value !== 'object' || value === null) return 'are no notes'
  const entries = Object.entries(value)
  if (entries.length > 15) return 'has more than 15 notes'
  return entries.every(([name, note]) => name.length <= 256 && typeof note === 'string' && note.length <= 256)
    ? null
    : 'has a note that is no text of 256 characters'
}
