// What Square's published specification says of the requests that are sent here: fields, types, limits and values, as tables of our own.
// Read off square/connect-api-specification, api.json, release 2025-08-20. Square takes fields that it does not know; here they are mistakes.
// RefundPayment's key is said to have 45 characters at most in its text alone.

import { flag, integer, like, NO_FIELDS, type ObjectShape, object, oneOf, text as textOf } from './shape.ts'

/** Square takes no empty texts. */
const text = (most?: number) => textOf(most, 1)
/** RFC 3339. */
const moment = like(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/)
const duration = like(/^P(?=.)(\d+D)?(T(?=.)(\d+H)?(\d+M)?(\d+S)?)?$/)

/** Of all that are named there, those of countries with sellers, and some that no seller has. */
const currency = oneOf('AUD CAD EUR GBP JPY USD BHD HUF INR ISK KWD MXN')
const money = object({ amount: integer, currency }, 'amount', 'currency')
const key = text(45)

type Operation = { readonly query?: ObjectShape; readonly body?: ObjectShape }

/** By method and path; `*` is an id. */
export const OPERATIONS: Readonly<Record<string, Operation>> = {
  'POST /v2/payments': {
    body: object(
      {
        source_id: text(),
        idempotency_key: key,
        amount_money: money,
        delay_duration: duration,
        delay_action: oneOf('CANCEL COMPLETE'),
        autocomplete: flag,
        location_id: text(),
        reference_id: text(40),
        verification_token: text(),
        note: text(500),
        statement_description_identifier: text(20),
      },
      'source_id',
      'idempotency_key',
    ),
  },
  'GET /v2/payments': {
    query: object({
      begin_time: moment,
      end_time: moment,
      sort_order: oneOf('ASC DESC'),
      cursor: text(),
      location_id: text(),
      limit: oneOf('100'),
    }),
  },
  'POST /v2/payments/cancel': { body: object({ idempotency_key: key }, 'idempotency_key') },
  'GET /v2/payments/*': {},
  'PUT /v2/payments/*': {
    body: object({ idempotency_key: key, payment: object({ amount_money: money }) }, 'idempotency_key'),
  },
  'POST /v2/payments/*/complete': { body: object({ version_token: text() }) },
  'POST /v2/payments/*/cancel': { body: NO_FIELDS },
  'POST /v2/refunds': {
    body: object(
      { idempotency_key: key, payment_id: text(), amount_money: money, reason: text(192) },
      'idempotency_key',
      'amount_money',
    ),
  },
  'GET /v2/refunds/*': {},
  'GET /v2/disputes': { query: object({ cursor: text(), location_id: text() }) },
  'GET /v2/locations/*': {},
}

/** The operation of a request; undefined where the specification has none. */
export function operationOf(method: string, path: string): Operation | undefined {
  const exact = OPERATIONS[`${method} ${path}`]
  return exact ?? OPERATIONS[`${method} ${path.replace(/^(\/v2\/\w+\/)[^/]+/, '$1*')}`]
}
