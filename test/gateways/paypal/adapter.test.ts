// PayPal's adapter against a server in PayPal's place: what each answer of PayPal's means for a charge, from its beginning to its end.

import { expect, it } from 'vitest'
import { NO_PAYMENT } from '../../support/gateways.ts'
import { again, leavesOpen } from '../every-provider/adapter/bench.ts'
import { openPayPalBench, sent } from './bench.ts'

const bench = await openPayPalBench()
const { paypal, clock, request, begun, approved } = bench
const adapter = bench.adapter()
const { config } = bench.provider

const sentTo = (path: RegExp) => paypal.requests.filter((each) => path.test(`${each.method} ${each.path}`))

it('sends the shopper to PayPal, and back to our page (F36)', async () => {
  const asked = request({ config: { ...config, brand_name: 'The shop' } })
  const outcome = await adapter.charge(asked)
  const { id } = paypal.orderOfKey(asked.key) ?? { id: '' }
  const url = `https://www.sandbox.paypal.com/checkoutnow?token=${id}`
  expect(outcome).toEqual({ kind: 'redirect', payKey: id, url, confirmation: id })
  const last = paypal.requests.at(-1)
  expect(last?.headers).toMatchObject({ 'paypal-request-id': asked.key, prefer: 'return=representation' })
  expect(JSON.parse(last?.text ?? '')).toEqual({
    intent: 'CAPTURE',
    purchase_units: [
      {
        custom_id: asked.key,
        invoice_id: asked.key,
        description: `Payment ${asked.key}`,
        amount: { currency_code: 'USD', value: '12.34' },
      },
    ],
    payment_source: {
      paypal: {
        experience_context: {
          brand_name: 'The shop',
          user_action: 'PAY_NOW',
          shipping_preference: 'NO_SHIPPING',
          payment_method_preference: 'IMMEDIATE_PAYMENT_REQUIRED',
          return_url: asked.returnUrl,
          cancel_url: asked.returnUrl,
        },
      },
    },
  })
  // The merchant has named a page of the storefront.
  const page = 'https://store.example/checkout/paypal'
  await adapter.charge(request({ config: { ...config, return_url: page } }))
  const { payment_source } = JSON.parse(paypal.requests.at(-1)?.text ?? '')
  expect(payment_source.paypal.experience_context).toMatchObject({ return_url: page, cancel_url: page })
})

it('makes one order under one key, however often it is asked to', async () => {
  const { call, id } = await begun()
  expect(await adapter.charge({ ...request(), ...call })).toMatchObject({ kind: 'redirect', confirmation: id })
  paypal.approve(id)
  expect(await adapter.charge({ ...request(), ...call })).toMatchObject({ kind: 'redirect', confirmation: id })
  await adapter.confirm({ ...call, payment: null })
  expect(await adapter.charge({ ...request(), ...call })).toMatchObject({ kind: 'charged', amount: 1_234 })
  expect([...paypal.books.orders.values()].filter(({ invoice_id }) => invoice_id === call.key)).toHaveLength(1)
})

it('refuses to go on with an order that is about another sum (F25)', async () => {
  const { call } = await begun()
  await expect(adapter.charge({ ...request(), ...call, amount: 999 })).rejects.toMatchObject({ isNothingCharged: true })
  const other = await approved()
  await expect(adapter.lookUp({ ...other.call, amount: 999 })).rejects.toThrow('does not match 999 USD')
})

it('reads which payment a capture goes on with, under each name that storefronts have for it', () => {
  expect(adapter.confirmationOf(sent({ action: 'capture', payment_id: 'A', payer_id: 'P' }))).toBe('A')
  expect(adapter.confirmationOf(sent({ action: 'capture', paykey: 'B' }))).toBe('B')
  expect(adapter.confirmationOf(sent({ token: ' C ' }))).toBe('C')
  expect(adapter.confirmationOf(sent({ action: 'authorize', payment_id: 'A' }))).toBeNull()
  expect(adapter.confirmationOf(NO_PAYMENT)).toBeNull()
})

it('waits for a shopper who has not approved it', async () => {
  const { call, id } = await begun()
  expect(await adapter.lookUp(call)).toMatchObject({ kind: 'redirect', confirmation: id })
  expect(await adapter.confirm({ ...call, payment: null })).toMatchObject({ kind: 'redirect', confirmation: id })
  expect(paypal.taken()).toEqual(expect.not.arrayContaining([expect.objectContaining({ custom_id: call.key })]))
})

it.each(['INSTRUMENT_DECLINED', 'PAYER_ACTION_REQUIRED', 'REDIRECT_PAYER_FOR_ALTERNATE_FUNDING'])(
  '%s sends the shopper to the same order again, and what is chosen there is taken (F34)',
  async (issue) => {
    const { call, id, order } = await approved()
    order.issues.push(issue)
    const redirect = { kind: 'redirect', confirmation: id, url: expect.stringMatching(`/checkoutnow\\?token=${id}$`) }
    expect(await adapter.confirm({ ...call, payment: null })).toMatchObject(redirect)
    paypal.approve(id)
    // Answered with the first refusal still, by a PayPal that takes the repeated id for the first request.
    expect(await adapter.confirm({ ...call, payment: null })).toMatchObject(redirect)
    clock.advance(20)
    expect(await adapter.confirm({ ...call, payment: null })).toMatchObject({ kind: 'charged' })
    expect(order.captures).toHaveLength(1)
  },
)

const DECLINED = 'PayPal has declined the payment. Try again, or pay in another way.'

it.each([
  ['PAYER_CANNOT_PAY', DECLINED],
  ['PAYER_ACCOUNT_RESTRICTED', 'Your PayPal account cannot be used for this payment. Pay in another way.'],
  ['PAYER_ACCOUNT_LOCKED_OR_CLOSED', 'Your PayPal account cannot be used for this payment. Pay in another way.'],
  ['TRANSACTION_REFUSED', DECLINED],
  ['TRANSACTION_LIMIT_EXCEEDED', 'The amount is more than PayPal allows for this payment. Pay in another way.'],
  ['COMPLIANCE_VIOLATION', DECLINED],
  ['MAX_NUMBER_OF_PAYMENT_ATTEMPTS_EXCEEDED', DECLINED],
  ['PAYEE_BLOCKED_TRANSACTION', DECLINED],
  ['ORDER_EXPIRED', 'The payment with PayPal was not completed in time, and nothing was paid.'],
])('%s is a decline, with a sentence for the shopper (F2, F27)', async (issue, message) => {
  const { call, order } = await approved()
  order.issues.push(issue)
  const declined = { kind: 'declined', reason: 'payment_declined', message }
  expect(await adapter.confirm({ ...call, payment: null })).toEqual(declined)
})

it.each(['PAYEE_ACCOUNT_RESTRICTED', 'PERMISSION_DENIED', 'AUTH_CAPTURE_NOT_ENABLED', 'SOMETHING_NEW'])(
  '%s is the merchant’s to mend: nothing was charged',
  async (issue) => {
    const { call, order } = await approved()
    order.issues.push(issue)
    await expect(adapter.confirm({ ...call, payment: null })).rejects.toMatchObject({
      name: 'GatewayUnavailable',
      isNothingCharged: true,
      message: expect.stringMatching(new RegExp(`${issue} \\(debug id \\w+\\)`)),
    })
    expect(order.captures).toEqual([])
  },
)

it.each(['ORDER_COMPLETION_IN_PROGRESS', 'PREVIOUS_REQUEST_IN_PROGRESS', 'ORDER_NOT_APPROVED'])(
  '%s leaves it open, and it can be taken a moment later',
  async (issue) => {
    const { call, order } = await approved()
    order.issues.push(issue)
    await leavesOpen(adapter.confirm({ ...call, payment: null }))
    clock.advance(20)
    expect(await adapter.confirm({ ...call, payment: null })).toMatchObject({ kind: 'charged' })
  },
)

const PENDING = {
  kind: 'pending',
  reason: 'awaiting_capture',
  payment: { amount: 1_234, currency: 'USD', transactionId: expect.any(String) },
}

it.each([
  ['COMPLETED', { kind: 'charged' }, 'complete'],
  ['PENDING', PENDING, 'pending'],
  ['DECLINED', { kind: 'declined' }, 'failed'],
  ['FAILED', { kind: 'declined' }, 'failed'],
  ['REFUNDED', { kind: 'charged' }, 'complete'],
  ['PARTIALLY_REFUNDED', { kind: 'charged' }, 'complete'],
])('tells a capture that is %s as %j, and stands as %s (F36)', async (status, outcome, charge) => {
  const { call, order } = await approved()
  order.nextCapture = { status, reason: 'PENDING_REVIEW' }
  expect(await adapter.confirm({ ...call, payment: null })).toMatchObject(outcome)
  expect(await adapter.lookUp(call)).toMatchObject(outcome)
  const transactionId = order.captures[0]?.id ?? ''
  expect(await adapter.history.getPaymentState({ ...call, transactionId })).toMatchObject({ charge, amount: 1_234 })
})

it('tells a capture of another sum as PayPal does, for whoever compares it', async () => {
  const { call, order } = await approved()
  order.amount = { currency_code: 'USD', value: '1.00' }
  expect(await adapter.confirm({ ...call, payment: null })).toMatchObject({ kind: 'charged', amount: 100 })
})

it('knows nothing of a charge without an order, nor of an order that PayPal has forgotten (F15)', async () => {
  const asked = request()
  const count = paypal.requests.length
  expect(await adapter.lookUp(asked)).toEqual({ kind: 'unknown' })
  expect(await adapter.cancel(asked)).toEqual({ kind: 'cancelled' })
  expect(paypal.requests).toHaveLength(count)
  const { call, id } = await approved()
  paypal.books.orders.delete(id)
  expect(await adapter.lookUp(call)).toEqual({ kind: 'unknown' })
  expect(await adapter.confirm({ ...call, payment: null })).toMatchObject({ kind: 'declined' })
  expect(await adapter.cancel(call)).toEqual({ kind: 'cancelled' })
})

it('calls an approved order off so that a request on its way takes nothing any more (F7)', async () => {
  const { call, order } = await approved()
  expect(await adapter.cancel(call)).toEqual({ kind: 'cancelled' })
  expect(await adapter.confirm({ ...call, payment: null })).toMatchObject({ kind: 'declined', reason: 'cancelled' })
  expect(await adapter.lookUp(call)).toMatchObject({ kind: 'declined', reason: 'cancelled' })
  // Called off again it is not put back, whatever the merchant has chosen since.
  expect(await adapter.cancel({ ...call, config: { ...config, capture: 'manual' } })).toEqual({ kind: 'cancelled' })
  clock.advance(60)
  expect(await adapter.confirm({ ...call, payment: null })).toMatchObject({ kind: 'declined', reason: 'cancelled' })
  expect([order.captures, order.authorizations]).toEqual([[], []])
})

/** Runs before PayPal hears of a request, which then goes its way. */
const onEachRequest = (work: (method: string) => void) =>
  paypal.trouble('before', {
    on: ({ method }) => {
      work(method)
      return false
    },
  })

it('calls one off that is approved between our being refused to change it and our looking again', async () => {
  const { call, id, order } = await begun()
  let isPatched = false
  onEachRequest((method) => {
    if (method === 'GET' && isPatched) paypal.approve(id)
    isPatched ||= method === 'PATCH'
  })
  expect(await adapter.cancel(call)).toEqual({ kind: 'cancelled' })
  expect(await adapter.confirm({ ...call, payment: null })).toMatchObject({ kind: 'declined', reason: 'cancelled' })
  expect(order.captures).toEqual([])
})

it('leaves an approved order open that PayPal does not let us change', async () => {
  const { call, order } = await approved()
  onEachRequest((method) => {
    order.status = method === 'PATCH' ? 'PAYER_ACTION_REQUIRED' : 'APPROVED'
  })
  await expect(adapter.cancel(call)).rejects.toMatchObject({ name: 'GatewayUnavailable', isNothingCharged: false })
  paypal.calm()
  expect(await adapter.cancel(call)).toEqual({ kind: 'cancelled' })
})

it('takes an order in the way that it was made for, whatever the merchant has chosen since', async () => {
  const { call, order } = await approved()
  const manual = { ...call, config: { ...config, capture: 'manual' } }
  expect(await adapter.confirm({ ...manual, payment: null })).toMatchObject({ kind: 'charged' })
  expect(order.captures).toHaveLength(1)
})

it('fetches one token for all that ask at once, and keeps it until shortly before its end', async () => {
  paypal.endTokens()
  clock.advance(40_000)
  const before = paypal.tokenCount()
  await Promise.all([1, 2, 3, 4].map(() => adapter.charge(request())))
  expect(paypal.tokenCount() - before).toBe(1)
  clock.advance(32_400 - 61)
  await adapter.charge(request())
  expect(paypal.tokenCount() - before).toBe(1)
  clock.advance(2)
  await adapter.charge(request())
  expect(paypal.tokenCount() - before).toBe(2)
})

it('asks again, once and under the same id, with a fresh token where the old one is refused (F37)', async () => {
  const { call } = await approved()
  paypal.endTokens()
  const count = sentTo(/capture$/).length
  expect(await adapter.confirm({ ...again(call), payment: null })).toMatchObject({ kind: 'charged' })
  const [first, second, ...others] = sentTo(/capture$/).slice(count)
  expect(others).toEqual([])
  expect(second?.headers['paypal-request-id']).toBe(first?.headers['paypal-request-id'])
  expect(second?.headers.authorization).not.toBe(first?.headers.authorization)
})

it('keeps the tokens of different accounts and modes apart', async () => {
  await adapter.charge(request())
  await expect(adapter.charge(request({ is_sandbox: false }))).rejects.toMatchObject({ isNothingCharged: true })
})
