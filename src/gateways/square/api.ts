// Square's API, as far as it is used here: what is sent, and what is read of the answers. What a payment or a refusal means for us:
// outcomes.ts. Names and limits: square/connect-api-specification, of VERSION. No error names a credential, or more of an address than its host.

import type { Minor } from '../../lib/money.ts'
import { type GatewayCall, type GatewayConfig, open, type Sum } from '../call.ts'
import type { ChargeCall, GatewayPorts, RefundRequest } from '../gateway.ts'
import { type CurrencyRules, sumIn, unitsOf } from '../provider/amounts.ts'
import { type Answer, answerOf } from '../provider/answer.ts'
import type { ProviderReply } from '../provider/client.ts'
import { codeOf, type Json, listOf, objectOf, readAll, textOf, textsOf } from '../provider/json.ts'

/** Pinned: an account's own setting must not change what we are answered. */
const VERSION = '2025-08-20'

const HOSTS = { live: 'https://connect.squareup.com', sandbox: 'https://connect.squareupsandbox.com' } as const

/** The currency of the location, as Square has told it: it takes no other (CURRENCY_MISMATCH). Kept with what is set up. */
export const LOCATION_CURRENCY = 'location_currency'

/** Of the countries in which Square has sellers. All in ISO's units. */
export const CURRENCIES: CurrencyRules = {
  provider: 'Square',
  exceptions: {},
  only: ['AUD', 'CAD', 'EUR', 'GBP', 'JPY', 'USD'],
}

export type SquarePayment = {
  readonly id: string
  /** APPROVED, PENDING, COMPLETED, CANCELED or FAILED. */
  readonly status: string
  /** With tips. Null where it is no sum that we could name. */
  readonly total: Sum | null
  readonly referenceId: string | null
  readonly versionToken: string | null
  /** For how long it is set aside unless somebody takes it; null where Square does not say. */
  readonly heldMs: number | null
  readonly refundIds: readonly string[]
  readonly card: { readonly brand: string | null; readonly lastFour: string | null; readonly zip: string | null }
  /** Why a card failed. */
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

/** What Square will not do. `payment`: the one that has failed by it, where there is one. */
export type Refusal = {
  readonly status: number
  readonly codes: readonly string[]
  readonly categories: readonly string[]
  /** The fields of the request that the errors name. */
  readonly fields: readonly string[]
  readonly payment: SquarePayment | null
}

type Call = Pick<GatewayCall, 'config' | 'isSandbox' | 'signal'>
type Method = 'GET' | 'POST' | 'PUT'

export type SquareApi = ReturnType<typeof squareApi>

export function squareApi({ http, address }: Pick<GatewayPorts, 'http' | 'address'>) {
  const send = ({ config, isSandbox, signal }: Call, method: Method, path: string, body?: Json) =>
    http({
      method,
      url: address(isSandbox ? HOSTS.sandbox : HOSTS.live) + path,
      headers: {
        authorization: `Bearer ${config.access_token ?? ''}`,
        'square-version': VERSION,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal,
    })

  const ask = async <T>(read: (body: Json) => T | null, ...request: Parameters<typeof send>) =>
    answerOf(await send(...request), { provider: 'Square', read: (body) => read(objectOf(body)), refusalOf })

  const askPayment = (...request: Parameters<typeof send>) => ask((body) => paymentIn(body.payment), ...request)
  const payments = (id: string) => `/v2/payments/${encodeURIComponent(id)}`

  return {
    createPayment: (call: Call, body: Json) => askPayment(call, 'POST', '/v2/payments', body),
    /** As it is at this moment; lists are seconds behind. */
    findPayment: (call: Call, id: string) => askPayment(call, 'GET', payments(id)),
    completePayment: (call: Call, { id, versionToken }: SquarePayment) =>
      askPayment(
        call,
        'POST',
        `${payments(id)}/complete`,
        // If somebody has changed it since it was looked at, it is looked at again.
        versionToken === null ? {} : { version_token: versionToken },
      ),
    cancelPayment: (call: Call, id: string) => askPayment(call, 'POST', `${payments(id)}/cancel`),
    /** Also where there is none. */
    cancelByKey: (call: GatewayCall) =>
      ask(() => true, call, 'POST', '/v2/payments/cancel', { idempotency_key: call.key }),
    changeAmount: (call: Call, id: string, key: string, sum: Sum) =>
      askPayment(call, 'PUT', payments(id), { idempotency_key: key, payment: { amount_money: moneyOf(sum) } }),
    refund: (call: RefundRequest, reason: string) =>
      ask((body) => refundIn(body.refund), call, 'POST', '/v2/refunds', {
        idempotency_key: call.key,
        payment_id: call.transactionId,
        amount_money: moneyOf(call),
        reason,
      }),
    findRefund: (call: Call, id: string) =>
      ask((body) => refundIn(body.refund), call, 'GET', `/v2/refunds/${encodeURIComponent(id)}`),
    findLocation: (call: Call, id: string) =>
      ask((body) => locationIn(body.location), call, 'GET', `/v2/locations/${encodeURIComponent(id)}`),

    /** All payments of the location that were made between two moments. */
    listPayments: (call: ChargeCall, from: Date, until: Date | null) =>
      everyPage(
        (query) => ask((body) => pageOf(body.payments, paymentIn, body), call, 'GET', `/v2/payments?${query}`),
        {
          begin_time: from.toISOString(),
          ...(until === null ? {} : { end_time: until.toISOString() }),
          ...locationOf(call.config),
          sort_order: 'ASC',
          limit: '100',
        },
      ),
    listDisputes: (call: Call) =>
      everyPage(
        (query) => ask((body) => pageOf(body.disputes, disputeIn, body), call, 'GET', `/v2/disputes?${query}`),
        locationOf(call.config),
      ),
  }
}

const locationOf = ({ location_id }: GatewayConfig): Record<string, string> =>
  location_id === undefined ? {} : { location_id }

type Page<T> = { readonly items: readonly T[]; readonly cursor: string | null }

/** Until there are no more: the signal ends what takes too long. */
async function everyPage<T>(
  ask: (query: URLSearchParams) => Promise<Answer<Page<T>, Refusal>>,
  query: Readonly<Record<string, string>>,
): Promise<Answer<readonly T[], Refusal>> {
  const items: T[] = []
  const seen = new Set<string>()
  for (let cursor: string | null = null; ; ) {
    const answer = await ask(new URLSearchParams({ ...query, ...(cursor === null ? {} : { cursor }) }))
    if (!answer.ok) return answer
    items.push(...answer.value.items)
    cursor = answer.value.cursor
    if (cursor === null) return { ok: true, value: items }
    if (seen.has(cursor)) throw open('Square gives the same page again and again.')
    seen.add(cursor)
  }
}

/** Lists that are empty are left out of answers. */
function pageOf<T>(list: unknown, read: (item: unknown) => T | null, { cursor }: Json): Page<T> | null {
  if (list !== undefined && list !== null && !Array.isArray(list)) return null
  const items = readAll(list ?? [], read)
  return items === null ? null : { items, cursor: textOf(cursor) }
}

export const moneyOf = (sum: Sum) => ({ amount: unitsOf(CURRENCIES, sum), currency: sum.currency })

// What is read of answers.

const moneyIn = (value: unknown): Sum | null => sumIn(CURRENCIES, objectOf(value))

const errorsIn = (value: unknown) => {
  const errors = listOf(value).map(objectOf)
  const texts = (name: string) => errors.flatMap((error) => textOf(error[name]) ?? [])
  return {
    codes: errors.flatMap(({ code }) => codeOf(code) ?? []),
    categories: texts('category'),
    fields: texts('field'),
  }
}

function refusalOf({ status, body }: ProviderReply): Refusal {
  const { errors, payment } = objectOf(body)
  return { status, ...errorsIn(errors), payment: paymentIn(payment) }
}

function millisecondsBetween(from: string | null, until: string | null): number | null {
  const ms = Date.parse(until ?? '') - Date.parse(from ?? '')
  return Number.isNaN(ms) ? null : ms
}

function paymentIn(value: unknown): SquarePayment | null {
  const payment = objectOf(value)
  const [id, status] = [textOf(payment.id), textOf(payment.status)]
  if (id === null || status === null) return null
  const details = objectOf(payment.card_details)
  const card = objectOf(details.card)
  const address = [payment.billing_address, card.billing_address].map(objectOf)
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
  const refund = objectOf(value)
  const [id, status] = [textOf(refund.id), textOf(refund.status)]
  if (id === null || status === null) return null
  const [paymentId, reason] = [textOf(refund.payment_id), textOf(refund.reason)]
  return { id, status, amount: moneyIn(refund.amount_money)?.amount ?? null, paymentId, reason }
}

function disputeIn(value: unknown): SquareDispute | null {
  const dispute = objectOf(value)
  const [id, state] = [textOf(dispute.id) ?? textOf(dispute.dispute_id), textOf(dispute.state)]
  if (id === null || state === null) return null
  return {
    id,
    state,
    paymentId: textOf(objectOf(dispute.disputed_payment).payment_id),
    amount: moneyIn(dispute.amount_money)?.amount ?? null,
    reason: textOf(dispute.reason),
  }
}

function locationIn(value: unknown): SquareLocation | null {
  const location = objectOf(value)
  if (textOf(location.id) === null) return null
  return {
    name: textOf(location.name),
    isActive: location.status === 'ACTIVE',
    takesCards: textsOf(location.capabilities).includes('CREDIT_CARD_PROCESSING'),
    currency: textOf(location.currency),
  }
}
