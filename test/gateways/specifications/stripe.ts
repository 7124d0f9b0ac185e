// What Stripe's API takes and gives, for the operations that we use: names, types, limits and values. Our own tables, made from the types of the
// official SDK 22.6.2 (API 2026-08-26.dahlia), with lengths from stripe/openapi and the shapes of replies from its fixtures3.json.

import {
  type Fields,
  flag,
  integer,
  like,
  listOf,
  type ObjectShape,
  object,
  oneOf,
  orNull,
  type Shape,
  text as textOf,
  violations,
} from './shape.ts'

type Operation = { readonly path: RegExp; readonly sent: ObjectShape }

// What is sent are forms, and the queries of addresses: every value in them is a text, and none is empty.

const text = (most = 5_000) => textOf(most, 1)
const INTEGER = like(/^-?\d{1,15}$/)
const BOOLEAN = oneOf('true false')
const TEXTS = listOf(text())
/** Our own names and values. */
const METADATA: Shape = {
  is: 'own',
  brokenBy(value) {
    if (!isObject(value)) return 'is no metadata'
    const entries = Object.entries(value)
    if (entries.length > 50) return 'has more than 50 keys'
    return entries.every(([name, each]) => /^\w{1,40}$/.test(name) && each.length <= 500) ? null : 'is no metadata'
  },
}

const CAPTURE_METHOD = oneOf('automatic automatic_async manual')
const FUTURE = oneOf('off_session on_session')
const RANGE = object({ gt: INTEGER, gte: INTEGER, lt: INTEGER, lte: INTEGER })
const PAGE = { ending_before: text(), expand: TEXTS, limit: INTEGER, starting_after: text() }

/** What an intent may be given, whether it is made or confirmed. */
const PAYING = {
  capture_method: CAPTURE_METHOD,
  error_on_requires_action: BOOLEAN,
  expand: TEXTS,
  off_session: BOOLEAN,
  payment_method: text(),
  payment_method_types: TEXTS,
  receipt_email: text(),
  return_url: text(),
  setup_future_usage: FUTURE,
  use_stripe_sdk: BOOLEAN,
}

export const OPERATIONS: Readonly<Record<string, Operation>> = {
  createIntent: {
    path: /^POST \/v1\/payment_intents$/,
    sent: object(
      {
        ...PAYING,
        amount: INTEGER,
        application_fee_amount: INTEGER,
        confirm: BOOLEAN,
        confirmation_method: oneOf('automatic manual'),
        currency: text(3),
        customer: text(),
        description: text(1_000),
        metadata: METADATA,
        statement_descriptor: text(22),
        statement_descriptor_suffix: text(22),
        transfer_group: text(),
      },
      'amount',
      'currency',
    ),
  },
  listIntents: {
    path: /^GET \/v1\/payment_intents$/,
    sent: object({ ...PAGE, created: RANGE, customer: text() }),
  },
  searchIntents: {
    path: /^GET \/v1\/payment_intents\/search$/,
    sent: object({ expand: TEXTS, limit: INTEGER, page: text(), query: text() }, 'query'),
  },
  getIntent: {
    path: /^GET \/v1\/payment_intents\/(pi_\w+)$/,
    sent: object({ client_secret: text(), expand: TEXTS }),
  },
  confirmIntent: {
    path: /^POST \/v1\/payment_intents\/(pi_\w+)\/confirm$/,
    sent: object({
      ...PAYING,
      amount_to_confirm: INTEGER,
      confirmation_token: text(),
      mandate: text(),
    }),
  },
  captureIntent: {
    path: /^POST \/v1\/payment_intents\/(pi_\w+)\/capture$/,
    sent: object({
      amount_to_capture: INTEGER,
      application_fee_amount: INTEGER,
      expand: TEXTS,
      final_capture: BOOLEAN,
      metadata: METADATA,
      statement_descriptor: text(22),
      statement_descriptor_suffix: text(22),
    }),
  },
  cancelIntent: {
    path: /^POST \/v1\/payment_intents\/(pi_\w+)\/cancel$/,
    sent: object({
      cancellation_reason: oneOf('abandoned duplicate fraudulent requested_by_customer'),
      expand: TEXTS,
    }),
  },
  createMethod: {
    path: /^POST \/v1\/payment_methods$/,
    sent: object(
      {
        type: oneOf('card'),
        card: object({ token: text() }),
        expand: TEXTS,
        metadata: METADATA,
      },
      'type',
    ),
  },
  createRefund: {
    path: /^POST \/v1\/refunds$/,
    sent: object({
      amount: INTEGER,
      charge: text(),
      expand: TEXTS,
      metadata: METADATA,
      payment_intent: text(),
      reason: oneOf('duplicate fraudulent requested_by_customer'),
      refund_application_fee: BOOLEAN,
      reverse_transfer: BOOLEAN,
    }),
  },
  listRefunds: {
    path: /^GET \/v1\/refunds$/,
    sent: object({ ...PAGE, charge: text(), created: RANGE, payment_intent: text() }),
  },
  listDisputes: {
    path: /^GET \/v1\/disputes$/,
    sent: object({ ...PAGE, charge: text(), created: RANGE, payment_intent: text() }),
  },
}

/** What is wrong with a form, or the query of an address; empty when all is well. Each begins with the name of the field. */
export const brokenIn = ({ sent }: Operation, form: URLSearchParams): string[] => violations(sent, decoded(form))

type Decoded = { [name: string]: string | Decoded | string[] }

/** `amount=1`, `expand[]=a` and `expand[0]=a`, `metadata[key]=b`. What is nested deeper is never sent, and stays under its whole name. */
function decoded(form: URLSearchParams): Decoded {
  const fields: Decoded = {}
  for (const [name, value] of form) {
    const [, top = name, inner] = /^(\w+)\[(\w*)\]$/.exec(name) ?? []
    const before = fields[top]
    if (inner === undefined) fields[top] = value
    else if (/^\d*$/.test(inner)) fields[top] = [...(Array.isArray(before) ? before : []), value]
    else fields[top] = { ...(typeof before === 'object' && !Array.isArray(before) ? before : {}), [inner]: value }
  }
  return fields
}

// Replies. Every field of an object is there; those that are null have it in their shape.

const TEXT = textOf()
const isObject = (value: unknown): value is Readonly<Record<string, string>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const own = (noun: string, isFine: (value: unknown) => boolean): Shape => ({
  is: 'own',
  brokenBy: (value) => (isFine(value) ? null : `is no ${noun}`),
})
const LIST = own('list', Array.isArray)
const OBJECT = own('object', isObject)
const whole = (fields: Fields) => object(fields, ...Object.keys(fields))

const INTENT = whole({
  id: TEXT,
  object: TEXT,
  amount: integer,
  amount_capturable: integer,
  amount_received: integer,
  canceled_at: orNull(integer),
  cancellation_reason: orNull(TEXT),
  capture_method: TEXT,
  client_secret: orNull(TEXT),
  confirmation_method: TEXT,
  created: integer,
  currency: TEXT,
  customer: orNull(TEXT),
  description: orNull(TEXT),
  last_payment_error: orNull(OBJECT),
  latest_charge: orNull(own('text or object', (value) => typeof value === 'string' || isObject(value))),
  livemode: flag,
  metadata: OBJECT,
  next_action: orNull(OBJECT),
  payment_method: orNull(TEXT),
  payment_method_types: LIST,
  status: TEXT,
})

const REPLIES: Readonly<Record<string, ObjectShape>> = {
  payment_intent: INTENT,
  charge: whole({
    id: TEXT,
    object: TEXT,
    amount: integer,
    amount_captured: integer,
    amount_refunded: integer,
    billing_details: OBJECT,
    captured: flag,
    created: integer,
    currency: TEXT,
    disputed: flag,
    livemode: flag,
    metadata: OBJECT,
    paid: flag,
    payment_intent: orNull(TEXT),
    payment_method: orNull(TEXT),
    payment_method_details: orNull(OBJECT),
    refunded: flag,
    status: TEXT,
  }),
  refund: whole({
    id: TEXT,
    object: TEXT,
    amount: integer,
    balance_transaction: orNull(TEXT),
    charge: orNull(TEXT),
    created: integer,
    currency: TEXT,
    metadata: orNull(OBJECT),
    payment_intent: orNull(TEXT),
    reason: orNull(TEXT),
    status: orNull(TEXT),
  }),
  dispute: whole({
    id: TEXT,
    object: TEXT,
    amount: integer,
    charge: TEXT,
    created: integer,
    currency: TEXT,
    livemode: flag,
    metadata: OBJECT,
    payment_intent: orNull(TEXT),
    reason: TEXT,
    status: TEXT,
  }),
  payment_method: whole({
    id: TEXT,
    object: TEXT,
    created: integer,
    livemode: flag,
    metadata: orNull(OBJECT),
    type: TEXT,
    card: OBJECT,
  }),
  list: whole({ object: TEXT, data: LIST, has_more: flag, url: TEXT }),
  search_result: whole({ object: TEXT, data: LIST, has_more: flag, url: TEXT, next_page: orNull(TEXT) }),
}

/** Throws where an object that the double answers with is none that Stripe would. */
export function checkReply(body: unknown): void {
  const fields = body as Readonly<Record<string, unknown>>
  const table = REPLIES[String(fields.object)]
  if (table === undefined) throw new Error(`There is no table for replies of ${String(fields.object)}.`)
  const [broken] = violations(table, body, String(fields.object))
  if (broken !== undefined) throw new Error(broken)
  if (Array.isArray(fields.data)) fields.data.forEach(checkReply)
  if (isObject(fields.latest_charge)) checkReply(fields.latest_charge)
}
