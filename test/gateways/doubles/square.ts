// Square, as far as it is used here, over a real socket and with state. What is known of it stands here once: names, states and limits by
// square/connect-api-specification 2025-08-20 (../specifications/square.ts), test tokens by developer.squareup.com "Sandbox payments",
// keys by "Idempotency". Not published, and chosen here: that a payment which is not approved any more is refused with one of the
// DELAYED_TRANSACTION_… codes by complete and cancel. Every request is held against the specification; what differs stands in `mistakes`.

import { createHmac } from 'node:crypto'
import { NO_FIELDS, violations } from '../specifications/shape.ts'
import { OPERATIONS, operationOf } from '../specifications/square.ts'
import { type DoubleReply, type DoubleRequest, openDouble, openRefusals } from './double.ts'
import type { Refund, Row, SquareError } from './square-ledger.ts'
import { type Dispute, INVALID, type Money, openLedger, Refused, refused } from './square-ledger.ts'

const SANDBOX = 'https://connect.squareupsandbox.com'
export const LIVE = 'https://connect.squareup.com'
export const SIGNATURE_KEY = 'square_signature_key'
export const MESSAGE_URL = 'https://shop.example/gateway-webhooks/gway_1'
const TOKENS = { sandbox: 'EAAA-of-the-sandbox-0123456789', live: 'EAAA-of-production-0123456789' }

/** What a merchant sets up. */
export const SQUARE_CONFIG = {
  application_id: 'sandbox-sq0idb-double',
  location_id: 'L1',
  access_token: TOKENS.sandbox,
  webhook_signature_key: SIGNATURE_KEY,
}

export async function openSquare(now: () => Date) {
  const ledger = openLedger(now)
  const { payments, refunds, disputes, location, first, idOf, paymentOf } = ledger
  const kept = new Map<string, { text: string; reply: DoubleReply }>()
  const mistakes: string[] = []
  const { refuse, refusalOf } = openRefusals<SquareError>()
  const settings = {
    /** How lists lag behind: not at all; new payments are missing; payments are as they were at first. */
    lists: 'fresh' as 'fresh' | 'missing' | 'old',
    pageSize: 100,
  }

  function list(query: URLSearchParams): DoubleReply {
    const [from, until] = [query.get('begin_time'), query.get('end_time')].map((text) =>
      text === null ? null : new Date(text),
    )
    if (until && until > now()) throw refused('INVALID_TIME', { field: 'end_time' })
    const rows = [...payments.keys()].map(paymentOf).filter((row) => {
      const at = new Date(row.created_at)
      return row.location_id === query.get('location_id') && (!from || at >= from) && at <= (until ?? now())
    })
    const { lists } = settings
    const shown = lists === 'old' ? rows.map((row) => first.get(row.id) ?? row) : lists === 'missing' ? [] : rows
    return page('payments', shown, query)
  }

  function page(name: string, rows: readonly unknown[], query: URLSearchParams): DoubleReply {
    const start = Number(query.get('cursor')?.replace('after', '') ?? 0)
    const end = start + settings.pageSize
    const part = rows.slice(start, end)
    return {
      status: 200,
      body: { ...(part.length === 0 ? {} : { [name]: part }), ...(end < rows.length ? { cursor: `after${end}` } : {}) },
    }
  }

  function cancelByKey(key: string): DoubleReply {
    const made = kept.get(`POST /v2/payments ${key}`)
    const id = (made?.reply.body as { payment?: Row } | undefined)?.payment?.id
    if (id !== undefined) ledger.cancel(id)
    // "After canceling the payment, you can submit your CreatePayment request again."
    kept.delete(`POST /v2/payments ${key}`)
    return { status: 200, body: {} }
  }

  function act(operation: string, { path, query }: DoubleRequest, body: Record<string, unknown>): DoubleReply {
    const id = decodeURIComponent(path.split('/')[3] ?? '')
    const known = <T>(value: T | undefined): T => {
      if (value === undefined) throw refused('NOT_FOUND', { status: 404 })
      return value
    }
    const payment = (row: Row): DoubleReply => ({ status: 200, body: { payment: row } })
    const operations: Readonly<Record<string, () => DoubleReply>> = {
      'POST /v2/payments': () => payment(ledger.create(body)),
      'GET /v2/payments': () => list(query),
      'POST /v2/payments/cancel': () => cancelByKey(String(body.idempotency_key)),
      'GET /v2/payments/*': () => payment(paymentOf(id)),
      'PUT /v2/payments/*': () => payment(ledger.change(id, body)),
      'POST /v2/payments/*/complete': () => payment(ledger.complete(id, body)),
      'POST /v2/payments/*/cancel': () => payment(ledger.cancel(id)),
      'POST /v2/refunds': () => ({ status: 200, body: { refund: ledger.refund(body) } }),
      'GET /v2/disputes': () => page('disputes', disputes, query),
      'GET /v2/locations/*': () => ({
        status: 200,
        body: { location: known(id === location.id ? location : undefined) },
      }),
    }
    return operations[operation]?.() ?? { status: 200, body: { refund: known(refunds.get(id)) } }
  }

  const refusal = ({ status, code, category = INVALID, field }: SquareError, payment?: Row): DoubleReply => ({
    status,
    body: {
      errors: [{ category, code, detail: 'For developers.', ...(field ? { field } : {}) }],
      ...(payment ? { payment } : {}),
    },
  })

  function attempt(work: () => DoubleReply): DoubleReply {
    try {
      return work()
    } catch (error) {
      if (error instanceof Refused) return refusal(error.reply, error.payment)
      throw error
    }
  }

  /** The same key with the same body has the first answer again. */
  function once(operation: string, request: DoubleRequest, body: Record<string, unknown>): DoubleReply {
    const key =
      typeof body.idempotency_key === 'string' && operation !== 'POST /v2/payments/cancel' ? body.idempotency_key : null
    const place = `${request.method} ${request.path} ${key}`
    const before = key === null ? undefined : kept.get(place)
    if (before !== undefined)
      return before.text === request.text ? before.reply : refusal(refused('IDEMPOTENCY_KEY_REUSED').reply)
    const reply = attempt(() => act(operation, request, body))
    if (key !== null) kept.set(place, { text: request.text, reply })
    return reply
  }

  function answer(sent: DoubleRequest): DoubleReply {
    const mode = sent.path.startsWith('/live/') ? 'live' : 'sandbox'
    const request = { ...sent, path: sent.path.replace(/^\/live\//, '/') }
    const { method, path, headers, text } = request
    const operation = operationOf(method, path)
    const name = Object.keys(OPERATIONS).find((key) => OPERATIONS[key] === operation) ?? ''
    const wrong = (rule: string) => {
      mistakes.push(`${method} ${path}: ${rule}`)
      return refusal({ status: 400, code: 'BAD_REQUEST' })
    }
    if (operation === undefined) return wrong('there is no such operation')
    if (headers['square-version'] !== '2025-08-20') return wrong('the version is not pinned')
    if (headers.authorization !== `Bearer ${TOKENS[mode]}`)
      return refusal({ status: 401, code: 'UNAUTHORIZED', category: 'AUTHENTICATION_ERROR' })
    if (text !== '' && headers['content-type'] !== 'application/json') return wrong('it is not said to be JSON')
    const body = text === '' ? {} : JSON.parse(text)
    const unfit = [
      ...violations(operation.body ?? NO_FIELDS, body),
      ...violations(operation.query ?? NO_FIELDS, Object.fromEntries(request.query)),
    ]
    if (unfit.length > 0) return wrong(unfit.join(', '))
    const error = refusalOf(request)
    return error === undefined ? once(name, request, body) : refusal(error)
  }

  const server = await openDouble(answer)
  const of = (reference: string) =>
    [...payments.keys()].map(paymentOf).filter(({ reference_id }) => reference_id === reference)
  return Object.assign(server, {
    places: { [SANDBOX]: server.url, [LIVE]: `${server.url}/live` } as Readonly<Record<string, string>>,
    payments,
    refunds,
    disputes,
    location,
    mistakes,
    settings,
    refuse,
    /** All that were made under a key of ours. */
    of,
    /** The money that shoppers have paid: of completed payments, by reference. */
    taken: (reference: string) =>
      of(reference).flatMap(({ status, total_money }) => (status === 'COMPLETED' ? [total_money as Money] : [])),
    /** A payment of another till of the seller. */
    stranger: () => {
      const amount_money = { amount: 500, currency: location.currency }
      ledger.insert({ status: 'COMPLETED', amount_money, total_money: amount_money, location_id: location.id })
    },
    /** [U] How long Square remembers keys is not published: all are forgotten. */
    forgetKeys: () => kept.clear(),
    settleRefund: (id: string, status: string) => void refunds.set(id, { ...(refunds.get(id) as Refund), status }),
    /** Somebody acts in Square's dashboard. */
    refundByHand: (paymentId: string, amount: number) => {
      const amount_money = { amount, currency: location.currency }
      return ledger.refund({ payment_id: paymentId, amount_money, reason: 'Asked for by phone' })
    },
    dispute: (paymentId: string, state: string) => {
      const amount_money = paymentOf(paymentId).total_money as Money
      const disputed_payment = { payment_id: paymentId }
      const made: Dispute = { id: idOf('D'), state, amount_money, reason: 'NO_KNOWLEDGE', disputed_payment }
      disputes.push(made)
      return made
    },
    message: (type: string, object: unknown) => {
      const event = { merchant_id: 'M1', type, event_id: idOf('event'), data: { type, id: 'x', object } }
      return sign(Buffer.from(JSON.stringify(event)))
    },
  })
}

/** As Square signs: the address that was registered, then the bytes, without anything in between. */
export function sign(body: Buffer, { url = MESSAGE_URL, key = SIGNATURE_KEY } = {}) {
  const signature = createHmac('sha256', key)
    .update(Buffer.concat([Buffer.from(url), body]))
    .digest('base64')
  return { headers: { 'x-square-hmacsha256-signature': signature }, body }
}
