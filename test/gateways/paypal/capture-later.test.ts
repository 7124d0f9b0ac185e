// What becomes of a payment by PayPal beyond the usual: pending, of another sum, given back, taken later, without good credentials.

import { expect, it } from 'vitest'
import { type Breaker, openBreaker, ProviderLeftAlone } from '../../../src/gateways/provider/breaker.ts'
import { runOrderJobs } from '../../api/orders/support.ts'
import { CONFIG } from '../doubles/paypal.ts'
import { BEGIN, back, errorOf, openPayPalApp, SETTLE_SECONDS, SHOPPER_SECONDS } from './shop.ts'

const { app, paypal, shop, failures, openPayPalShop, approved, complete } = await openPayPalApp()

it('makes an unpaid order of a payment that PayPal is still looking into', async () => {
  const { token, id, order: book } = await approved()
  book.nextCapture = { status: 'PENDING', reason: 'PENDING_REVIEW' }
  const order = await shop.order(token, back(id))
  expect(order).toMatchObject({ status_payment: 'not_paid' })
  expect(order.transactions).toMatchObject([{ status: 'pending', gateway_transaction_id: book.captures[0]?.id }])
})

it('makes no order of another sum than was asked for', async () => {
  const { token, id, order: book } = await approved()
  book.amount = { currency_code: 'USD', value: '1.00' }
  expect((await shop.capture(token, back(id))).status).toBe(504)
  await complete(SETTLE_SECONDS + 1)
  expect(String(JSON.stringify(failures.at(-1)))).toContain('atmpt_')
  expect((await shop.capture(token, back(id))).status).toBe(504)
  // As a person would mend it.
  const [capture] = book.captures
  if (capture) capture.amount = { currency_code: 'USD', value: '10.00' }
  await complete(60)
  expect(await shop.order(token, back(id))).toMatchObject({ status_payment: 'paid' })
})

it('does not call off what was approved because nobody is sent to PayPal in that moment', async () => {
  const { token, id, order: book } = await approved()
  const breaker = openBreaker()
  let calls = 0
  // It was asked for the payment, and is then left alone for as long as one call takes.
  const run: Breaker['run'] = (name, work) => {
    if (++calls === 2) throw new ProviderLeftAlone(1)
    return breaker.run(name, work)
  }
  await complete(SHOPPER_SECONDS + 1, { ...breaker, run })
  expect([calls, book.captures]).toEqual([2, []])
  await complete(60)
  expect(book.captures).toHaveLength(1)
  expect(await shop.order(token, back(id))).toMatchObject({ status_payment: 'paid' })
})

it('gives money back by the id of the capture, once', async () => {
  const { token, id, order: book } = await approved()
  const order = await shop.order(token, back(id))
  paypal.trouble('after', { on: /\/refund$/ })
  expect((await shop.refund(order)).status).toBe(504)
  await runOrderJobs(app, shop.id)
  expect(await shop.read(order)).toMatchObject({ status_payment: 'refunded' })
  expect(book.refunds).toMatchObject([{ invoice_id: expect.stringMatching(/^rfnd_/), amount: { value: '10.00' } }])
})

it('sets money aside where the merchant takes it by hand: taken, given back, or let go with the order', async () => {
  const own = await openPayPalShop({ capture: 'manual' })
  const first = await approved(own)
  const order = await own.order(first.token, back(first.id))
  expect(order.status_payment).toBe('authorized')
  const [charge] = order.transactions
  const path = `orders/${order.id}/transactions/${charge?.id}`
  const taken = await own.succeed<{ gateway_transaction_id: string }>(
    200,
    'PUT',
    path,
    { status: 'complete' },
    own.secret,
  )
  expect(taken.gateway_transaction_id).toBe(first.order.captures[0]?.id)
  expect(await own.read(order)).toMatchObject({ status_payment: 'paid' })
  expect((await own.refund(order)).status).toBe(200)
  expect(first.order.refunds).toHaveLength(1)
  const second = await approved(own)
  const other = await own.order(second.token, back(second.id))
  await own.succeed(200, 'POST', `orders/${other.id}/cancel`, {}, own.secret)
  await runOrderJobs(app, own.id)
  expect(second.order.authorizations).toMatchObject([{ status: 'VOIDED' }])
})

it('goes on where the gateway was switched off meanwhile, and with the credentials that it has by then', async () => {
  const own = await openPayPalShop()
  const { token, id, order: book } = await approved(own)
  const { data } = await own.succeed<{ data: { id: string; code: string }[] }>(
    200,
    'GET',
    'gateways',
    undefined,
    own.secret,
  )
  const path = `gateways/${data.find(({ code }) => code === 'paypal')?.id}`
  const change = (body: object) => own.succeed(200, 'PUT', path, body, own.secret)
  await change({ enabled: false, config: { client_secret: 'ERevokedByNow' } })
  expect(errorOf(await own.capture(token, back(id))).slice(0, 2)).toEqual([504, 'gateway_timeout'])
  await complete(SETTLE_SECONDS + 1)
  expect(book.captures).toEqual([])
  await change({ config: CONFIG })
  expect(await own.order(token, back(id))).toMatchObject({ status_payment: 'paid' })
  expect(book.captures).toHaveLength(1)
})

it('says that nothing was paid where PayPal does not accept the credentials, and tells the log which gateway it is', async () => {
  const own = await openPayPalShop({ client_secret: 'EWrongSecretOfNobody' })
  expect(errorOf(await own.capture(await own.token(), BEGIN)).slice(0, 2)).toEqual([402, 'gateway_error'])
  const logged = app.logged.join('')
  expect(logged).toContain('PayPal does not accept the credentials of the gateway paypal (sandbox).')
  expect(logged).not.toContain('EWrong')
  expect(logged).not.toContain(CONFIG.client_secret)
  expect(logged).not.toMatch(/A21AA/)
})
