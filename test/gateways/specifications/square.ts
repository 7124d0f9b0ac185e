// What Square's published specification says of the operations that are used here: fields, types, limits and values, as tables of our own.
// Read off square/connect-api-specification, api.json, release 2025-08-20. Square takes fields that it does not know; here they are mistakes.
// RefundPayment's key is said to have 45 characters at most in its text alone. VERSION_MISMATCH is named in the texts of CompletePayment, and
// missing in the list of codes.

import { flag, integer, like, listOf, NO_FIELDS, type ObjectShape, object, oneOf, text as textOf } from './shape.ts'

/** Square writes no empty texts, and takes none. */
const text = (most?: number) => textOf(most, 1)
/** RFC 3339. */
const moment = like(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/)
const duration = like(/^P(?=.)(\d+D)?(T(?=.)(\d+H)?(\d+M)?(\d+S)?)?$/)

/** Of all that are named there, those of countries with sellers, and some that no seller has. */
const currency = oneOf('AUD CAD EUR GBP JPY USD BHD HUF INR ISK KWD MXN')
const money = object({ amount: integer, currency }, 'amount', 'currency')
const address = object({ postal_code: text(), country: text(2) })

/** Those that the double knows how to say, out of ErrorCode. */
const codes =
  'UNAUTHORIZED ACCESS_TOKEN_REVOKED FORBIDDEN INSUFFICIENT_SCOPES BAD_REQUEST MISSING_REQUIRED_PARAMETER INVALID_VALUE INVALID_TIME INVALID_CURSOR VALUE_TOO_LOW VALUE_TOO_HIGH UNKNOWN_BODY_PARAMETER UNKNOWN_QUERY_PARAMETER UNSUPPORTED_MEDIA_TYPE INVALID_SQUARE_VERSION_FORMAT CURRENCY_MISMATCH INVALID_LOCATION IDEMPOTENCY_KEY_REUSED NOT_FOUND CONFLICT RATE_LIMITED TEMPORARY_ERROR INTERNAL_SERVER_ERROR GENERIC_DECLINE CARD_DECLINED CARD_DECLINED_CALL_ISSUER CARD_DECLINED_VERIFICATION_REQUIRED PAN_FAILURE TRANSACTION_LIMIT AMOUNT_TOO_HIGH PAYMENT_LIMIT_EXCEEDED CARD_NOT_SUPPORTED INSUFFICIENT_FUNDS GIFT_CARD_AVAILABLE_AMOUNT CVV_FAILURE VERIFY_CVV_FAILURE ADDRESS_VERIFICATION_FAILURE CARD_EXPIRED INVALID_EXPIRATION BAD_EXPIRATION EXPIRATION_FAILURE INVALID_ACCOUNT SOURCE_USED SOURCE_EXPIRED CARD_TOKEN_USED CARD_TOKEN_EXPIRED INVALID_CARD_DATA ALLOWABLE_PIN_TRIES_EXCEEDED DELAYED_TRANSACTION_CAPTURED DELAYED_TRANSACTION_CANCELED DELAYED_TRANSACTION_EXPIRED DELAYED_TRANSACTION_FAILED VERSION_MISMATCH REFUND_ALREADY_PENDING REFUND_AMOUNT_INVALID PAYMENT_NOT_REFUNDABLE PAYMENT_NOT_REFUNDABLE_DUE_TO_DISPUTE REFUND_ERROR_PAYMENT_NEEDS_COMPLETION REFUND_DECLINED INSUFFICIENT_PERMISSIONS_FOR_REFUND'
const error = object(
  {
    category: oneOf(
      'API_ERROR AUTHENTICATION_ERROR INVALID_REQUEST_ERROR RATE_LIMIT_ERROR PAYMENT_METHOD_ERROR REFUND_ERROR',
    ),
    code: oneOf(codes),
    detail: text(),
    field: text(),
  },
  'category',
  'code',
)

const card = object({
  card_brand: oneOf('VISA MASTERCARD AMERICAN_EXPRESS DISCOVER DISCOVER_DINERS JCB CHINA_UNIONPAY OTHER_BRAND'),
  last_4: text(4),
  exp_month: integer,
  exp_year: integer,
  bin: text(6),
  card_type: oneOf('UNKNOWN_CARD_TYPE CREDIT DEBIT'),
  prepaid_type: oneOf('UNKNOWN_PREPAID_TYPE NOT_PREPAID PREPAID'),
  billing_address: address,
})

const payment = object(
  {
    id: text(192),
    created_at: moment,
    updated_at: moment,
    amount_money: money,
    total_money: money,
    approved_money: money,
    refunded_money: money,
    status: oneOf('APPROVED PENDING COMPLETED CANCELED FAILED'),
    delay_duration: duration,
    delay_action: oneOf('CANCEL COMPLETE'),
    delayed_until: moment,
    source_type: oneOf('CARD BANK_ACCOUNT WALLET BUY_NOW_PAY_LATER SQUARE_ACCOUNT CASH EXTERNAL'),
    card_details: object({
      status: oneOf('AUTHORIZED CAPTURED VOIDED FAILED'),
      card,
      entry_method: text(50),
      cvv_status: oneOf('CVV_ACCEPTED CVV_REJECTED CVV_NOT_CHECKED'),
      avs_status: oneOf('AVS_ACCEPTED AVS_REJECTED AVS_NOT_CHECKED'),
      errors: listOf(error),
    }),
    location_id: text(50),
    reference_id: text(40),
    refund_ids: listOf(text()),
    billing_address: address,
    note: text(500),
    statement_description_identifier: text(),
    version_token: text(),
  },
  'id',
  'status',
)

const refund = object(
  {
    id: text(255),
    status: oneOf('PENDING COMPLETED REJECTED FAILED'),
    location_id: text(50),
    amount_money: money,
    payment_id: text(192),
    reason: text(192),
    created_at: moment,
    updated_at: moment,
  },
  'id',
  'amount_money',
)

const dispute = object(
  {
    id: text(40),
    amount_money: money,
    reason: oneOf(
      'AMOUNT_DIFFERS CANCELLED DUPLICATE NO_KNOWLEDGE NOT_AS_DESCRIBED NOT_RECEIVED PAID_BY_OTHER_MEANS CUSTOMER_REQUESTS_CREDIT EMV_LIABILITY_SHIFT',
    ),
    state: oneOf(
      'INQUIRY_EVIDENCE_REQUIRED INQUIRY_PROCESSING INQUIRY_CLOSED EVIDENCE_REQUIRED PROCESSING WON LOST ACCEPTED',
    ),
    disputed_payment: object({ payment_id: text(192) }),
    location_id: text(40),
  },
  'id',
)

const location = object({
  id: text(32),
  name: text(255),
  status: oneOf('ACTIVE INACTIVE'),
  capabilities: listOf(oneOf('CREDIT_CARD_PROCESSING AUTOMATIC_TRANSFERS UNLINKED_REFUNDS')),
  currency,
  country: text(2),
})

const errors = listOf(error)
const paymentReply = object({ errors, payment })
const refundReply = object({ errors, refund })

type Operation = { readonly query?: ObjectShape; readonly body?: ObjectShape; readonly reply: ObjectShape }

/** By method and path; `*` is an id. */
export const OPERATIONS: Readonly<Record<string, Operation>> = {
  'POST /v2/payments': {
    body: object(
      {
        source_id: text(),
        idempotency_key: text(45),
        amount_money: money,
        delay_duration: duration,
        delay_action: oneOf('CANCEL COMPLETE'),
        autocomplete: flag,
        location_id: text(),
        reference_id: text(40),
        verification_token: text(),
        buyer_email_address: text(255),
        note: text(500),
        statement_description_identifier: text(20),
      },
      'source_id',
      'idempotency_key',
    ),
    reply: paymentReply,
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
    reply: object({ errors, payments: listOf(payment), cursor: text() }),
  },
  'POST /v2/payments/cancel': {
    body: object({ idempotency_key: text(45) }, 'idempotency_key'),
    reply: object({ errors }),
  },
  'GET /v2/payments/*': { reply: paymentReply },
  'PUT /v2/payments/*': {
    body: object({ idempotency_key: text(45), payment: object({ amount_money: money }) }, 'idempotency_key'),
    reply: paymentReply,
  },
  'POST /v2/payments/*/complete': { body: object({ version_token: text() }), reply: paymentReply },
  'POST /v2/payments/*/cancel': { body: NO_FIELDS, reply: paymentReply },
  'POST /v2/refunds': {
    body: object(
      { idempotency_key: text(45), payment_id: text(), amount_money: money, reason: text(192) },
      'idempotency_key',
      'amount_money',
    ),
    reply: refundReply,
  },
  'GET /v2/refunds/*': { reply: refundReply },
  'GET /v2/disputes': {
    query: object({ cursor: text(), location_id: text() }),
    reply: object({ errors, disputes: listOf(dispute), cursor: text() }),
  },
  'GET /v2/locations/*': { reply: object({ errors, location }) },
}

/** The operation of a request; undefined where the specification has none. */
export function operationOf(method: string, path: string): Operation | undefined {
  const exact = OPERATIONS[`${method} ${path}`]
  return exact ?? OPERATIONS[`${method} ${path.replace(/^(\/v2\/\w+\/)[^/]+/, '$1*')}`]
}
