// A server in Stripe's place: the requests that we send, idempotency keys that compare bodies, declines, verification, refunds, disputes, and
// signed messages. A request that Stripe's specification does not know is 400, and is kept among `mistakes`.

import { createHmac } from 'node:crypto'
import { brokenIn, OPERATIONS } from '../specifications/stripe.ts'
import { type DoubleReply, type DoubleRequest, openDouble } from './double.ts'
import { error, type Intent, invalid, openBooks, type Refund, TEST_CARDS, type TestCard } from './stripe-books.ts'

export const SECRET_KEY = 'sk_test_double'
/** Of other accounts, of which the books are the same here: another seller's, and one for real money. */
export const OTHER_KEY = 'sk_test_other'
export const LIVE_KEY = ['sk', 'live', 'double'].join('_')
/** May not do what we need. */
export const POOR_KEY = 'rk_test_poor'
/** Replaced in the dashboard: docs.stripe.com/error-codes, api_key_expired. */
export const REVOKED_KEY = 'sk_test_revoked'
export const WEBHOOK_SECRET = 'whsec_double'

type Stored = { readonly path: string; readonly text: string; readonly reply: DoubleReply }
type Event = { readonly id: string; readonly type: string; readonly body: string }

export async function openStripe(now: () => Date = () => new Date()) {
  const stored = new Map<string, Stored>()
  const mistakes: string[] = []
  const events: Event[] = []
  /** What a search finds: only what was there when its index was last made. */
  const indexed = new Set<string>()
  const settings = {
    /** Another request is at it. */
    isKeyInUse: false,
    lockedUntilCalm: false,
    hasSearch: true,
    /** A restricted key may be kept from reading them. */
    showsDisputes: true,
    /** The next create ends with a failure that Stripe stores; `done`: the intent is there nevertheless. */
    storedFailure: null as 'nothing' | 'done' | null,
    /** The next confirm is refused so. */
    refusal: null as DoubleReply | null,
  }
  const tell = (type: string, object: object) => {
    const id = `evt_${events.length + 1}Double`
    const event = { id, object: 'event', type, livemode: false, created: 0, data: { object } }
    events.push({ id, type, body: JSON.stringify(event) })
  }
  const books = openBooks(now, tell)
  const { intents, refunds, disputes } = books
  /** Made of tokens: of which card. */
  const methods = new Map<string, TestCard>()

  function createIntent(form: URLSearchParams): DoubleReply {
    const amount = Number(form.get('amount'))
    if (amount < 50) return invalid('amount_too_small', 'Amount must be at least $0.50 usd', { param: 'amount' })
    if (amount > 99_999_999) return invalid('amount_too_large', 'Amount must be no more', { param: 'amount' })
    const intent: Intent = {
      id: books.nextId('pi'),
      amount,
      currency: (form.get('currency') ?? '').toLowerCase(),
      created: books.seconds(),
      metadata: metadataIn(form),
      captureMethod: form.get('capture_method') ?? 'automatic_async',
      status: 'requires_payment_method',
      method: null,
      card: null,
      lastError: null,
      chargeId: null,
      capturable: 0,
      received: 0,
    }
    intents.set(intent.id, intent)
    return { status: 200, body: books.showIntent(intent) }
  }

  function cardOf(method: string): TestCard | null {
    const [, name = ''] = /^pm_card_(\w+)$/.exec(method) ?? []
    return (Object.hasOwn(TEST_CARDS, name) ? TEST_CARDS[name] : methods.get(method)) ?? null
  }

  function confirm(intent: Intent, form: URLSearchParams): DoubleReply {
    if (settings.refusal !== null) {
      const reply = settings.refusal
      settings.refusal = null
      return reply
    }
    const isAgain = intent.status === 'requires_confirmation'
    if (intent.status !== 'requires_payment_method' && !isAgain) return books.unexpected(intent, 'confirm')
    const method = form.get('payment_method')
    if (!isAgain) {
      if (method === null) return invalid('payment_intent_unexpected_state', 'It is missing a payment method.')
      const card = cardOf(method)
      if (card === null)
        return invalid('resource_missing', `No such PaymentMethod: '${method}'`, { param: 'payment_method' })
      const captureMethod = form.get('capture_method') ?? intent.captureMethod
      Object.assign(intent, { method, card, captureMethod, lastError: null })
    }
    const { does, error: problem } = intent.card as TestCard
    if (does === 'verify' && !isAgain) {
      intent.status = 'requires_action'
      books.tellOf('requires_action', intent)
    } else if (problem !== undefined) return books.decline(intent, problem)
    else if (does === 'process') intent.status = 'processing'
    else books.pay(intent)
    return { status: 200, body: books.showIntent(intent, isExpanded(form)) }
  }

  /** What is left of it is let go. */
  function takeFrom(intent: Intent, amount: number) {
    const rest = intent.capturable - amount
    Object.assign(intent, { status: 'succeeded', received: amount, capturable: 0 })
    if (rest > 0) books.addRefund(intent, rest, {})
    books.tellOf('succeeded', intent)
  }

  function capture(intent: Intent, form: URLSearchParams): DoubleReply {
    if (intent.status !== 'requires_capture') return books.unexpected(intent, 'capture')
    const amount = Number(form.get('amount_to_capture') ?? intent.capturable)
    if (amount > intent.capturable)
      return invalid('amount_too_large', 'More than is capturable.', { param: 'amount_to_capture' })
    takeFrom(intent, amount)
    return { status: 200, body: books.showIntent(intent, isExpanded(form)) }
  }

  function endIntent(intent: Intent) {
    if (intent.status === 'requires_capture') books.addRefund(intent, intent.capturable, {})
    Object.assign(intent, { status: 'canceled', capturable: 0 })
    books.tellOf('canceled', intent)
  }

  function cancel(intent: Intent): DoubleReply {
    if (['succeeded', 'canceled', 'processing'].includes(intent.status)) return books.unexpected(intent, 'cancel')
    endIntent(intent)
    return { status: 200, body: books.showIntent(intent) }
  }

  function createMethod(form: URLSearchParams): DoubleReply {
    const token = form.get('card[token]') ?? ''
    const card = cardOf(token.replace(/^tok_/, 'pm_card_'))
    if (card === null) return invalid('resource_missing', 'No such token', { param: 'card[token]' })
    const id = books.nextId('pm')
    methods.set(id, card)
    return { status: 200, body: { id, object: 'payment_method', card: { last4: card.last4 } } }
  }

  function createRefund(form: URLSearchParams): DoubleReply {
    const intent = intents.get(form.get('payment_intent') ?? '')
    if (intent === undefined || intent.received === 0)
      return invalid('resource_missing', 'No such payment_intent', { param: 'payment_intent' })
    if (disputes.some(({ intent: id, status }) => id === intent.id && !['won', 'warning_closed'].includes(status)))
      return invalid('charge_disputed', 'It has been charged back.')
    const back = books.refundsOf(intent.id).filter(({ status }) => status !== 'failed' && status !== 'canceled')
    const left = intent.amount - back.reduce((sum, { amount }) => sum + amount, 0)
    const amount = Number(form.get('amount') ?? left)
    if (left === 0) return invalid('charge_already_refunded', 'Charge has already been refunded.')
    if (amount > left) return invalid(null, 'Refund amount is greater than unrefunded amount on charge')
    const status = intent.card?.after === 'pending_refund' ? 'pending' : 'succeeded'
    const refund = books.addRefund(intent, amount, metadataIn(form), status)
    tell('refund.created', books.showRefund(refund))
    tell('charge.refunded', books.showCharge(intent))
    return { status: 200, body: books.showRefund(refund) }
  }

  const page = (all: readonly { id: string }[], form: URLSearchParams): DoubleReply => {
    const after = form.get('starting_after')
    const from = after === null ? 0 : all.findIndex(({ id }) => id === after) + 1
    const most = Number(form.get('limit') ?? 10)
    const data = all.slice(from, from + most)
    return { status: 200, body: { object: 'list', has_more: from + most < all.length, data } }
  }

  function search(form: URLSearchParams): DoubleReply {
    if (!settings.hasSearch) return invalid(null, 'The search feature is temporarily unavailable in your region.')
    const [, name = '', value] = /^metadata\['(\w+)'\]:'(\w+)'$/.exec(form.get('query') ?? '') ?? []
    if (value === undefined) return invalid(null, 'We were unable to parse your search query.')
    const found = [...intents.values()].filter(({ id, metadata }) => indexed.has(id) && metadata[name] === value)
    const data = found.map((intent) => books.showIntent(intent))
    return { status: 200, body: { object: 'search_result', has_more: false, data } }
  }

  function listIntents(form: URLSearchParams): DoubleReply {
    const [from, to] = [Number(form.get('created[gte]') ?? 0), Number(form.get('created[lte]') ?? Infinity)]
    const all = [...intents.values()].filter(({ created }) => created >= from && created <= to).reverse()
    return page(
      all.map((intent) => books.showIntent(intent)),
      form,
    )
  }

  function run(name: string, id: string, form: URLSearchParams): DoubleReply {
    const ofIntent = (all: readonly { intent: string }[]) =>
      all.filter(({ intent }) => intent === form.get('payment_intent'))
    const intent = intents.get(id)
    if (id !== '' && intent === undefined)
      return error(404, 'invalid_request_error', 'resource_missing', 'No such payment_intent', { param: 'intent' })
    const operations: Readonly<Record<string, () => DoubleReply>> = {
      createIntent: () => createIntent(form),
      listIntents: () => listIntents(form),
      searchIntents: () => search(form),
      getIntent: () => ({ status: 200, body: books.showIntent(intent as Intent, isExpanded(form)) }),
      confirmIntent: () => confirm(intent as Intent, form),
      captureIntent: () => capture(intent as Intent, form),
      cancelIntent: () => cancel(intent as Intent),
      createMethod: () => createMethod(form),
      createRefund: () => createRefund(form),
      listRefunds: () => page((ofIntent(refunds) as Refund[]).map(books.showRefund).reverse(), form),
    }
    const operation = operations[name]
    if (operation !== undefined) return operation()
    if (!settings.showsDisputes)
      return error(403, 'invalid_request_error', null, 'The provided key does not have the required permissions.')
    return page((ofIntent(disputes) as typeof disputes).map(books.showDispute), form)
  }

  function answer(request: DoubleRequest): DoubleReply {
    const { method, path, headers, text, query } = request
    const key = headers.authorization?.replace(/^Bearer /, '')
    if (key === REVOKED_KEY)
      return error(401, 'invalid_request_error', 'api_key_expired', 'Expired API Key provided: sk_test_****')
    if (key === POOR_KEY)
      return error(403, 'invalid_request_error', null, 'The provided key does not have the required permissions.')
    if (![SECRET_KEY, OTHER_KEY, LIVE_KEY].includes(key ?? ''))
      return error(401, 'invalid_request_error', null, 'Invalid API Key provided: sk_test_****')
    const form = method === 'POST' ? new URLSearchParams(text) : query
    const [name, operation] =
      Object.entries(OPERATIONS).find(([, { path: form }]) => form.test(`${method} ${path}`)) ?? []
    if (name === undefined || operation === undefined) return violated(`${method} ${path} is unknown`)
    const [broken] = brokenIn(operation, form)
    if (broken !== undefined) return violated(`${name}: ${broken}`, broken.split(' ')[0])
    if (headers['stripe-version'] !== '2026-08-26.dahlia')
      return violated(`The version is ${headers['stripe-version']}`)
    if (method === 'POST' && headers['content-type'] !== 'application/x-www-form-urlencoded') return violated('no form')
    if (settings.lockedUntilCalm && method === 'POST')
      return error(429, 'invalid_request_error', 'lock_timeout', 'This object cannot be accessed right now.')
    const [, id = ''] = operation.path.exec(`${method} ${path}`) ?? []
    return idempotently(headers['idempotency-key'], path, text, () => run(name, id, form))
  }

  function violated(sentence: string, param?: string): DoubleReply {
    mistakes.push(sentence)
    return invalid('parameter_unknown', sentence, { param })
  }

  /** docs.stripe.com/api/idempotent_requests: what began is stored with its answer, also a failure; what was not valid is not. */
  function idempotently(key: string | undefined, path: string, text: string, work: () => DoubleReply): DoubleReply {
    if (key === undefined) return work()
    if (key.length > 255) return violated('The idempotency key is too long')
    if (settings.isKeyInUse)
      return error(409, 'idempotency_error', 'idempotency_key_in_use', 'There is currently another request.')
    const before = stored.get(key)
    if (before !== undefined) {
      if (before.path !== path || before.text !== text)
        return error(
          400,
          'idempotency_error',
          null,
          'Keys for idempotent requests can only be used with the same parameters.',
        )
      return { ...before.reply, headers: { 'idempotent-replayed': 'true' } }
    }
    const failure = settings.storedFailure
    settings.storedFailure = null
    const done = failure === 'nothing' ? null : work()
    const reply = failure === null ? (done as DoubleReply) : error(500, 'api_error', null, 'Sorry!')
    if (reply.status !== 400 && reply.status !== 404) stored.set(key, { path, text, reply })
    return reply
  }

  const server = await openDouble(answer)
  const get = (id: string) => intents.get(id) as Intent
  return Object.assign(server, {
    settings,
    /** By Stripe's own address. */
    places: { 'https://api.stripe.com': server.url } as Readonly<Record<string, string>>,
    mistakes,
    events,
    intents,
    refunds,
    disputes,
    /** The one of a key; undefined where there is none. */
    intentOf: (key: string) => [...intents.values()].find(({ metadata }) => metadata.cartwright_attempt === key),
    /** Those whose money was taken or held. */
    paid: () => [...intents.values()].filter(({ status }) => status === 'succeeded' || status === 'requires_capture'),
    /** A day has passed. */
    forgetKeys: () => stored.clear(),
    /** The index of the search is up to date. */
    index: () => [...intents.keys()].forEach((id) => void indexed.add(id)),
    /** The shopper before the bank. */
    shopper: {
      passes: (id: string) => void Object.assign(get(id), { status: 'requires_confirmation' }),
      fails: (id: string) =>
        void Object.assign(get(id), {
          status: 'requires_payment_method',
          method: null,
          lastError: {
            type: 'invalid_request_error',
            code: 'payment_intent_authentication_failure',
            message: 'Failed.',
          },
        }),
    },
    expireHold: (id: string) => endIntent(get(id)),
    takeByHand: (id: string, amount: number) => takeFrom(get(id), amount),
    settleProcessing: (id: string) => books.pay(get(id)),
    /** In Stripe's own dashboard. */
    refundByHand(id: string, amount: number) {
      const refund = books.addRefund(get(id), amount, {})
      tell('refund.created', books.showRefund(refund))
      tell('charge.refunded', books.showCharge(get(id)))
      return refund
    },
    failRefund(id: string) {
      const refund = refunds.find((each) => each.id === id) as Refund
      refund.status = 'failed'
      tell('refund.failed', books.showRefund(refund))
    },
    signedMessage: (event: Pick<Event, 'body'>, { secrets = [WEBHOOK_SECRET], at = now() } = {}) => ({
      headers: { 'stripe-signature': signatureOf(event.body, secrets, at) },
      body: Buffer.from(event.body),
    }),
  })
}

function signatureOf(body: string, secrets: readonly string[], at: Date): string {
  const stamp = Math.floor(at.getTime() / 1_000)
  const signatures = secrets.map((secret) => createHmac('sha256', secret).update(`${stamp}.${body}`).digest('hex'))
  return [`t=${stamp}`, ...signatures.map((signature) => `v1=${signature}`), 'v0=00'].join(',')
}

const isExpanded = (form: URLSearchParams) =>
  [...form].some(([name, value]) => /^expand/.test(name) && value === 'latest_charge')

const metadataIn = (form: URLSearchParams) =>
  Object.fromEntries(
    [...form].flatMap(([name, value]) => {
      const [, key] = /^metadata\[(\w+)\]$/.exec(name) ?? []
      return key === undefined ? [] : [[key, value]]
    }),
  )
