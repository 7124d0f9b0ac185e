// Captures by PayPal beyond ../every-provider/capture: names of payments, the page to which shoppers come back, and payments that PayPal forgets.

import { expect, it } from 'vitest'
import { type Breaker, openBreaker, ProviderPaused } from '../../../src/gateways/provider/breaker.ts'
import { digitalBody } from '../../api/checkouts/capture-support.ts'
import { CONFIG, openPayPal } from '../doubles/paypal.ts'
import { openProviderApp, openProviderShop } from '../provider-shop.ts'

const SETTLE_SECONDS = 9
const SHOPPER_SECONDS = 15 * 60

const pay = (fields: Record<string, unknown>) => digitalBody({ payment: { gateway: 'paypal', paypal: fields } })
const back = (id: string) => pay({ action: 'capture', payment_id: id, payer_id: 'QYR5Z8XDVJNXQ' })

const { app, double: paypal, complete } = await openProviderApp(openPayPal, { settleSeconds: SETTLE_SECONDS })
const openPayPalShop = (available = 10) => openProviderShop(app, { code: 'paypal', config: CONFIG, available })
const shop = await openPayPalShop(1_000)

/** The first capture: the shopper is sent to PayPal. */
async function begun(own = shop) {
  const token = await own.token()
  const { paykey: id } = (await own.capture(token, pay({ action: 'authorize' }))).body as { paykey: string }
  const order = paypal.books.orderOf(id)
  return { token, id, order, page: `/checkout/${own.id}/pay/${token.id}/back?payment=${order.custom_id}` }
}

async function approved(own?: typeof shop) {
  const charge = await begun(own)
  paypal.approve(charge.id)
  return charge
}

// The first: no other payment is open then.
it('does not call off what was approved because nobody is sent to PayPal in that moment', async () => {
  const { token, id, order: book } = await approved()
  const breaker = openBreaker()
  let calls = 0
  // It was asked for the payment, and is then left alone for as long as one call takes.
  const run: Breaker['run'] = (name, work) => {
    if (++calls === 2) throw new ProviderPaused(1)
    return breaker.run(name, work)
  }
  await complete(SHOPPER_SECONDS + 1, { ...breaker, run })
  expect([calls, book.captures]).toEqual([2, []])
  await complete(60)
  expect(book.captures).toHaveLength(1)
  expect(await shop.order(token, back(id))).toMatchObject({ status_payment: 'paid' })
})

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
  const named = { payment_id: id, paykey: id, token: id }
  expect(await shop.order(token, pay({ action: 'capture', ...named }))).toMatchObject({ status_payment: 'paid' })
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

it('shows nobody the payment of another checkout (F8)', async () => {
  const [mine, other] = [await begun(), await begun()]
  const mixed = mine.page.replace(/payment=.*/, `payment=${other.order.custom_id}`)
  for (const page of [mixed, mine.page.replace(/\?.*/, ''), mine.page.replace(/payment=.*/, 'payment=x')])
    expect((await app.call('GET', page)).status).toBe(404)
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
