// What Stripe's API takes of the requests that are sent here: names, types, limits and values. Our own tables, made from the types of the
// official SDK 22.6.2 (API 2026-08-26.dahlia), with lengths from stripe/openapi. A field that stands in no table here is refused.

import { like, listOf, type ObjectShape, object, oneOf, type Shape, text as textOf, violations } from './shape.ts'

type Operation = { readonly path: RegExp; readonly sent: ObjectShape }

// Forms, and the queries of addresses: every value in them is a text, and none is empty.

const text = (most = 5_000) => textOf(most, 1)
const INTEGER = like(/^-?\d{1,15}$/)
const BOOLEAN = oneOf('true false')
const TEXTS = listOf(text())
/** Our own names and values. */
const METADATA: Shape = {
  is: 'own',
  brokenBy(value) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'is no metadata'
    const entries = Object.entries(value as Readonly<Record<string, string>>)
    if (entries.length > 50) return 'has more than 50 keys'
    return entries.every(([name, each]) => /^\w{1,40}$/.test(name) && each.length <= 500) ? null : 'is no metadata'
  },
}

const PAGE = { limit: INTEGER, starting_after: text() }

export const OPERATIONS: Readonly<Record<string, Operation>> = {
  createIntent: {
    path: /^POST \/v1\/payment_intents$/,
    sent: object(
      {
        amount: INTEGER,
        confirmation_method: oneOf('automatic manual'),
        currency: text(3),
        description: text(1_000),
        metadata: METADATA,
        payment_method_types: TEXTS,
      },
      'amount',
      'currency',
    ),
  },
  listIntents: {
    path: /^GET \/v1\/payment_intents$/,
    sent: object({ ...PAGE, created: object({ gte: INTEGER, lte: INTEGER }) }),
  },
  searchIntents: {
    path: /^GET \/v1\/payment_intents\/search$/,
    sent: object({ limit: INTEGER, query: text() }, 'query'),
  },
  getIntent: {
    path: /^GET \/v1\/payment_intents\/(pi_\w+)$/,
    sent: object({ expand: TEXTS }),
  },
  confirmIntent: {
    path: /^POST \/v1\/payment_intents\/(pi_\w+)\/confirm$/,
    sent: object({
      capture_method: oneOf('automatic automatic_async manual'),
      expand: TEXTS,
      payment_method: text(),
      use_stripe_sdk: BOOLEAN,
    }),
  },
  captureIntent: {
    path: /^POST \/v1\/payment_intents\/(pi_\w+)\/capture$/,
    sent: object({ amount_to_capture: INTEGER, expand: TEXTS }),
  },
  cancelIntent: {
    path: /^POST \/v1\/payment_intents\/(pi_\w+)\/cancel$/,
    sent: object({ cancellation_reason: oneOf('abandoned duplicate fraudulent requested_by_customer') }),
  },
  createMethod: {
    path: /^POST \/v1\/payment_methods$/,
    sent: object({ type: oneOf('card'), card: object({ token: text() }) }, 'type'),
  },
  createRefund: {
    path: /^POST \/v1\/refunds$/,
    sent: object({ amount: INTEGER, metadata: METADATA, payment_intent: text() }),
  },
  listRefunds: { path: /^GET \/v1\/refunds$/, sent: object({ ...PAGE, payment_intent: text() }) },
  listDisputes: { path: /^GET \/v1\/disputes$/, sent: object({ ...PAGE, payment_intent: text() }) },
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
