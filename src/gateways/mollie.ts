// Mollie: the shopper chooses on Mollie's page how to pay, pays there, and comes back. Payments API v2. Mollie takes the money itself; we make
// the payment, send the shopper there and ask what has become of it. Its messages are not signed: they name a payment, which is then asked for.

import { createHash } from 'node:crypto'
import { beforeCharging, type GatewayCall, GatewayUnavailable, nothingCharged, open, type Sum } from './call.ts'
import type { ChargeCall, Charged, ChargeOutcome, Declined, Gateway, GatewayAdapter, GatewayPorts } from './gateway.ts'
import { optionalField, secretField } from './gateway.ts'
import { type CurrencyRules, decimalOf, fromDecimal, sumProblems } from './provider/amounts.ts'
import { type Answer, answerOf, isForbidden } from './provider/answer.ts'
import type { ProviderReply, ProviderRequest } from './provider/client.ts'
import { codeOf, type Json, listOf, objectOf, readAll, textOf } from './provider/json.ts'
import { cardNumberProblem, DECLINES, decline, notMoved } from './provider/payment.ts'
import {
  foundDispute,
  foundRefund,
  type PaymentStanding,
  type ProviderStory,
  refused,
  subject,
  unusable,
  usable,
} from './provider/story.ts'
import { keptBooks } from './sandbox/books.ts'
import { chargeOnPage } from './sandbox/test-redirect.ts'

const PROVIDER = 'Mollie'

/** docs.mollie.com/docs/multicurrency */
const CURRENCIES: CurrencyRules = {
  provider: PROVIDER,
  exceptions: {},
  only: [
    ...['AED', 'AUD', 'BRL', 'CAD', 'CHF', 'CZK', 'DKK', 'EUR', 'GBP', 'HKD', 'HUF', 'ILS', 'ISK', 'JPY', 'MXN'],
    ...['MYR', 'NOK', 'NZD', 'PHP', 'PLN', 'RON', 'SEK', 'SGD', 'THB', 'TWD', 'USD', 'ZAR'],
  ],
}

export const mollie: Gateway = {
  code: 'mollie',
  name: PROVIDER,
  description: 'The shopper chooses there how to pay, such as iDEAL, cards or a bank transfer, and comes back.',
  type: 'third_party',
  isSandboxOnly: false,
  isRepeatable: false,
  config: {
    api_key: {
      ...secretField('The API key of the website profile: that for tests in the sandbox, the live one to sell.'),
      beginsWith: ['test_', 'live_'],
    },
    return_url: {
      ...optionalField(
        'A page of the storefront to which shoppers come back, and which then sends the same capture again. Without it they come to a page of ours, which finishes the payment.',
      ),
      beginsWith: ['https://', 'http://'],
    },
  },
  page: { kind: 'redirect' },
  publicSettings: () => ({}),
  charging(ports) {
    const ask = openApi(ports)
    return { ...chargesWith(ask), refund: refundWith(ask), story: storyWith(ask) }
  },
  simulation: (ports) => ({
    ...keptBooks(ports),
    problemsOf: (payment) => cardNumberProblem(payment, NO_CARD) ?? {},
    charge: (request) => chargeOnPage(ports, request, { gateway: 'mollie', provider: PROVIDER, type: 'mollie' }),
  }),
}

const NO_CARD = 'Mollie asks the shopper on its own page. Send the shopper to the redirect_url of the answer'

// Requests, and what replies hold.

type Account = Pick<GatewayCall, 'config' | 'isSandbox' | 'signal'>
/** `path`: below the host. `key`: sent again within the hour, it is done once. */
type Question = Pick<ProviderRequest, 'method'> & Readonly<{ path: string; key?: string; body?: object }>
/** `field`: what it is about. Mollie's sentences are for programmers, and not handed on. */
type Refusal = { readonly status: number; readonly field: string | null }
type Ask = <T>(account: Account, question: Question, read: (body: unknown) => T | null) => Promise<Answer<T, Refusal>>

const openApi =
  ({ http, address }: GatewayPorts): Ask =>
  async (account, { method, path, key, body }, read) => {
    const mistake = modeMistake(account)
    if (mistake !== null) throw nothingCharged(mistake)
    const reply = await http({
      method,
      url: address('https://api.mollie.com') + path,
      headers: {
        authorization: `Bearer ${account.config.api_key}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(key === undefined ? {} : { 'idempotency-key': key }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: account.signal,
      // The same request is under way, or one like it was made a moment ago.
      isBusy: ({ status }) => status === 409,
    })
    return answerOf(reply, { provider: PROVIDER, read, refusalOf })
  }

const refusalOf = ({ status, body }: ProviderReply): Refusal => ({
  status,
  field: codeOf(textOf(objectOf(body).field)?.split('.')[0]),
})

/** A sandbox order must never be paid with real money, nor a live one with none. */
function modeMistake({ config, isSandbox }: Pick<Account, 'config' | 'isSandbox'>): string | null {
  const isLive = config.api_key?.startsWith('live_') ?? false
  if (isLive !== isSandbox) return null
  return isLive
    ? 'This is a live API key of Mollie, and this is the sandbox. Copy the test API key of the website profile.'
    : 'This is a test API key of Mollie, and this is a live shop. Copy the live API key of the website profile.'
}

/** A refusal that says nothing of the payment. */
function failure({ isSandbox }: Account, refusal: Refusal, what: string): GatewayUnavailable {
  const hint = isForbidden(refusal) ? ` Look at the API key of the gateway (${isSandbox ? 'sandbox' : 'live'}).` : ''
  return open(`Mollie ${what}: ${refusal.status}${refusal.field === null ? '' : ` (${refusal.field})`}.${hint}`)
}

const pathOf = (id: string): string => `/v2/payments/${encodeURIComponent(id)}`
const moneyOf = (sum: Sum) => ({ currency: sum.currency, value: decimalOf(CURRENCIES, sum) })

/** What a payment, a refund and a chargeback share. `sum`: null where our units cannot say it. `key`: null where it was not asked for from here. */
type Item = Readonly<{ json: Json; id: string; status: string; sum: Sum | null; key: string | null }>

function readItem(body: unknown): Item | null {
  const json = objectOf(body)
  const { value, currency } = objectOf(json.amount)
  const [id, code] = [textOf(json.id), textOf(currency)]
  if (id === null) return null
  const amount = code === null ? null : fromDecimal(CURRENCIES, textOf(value) ?? '', code)
  const sum = code === null || amount === null ? null : { amount, currency: code }
  // A chargeback has no state, but the day on which the bank has taken it back.
  const status = textOf(json.status) ?? (textOf(json.reversedAt) === null ? 'made' : 'reversed')
  return { json, id, status, sum, key: textOf(objectOf(json.metadata).key) }
}

const itemsIn = (name: string) => (body: unknown) => readAll(listOf(objectOf(objectOf(body)._embedded)[name]), readItem)

const isOf = ({ sum }: Item, { amount, currency }: Sum): boolean => sum?.amount === amount && sum.currency === currency

/** Null where Mollie does not know it. */
async function getPayment(ask: Ask, account: Account, id: string, embed = ''): Promise<Item | null> {
  const answer = await ask(account, { method: 'GET', path: pathOf(id) + embed }, readItem)
  if (answer.ok) return answer.value
  if (answer.refusal.status === 404) return null
  throw failure(account, answer.refusal, 'does not show the payment')
}

/**
 * By its own id; or, where that was never written down, by our key among the latest, so many as stay far below what a reply may have. One that is
 * not among them is nobody's loss: only the answer that was lost has told where to pay it.
 */
async function findPayment(ask: Ask, call: ChargeCall): Promise<Item | null> {
  if (call.confirmation !== null) return getPayment(ask, call, call.confirmation)
  const answer = await ask(call, { method: 'GET', path: '/v2/payments?limit=100' }, itemsIn('payments'))
  if (!answer.ok) throw failure(call, answer.refusal, 'does not list payments')
  return answer.value.find(({ key }) => key === call.key) ?? null
}

// Charges.

const chargesWith = (ask: Ask): Pick<GatewayAdapter, 'problemsOf' | 'charge' | 'lookUp' | 'cancel'> => ({
  problemsOf: (payment, sum) => ({ ...sumProblems(CURRENCIES, sum), ...cardNumberProblem(payment, NO_CARD) }),

  // Nobody can pay a payment when nobody was told where: whatever goes wrong on the way there, nothing is charged.
  charge: (request) =>
    beforeCharging(async () => {
      const { key, description, config, returnUrl, messageUrl } = request
      const body = {
        amount: moneyOf(request),
        description: description.slice(0, 255),
        redirectUrl: config.return_url ?? returnUrl,
        // Mollie refuses one that it cannot reach.
        ...(messageUrl?.startsWith('https://') ? { webhookUrl: messageUrl } : {}),
        metadata: { key },
      }
      const asked = ask(request, { method: 'POST', path: '/v2/payments', key, body }, readItem)
      const answer = await asked.catch(async (error: unknown) => {
        // It may have been made nevertheless, and then the shopper can go on at once.
        const isOpen = error instanceof GatewayUnavailable && !error.isNothingCharged
        const made = isOpen ? await findPayment(ask, request).catch(() => null) : null
        if (made === null) throw error
        return { ok: true, value: made } as const
      })
      if (!answer.ok && answer.refusal.status === 422 && answer.refusal.field === 'amount') return SUM_REFUSED
      if (!answer.ok) throw failure(request, answer.refusal, 'has not made the payment')
      const payment = answer.value
      if (payment.key !== key || !isOf(payment, request))
        throw open(`The Mollie payment ${payment.id} is not about what was asked for.`)
      return outcomeOf(payment)
    }),

  async lookUp(call) {
    const payment = await findPayment(ask, call)
    return payment === null ? { kind: 'unknown' } : outcomeOf(payment)
  },

  // Most open payments cannot be taken back at Mollie: they expire.
  async cancel(call) {
    let payment = await findPayment(ask, call)
    if (payment?.status === 'open' && payment.json.isCancelable === true) {
      const answer = await ask(call, { method: 'DELETE', path: pathOf(payment.id) }, readItem)
      payment = answer.ok ? null : await getPayment(ask, call, payment.id)
    }
    if (payment === null) return { kind: 'cancelled' }
    const expiry = Date.parse(textOf(payment.json.expiresAt) ?? '')
    // Where Mollie does not say it, at once: what can be paid for longer is looked at again.
    if (payment.status === 'open') return { kind: 'cancelled', payableUntil: new Date(expiry || call.begunAt) }
    const outcome = outcomeOf(payment)
    return outcome.kind === 'declined' ? { kind: 'cancelled' } : outcome
  },
})

function outcomeOf(payment: Item): ChargeOutcome {
  const { id, status, json } = payment
  const pending = () => ({ kind: 'pending', reason: 'awaiting_capture', payment: paidOf(payment) }) as const
  switch (status) {
    case 'open': {
      // The shopper has agreed, and goes to the bank: the money comes in days.
      if (json.method === 'banktransfer') return pending()
      const url = textOf(objectOf(objectOf(json._links).checkout).href)
      if (url === null) throw open(`Mollie does not say where the payment ${id} is paid.`)
      return { kind: 'redirect', payKey: id, url, confirmation: id }
    }
    // Mollie takes what is authorized by itself: nothing else is asked for.
    case 'authorized':
    case 'pending':
      return pending()
    case 'paid':
      return { kind: 'charged', ...paidOf(payment) }
    case 'canceled':
      return decline('cancelled', 'The payment was cancelled, and nothing was paid.')
    case 'expired':
      return decline('payment_declined', 'The payment was not completed in time, and nothing was paid.')
    case 'failed':
      return FAILURES[String(objectOf(json.details).failureReason)] ?? FAILED
    default:
      throw open(`Mollie shows the payment ${id} in a state of which nothing can be made.`)
  }
}

const SUM_REFUSED = decline('payment_declined', 'Mollie does not take a payment of this sum. Pay in another way.')
const FAILED = decline('payment_declined', 'The payment has failed. Try again, or pay in another way.')
const FAILURES: Readonly<Record<string, Declined>> = {
  card_declined: DECLINES.declined,
  refused_by_issuer: DECLINES.declined,
  insufficient_funds: DECLINES.insufficientFunds,
  card_expired: DECLINES.wrongExpiry,
  invalid_cvv: DECLINES.incorrectCvc,
}

function paidOf({ id, sum, json }: Item): Omit<Charged, 'kind'> {
  if (sum === null) throw open(`Mollie names the payment ${id} without a sum.`)
  const { cardNumber, cardLabel } = objectOf(json.details)
  const type = textOf(json.method) ?? 'mollie'
  const source = { type, brand: textOf(cardLabel), country: textOf(json.countryCode), zip: null }
  return { ...sum, transactionId: id, reference: textOf(cardNumber)?.slice(-4) ?? null, source }
}

// Afterwards.

const FAILED_REFUND = ['failed', 'canceled']

const refundWith =
  (ask: Ask): GatewayAdapter['refund'] =>
  async (request) => {
    const { key, transactionId, amount, currency } = request
    const path = `${pathOf(transactionId)}/refunds`
    // Mollie forgets keys after an hour, and a refund is asked for until it is answered.
    const made = await ask(request, { method: 'GET', path: `${path}?limit=250` }, itemsIn('refunds'))
    const earlier = made.ok ? made.value.find((each) => each.key === key) : undefined
    const body = { amount: moneyOf(request), description: `Refund ${key}`, metadata: { key } }
    const create = () => ask(request, { method: 'POST', path, key, body }, readItem)
    const answer = !made.ok ? made : earlier ? ({ ok: true, value: earlier } as const) : await create()
    if (!answer.ok) {
      const { status, field } = answer.refusal
      if (status === 404) return notMoved('Mollie does not know this payment.')
      if (status !== 422) throw failure(request, answer.refusal, 'has not made the refund')
      return notMoved(field === 'amount' ? MORE_THAN_LEFT : REFUND_REFUSED)
    }
    if (FAILED_REFUND.includes(answer.value.status)) return notMoved('Mollie could not make the refund.')
    if (!isOf(answer.value, request))
      throw new Error(`${amount} ${currency} were to be refunded, and Mollie has refunded something else.`)
    return { kind: 'refunded', transactionId: answer.value.id }
  }

const MORE_THAN_LEFT = 'That is more than Mollie has left of the payment: a part of it has been refunded there.'
const REFUND_REFUSED = 'Mollie refuses the refund. Look at the payment in its dashboard.'

const STANDINGS: Readonly<Record<string, PaymentStanding['charge']>> = {
  ...{ open: 'pending', pending: 'pending', authorized: 'pending', paid: 'complete' },
  ...{ canceled: 'failed', expired: 'failed', failed: 'failed' },
}

/** The bank has taken the money back already; Mollie tells when that is reversed. */
const CHARGEBACKS = { made: 'lost', reversed: 'won' } as const

/** A payment with its refunds and chargebacks. */
async function getWhole(ask: Ask, account: Account, id: string) {
  const payment = await getPayment(ask, account, id, '?embed=refunds,chargebacks')
  const [refunds, chargebacks] = [itemsIn('refunds')(payment?.json), itemsIn('chargebacks')(payment?.json)]
  if (refunds === null || chargebacks === null) throw open(`Mollie shows the payment ${id} in part only.`)
  return { payment, refunds, chargebacks }
}

const storyWith = (ask: Ask): ProviderStory => ({
  asksToRead: true,
  // A message is `id=tr_…`, of anybody. What Mollie says of that payment proves it, and tells one message from the next.
  async readMessage(message) {
    const id = new URLSearchParams(message.body.toString('utf8')).get('id') ?? ''
    if (!/^tr_\w{1,60}$/.test(id)) return refused('It names no payment.')
    const { payment, refunds, chargebacks } = await getWhole(ask, message, id)
    if (payment === null) return { kind: 'event', id, subject: null }
    const state = [payment, ...refunds, ...chargebacks].map((each) => `${each.id} ${each.status}`).join()
    const digest = createHash('sha256').update(state).digest('base64url')
    return { kind: 'event', id: `${id} ${digest}`, subject: subject(payment.key, id) }
  },

  async standingOf(question) {
    const { payment, refunds, chargebacks } = await getWhole(ask, question, question.transactionId)
    const charge = STANDINGS[payment?.status ?? '']
    if (!payment?.sum || charge === undefined) throw open('Mollie does not say how the payment stands.')
    const withAmount = ({ sum, ...item }: Item) => ({ ...item, amount: sum?.amount ?? null })
    return {
      charge,
      ...payment.sum,
      refunds: refunds.map((each) => foundRefund(PROVIDER, withAmount(each), FAILED_REFUND)),
      disputes: chargebacks.map((each) =>
        foundDispute(PROVIDER, { ...withAmount(each), reason: textOf(objectOf(each.json.reason).code) }, CHARGEBACKS),
      ),
    }
  },

  async checkCredentials(account) {
    const mistake = modeMistake(account)
    if (mistake !== null) return unusable(mistake)
    const answer = await ask(account, { method: 'GET', path: '/v2/methods' }, itemsIn('methods'))
    if (answer.ok && answer.value.length > 0)
      return usable(`Mollie knows this API key (${account.isSandbox ? 'sandbox' : 'live'}).`)
    if (answer.ok)
      return unusable('Mollie knows this API key, but no way to pay is switched on in its website profile.')
    if (!isForbidden(answer.refusal)) throw failure(account, answer.refusal, 'does not list the ways to pay')
    return unusable('Mollie does not know this API key. Copy it again from the website profile.')
  },
})
