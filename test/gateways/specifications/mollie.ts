// What Mollie's published specification says of the requests that are sent here: which fields there are, of what type, how long, and with
// which values. Read in github.com/mollie/mollie-api-typescript, commit 2bee2a5, which holds the OpenAPI document of the API v2; the
// currencies in docs.mollie.com/docs/multicurrency. Written anew, and only what is sent: a field that stands in no table here is refused.

import { like, nothing, object, oneOf, type Shape, text } from './shape.ts'

/** With how many decimals sums of a currency are written. Others are not taken. */
export const DECIMALS: Readonly<Record<string, number>> = {
  ...Object.fromEntries(
    [
      ...['AED', 'AUD', 'BRL', 'CAD', 'CHF', 'CZK', 'DKK', 'EUR', 'GBP', 'HKD', 'HUF', 'ILS', 'MXN', 'MYR', 'NOK'],
      ...['NZD', 'PHP', 'PLN', 'RON', 'SEK', 'SGD', 'THB', 'TWD', 'USD', 'ZAR'],
    ].map((code) => [code, 2]),
  ),
  ISK: 0,
  JPY: 0,
}

const URI = like(/^https?:\/\/\S+$/)
const AMOUNT = object({ currency: like(/^[A-Z]{3}$/), value: like(/^\d+(\.\d+)?$/) }, 'currency', 'value')
const METADATA = object({ key: text() })
const DESCRIPTION = text(255, 1)

type Operation = {
  /** Fields that the query may hold. */
  readonly query?: Readonly<Record<string, Shape>>
  readonly body: Shape
}

const LIMIT = like(/^([1-9]\d?|1\d\d|2[0-4]\d|250)$/)

/** By "METHOD path" with the ids left out. */
export const OPERATIONS: Readonly<Record<string, Operation>> = {
  'POST /v2/payments': {
    body: object(
      { description: DESCRIPTION, amount: AMOUNT, redirectUrl: URI, webhookUrl: URI, metadata: METADATA },
      'description',
      'amount',
      'redirectUrl',
    ),
  },
  'GET /v2/payments': { query: { limit: LIMIT }, body: nothing },
  'GET /v2/payments/{id}': { query: { embed: oneOf('refunds,chargebacks') }, body: nothing },
  'DELETE /v2/payments/{id}': { body: nothing },
  'POST /v2/payments/{id}/refunds': {
    body: object({ description: DESCRIPTION, amount: AMOUNT, metadata: METADATA }, 'amount', 'description'),
  },
  'GET /v2/payments/{id}/refunds': { query: { limit: LIMIT }, body: nothing },
  'GET /v2/methods': { body: nothing },
}

/** [D] docs.mollie.com/reference/api-idempotency: POST alone knows keys; one that comes again with another request is refused. */
export const REMEMBERS_KEYS_MS = 3_600_000
