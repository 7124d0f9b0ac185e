// What Mollie's published specification says of the operations that are used here: which fields there are, of what type, how long, and with
// which values. Read in github.com/mollie/mollie-api-typescript, commit 2bee2a5, which holds the OpenAPI document of the API v2; the
// currencies in docs.mollie.com/docs/multicurrency. Written anew, and only what concerns us: a field that stands in no table here is refused.

import { flag, integer, like, listOf, nothing, object, oneOf, orNull, type Shape, text, violations } from './shape.ts'

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
const TIME = like(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\+00:00$/)
const AMOUNT = object({ currency: like(/^[A-Z]{3}$/), value: like(/^\d+(\.\d+)?$/) }, 'currency', 'value')
/** What Mollie keeps for us, unread. */
const ANYTHING: Shape = { is: 'own', brokenBy: () => null }
const LINK = object({ href: text(), type: text() }, 'href', 'type')
const links = (needs: readonly string[], ...others: readonly string[]): Shape =>
  object(Object.fromEntries([...needs, ...others].map((name) => [name, orNull(LINK)])), ...needs)
const MODE = oneOf('live test')

type Operation = {
  /** What the query may hold. */
  readonly query?: Readonly<Record<string, Shape>>
  /** `nothing`: none. */
  readonly body: Shape
  readonly reply: Shape
}

const REFUND = object(
  {
    resource: oneOf('refund'),
    id: like(/^re_.+$/),
    mode: MODE,
    description: text(255),
    amount: AMOUNT,
    metadata: ANYTHING,
    paymentId: like(/^tr_.+$/),
    status: oneOf('queued pending processing refunded failed canceled'),
    createdAt: TIME,
    _links: links(['self', 'payment', 'documentation']),
  },
  'resource',
  'id',
  'mode',
  'amount',
  'status',
  'createdAt',
  'description',
  'metadata',
  'paymentId',
  '_links',
)

const CHARGEBACK = object(
  {
    resource: oneOf('chargeback'),
    id: like(/^chb_.+$/),
    amount: AMOUNT,
    reason: orNull(object({ code: text(), description: text() }, 'code', 'description')),
    paymentId: like(/^tr_.+$/),
    createdAt: TIME,
    reversedAt: orNull(TIME),
    _links: links(['self', 'payment', 'documentation']),
  },
  'resource',
  'id',
  'amount',
  'createdAt',
  'paymentId',
  '_links',
)

const PAYMENT = object(
  {
    resource: oneOf('payment'),
    id: like(/^tr_.+$/),
    mode: MODE,
    description: text(255, 1),
    amount: AMOUNT,
    amountRefunded: AMOUNT,
    amountRemaining: AMOUNT,
    redirectUrl: orNull(URI),
    webhookUrl: orNull(URI),
    method: orNull(
      oneOf(
        'bancontact banktransfer belfius blik creditcard eps ideal kbc klarna paypal przelewy24 swish trustly twint',
      ),
    ),
    countryCode: orNull(like(/^[A-Z]{2}$/)),
    metadata: ANYTHING,
    sequenceType: oneOf('oneoff first recurring'),
    profileId: like(/^pfl_.+$/),
    status: oneOf('open pending authorized paid canceled expired failed'),
    isCancelable: orNull(flag),
    details: orNull(
      object({
        cardNumber: orNull(text(4)),
        cardLabel: orNull(text()),
        failureReason: orNull(
          oneOf(
            'authentication_abandoned authentication_failed authentication_required card_declined authentication_unavailable_acs card_expired inactive_card insufficient_funds invalid_cvv invalid_card_holder_name invalid_card_number invalid_card_type possible_fraud refused_by_issuer unknown_reason',
          ),
        ),
      }),
    ),
    createdAt: TIME,
    expiresAt: orNull(TIME),
    _embedded: object({ refunds: listOf(REFUND), chargebacks: listOf(CHARGEBACK) }),
    _links: links(['self', 'dashboard'], 'checkout'),
  },
  'resource',
  'id',
  'mode',
  'createdAt',
  'amount',
  'description',
  'status',
  'profileId',
  'sequenceType',
  '_links',
)

const listing = (name: string, of: Shape): Shape =>
  object(
    { count: integer, _embedded: object({ [name]: listOf(of) }), _links: LISTING_LINKS },
    'count',
    '_embedded',
    '_links',
  )
const LISTING_LINKS = links(['self', 'previous', 'next', 'documentation'])

const PAGES = { from: like(/^(tr|re)_\w+$/), limit: like(/^([1-9]\d?|1\d\d|2[0-4]\d|250)$/) }

/** By "METHOD path" with the ids left out. */
export const OPERATIONS: Readonly<Record<string, Operation>> = {
  'POST /v2/payments': {
    body: object(
      {
        description: text(255, 1),
        amount: AMOUNT,
        redirectUrl: URI,
        cancelUrl: URI,
        webhookUrl: URI,
        locale: like(/^[a-z]{2}_[A-Z]{2}$/),
        metadata: ANYTHING,
        captureMode: oneOf('automatic manual'),
        sequenceType: oneOf('oneoff first recurring'),
      },
      'description',
      'amount',
      'redirectUrl',
    ),
    reply: PAYMENT,
  },
  'GET /v2/payments': {
    query: { ...PAGES, sort: oneOf('asc desc') },
    body: nothing,
    reply: listing('payments', PAYMENT),
  },
  'GET /v2/payments/{id}': {
    query: { embed: like(/^(captures|refunds|chargebacks)(,(captures|refunds|chargebacks))*$/) },
    body: nothing,
    reply: PAYMENT,
  },
  'DELETE /v2/payments/{id}': { body: nothing, reply: PAYMENT },
  'POST /v2/payments/{id}/refunds': {
    body: object({ description: text(255, 1), amount: AMOUNT, metadata: ANYTHING }, 'amount', 'description'),
    reply: REFUND,
  },
  'GET /v2/payments/{id}/refunds': { query: PAGES, body: nothing, reply: listing('refunds', REFUND) },
  'GET /v2/methods': {
    query: { resource: oneOf('payments') },
    body: nothing,
    reply: object({
      count: integer,
      _embedded: object({ methods: listOf(object({ resource: oneOf('method'), id: text(), description: text() })) }),
      _links: links(['self', 'documentation']),
    }),
  },
}

const REFUSAL = object(
  { status: integer, title: text(), detail: text(), field: text(), _links: links(['documentation']) },
  'status',
  'title',
  'detail',
  '_links',
)

/** [D] docs.mollie.com/reference/api-idempotency: POST alone knows keys; one that comes again with another request is refused. */
export const REMEMBERS_KEYS_MS = 3_600_000

export const mistakesInRefusal = (value: unknown) => violations(REFUSAL, value)
