// Mollie, Payments API v2. The shopper chooses a payment method on Mollie's page, pays there and returns.
// We create the payment, redirect the shopper and query the result. Mollie takes the money itself.
// Its messages are not signed. They name a payment, which we then query.

import { createHash } from 'node:crypto'
import type { GatewayCall, Money } from './call.ts'
import { failAsNothingCharged, GatewayUnavailable, nothingChargedError, unknownOutcomeError } from './call.ts'
import { optionalField, secretField } from './config-fields.ts'
import type { ChargeCall, ChargeOutcome, GatewayAdapter, GatewayDefinition, GatewayPorts } from './gateway.ts'
import { type CurrencyRules, fromDecimal, sumProblems, toProviderDecimal } from './provider/amounts.ts'
import { isForbidden, type ProviderAnswer, readProviderAnswer } from './provider/answer.ts'
import type { ProviderReply, ProviderRequest } from './provider/client.ts'
import {
  type ProviderHistory,
  type ProviderPaymentState,
  refuseMessage,
  toMessageSubject,
  toProviderDispute,
  toProviderRefund,
  unusableCredentials,
  usableCredentials,
} from './provider/history.ts'
import { arrayOrEmpty, type JsonRecord, objectOrEmpty, readAllOrNull, readLogCode, textOf } from './provider/json.ts'
import { cardNumberProblem, DECLINE_OUTCOMES, declineMovement, declineOutcome } from './provider/payment.ts'
import { journalOperations } from './sandbox/books.ts'
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

export const mollie: GatewayDefinition = {
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
  createAdapter(ports) {
    const callApi = openApi(ports)
    return { ...createCharging(callApi), refund: createRefund(callApi), history: createHistory(callApi) }
  },
  createSimulation: (ports) => ({
    ...journalOperations(ports),
    problemsOf: (payment) => cardNumberProblem(payment, NO_CARD) ?? {},
    charge: (request) => chargeOnPage(ports, request, { gateway: 'mollie', provider: PROVIDER, type: 'mollie' }),
  }),
}

const NO_CARD = 'the shopper pays on Mollie’s own page. Send the shopper to the redirect_url of the reply'

// Requests, and the fields of replies.

type Account = Pick<GatewayCall, 'config' | 'is_sandbox' | 'signal'>
/** `path`: below the host. `key`: a request repeated within the hour runs once. */
type ApiRequest = Pick<ProviderRequest, 'method'> & Readonly<{ path: string; key?: string; body?: object }>
/** `field`: the rejected field. Mollie's messages are for developers and are not passed on. */
type Refusal = { readonly status: number; readonly field: string | null }
type Read<T> = (body: unknown) => T | null
type CallApi = <T>(account: Account, request: ApiRequest, read: Read<T>) => Promise<ProviderAnswer<T, Refusal>>

const openApi =
  ({ http, address }: GatewayPorts): CallApi =>
  async (account, { method, path, key, body }, read) => {
    const mistake = findModeMistake(account)
    if (mistake !== null) throw nothingChargedError(mistake)
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
      // The same request is under way, or a similar one was just made.
      isBusy: ({ status }) => status === 409,
    })
    return readProviderAnswer(reply, { provider: PROVIDER, read, refusalOf })
  }

const refusalOf = ({ status, body }: ProviderReply): Refusal => ({
  status,
  field: readLogCode(textOf(objectOrEmpty(body).field)?.split('.')[0]),
})

/** A sandbox order must never be paid with real money, nor a live order with test money. */
function findModeMistake({ config, is_sandbox }: Pick<Account, 'config' | 'is_sandbox'>): string | null {
  const isLive = config.api_key?.startsWith('live_') ?? false
  if (isLive !== is_sandbox) return null
  return isLive
    ? 'This is a live API key of Mollie, and this is the sandbox. Copy the test API key of the website profile.'
    : 'This is a test API key of Mollie, and this is a live shop. Copy the live API key of the website profile.'
}

/** Error for a refusal that says nothing about the payment. */
function unexpectedRefusal({ is_sandbox }: Account, refusal: Refusal, what: string): GatewayUnavailable {
  const hint = isForbidden(refusal) ? ` Check the API key of the gateway (${is_sandbox ? 'sandbox' : 'live'}).` : ''
  const field = refusal.field === null ? '' : ` (${refusal.field})`
  return unknownOutcomeError(`Mollie ${what}: ${refusal.status}${field}.${hint}`)
}

const pathOf = (id: string): string => `/v2/payments/${encodeURIComponent(id)}`
const moneyOf = (sum: Money) => ({ currency: sum.currency, value: toProviderDecimal(CURRENCIES, sum) })

/** A payment, refund or chargeback. `sum`: null if our units cannot express it. `key`: null if we did not create it. */
type Item = Readonly<{ json: JsonRecord; id: string; status: string; sum: Money | null; key: string | null }>

function readItem(body: unknown): Item | null {
  const json = objectOrEmpty(body)
  const { value, currency } = objectOrEmpty(json.amount)
  const [id, code] = [textOf(json.id), textOf(currency)]
  if (id === null) return null
  const amount = code === null ? null : fromDecimal(CURRENCIES, textOf(value) ?? '', code)
  const sum = code === null || amount === null ? null : { amount, currency: code }
  // A chargeback has no status. It has the day on which the bank reversed it.
  const status = textOf(json.status) ?? (textOf(json.reversedAt) === null ? 'made' : 'reversed')
  return { json, id, status, sum, key: textOf(objectOrEmpty(json.metadata).key) }
}

const itemsIn = (name: string) => (body: unknown) =>
  readAllOrNull(arrayOrEmpty(objectOrEmpty(objectOrEmpty(body)._embedded)[name]), readItem)

const hasSum = ({ sum }: Item, { amount, currency }: Money): boolean =>
  sum?.amount === amount && sum.currency === currency

/** Null if Mollie does not know the payment. */
async function getPayment(callApi: CallApi, account: Account, id: string, embed = ''): Promise<Item | null> {
  const answer = await callApi(account, { method: 'GET', path: pathOf(id) + embed }, readItem)
  if (answer.ok) return answer.value
  if (answer.refusal.status === 404) return null
  throw unexpectedRefusal(account, answer.refusal, 'does not show the payment')
}

// Without Mollie's id it searches the latest payments. One that it misses harms nobody: only the lost reply had the URL to pay it.
async function findPayment(callApi: CallApi, call: ChargeCall): Promise<Item | null> {
  if (call.confirmation !== null) return getPayment(callApi, call, call.confirmation)
  const answer = await callApi(call, { method: 'GET', path: '/v2/payments?limit=100' }, itemsIn('payments'))
  if (!answer.ok) throw unexpectedRefusal(call, answer.refusal, 'does not list payments')
  return answer.value.find(({ key }) => key === call.key) ?? null
}

const createCharging = (callApi: CallApi): Pick<GatewayAdapter, 'problemsOf' | 'charge' | 'lookUp' | 'cancel'> => ({
  problemsOf: (payment, sum) => ({ ...sumProblems(CURRENCIES, sum), ...cardNumberProblem(payment, NO_CARD) }),

  // Nobody can pay a payment without its URL. If this fails, nothing is charged.
  charge: (request) =>
    failAsNothingCharged(async () => {
      const { key, description, config, returnUrl, messageUrl } = request
      const body = {
        amount: moneyOf(request),
        description: description.slice(0, 255),
        redirectUrl: config.return_url ?? returnUrl,
        // Mollie rejects a URL that it cannot reach.
        ...(messageUrl?.startsWith('https://') ? { webhookUrl: messageUrl } : {}),
        metadata: { key },
      }
      const creation = callApi(request, { method: 'POST', path: '/v2/payments', key, body }, readItem)
      const answer = await creation.catch(async (error: unknown) => {
        // The payment may exist in spite of the error. Then the shopper can continue at once.
        const isOpen = error instanceof GatewayUnavailable && !error.isNothingCharged
        const existingPayment = isOpen ? await findPayment(callApi, request).catch(() => null) : null
        if (existingPayment === null) throw error
        return { ok: true, value: existingPayment } as const
      })
      if (!answer.ok && answer.refusal.status === 422 && answer.refusal.field === 'amount') return BAD_SUM
      if (!answer.ok) throw unexpectedRefusal(request, answer.refusal, 'has not made the payment')
      const payment = answer.value
      if (payment.key !== key || !hasSum(payment, request))
        throw unknownOutcomeError(`The Mollie payment ${payment.id} does not match the request.`)
      return outcomeOf(payment)
    }),

  async lookUp(call) {
    const payment = await findPayment(callApi, call)
    return payment === null ? { kind: 'unknown' } : outcomeOf(payment)
  },

  // Most open payments cannot be cancelled at Mollie: they expire.
  async cancel(call) {
    let payment = await findPayment(callApi, call)
    if (payment?.status === 'open' && payment.json.isCancelable === true) {
      const answer = await callApi(call, { method: 'DELETE', path: pathOf(payment.id) }, readItem)
      payment = answer.ok ? null : await getPayment(callApi, call, payment.id)
    }
    if (payment === null) return { kind: 'cancelled' }
    const expiry = Date.parse(textOf(payment.json.expiresAt) ?? '')
    // Without an expiry the next check is due at once. A payment that stays payable is checked again.
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
      // The shopper has agreed to a bank transfer. The money comes in days.
      if (json.method === 'banktransfer') return pending()
      const url = textOf(objectOrEmpty(objectOrEmpty(json._links).checkout).href)
      if (url === null) throw unknownOutcomeError(`Mollie gives no payment page for the payment ${id}.`)
      return { kind: 'redirect', payKey: id, url, confirmation: id }
    }
    // Mollie takes authorized money by itself; it needs no further call.
    case 'authorized':
    case 'pending':
      return pending()
    case 'paid':
      return { kind: 'charged', ...paidOf(payment) }
    case 'canceled':
      return declineOutcome('cancelled', 'The payment was cancelled, and nothing was paid.')
    case 'expired':
      return declineOutcome('payment_declined', 'The payment was not completed in time, and nothing was paid.')
    case 'failed':
      return FAILURES[String(objectOrEmpty(json.details).failureReason)] ?? FAILED
    default:
      throw unknownOutcomeError(`Mollie shows the payment ${id} in an unknown state.`)
  }
}

const BAD_SUM = declineOutcome('payment_declined', 'Mollie does not take a payment of this sum. Pay in another way.')
const FAILED = declineOutcome('payment_declined', 'The payment has failed. Try again, or pay in another way.')
const FAILURES: Readonly<Record<string, typeof FAILED>> = {
  card_declined: DECLINE_OUTCOMES.declined,
  refused_by_issuer: DECLINE_OUTCOMES.declined,
  insufficient_funds: DECLINE_OUTCOMES.insufficientFunds,
  card_expired: DECLINE_OUTCOMES.wrongExpiry,
  invalid_cvv: DECLINE_OUTCOMES.incorrectCvc,
}

function paidOf({ id, sum, json }: Item) {
  if (sum === null) throw unknownOutcomeError(`Mollie reports the payment ${id} without a valid amount.`)
  const { cardNumber, cardLabel } = objectOrEmpty(json.details)
  const type = textOf(json.method) ?? 'mollie'
  const source = { type, brand: textOf(cardLabel), country: textOf(json.countryCode), zip: null }
  return { ...sum, transactionId: id, reference: textOf(cardNumber)?.slice(-4) ?? null, source }
}

// Refunds, messages and payment states.

const FAILED_REFUND = ['failed', 'canceled']

const createRefund =
  (callApi: CallApi): GatewayAdapter['refund'] =>
  async (request) => {
    const { key, transactionId, amount, currency } = request
    const path = `${pathOf(transactionId)}/refunds`
    // Mollie forgets keys after an hour, but we repeat a refund until it is answered.
    const refunds = await callApi(request, { method: 'GET', path: `${path}?limit=250` }, itemsIn('refunds'))
    const earlier = refunds.ok ? refunds.value.find((each) => each.key === key) : undefined
    const body = { amount: moneyOf(request), description: `Refund ${key}`, metadata: { key } }
    const create = () => callApi(request, { method: 'POST', path, key, body }, readItem)
    const existing = earlier && ({ ok: true, value: earlier } as const)
    const answer = refunds.ok ? (existing ?? (await create())) : refunds
    if (!answer.ok) {
      const { status, field } = answer.refusal
      if (status === 404) return declineMovement('Mollie does not know this payment.')
      if (status !== 422) throw unexpectedRefusal(request, answer.refusal, 'has not made the refund')
      return declineMovement(field === 'amount' ? MORE_THAN_LEFT : REFUND_REFUSED)
    }
    if (FAILED_REFUND.includes(answer.value.status)) return declineMovement('Mollie could not make the refund.')
    if (!hasSum(answer.value, request))
      throw new Error(`${amount} ${currency} was requested as a refund, but Mollie refunded another amount.`)
    return { kind: 'refunded', transactionId: answer.value.id }
  }

const MORE_THAN_LEFT = 'The refund is more than is left of the payment: a part was already refunded at Mollie.'
const REFUND_REFUSED = 'Mollie refuses the refund. Check the payment in the dashboard of Mollie.'

const STANDINGS: Readonly<Record<string, ProviderPaymentState['charge']>> = {
  ...{ open: 'pending', pending: 'pending', authorized: 'pending', paid: 'complete' },
  ...{ canceled: 'failed', expired: 'failed', failed: 'failed' },
}

/** The bank has already taken the money back. Mollie reports it if that is reversed. */
const CHARGEBACKS = { made: 'lost', reversed: 'won' } as const

async function getPaymentWithRefunds(callApi: CallApi, account: Account, id: string) {
  const payment = await getPayment(callApi, account, id, '?embed=refunds,chargebacks')
  const [refunds, chargebacks] = [itemsIn('refunds')(payment?.json), itemsIn('chargebacks')(payment?.json)]
  if (refunds === null || chargebacks === null)
    throw unknownOutcomeError(`Mollie shows only a part of the payment ${id}.`)
  return { payment, refunds, chargebacks }
}

const createHistory = (callApi: CallApi): ProviderHistory => ({
  asksToRead: true,
  // A message is `id=tr_…`, and anybody can send it. The state of the payment proves it, and distinguishes one message from the next.
  async readMessage(message) {
    const id = new URLSearchParams(message.body.toString('utf8')).get('id') ?? ''
    if (!/^tr_\w{1,60}$/.test(id)) return refuseMessage('It names no payment.')
    const { payment, refunds, chargebacks } = await getPaymentWithRefunds(callApi, message, id)
    if (payment === null) return { kind: 'event', id, subject: null }
    const state = [payment, ...refunds, ...chargebacks].map((each) => `${each.id} ${each.status}`).join()
    const digest = createHash('sha256').update(state).digest('base64url')
    return { kind: 'event', id: `${id} ${digest}`, subject: toMessageSubject(payment.key, id) }
  },

  async getPaymentState(question) {
    const { payment, refunds, chargebacks } = await getPaymentWithRefunds(callApi, question, question.transactionId)
    const charge = STANDINGS[payment?.status ?? '']
    if (!payment?.sum || charge === undefined) throw unknownOutcomeError('Mollie does not report the payment status.')
    const withAmount = ({ sum, ...item }: Item) => ({ ...item, amount: sum?.amount ?? null })
    const withReason = (item: Item) => ({ ...withAmount(item), reason: textOf(objectOrEmpty(item.json.reason).code) })
    return {
      charge,
      ...payment.sum,
      refunds: refunds.map((each) => toProviderRefund(PROVIDER, withAmount(each), FAILED_REFUND)),
      disputes: chargebacks.map((each) => toProviderDispute(PROVIDER, withReason(each), CHARGEBACKS)),
    }
  },

  async checkCredentials(account) {
    const mistake = findModeMistake(account)
    if (mistake !== null) return unusableCredentials(mistake)
    const answer = await callApi(account, { method: 'GET', path: '/v2/methods' }, itemsIn('methods'))
    if (answer.ok && answer.value.length > 0)
      return usableCredentials(`Mollie knows this API key (${account.is_sandbox ? 'sandbox' : 'live'}).`)
    if (answer.ok)
      return unusableCredentials('Mollie knows this API key, but no way to pay is switched on in its website profile.')
    if (!isForbidden(answer.refusal)) throw unexpectedRefusal(account, answer.refusal, 'does not list the ways to pay')
    return unusableCredentials('Mollie does not know this API key. Copy it again from the website profile.')
  },
})
