// What Stripe's API takes and gives, for the operations that we use: names, types, limits and values. Our own tables, made from the types of the
// official SDK 22.6.2 (API 2026-08-26.dahlia), with lengths from stripe/openapi and the shapes of replies from its fixtures3.json.

export type FieldRule =
  | { readonly is: 'text'; readonly most?: number; readonly oneOf?: readonly string[] }
  | { readonly is: 'integer' | 'boolean' }
  | { readonly is: 'texts' }
  /** Our own names and values: at most 50, of 40 and 500 characters. */
  | { readonly is: 'metadata' }
  | { readonly is: 'fields'; readonly fields: Readonly<Record<string, FieldRule>> }

export type Operation = {
  readonly path: RegExp
  readonly required?: readonly string[]
  readonly fields: Readonly<Record<string, FieldRule>>
}

const text = (most = 5_000): FieldRule => ({ is: 'text', most })
const oneOf = (...values: string[]): FieldRule => ({ is: 'text', oneOf: values })
const INTEGER: FieldRule = { is: 'integer' }
const BOOLEAN: FieldRule = { is: 'boolean' }
const TEXTS: FieldRule = { is: 'texts' }
const METADATA: FieldRule = { is: 'metadata' }

const CAPTURE_METHOD = oneOf('automatic', 'automatic_async', 'manual')
const FUTURE = oneOf('off_session', 'on_session')
const RANGE: FieldRule = { is: 'fields', fields: { gt: INTEGER, gte: INTEGER, lt: INTEGER, lte: INTEGER } }
const PAGE = { ending_before: text(), expand: TEXTS, limit: INTEGER, starting_after: text() }

export const OPERATIONS: Readonly<Record<string, Operation>> = {
  createIntent: {
    path: /^POST \/v1\/payment_intents$/,
    required: ['amount', 'currency'],
    fields: {
      amount: INTEGER,
      application_fee_amount: INTEGER,
      capture_method: CAPTURE_METHOD,
      confirm: BOOLEAN,
      confirmation_method: oneOf('automatic', 'manual'),
      currency: text(3),
      customer: text(),
      description: text(1_000),
      error_on_requires_action: BOOLEAN,
      expand: TEXTS,
      metadata: METADATA,
      off_session: BOOLEAN,
      payment_method: text(),
      payment_method_types: TEXTS,
      receipt_email: text(),
      return_url: text(),
      setup_future_usage: FUTURE,
      statement_descriptor: text(22),
      statement_descriptor_suffix: text(22),
      transfer_group: text(),
      use_stripe_sdk: BOOLEAN,
    },
  },
  listIntents: {
    path: /^GET \/v1\/payment_intents$/,
    fields: { ...PAGE, created: RANGE, customer: text() },
  },
  searchIntents: {
    path: /^GET \/v1\/payment_intents\/search$/,
    required: ['query'],
    fields: { expand: TEXTS, limit: INTEGER, page: text(), query: text() },
  },
  getIntent: {
    path: /^GET \/v1\/payment_intents\/(pi_\w+)$/,
    fields: { client_secret: text(), expand: TEXTS },
  },
  confirmIntent: {
    path: /^POST \/v1\/payment_intents\/(pi_\w+)\/confirm$/,
    fields: {
      amount_to_confirm: INTEGER,
      capture_method: CAPTURE_METHOD,
      confirmation_token: text(),
      error_on_requires_action: BOOLEAN,
      expand: TEXTS,
      mandate: text(),
      off_session: BOOLEAN,
      payment_method: text(),
      payment_method_types: TEXTS,
      receipt_email: text(),
      return_url: text(),
      setup_future_usage: FUTURE,
      use_stripe_sdk: BOOLEAN,
    },
  },
  captureIntent: {
    path: /^POST \/v1\/payment_intents\/(pi_\w+)\/capture$/,
    fields: {
      amount_to_capture: INTEGER,
      application_fee_amount: INTEGER,
      expand: TEXTS,
      final_capture: BOOLEAN,
      metadata: METADATA,
      statement_descriptor: text(22),
      statement_descriptor_suffix: text(22),
    },
  },
  cancelIntent: {
    path: /^POST \/v1\/payment_intents\/(pi_\w+)\/cancel$/,
    fields: {
      cancellation_reason: oneOf('abandoned', 'duplicate', 'fraudulent', 'requested_by_customer'),
      expand: TEXTS,
    },
  },
  createMethod: {
    path: /^POST \/v1\/payment_methods$/,
    required: ['type'],
    fields: {
      type: oneOf('card'),
      card: { is: 'fields', fields: { token: text() } },
      expand: TEXTS,
      metadata: METADATA,
    },
  },
  createRefund: {
    path: /^POST \/v1\/refunds$/,
    fields: {
      amount: INTEGER,
      charge: text(),
      expand: TEXTS,
      metadata: METADATA,
      payment_intent: text(),
      reason: oneOf('duplicate', 'fraudulent', 'requested_by_customer'),
      refund_application_fee: BOOLEAN,
      reverse_transfer: BOOLEAN,
    },
  },
  listRefunds: {
    path: /^GET \/v1\/refunds$/,
    fields: { ...PAGE, charge: text(), created: RANGE, payment_intent: text() },
  },
  listDisputes: {
    path: /^GET \/v1\/disputes$/,
    fields: { ...PAGE, charge: text(), created: RANGE, payment_intent: text() },
  },
}

type Broken = { readonly param: string; readonly rule: string }

/** What is wrong with a form, or the query of an address; empty when all is well. */
export function brokenIn({ required = [], fields }: Operation, form: URLSearchParams): Broken[] {
  const names = new Set([...form.keys()].map((name) => /^\w+/.exec(name)?.[0] ?? name))
  const missing = required.filter((name) => !names.has(name)).map((param) => ({ param, rule: 'is required' }))
  const wrong = [...form].flatMap(([name, value]) => {
    const rule = problemOf(name, value, fields)
    return rule === null ? [] : [{ param: name, rule }]
  })
  const count = [...form.keys()].filter((name) => name.startsWith('metadata[')).length
  return [...missing, ...wrong, ...(count > 50 ? [{ param: 'metadata', rule: 'has more than 50 keys' }] : [])]
}

function problemOf(name: string, value: string, fields: Operation['fields']): string | null {
  const [, top = '', rest = ''] = /^(\w+)((?:\[\w*\])*)$/.exec(name) ?? []
  const rule = Object.hasOwn(fields, top) ? fields[top] : undefined
  if (rule === undefined) return 'is unknown'
  switch (rule.is) {
    case 'integer':
      return rest === '' && /^-?\d{1,15}$/.test(value) ? null : 'is no integer'
    case 'boolean':
      return rest === '' && /^(?:true|false)$/.test(value) ? null : 'is no boolean'
    case 'text':
      if (rest !== '' || value === '') return 'is no text'
      if (rule.oneOf !== undefined && !rule.oneOf.includes(value)) return 'has another value than those listed'
      return value.length > (rule.most ?? 5_000) ? 'is too long' : null
    case 'texts':
      return /^\[\d*\]$/.test(rest) && value !== '' ? null : 'is no list of texts'
    case 'metadata':
      return /^\[\w{1,40}\]$/.test(rest) && value.length <= 500 ? null : 'is no metadata'
    case 'fields':
      return problemOf(rest.replace(/^\[(\w+)\]/, '$1'), value, rule.fields)
  }
}

// Replies: which fields an object has, and of which types. `?` may be null.

const INTENT = {
  id: 'text',
  object: 'text',
  amount: 'integer',
  amount_capturable: 'integer',
  amount_received: 'integer',
  canceled_at: 'integer?',
  cancellation_reason: 'text?',
  capture_method: 'text',
  client_secret: 'text?',
  confirmation_method: 'text',
  created: 'integer',
  currency: 'text',
  customer: 'text?',
  description: 'text?',
  last_payment_error: 'object?',
  latest_charge: 'text or object?',
  livemode: 'boolean',
  metadata: 'object',
  next_action: 'object?',
  payment_method: 'text?',
  payment_method_types: 'list',
  status: 'text',
} as const

export const REPLIES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  payment_intent: INTENT,
  charge: {
    id: 'text',
    object: 'text',
    amount: 'integer',
    amount_captured: 'integer',
    amount_refunded: 'integer',
    billing_details: 'object',
    captured: 'boolean',
    created: 'integer',
    currency: 'text',
    disputed: 'boolean',
    livemode: 'boolean',
    metadata: 'object',
    paid: 'boolean',
    payment_intent: 'text?',
    payment_method: 'text?',
    payment_method_details: 'object?',
    refunded: 'boolean',
    status: 'text',
  },
  refund: {
    id: 'text',
    object: 'text',
    amount: 'integer',
    balance_transaction: 'text?',
    charge: 'text?',
    created: 'integer',
    currency: 'text',
    metadata: 'object?',
    payment_intent: 'text?',
    reason: 'text?',
    status: 'text?',
  },
  dispute: {
    id: 'text',
    object: 'text',
    amount: 'integer',
    charge: 'text',
    created: 'integer',
    currency: 'text',
    livemode: 'boolean',
    metadata: 'object',
    payment_intent: 'text?',
    reason: 'text',
    status: 'text',
  },
  payment_method: {
    id: 'text',
    object: 'text',
    created: 'integer',
    livemode: 'boolean',
    metadata: 'object?',
    type: 'text',
    card: 'object',
  },
  list: { object: 'text', data: 'list', has_more: 'boolean', url: 'text' },
  search_result: { object: 'text', data: 'list', has_more: 'boolean', url: 'text', next_page: 'text?' },
}

const TYPES: Readonly<Record<string, (value: unknown) => boolean>> = {
  text: (value) => typeof value === 'string',
  integer: Number.isSafeInteger,
  boolean: (value) => typeof value === 'boolean',
  list: Array.isArray,
  object: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
}

/** Throws where an object that the double answers with is none that Stripe would. */
export function checkReply(body: unknown): void {
  const fields = body as Readonly<Record<string, unknown>>
  const table = REPLIES[String(fields.object)]
  if (table === undefined) throw new Error(`There is no table for replies of ${String(fields.object)}.`)
  for (const name of Object.keys(fields)) if (!(name in table)) throw new Error(`${String(fields.object)}.${name}?`)
  for (const [name, type] of Object.entries(table)) {
    const value = fields[name]
    const kinds = type.replace('?', '').split(' or ')
    const isFine = (type.endsWith('?') && value === null) || kinds.some((kind) => TYPES[kind]?.(value))
    if (!isFine) throw new Error(`${String(fields.object)}.${name} is no ${type}.`)
  }
  if (Array.isArray(fields.data)) fields.data.forEach(checkReply)
  if (typeof fields.latest_charge === 'object' && fields.latest_charge !== null) checkReply(fields.latest_charge)
}
