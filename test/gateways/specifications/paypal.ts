// What PayPal's published specification says of the operations that are used here: which fields there are, of what type, how long, and with
// which values. Read in github.com/paypal/paypal-rest-api-specifications, commit ec4d8f3: checkout_orders_v2 (2.13), payments_payment_v2 (2.5),
// customer_disputes_v1 (1.10). Written anew, and only what concerns us: a field that stands in no table here is refused.

import {
  type Fields,
  flag,
  like,
  listOf,
  nothing,
  object as objectOf,
  oneOf,
  type Shape,
  text as textOf,
} from './shape.ts'

/** PayPal writes no empty texts, and takes none. */
const text = (most?: number, least = 1) => textOf(most, least)
const object = (fields: Fields, required: readonly string[] = []) => objectOf(fields, ...required)

const URI = like(/^https?:\/\/[^\s]+$/)
const TIME = like(
  /^\d{4}-(0[1-9]|1[0-2])-([0-2]\d|3[01])[Tt]([01]\d|2[0-3]):[0-5]\d:([0-5]\d|60)(\.\d+)?([Zz]|[+-]\d{2}:\d{2})$/,
  64,
)
const ID = like(/^[A-Z0-9]+$/, 20)
const MONEY = object({ currency_code: like(/^[A-Z]{3}$/), value: like(/^(-?\d+|-?\d*\.\d+)$/, 32) }, [
  'currency_code',
  'value',
])
const INTENT = oneOf('CAPTURE AUTHORIZE')
const LINKS = listOf(
  object({ href: text(), rel: text(), method: oneOf('GET POST PUT DELETE HEAD CONNECT OPTIONS PATCH') }, [
    'href',
    'rel',
  ]),
)

/** Bodies of requests, by "METHOD path" with the ids left out. `nothing`: none. */
export const REQUESTS: Readonly<Record<string, Shape>> = {
  'POST /v2/checkout/orders': object(
    {
      intent: INTENT,
      purchase_units: listOf(
        object(
          {
            reference_id: text(256),
            amount: MONEY,
            description: text(127),
            custom_id: text(127),
            invoice_id: text(127),
            soft_descriptor: text(22),
          },
          ['amount'],
        ),
        { least: 1, most: 10 },
      ),
      payment_source: object({
        paypal: object({
          experience_context: object({
            brand_name: text(127),
            locale: like(/^[a-z]{2}(-[A-Z][a-z]{3})?(-([A-Z]{2}|\d{3}))?$/, 10),
            shipping_preference: oneOf('GET_FROM_FILE NO_SHIPPING SET_PROVIDED_ADDRESS'),
            return_url: URI,
            cancel_url: URI,
            landing_page: oneOf('LOGIN GUEST_CHECKOUT NO_PREFERENCE'),
            user_action: oneOf('CONTINUE PAY_NOW'),
            payment_method_preference: oneOf('UNRESTRICTED IMMEDIATE_PAYMENT_REQUIRED'),
          }),
        }),
      }),
    },
    ['intent', 'purchase_units'],
  ),
  'GET /v2/checkout/orders/{id}': nothing,
  'PATCH /v2/checkout/orders/{id}': listOf(
    object({ op: oneOf('add remove replace move copy test'), path: text(), value: text(), from: text() }, ['op']),
    { least: 1 },
  ),
  'POST /v2/checkout/orders/{id}/capture': object({}),
  'POST /v2/checkout/orders/{id}/authorize': object({}),
  'GET /v2/payments/authorizations/{id}': nothing,
  'POST /v2/payments/authorizations/{id}/capture': object({
    amount: MONEY,
    invoice_id: text(127),
    note_to_payer: text(255),
    soft_descriptor: text(22),
    final_capture: flag,
  }),
  'POST /v2/payments/authorizations/{id}/void': nothing,
  'GET /v2/payments/captures/{id}': nothing,
  'POST /v2/payments/captures/{id}/refund': object({
    amount: MONEY,
    custom_id: text(127),
    invoice_id: text(127),
    note_to_payer: text(255),
  }),
  'GET /v1/customer/disputes': nothing,
  'GET /v1/customer/disputes/{id}': nothing,
}

/** Operations that take `PayPal-Request-Id`, and how long it may be. */
export const TAKES_REQUEST_ID: readonly string[] = [
  'POST /v2/checkout/orders',
  'POST /v2/checkout/orders/{id}/capture',
  'POST /v2/checkout/orders/{id}/authorize',
  'POST /v2/payments/authorizations/{id}/capture',
  'POST /v2/payments/captures/{id}/refund',
]
export const LONGEST_REQUEST_ID = 108

/** Queries, by operation; those without a line take none. */
export const QUERIES: Readonly<Record<string, readonly string[]>> = {
  'GET /v2/checkout/orders/{id}': ['fields'],
  'GET /v1/customer/disputes': [
    ...['start_time', 'disputed_transaction_id', 'page_size', 'next_page_token', 'dispute_state'],
    ...['update_time_before', 'update_time_after'],
  ],
}

const RELATED = object({ related_ids: object({ order_id: ID, authorization_id: ID, capture_id: ID }) })
const TIMES = { create_time: TIME, update_time: TIME }

const CAPTURE = {
  id: text(),
  status: oneOf('COMPLETED DECLINED PARTIALLY_REFUNDED PENDING REFUNDED FAILED'),
  status_details: object({
    reason: oneOf(
      'BUYER_COMPLAINT CHARGEBACK ECHECK INTERNATIONAL_WITHDRAWAL OTHER PENDING_REVIEW RECEIVING_PREFERENCE_MANDATES_MANUAL_ACTION REFUNDED TRANSACTION_APPROVED_AWAITING_FUNDING UNILATERAL VERIFICATION_REQUIRED',
    ),
  }),
  amount: MONEY,
  invoice_id: text(),
  custom_id: text(127),
  final_capture: flag,
  links: LINKS,
  ...TIMES,
} satisfies Fields

const AUTHORIZATION = {
  id: text(),
  status: oneOf('CREATED CAPTURED DENIED PARTIALLY_CAPTURED VOIDED PENDING'),
  status_details: object({ reason: oneOf('PENDING_REVIEW') }),
  amount: MONEY,
  invoice_id: text(),
  custom_id: text(127),
  expiration_time: TIME,
  links: LINKS,
  ...TIMES,
} satisfies Fields

const REFUND = {
  id: text(),
  status: oneOf('CANCELLED FAILED PENDING COMPLETED'),
  status_details: object({ reason: oneOf('ECHECK') }),
  amount: MONEY,
  invoice_id: text(),
  custom_id: like(/^[\w\-.,]*$/, 127),
  note_to_payer: text(),
  links: LINKS,
  ...TIMES,
} satisfies Fields

const ORDER = object({
  id: text(),
  status: oneOf('CREATED SAVED APPROVED VOIDED COMPLETED PAYER_ACTION_REQUIRED'),
  intent: INTENT,
  payer: object({
    email_address: text(254, 3),
    payer_id: like(/^[2-9A-HJ-NP-Z]{13}$/),
    address: object({ country_code: like(/^([A-Z]{2}|C2)$/) }, ['country_code']),
  }),
  payment_source: object({ paypal: object({ email_address: text(254, 3), account_id: like(/^[2-9A-HJ-NP-Z]{13}$/) }) }),
  purchase_units: listOf(
    object({
      reference_id: text(256),
      amount: MONEY,
      description: text(127),
      custom_id: text(127),
      invoice_id: text(127),
      payments: object({
        captures: listOf(object(CAPTURE)),
        authorizations: listOf(object(AUTHORIZATION)),
        refunds: listOf(object(REFUND)),
      }),
    }),
    { least: 1, most: 10 },
  ),
  links: LINKS,
  ...TIMES,
})

const DISPUTE = {
  dispute_id: like(/^[A-Za-z0-9-]+$/, 255),
  reason: oneOf(
    'MERCHANDISE_OR_SERVICE_NOT_RECEIVED MERCHANDISE_OR_SERVICE_NOT_AS_DESCRIBED UNAUTHORISED CREDIT_NOT_PROCESSED DUPLICATE_TRANSACTION INCORRECT_AMOUNT PAYMENT_BY_OTHER_MEANS CANCELED_RECURRING_BILLING PROBLEM_WITH_REMITTANCE OTHER',
  ),
  status: oneOf('OPEN WAITING_FOR_BUYER_RESPONSE WAITING_FOR_SELLER_RESPONSE UNDER_REVIEW RESOLVED OTHER'),
  dispute_amount: MONEY,
  links: LINKS,
  ...TIMES,
} satisfies Fields

export const REFUSAL = object(
  {
    name: text(),
    message: text(),
    debug_id: text(),
    details: listOf(object({ issue: text(), description: text(), field: text(), value: text() }, ['issue'])),
    links: LINKS,
  },
  ['name', 'message', 'debug_id'],
)

/** Bodies of successful replies. Those of refusals are all alike. */
export const REPLIES: Readonly<Record<string, Shape>> = {
  'POST /v2/checkout/orders': ORDER,
  'GET /v2/checkout/orders/{id}': ORDER,
  'PATCH /v2/checkout/orders/{id}': nothing,
  'POST /v2/checkout/orders/{id}/capture': ORDER,
  'POST /v2/checkout/orders/{id}/authorize': ORDER,
  'GET /v2/payments/authorizations/{id}': object({ ...AUTHORIZATION, supplementary_data: RELATED }),
  'POST /v2/payments/authorizations/{id}/capture': object({ ...CAPTURE, supplementary_data: RELATED }),
  'POST /v2/payments/authorizations/{id}/void': object({ ...AUTHORIZATION, supplementary_data: RELATED }),
  'GET /v2/payments/captures/{id}': object({ ...CAPTURE, supplementary_data: RELATED }),
  'POST /v2/payments/captures/{id}/refund': object(REFUND),
  'GET /v1/customer/disputes': object({ items: listOf(object(DISPUTE), { most: 100 }), links: LINKS }),
  'GET /v1/customer/disputes/{id}': object({
    ...DISPUTE,
    dispute_outcome: object({
      outcome_code: oneOf(
        'RESOLVED_BUYER_FAVOUR RESOLVED_SELLER_FAVOUR RESOLVED_WITH_PAYOUT CANCELED_BY_BUYER ACCEPTED DENIED NONE',
      ),
    }),
  }),
}
