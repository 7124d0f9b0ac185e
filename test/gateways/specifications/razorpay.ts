// What is published of the requests to Razorpay that are sent here: fields, types, limits and values, as tables of our own. Razorpay has no
// OpenAPI file: read off razorpay/razorpay-node, commit 9737ef1 of 2025-07-24 (lib/types/*.d.ts and documents/*.md). Limits of receipt (40),
// of notes (15 of 256 characters) and of the refund's key (10 and more of A-Za-z0-9_-): razorpay.com/docs, "Orders" and "Refunds".

import { like, type ObjectShape, object, oneOf, type Shape, text } from './shape.ts'

const positive: Shape = { is: 'integer', least: 1 }
const notes: Shape = { is: 'own', brokenBy: brokenNotes }
const currency = like(/^[A-Z]{3}$/)
const receipt = text(40)

type Operation = { readonly query?: ObjectShape; readonly body?: ObjectShape; readonly headers?: ObjectShape }

/** In an address everything is text. */
const pages = { count: like(/^([1-9]|[1-9]\d|100)$/), skip: like(/^\d+$/) }

/** By method and path; `*` is an id. */
export const OPERATIONS: Readonly<Record<string, Operation>> = {
  'POST /v1/orders': {
    body: object(
      {
        amount: positive,
        currency,
        receipt,
        notes,
        payment: object({ capture: oneOf('automatic manual') }, 'capture'),
      },
      'amount',
      'currency',
    ),
  },
  'GET /v1/orders': { query: object({ ...pages, receipt }) },
  'GET /v1/orders/*': {},
  'GET /v1/orders/*/payments': {},
  'GET /v1/payments/*': { query: object({ 'expand[]': oneOf('card emi offers upi') }) },
  'POST /v1/payments/*/capture': { body: object({ amount: positive, currency }, 'amount', 'currency') },
  'POST /v1/payments/*/refund': {
    body: object({ amount: positive, speed: oneOf('normal optimum'), notes, receipt }),
    headers: object({ 'x-refund-idempotency': like(/^[\w-]{10,}$/) }),
  },
  'GET /v1/payments/*/refunds': { query: object(pages) },
  'GET /v1/disputes': { query: object(pages) },
}

/** The name of a request's operation; undefined where there is none. */
export function operationNameOf(method: string, path: string): string | undefined {
  const name = `${method} ${path.replace(/^(\/v1\/\w+\/)[^/]+/, '$1*')}`
  return Object.hasOwn(OPERATIONS, name) ? name : undefined
}

/** Texts by name. */
function brokenNotes(value: unknown): string | null {
  if (typeof value !== 'object' || value === null) return 'are no notes'
  const entries = Object.entries(value)
  if (entries.length > 15) return 'has more than 15 notes'
  return entries.every(([name, note]) => name.length <= 256 && typeof note === 'string' && note.length <= 256)
    ? null
    : 'has a note that is no text of 256 characters'
}
