// Square client: requests, and the fields we read from replies. outcomes.ts interprets payments and refusals.
// Names and limits follow square/connect-api-specification at VERSION. Errors never contain credentials, and only the host of a URL.

import type { Minor } from '../../lib/money.ts'
import { type GatewayCall, type GatewayConfig, type Money, unknownOutcomeError } from '../call.ts'
import type { ChargeCall, GatewayPorts, RefundRequest } from '../gateway.ts'
import { type CurrencyRules, readProviderSum, toProviderUnits } from '../provider/amounts.ts'
import { type ProviderAnswer, readProviderAnswer } from '../provider/answer.ts'
import type { ProviderReply } from '../provider/client.ts'
import {
  arrayOrEmpty,
  type JsonRecord,
  objectOrEmpty,
  readAllOrNull,
  readLogCode,
  textOf,
  textsOf,
} from '../provider/json.ts'

/** Fixed version: the account's own setting must not change the shape of replies. */
const VERSION = '2025-08-20'

const HOSTS = { live: 'https://connect.squareup.com', sandbox: 'https://connect.squareupsandbox.com' } as const

/** Currency of the location, reported by Square and stored with the config. Square accepts no other (CURRENCY_MISMATCH). */
export const LOCATION_CURRENCY = 'location_currency'

/** Currencies of the countries in which Square has sellers. All use ISO units. */
export const SQUARE_CURRENCIES: CurrencyRules = {
  provider: 'Square',
  exceptions: {},
  only: ['AUD', 'CAD', 'EUR', 'GBP', 'JPY', 'USD'],
}

export type SquarePayment = {
  readonly id: string
  /** APPROVED, PENDING, COMPLETED, CANCELED or FAILED. */
  readonly status: string
  /** Total with tips. Null if it is not a valid amount. */
  readonly total: Money | null
  readonly referenceId: string | null
  readonly versionToken: string | null
  /** Duration of the hold before Square releases it; null if Square does not say. */
  readonly heldMs: number | null
  readonly refundIds: readonly string[]
  readonly card: { readonly brand: string | null; readonly lastFour: string | null; readonly zip: string | null }
  /** Errors of a failed card. */
  readonly codes: readonly string[]
}

export type SquareRefund = {
  readonly paymentId: string | null
  readonly id: string
  /** PENDING, COMPLETED, REJECTED or FAILED. */
  readonly status: string
  readonly amount: Minor | null
  readonly reason: string | null
}

export type SquareDispute = {
  readonly id: string
  readonly paymentId: string | null
  readonly state: string
  readonly amount: Minor | null
  readonly reason: string | null
}

type SquareLocation = {
  readonly name: string | null
  readonly isActive: boolean
  readonly takesCards: boolean
  readonly currency: string | null
}

/** Square's refusal. `payment` is the failed payment, if there is one. */
export type SquareRefusal = {
  readonly status: number
  readonly codes: readonly string[]
  readonly categories: readonly string[]
  /** Fields of the request that the errors name. */
  readonly fields: readonly string[]
  readonly payment: SquarePayment | null
}

type Call = Pick<GatewayCall, 'config' | 'is_sandbox' | 'signal'>
type Method = 'GET' | 'POST' | 'PUT'

export type SquareApi = ReturnType<typeof squareApi>

export function squareApi({ http, address }: Pick<GatewayPorts, 'http' | 'address'>) {
  const send = ({ config, is_sandbox, signal }: Call, method: Method, path: string, body?: JsonRecord) =>
    http({
      method,
      url: address(is_sandbox ? HOSTS.sandbox : HOSTS.live) + path,
      headers: {
        authorization: `Bearer ${config.access_token ?? ''}`,
        'square-version': VERSION,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal,
    })

  const callApi = async <T>(read: (body: JsonRecord) => T | null, ...request: Parameters<typeof send>) =>
    readProviderAnswer(await send(...request), {
      provider: 'Square',
      read: (body) => read(objectOrEmpty(body)),
      refusalOf,
    })

  const callForPayment = (...request: Parameters<typeof send>) => callApi((body) => paymentIn(body.payment), ...request)
  const paymentPath = (id: string) => `/v2/payments/${encodeURIComponent(id)}`

  return {
    createPayment: (call: Call, body: JsonRecord) => callForPayment(call, 'POST', '/v2/payments', body),
    /** Current state; lists are seconds behind. */
    findPayment: (call: Call, id: string) => callForPayment(call, 'GET', paymentPath(id)),
    completePayment: (call: Call, { id, versionToken }: SquarePayment) =>
      callForPayment(
        call,
        'POST',
        `${paymentPath(id)}/complete`,
        // The version makes Square refuse if the payment has changed since our lookup. Then we check it again.
        versionToken === null ? {} : { version_token: versionToken },
      ),
    cancelPayment: (call: Call, id: string) => callForPayment(call, 'POST', `${paymentPath(id)}/cancel`),
    /** Succeeds even if there is no payment. */
    cancelByKey: (call: GatewayCall) =>
      callApi(() => true, call, 'POST', '/v2/payments/cancel', { idempotency_key: call.key }),
    changeAmount: (call: Call, id: string, key: string, sum: Money) =>
      callForPayment(call, 'PUT', paymentPath(id), {
        idempotency_key: key,
        payment: { amount_money: toSquareMoney(sum) },
      }),
    refund: (call: RefundRequest, reason: string) =>
      callApi((body) => refundIn(body.refund), call, 'POST', '/v2/refunds', {
        idempotency_key: call.key,
        payment_id: call.transactionId,
        amount_money: toSquareMoney(call),
        reason,
      }),
    findRefund: (call: Call, id: string) =>
      callApi((body) => refundIn(body.refund), call, 'GET', `/v2/refunds/${encodeURIComponent(id)}`),
    findLocation: (call: Call, id: string) =>
      callApi((body) => locationIn(body.location), call, 'GET', `/v2/locations/${encodeURIComponent(id)}`),

    /** All payments of the location that were created between two moments. */
    listPayments: (call: ChargeCall, from: Date, until: Date | null) =>
      readAllPages(
        (query) => callApi((body) => pageOf(body.payments, paymentIn, body), call, 'GET', `/v2/payments?${query}`),
        {
          begin_time: from.toISOString(),
          ...(until === null ? {} : { end_time: until.toISOString() }),
          ...locationQuery(call.config),
          sort_order: 'ASC',
          limit: '100',
        },
      ),
    listDisputes: (call: Call) =>
      readAllPages(
        (query) => callApi((body) => pageOf(body.disputes, disputeIn, body), call, 'GET', `/v2/disputes?${query}`),
        locationQuery(call.config),
      ),
  }
}

const locationQuery = ({ location_id }: GatewayConfig): Record<string, string> =>
  location_id === undefined ? {} : { location_id }

type Page<T> = { readonly items: readonly T[]; readonly cursor: string | null }

/** Reads all pages. The signal ends a list that takes too long. */
async function readAllPages<T>(
  fetchPage: (query: URLSearchParams) => Promise<ProviderAnswer<Page<T>, SquareRefusal>>,
  query: Readonly<Record<string, string>>,
): Promise<ProviderAnswer<readonly T[], SquareRefusal>> {
  const items: T[] = []
  const seenCursors = new Set<string>()
  for (let cursor: string | null = null; ; ) {
    const answer = await fetchPage(new URLSearchParams({ ...query, ...(cursor === null ? {} : { cursor }) }))
    if (!answer.ok) return answer
    items.push(...answer.value.items)
    cursor = answer.value.cursor
    if (cursor === null) return { ok: true, value: items }
    if (seenCursors.has(cursor)) throw unknownOutcomeError('Square returns the same page again and again.')
    seenCursors.add(cursor)
  }
}

/** Square omits empty lists from replies. */
function pageOf<T>(list: unknown, read: (item: unknown) => T | null, { cursor }: JsonRecord): Page<T> | null {
  if (list !== undefined && list !== null && !Array.isArray(list)) return null
  const items = readAllOrNull(list ?? [], read)
  return items === null ? null : { items, cursor: textOf(cursor) }
}

export const toSquareMoney = (sum: Money) => ({
  amount: toProviderUnits(SQUARE_CURRENCIES, sum),
  currency: sum.currency,
})

// Reads replies.

const moneyIn = (value: unknown): Money | null => readProviderSum(SQUARE_CURRENCIES, objectOrEmpty(value))

const errorsIn = (value: unknown) => {
  const errors = arrayOrEmpty(value).map(objectOrEmpty)
  const texts = (name: string) => errors.flatMap((error) => textOf(error[name]) ?? [])
  return {
    codes: errors.flatMap(({ code }) => readLogCode(code) ?? []),
    categories: texts('category'),
    fields: texts('field'),
  }
}

function refusalOf({ status, body }: ProviderReply): SquareRefusal {
  const { errors, payment } = objectOrEmpty(body)
  return { status, ...errorsIn(errors), payment: paymentIn(payment) }
}

function millisecondsBetween(from: string | null, until: string | null): number | null {
  const ms = Date.parse(until ?? '') - Date.parse(from ?? '')
  return Number.isNaN(ms) ? null : ms
}

function paymentIn(value: unknown): SquarePayment | null {
  const payment = objectOrEmpty(value)
  const [id, status] = [textOf(payment.id), textOf(payment.status)]
  if (id === null || status === null) return null
  const details = objectOrEmpty(payment.card_details)
  const card = objectOrEmpty(details.card)
  const address = [payment.billing_address, card.billing_address].map(objectOrEmpty)
  return {
    id,
    status,
    total: moneyIn(payment.total_money),
    referenceId: textOf(payment.reference_id),
    versionToken: textOf(payment.version_token),
    heldMs: millisecondsBetween(textOf(payment.created_at), textOf(payment.delayed_until)),
    refundIds: textsOf(payment.refund_ids),
    card: {
      brand: textOf(card.card_brand),
      lastFour: textOf(card.last_4),
      zip: textOf(address.find(({ postal_code }) => textOf(postal_code) !== null)?.postal_code),
    },
    codes: errorsIn(details.errors).codes,
  }
}

function refundIn(value: unknown): SquareRefund | null {
  const refund = objectOrEmpty(value)
  const [id, status] = [textOf(refund.id), textOf(refund.status)]
  if (id === null || status === null) return null
  const [paymentId, reason] = [textOf(refund.payment_id), textOf(refund.reason)]
  return { id, status, amount: moneyIn(refund.amount_money)?.amount ?? null, paymentId, reason }
}

function disputeIn(value: unknown): SquareDispute | null {
  const dispute = objectOrEmpty(value)
  const [id, state] = [textOf(dispute.id) ?? textOf(dispute.dispute_id), textOf(dispute.state)]
  if (id === null || state === null) return null
  return {
    id,
    state,
    paymentId: textOf(objectOrEmpty(dispute.disputed_payment).payment_id),
    amount: moneyIn(dispute.amount_money)?.amount ?? null,
    reason: textOf(dispute.reason),
  }
}

function locationIn(value: unknown): SquareLocation | null {
  const location = objectOrEmpty(value)
  if (textOf(location.id) === null) return null
  return {
    name: textOf(location.name),
    isActive: location.status === 'ACTIVE',
    takesCards: textsOf(location.capabilities).includes('CREDIT_CARD_PROCESSING'),
    currency: textOf(location.currency),
  }
}
