// @sampled: `npm test` pays once by each script; the proof in every way, with banks that ask and cards that are declined.
// C8 and C16: paying by the scripts of Stripe, Square and Razorpay, through our real adapters, on a phone and on a desk.

import type { Page } from 'playwright-core'
import { describe, expect } from 'vitest'
import { openRazorpay } from '../../../gateways/doubles/razorpay.ts'
import { openSquare } from '../../../gateways/doubles/square.ts'
import { openStripe } from '../../../gateways/doubles/stripe.ts'
import { isBrowserSkipped, proof } from '../../../support/browser.ts'
import { fill, press } from './hands.ts'
import {
  CONTACT,
  choose,
  DECLINED,
  EMAIL,
  faultsOf,
  fillIn,
  IS_VERIFIED,
  PAYS,
  pay,
  payByCard,
  receipt,
  says,
  textOf,
} from './shopper.ts'
import { openJourneys } from './support.ts'
import { type Way, WITH_SCRIPTS } from './ways.ts'

const { app, doubles, openShop, visit } = await openJourneys({
  stripe: openStripe,
  square: openSquare,
  razorpay: openRazorpay,
})
const { stripe, square, razorpay } = doubles

const stripeShop = await openShop(['stripe'])
const squareShop = await openShop(['square'])
const razorpayShop = await openShop(['razorpay'])

const cardOf = (page: Page, code: string) => page.frameLocator(`[data-way=${code}] iframe`).getByLabel('Card number')
const bank = (page: Page, title: string) => page.frameLocator(`iframe[title="${title}"]`)
const problemAt = (page: Page, code: string) => page.locator(`[data-way=${code}] [data-problem]`)

async function open(shop: typeof stripeShop, code: string, way: Partial<Way> = {}) {
  const page = await visit(await shop.link(), way)
  await fillIn(page, CONTACT)
  await choose(page, code)
  return page
}

describe.skipIf(isBrowserSkipped).each(WITH_SCRIPTS.ways)('%s', (_, way) => {
  const { journey, further } = WITH_SCRIPTS.journeysIn(way)

  journey("C16: Stripe's Payment Element pays, and only what it was paid with leaves the page", async () => {
    const before = await stripeShop.sold()
    const page = await open(stripeShop, 'stripe', way)
    await fill(cardOf(page, 'stripe'), PAYS)
    expect(await faultsOf(page, 'Stripe')).toEqual([])
    await pay(page)
    await receipt(page)
    const [order] = await stripeShop.orders()
    const intent = stripe.paid().at(-1)
    expect([order?.status_payment, order?.transactions[0]?.gateway_transaction_id]).toEqual(['paid', intent?.id])
    expect([intent?.amount, (await stripeShop.sold()) - before]).toEqual([1_000, 1])
  })

  further('C8: the shopper fails before the bank, and passes the second time', async () => {
    const [before, paid] = [await stripeShop.sold(), stripe.paid().length]
    const page = await open(stripeShop, 'stripe', way)
    await fill(cardOf(page, 'stripe'), IS_VERIFIED)
    await pay(page)
    await press(bank(page, 'Stripe challenge frame').getByRole('button', { name: 'Fail' }))
    await expect.poll(() => page.getByRole('alert').allTextContents()).toContainEqual(expect.stringMatching(/\w/))
    expect(await page.getByLabel('E-mail').inputValue()).toBe(EMAIL)
    expect(stripe.paid().length).toBe(paid)
    await fill(cardOf(page, 'stripe'), IS_VERIFIED)
    await pay(page)
    await press(bank(page, 'Stripe challenge frame').getByRole('button', { name: 'Complete' }))
    await receipt(page)
    expect([stripe.paid().length - paid, (await stripeShop.sold()) - before]).toEqual([1, 1])
  })

  journey('C16: Square takes a card, and one that its bank wants to see', async () => {
    const page = await open(squareShop, 'square', way)
    await fill(cardOf(page, 'square'), '4800 0000 0000 0004')
    await pay(page)
    await press(bank(page, 'Bank').getByRole('button', { name: 'Fail' }))
    await expect.poll(() => problemAt(page, 'square').textContent()).toBe('The bank has not confirmed the card.')
    await pay(page)
    await press(bank(page, 'Bank').getByRole('button', { name: 'Complete' }))
    await receipt(page)
    const [order] = await squareShop.orders()
    const payment = square.payments.get(order?.transactions[0]?.gateway_transaction_id ?? '')
    expect([order?.status_payment, payment?.status, payment?.total_money]).toEqual([
      'paid',
      'COMPLETED',
      { amount: 1_000, currency: 'USD' },
    ])
  })

  journey('C16: Razorpay opens its window for an order of ours; closed, it opens again', async () => {
    const page = await open(razorpayShop, 'razorpay', way)
    await pay(page)
    const shown = bank(page, 'Razorpay')
    await press(shown.getByRole('button', { name: 'Pay with a bad card' }))
    await press(shown.getByRole('button', { name: 'Close' }))
    // Of the bad card it was told before.
    await expect
      .poll(() => problemAt(page, 'razorpay').textContent())
      .toBe('You closed the payment window. You have not been charged.')
    const made = razorpay.orders.size
    await pay(page)
    await press(shown.getByRole('button', { name: 'Pay now' }))
    await receipt(page)
    expect(razorpay.orders.size).toBe(made)
    const [order] = await razorpayShop.orders()
    const payment = razorpay.payments.get(order?.transactions[0]?.gateway_transaction_id ?? '')
    expect([order?.status_payment, payment?.status, payment?.amount]).toEqual(['paid', 'captured', 1_000])
  })
})

describe.skipIf(isBrowserSkipped)("a provider's script", () => {
  proof('says at its panel what is wrong with a card, and asks us for nothing', async () => {
    const page = await open(squareShop, 'square')
    const asked = square.requests.length
    await pay(page)
    await expect.poll(() => problemAt(page, 'square').textContent()).toBe('Card number is not valid')
    expect(square.requests.length).toBe(asked)
    await fill(cardOf(page, 'square'), DECLINED)
    await pay(page)
    await page
      .getByText(/declined/i)
      .first()
      .waitFor()
  })

  proof('of a provider that is down is said to be, and another way pays, once', async () => {
    const [orders, payments] = [(await squareShop.orders()).length, square.payments.size]
    const page = await open(squareShop, 'square')
    await fill(cardOf(page, 'square'), '4111 1111 1111 1111')
    await square.goDown()
    try {
      await pay(page)
      await says(page, /This way to pay does not work|not been charged/)
      expect(await page.getByLabel('E-mail').inputValue()).toBe(EMAIL)
      expect(await faultsOf(page, 'provider is down')).toEqual([])
      await payByCard(page)
    } finally {
      await square.comeBack()
    }
    expect([(await squareShop.orders()).length - orders, square.payments.size - payments]).toEqual([1, 0])
  })

  proof('C13: who has waited for a minute need not stay, and whoever does gets the receipt of one charge', async () => {
    const [orders, payments] = [(await squareShop.orders()).length, square.payments.size]
    const page = await open(squareShop, 'square')
    await fill(cardOf(page, 'square'), '4111 1111 1111 1111')
    // It has taken the money, and nobody hears of it.
    square.trouble('after', { on: /\/v2\/payments/, times: 1_000 })
    await pay(page)
    await page.waitForURL(/\/wait(\?|$)/)
    await page.getByRole('heading', { name: 'Your payment is being checked' }).waitFor()
    app.clock.advance(61)
    await page.getByRole('heading', { name: 'Still being checked' }).waitFor()
    expect(await textOf(page)).toMatch(/need not wait: you get an e-mail.*charged at most once/)
    expect(await faultsOf(page, 'still waiting')).toEqual([])
    // Opening the checkout again asks for no second payment.
    await page.goto(page.url().replace(/\/wait.*/, ''))
    await page.waitForURL(/\/wait(\?|$)/)
    square.calm()
    app.clock.advance(61)
    await press(page.getByRole('link', { name: 'Look again' }))
    await receipt(page)
    expect([(await squareShop.orders()).length - orders, square.payments.size - payments]).toEqual([1, 1])
  })
})
