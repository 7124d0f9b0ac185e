// A server in Mollie's place: payments, refunds and chargebacks of one website profile. Every request is held against the published
// specification, and what breaks it is refused and kept. Replies have the fields that are read here. What Mollie tells by itself is one
// line: `message`.

import { randomBytes } from 'node:crypto'
import { DECIMALS, OPERATIONS, REMEMBERS_KEYS_MS } from '../specifications/mollie.ts'
import { violations } from '../specifications/shape.ts'
import { type DoubleReply, type DoubleRequest, openDouble } from './double.ts'

export const CONFIG = { api_key: 'test_dHar4XY7LxsDOtmnkVtjNVWXLSlXsM' }
/** Of another account, which knows none of the payments. */
export const OTHER_CONFIG = { api_key: 'test_2nP7sQwXy5KzRb8VtC3mLd6Jf9Hg4e' }
export const LIVE_CONFIG = { api_key: 'live_8qR2wUkyvBn3eTzXcG5pLs7Jd4Hm9a' }

type Amount = { readonly currency: string; readonly value: string }
type Refund = { id: string; amount: Amount; metadata: unknown; status: string }
type Chargeback = { id: string; amount: Amount; reason: object; reversedAt: string | null }

export type MolliePayment = {
  readonly id: string
  readonly mode: 'test' | 'live'
  readonly amount: Amount
  readonly description: string
  readonly metadata: unknown
  readonly redirectUrl: string
  readonly webhookUrl?: string
  expiresAt: string
  status: string
  method: string | null
  /** [D] By whoever works for Mollie, api-documentation issue 675: of open payments, those by bank transfer and direct debit alone. */
  isCancelable: boolean
  countryCode: string | null
  details: { cardNumber?: string; cardLabel?: string; failureReason?: string } | null
  readonly refunds: Refund[]
  readonly chargebacks: Chargeback[]
}

type PaymentRequest = Pick<MolliePayment, 'amount' | 'description' | 'metadata' | 'redirectUrl' | 'webhookUrl'>

class Refused extends Error {
  readonly reply: DoubleReply

  constructor(status: number, detail: string, field?: string) {
    super(detail)
    this.reply = { status, body: { status, detail, ...(field && { field }) } }
  }
}

/** [D] When an open payment expires that nobody has chosen a method for. */
const OPEN_MS = 15 * 60_000

export async function openMollie(now: () => Date) {
  const payments: MolliePayment[] = []
  const mistakes: string[] = []
  const answered = new Map<string, { readonly request: string; readonly reply: DoubleReply; readonly at: number }>()
  /** In place of the next answers, by operation. */
  const refusals: { readonly name: string; readonly refused: Refused }[] = []
  let methods = ['ideal', 'creditcard', 'banktransfer']

  const newId = (prefix: string) => `${prefix}_${randomBytes(6).toString('hex')}`

  function paymentOf(id: string): MolliePayment {
    const payment = payments.find((each) => each.id === id)
    if (payment === undefined) throw new Refused(404, `No payment exists with token ${id}.`)
    return payment
  }

  const unitsOf = ({ value }: Amount) => Number(value.replace('.', ''))
  const refundedOf = ({ refunds }: MolliePayment) =>
    refunds
      .filter(({ status }) => status !== 'failed' && status !== 'canceled')
      .reduce((sum, { amount }) => sum + unitsOf(amount), 0)

  function view(payment: MolliePayment, embed = '') {
    const { refunds, chargebacks, expiresAt, isCancelable, ...rest } = payment
    const isOpen = payment.status === 'open'
    return {
      ...rest,
      ...(isOpen ? { expiresAt, isCancelable, _links: { checkout: { href: checkoutOf(payment) } } } : {}),
      ...(embed === '' ? {} : { _embedded: { refunds, chargebacks } }),
    }
  }

  const listed = (name: string, items: readonly object[]) => ({ status: 200, body: { _embedded: { [name]: items } } })

  function checkAmount({ currency, value }: Amount) {
    const decimals = DECIMALS[currency]
    if (decimals === undefined) throw new Refused(422, 'The currency is not supported', 'amount.currency')
    if (!new RegExp(decimals === 0 ? '^\\d+$' : `^\\d+\\.\\d{${decimals}}$`).test(value))
      throw new Refused(422, 'The amount contains an invalid value', 'amount.value')
    if (Number(value) > 50_000) throw new Refused(422, 'The amount is higher than the maximum', 'amount')
  }

  type Operation = (id: string, body: never, request: DoubleRequest, mode: MolliePayment['mode']) => DoubleReply

  const operations: Readonly<Record<string, Operation>> = {
    'POST /v2/payments': (_, body: PaymentRequest, __, mode) => {
      checkAmount(body.amount)
      // [D] It must be reachable for Mollie.
      if (body.webhookUrl !== undefined && !/^https:\/\/(?!localhost|127\.)/.test(body.webhookUrl))
        throw new Refused(422, 'The webhook URL is invalid', 'webhookUrl')
      const { amount, description, metadata = null, redirectUrl, webhookUrl } = body
      const payment: MolliePayment = {
        ...{ id: newId('tr'), mode, amount, description, metadata, redirectUrl },
        ...(webhookUrl === undefined ? {} : { webhookUrl }),
        expiresAt: `${new Date(now().getTime() + OPEN_MS).toISOString().slice(0, 19)}+00:00`,
        ...{ status: 'open', method: null, isCancelable: false, countryCode: null, details: null },
        ...{ refunds: [], chargebacks: [] },
      }
      payments.unshift(payment)
      return { status: 201, body: view(payment) }
    },
    'GET /v2/payments': (_, __, { query }, mode) => {
      const all = payments.filter((each) => each.mode === mode).map((each) => view(each))
      return listed('payments', all.slice(0, Number(query.get('limit') ?? 50)))
    },
    'GET /v2/payments/{id}': (id, _, { query }) => ({
      status: 200,
      body: view(paymentOf(id), query.get('embed') ?? ''),
    }),
    'DELETE /v2/payments/{id}': (id) => {
      const payment = paymentOf(id)
      if (payment.status !== 'open' || !payment.isCancelable) throw new Refused(422, 'The payment cannot be cancelled')
      payment.status = 'canceled'
      return { status: 200, body: view(payment) }
    },
    'POST /v2/payments/{id}/refunds': (id, { amount, metadata }: Refund) => {
      const payment = paymentOf(id)
      checkAmount(amount)
      if (payment.status !== 'paid') throw new Refused(422, 'The payment is not paid')
      if (refundedOf(payment) + unitsOf(amount) > unitsOf(payment.amount))
        throw new Refused(422, 'The specified amount cannot be refunded', 'amount')
      const refund = { id: newId('re'), amount, metadata, status: 'pending' }
      payment.refunds.push(refund)
      return { status: 201, body: refund }
    },
    'GET /v2/payments/{id}/refunds': (id) => listed('refunds', paymentOf(id).refunds),
    'GET /v2/methods': () =>
      listed(
        'methods',
        methods.map((id) => ({ id })),
      ),
  }

  function mistakesOf(name: string, { headers, query, text }: DoubleRequest): readonly string[] {
    const operation = OPERATIONS[name]
    if (operation === undefined) return ['it is not known']
    const isPost = name.startsWith('POST')
    return [
      ...violations(operation.body, parse(text)),
      ...[...query].flatMap(([key, value]) => {
        const field = operation.query?.[key]
        return field === undefined ? [`query ${key} is not known`] : violations(field, value, `query ${key}`)
      }),
      ...(isPost && headers['content-type'] !== 'application/json' ? ['content-type must be application/json'] : []),
      // Not Mollie's rule, but ours: nothing that moves money is sent without.
      ...(isPost === (headers['idempotency-key'] === undefined) ? ['idempotency-key belongs to POST'] : []),
    ]
  }

  function answer(request: DoubleRequest): DoubleReply {
    try {
      return authorized(request)
    } catch (error) {
      if (!(error instanceof Refused)) throw error
      return error.reply
    }
  }

  function authorized(request: DoubleRequest): DoubleReply {
    const key = request.headers.authorization?.replace(/^Bearer /, '')
    if (key === OTHER_CONFIG.api_key) throw new Refused(404, 'No payment exists with this token.')
    if (key !== CONFIG.api_key && key !== LIVE_CONFIG.api_key)
      throw new Refused(401, 'Missing authentication, or failed to authenticate')
    const mode = key === LIVE_CONFIG.api_key ? 'live' : 'test'
    const [name, id] = nameOf(request)
    const operation = operations[name]
    const wrong = mistakesOf(name, request)
    mistakes.push(...wrong.map((each) => `${name}: ${each}`))
    if (operation === undefined || wrong.length > 0) throw new Refused(400, 'The request is not as it should be')
    const refusal = refusals.findIndex((each) => each.name === name)
    if (refusal !== -1) throw (refusals.splice(refusal, 1)[0] as { refused: Refused }).refused
    const run = () => operation(id, parse(request.text) as never, request, mode)
    return withKey(request.headers['idempotency-key'], `${name} ${id} ${request.text}`, run)
  }

  /** [D] A key that comes again is answered with the first answer, and refused with another request. */
  function withKey(key: string | undefined, request: string, run: () => DoubleReply): DoubleReply {
    if (key === undefined) return run()
    const earlier = answered.get(key)
    if (earlier !== undefined && now().getTime() - earlier.at < REMEMBERS_KEYS_MS) {
      if (earlier.request !== request) throw new Refused(400, 'The idempotency key was used for another request')
      return earlier.reply
    }
    const reply = run()
    answered.set(key, { request, reply, at: now().getTime() })
    return reply
  }

  const double = await openDouble(answer)
  return {
    ...double,
    payments,
    /** Rules of the specification that our requests broke. */
    mistakes,
    places: { 'https://api.mollie.com': double.url },
    paymentOf,
    paymentsOfKey: (key: string) =>
      payments.filter(({ metadata }) => (metadata as { key?: string } | null)?.key === key),
    /** What becomes of a payment on Mollie's page, or later. */
    become(
      id: string,
      status: string,
      more: Partial<Pick<MolliePayment, 'method' | 'details' | 'countryCode' | 'isCancelable'>> = {},
    ) {
      return Object.assign(paymentOf(id), { status, method: 'ideal', ...more })
    },
    /** Made in Mollie's dashboard. */
    refund(id: string, value: string) {
      const payment = paymentOf(id)
      const amount = { currency: payment.amount.currency, value }
      const refund = { id: newId('re'), amount, metadata: null, status: 'refunded' }
      payment.refunds.push(refund)
      return refund
    },
    chargeBack(id: string) {
      const payment = paymentOf(id)
      const reason = { code: 'AC01', description: 'Account identifier incorrect' }
      const chargeback: Chargeback = { id: newId('chb'), amount: payment.amount, reason, reversedAt: null }
      payment.chargebacks.push(chargeback)
      return chargeback
    },
    refuse(name: string, status: number, detail: string, field?: string) {
      refusals.push({ name, refused: new Refused(status, detail, field) })
    },
    switchOffMethods: () => {
      methods = []
    },
    /** The whole body of a webhook. */
    message: (id: string) => `id=${id}`,
  }
}

/** Where the shopper pays. */
export const checkoutOf = ({ id }: Pick<MolliePayment, 'id'>) =>
  `https://www.mollie.com/checkout/select-method/${id.slice(3)}`

const parse = (text: string): unknown => (text === '' ? undefined : JSON.parse(text))

/** The operation, and the id in its path. */
function nameOf({ method, path }: DoubleRequest): [name: string, id: string] {
  const [, id, after = ''] = /^\/v2\/payments\/([^/]+)(\/\w+)?$/.exec(path) ?? []
  return id === undefined ? [`${method} ${path}`, ''] : [`${method} /v2/payments/{id}${after}`, decodeURIComponent(id)]
}
