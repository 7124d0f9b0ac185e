// What PayPal's published specification says of the requests that are sent here: which fields there are, of what type, how long, and with
// which values. Read in github.com/paypal/paypal-rest-api-specifications, commit ec4d8f3: checkout_orders_v2 (2.13), payments_payment_v2 (2.5),
// customer_disputes_v1 (1.10). Written anew, and only what is sent: a field that stands in no table here is refused.

import { flag, like, listOf, nothing, object, oneOf, type Shape, text } from './shape.ts'

const URI = like(/^https?:\/\/[^\s]+$/)
const MONEY = object(
  { currency_code: like(/^[A-Z]{3}$/), value: like(/^(-?\d+|-?\d*\.\d+)$/, 32) },
  'currency_code',
  'value',
)
/** PayPal takes no empty texts. */
const TEXT = text(127, 1)

/** Bodies of requests, by "METHOD path" with the ids left out. `nothing`: none. */
export const REQUESTS: Readonly<Record<string, Shape>> = {
  'POST /v2/checkout/orders': object(
    {
      intent: oneOf('CAPTURE AUTHORIZE'),
      purchase_units: listOf(
        object({ amount: MONEY, description: TEXT, custom_id: TEXT, invoice_id: TEXT }, 'amount'),
        { least: 1, most: 10 },
      ),
      payment_source: object({
        paypal: object({
          experience_context: object({
            brand_name: TEXT,
            shipping_preference: oneOf('GET_FROM_FILE NO_SHIPPING SET_PROVIDED_ADDRESS'),
            return_url: URI,
            cancel_url: URI,
            user_action: oneOf('CONTINUE PAY_NOW'),
            payment_method_preference: oneOf('UNRESTRICTED IMMEDIATE_PAYMENT_REQUIRED'),
          }),
        }),
      }),
    },
    'intent',
    'purchase_units',
  ),
  'GET /v2/checkout/orders/{id}': nothing,
  'PATCH /v2/checkout/orders/{id}': listOf(
    object({ op: oneOf('add remove replace move copy test'), path: TEXT, value: TEXT }, 'op'),
    { least: 1 },
  ),
  'POST /v2/checkout/orders/{id}/capture': object({}),
  'POST /v2/checkout/orders/{id}/authorize': object({}),
  'GET /v2/payments/authorizations/{id}': nothing,
  'POST /v2/payments/authorizations/{id}/capture': object({ amount: MONEY, final_capture: flag }),
  'POST /v2/payments/authorizations/{id}/void': nothing,
  'GET /v2/payments/captures/{id}': nothing,
  'POST /v2/payments/captures/{id}/refund': object({ amount: MONEY, invoice_id: TEXT }),
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
  'GET /v1/customer/disputes': ['disputed_transaction_id'],
}
