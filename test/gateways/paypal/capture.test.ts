// A whole shop that is paid by PayPal, with the bodies that storefronts send: there and back, twice, cut off, called off.

import { expect, it } from 'vitest'
import { type Breaker, openBreaker, ProviderLeftAlone } from '../../../src/gateways/provider/breaker.ts'
import { onCheckpoint } from '../../../src/lib/checkpoint.ts'
import { digitalBody } from '../../api/checkouts/capture-support.ts'
import { CONFIG } from '../doubles/paypal.ts'
import { back, openPayPalApp, pay, SETTLE_SECONDS, SHOPPER_SECONDS } from './shop.ts'

const { app, paypal, shop, openPayPalShop, begun, approved, complete, completeNow } = await openPayPalApp()

// The first: no other payment is open then.
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

it('sends the shopper to PayPal, and makes one order of the capture after the return (F1, F3, F4)', async () => {
  const { token, redirect, id, order: book } = await begun()
  expect(redirect).toEqual({
    payment_redirect: true,
    gateway: 'paypal',
    payment_id: id,
    paykey: id,
    redirect_url: `https://www.sandbox.paypal.com/checkoutnow?token=${id}`,
  })
  expect(book.amount).toEqual({ currency_code: 'USD', value: '10.00' })
  paypal.approve(id)
  const order = await shop.order(token, back(id))
  expect(order).toMatchObject({ status_payment: 'paid', sandbox: true })
  expect(order.transactions).toMatchObject([
    {
      gateway: 'paypal',
      status: 'complete',
      gateway_transaction_id: book.captures[0]?.id,
      payment_source_type: 'paypal',
    },
  ])
  expect((await shop.order(token, back(id))).id).toBe(order.id)
  expect(book.captures).toHaveLength(1)
})

it.each([['payment_id'], ['paykey'], ['token'], ['payment_id', 'paykey'], ['payment_id', 'paykey', 'token']])(
  'goes on with the payment that is named as %s',
  async (...names) => {
    const { token, id } = await approved()
    const named = Object.fromEntries(names.map((name) => [name, id]))
    expect(await shop.order(token, pay({ action: 'capture', ...named }))).toMatchObject({ status_payment: 'paid' })
  },
)

it('refuses a capture that names two payments under the names of one, and the right one still pays', async () => {
  const { token, id, order: book } = await approved()
  const other = await begun()
  for (const [named, path] of [
    [{ payment_id: id, paykey: other.id }, 'paykey'],
    [{ payment_id: other.id, paykey: id }, 'paykey'],
    [{ paykey: id, token: other.id }, 'token'],
  ] as const)
    expect(await shop.errors(token, pay({ action: 'capture', ...named }))).toMatchObject({
      [`payment.paypal.${path}`]: [expect.stringMatching(/must be the same as payment\.paypal\.\w+, or left out\.$/)],
    })
  // The same of a payment that is begun.
  const begins = pay({ action: 'authorize', payment_id: 'PAY1', paykey: 'PAY2' })
  expect(Object.keys(await shop.errors(await shop.token(), begins))).toEqual(['payment.paypal.paykey'])
  expect(book.captures).toEqual([])
  expect(await shop.order(token, back(id))).toMatchObject({ status_payment: 'paid' })
})

it('finishes the payment on the page that the shopper comes back to (F4)', async () => {
  const { token, page, id, order: book } = await approved()
  const answer = await app.call('GET', `${page}&token=${id}&PayerID=QYR5Z8XDVJNXQ`)
  expect([answer.status, answer.text]).toEqual([200, expect.stringContaining('Thank you for your order')])
  expect(answer.text).toContain('$10.00')
  expect(book.captures).toHaveLength(1)
  expect((await app.call('GET', page)).text).toContain('Thank you for your order')
  expect(await shop.order(token, back(id))).toMatchObject({ status_payment: 'paid' })
  expect(book.captures).toHaveLength(1)
})

it('soon makes the order of what the page has taken, though the process dies before it is written down', async () => {
  const { token, page, id, order: book } = await approved()
  onCheckpoint((name) => {
    if (name === 'capture.confirmed') throw new Error('gone')
  })
  expect((await app.call('GET', page)).text).toContain('Your payment is being checked')
  onCheckpoint(null)
  await complete(SETTLE_SECONDS + 1)
  expect((await shop.call('GET', `checkouts/${token.id}/receipt`)).status).toBe(200)
  expect(await shop.order(token, back(id))).toMatchObject({ status_payment: 'paid' })
  expect(book.captures).toHaveLength(1)
})

it('shows a shopper who has not approved it the way to PayPal again (F5)', async () => {
  const { token, page, id, redirect } = await begun()
  const answer = await app.call('GET', page)
  expect(answer.text).toContain('Not paid yet')
  expect(answer.text).toContain(`href="${redirect.redirect_url}"`)
  expect(await shop.capture(token, back(id))).toMatchObject({ status: 200, body: redirect })
})

it('tells on the page that a payment was declined, is still looked into, or cannot be asked about now', async () => {
  const declined = await approved()
  declined.order.issues.push('PAYER_CANNOT_PAY')
  expect((await app.call('GET', declined.page)).text).toMatch(
    /PayPal has declined the payment.*You have not been charged/s,
  )
  const pending = await approved()
  pending.order.nextCapture = { status: 'PENDING', reason: 'PENDING_REVIEW' }
  expect((await app.call('GET', pending.page)).text).toContain('Your payment is being checked. You need not pay again')
  const silent = await approved()
  paypal.trouble('before', { on: /^GET/ })
  const page = await app.call('GET', silent.page)
  expect(page.text).toContain('Your payment is being checked')
  expect(page.text).toContain('<meta http-equiv="refresh" content="3">')
  expect((await app.call('GET', silent.page)).text).toContain('Thank you for your order')
  expect(silent.order.captures).toHaveLength(1)
})

it('shows nobody the payment of another checkout', async () => {
  const [mine, other] = [await begun(), await begun()]
  const mixed = mine.page.replace(/payment=.*/, `payment=${other.order.custom_id}`)
  for (const page of [mixed, mine.page.replace(/\?.*/, ''), mine.page.replace(/payment=.*/, 'payment=x')])
    expect((await app.call('GET', page)).status).toBe(404)
})

it('sends the shopper to the page of the storefront where the merchant has named one', async () => {
  const own = await openPayPalShop({ return_url: 'https://store.example/checkout/paypal' })
  await begun(own)
  const sent = JSON.parse(paypal.requests.filter(({ path }) => path === '/v2/checkout/orders').at(-1)?.text ?? '')
  expect(sent.payment_source.paypal.experience_context).toMatchObject({
    return_url: 'https://store.example/checkout/paypal',
    cancel_url: 'https://store.example/checkout/paypal',
  })
})

it('sends the shopper to PayPal again for another way to pay, and takes what is chosen then (F34)', async () => {
  const { token, id, order: book } = await approved()
  book.issues.push('INSTRUMENT_DECLINED')
  expect((await shop.capture(token, back(id))).body).toMatchObject({ payment_redirect: true, paykey: id })
  paypal.approve(id)
  app.clock.advance(20)
  expect(await shop.order(token, back(id))).toMatchObject({ status_payment: 'paid' })
  expect(book.captures).toHaveLength(1)
})

it('does not try for ever to take what cannot be taken, and gives everything back when the time is over', async () => {
  const own = await openPayPalShop()
  const { token, id, order: book, page } = await approved(own)
  book.issues.push(...Array(5).fill('INSTRUMENT_DECLINED'))
  await own.capture(token, back(id))
  expect(await own.available()).toBe(9)
  // So late that PayPal does not take it for the request before.
  await complete(SETTLE_SECONDS + 20)
  await complete(60)
  await complete(60)
  // Once by the capture, once by the completer, which then leaves it until the end.
  expect(book.issues).toHaveLength(3)
  await complete(SHOPPER_SECONDS)
  expect(await own.available()).toBe(10)
  expect((await app.call('GET', page)).text).toMatch(/you have not been charged/i)
  expect(book.captures).toEqual([])
})

it('takes once what is captured several times at once, and seen by the page and the completer beside (F9, F33)', async () => {
  const { token, id, page, order: book } = await approved()
  app.clock.advance(SHOPPER_SECONDS - 5)
  const answers = await Promise.all([
    shop.capture(token, back(id)),
    shop.capture(token, back(id)),
    app.call('GET', page),
    completeNow(),
    shop.capture(token, back(id)),
  ])
  expect(book.captures).toHaveLength(1)
  for (const answer of answers) if (typeof answer === 'object') expect([200, 409, 504]).toContain(answer.status)
  expect(await shop.order(token, back(id))).toMatchObject({ status_payment: 'paid' })
})

it('takes what was approved by a shopper who never comes back (F21, F32)', async () => {
  const own = await openPayPalShop()
  const { token, id, order: book } = await approved(own)
  await complete(SHOPPER_SECONDS + 1)
  expect(book.captures).toHaveLength(1)
  expect(await own.order(token, back(id))).toMatchObject({ status_payment: 'paid' })
})

it('calls off at PayPal what the shopper has approved and then pays in another way', async () => {
  const own = await openPayPalShop()
  const { token, id, order: book } = await approved(own)
  expect(await own.order(token, digitalBody())).toMatchObject({ transactions: [{ gateway: 'test_gateway' }] })
  expect(() => paypal.books.complete(id, 'CAPTURE')).toThrow('ACTION_DOES_NOT_MATCH_INTENT')
  expect(book.captures).toEqual([])
})

it('gives up what nobody has approved in time, and says so to who comes too late (F6)', async () => {
  const own = await openPayPalShop()
  const { token, id, page } = await begun(own)
  await complete(SHOPPER_SECONDS + 1)
  expect(await own.available()).toBe(10)
  paypal.approve(id)
  expect((await app.call('GET', page)).text).toMatch(/you have not been charged/i)
  expect(Object.keys(await own.errors(token, back(id)))).toEqual(['payment.paypal.payment_id'])
  expect(paypal.books.orderOf(id).captures).toEqual([])
})

it('believes that PayPal knows no such payment after the secret was replaced, but not after the application was', async () => {
  const own = await openPayPalShop()
  const left = async (...changes: object[]) => {
    const { id } = await begun(own)
    for (const change of changes) await own.change(change)
    paypal.books.orders.delete(id)
    const available = await own.available()
    await complete(SHOPPER_SECONDS + 1)
    return (await own.available()) - available
  }
  expect(await left({ client_secret: CONFIG.client_secret })).toBe(1)
  // It may be paid at the account of the other.
  expect(await left({ client_id: 'AOfAnotherAccount' }, CONFIG)).toBe(0)
})

it('goes on with no payment of another checkout (F8)', async () => {
  const [mine, other] = [await begun(), await approved()]
  expect(Object.keys(await shop.errors(mine.token, back(other.id)))).toEqual(['payment.paypal.payment_id'])
  expect(other.order.captures).toEqual([])
  // Neither has that ended the one that waits.
  paypal.approve(mine.id)
  expect(await shop.order(mine.token, back(mine.id))).toMatchObject({ status_payment: 'paid' })
})

it('makes an unpaid order of a payment that PayPal is still looking into (F35)', async () => {
  const { token, id, order: book } = await approved()
  book.nextCapture = { status: 'PENDING', reason: 'PENDING_REVIEW' }
  const order = await shop.order(token, back(id))
  expect(order).toMatchObject({ status_payment: 'not_paid' })
  expect(order.transactions).toMatchObject([{ status: 'pending', gateway_transaction_id: book.captures[0]?.id }])
})
