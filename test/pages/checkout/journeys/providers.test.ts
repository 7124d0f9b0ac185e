// C8 and C16: paying by the scripts of Stripe, Square and Razorpay, through our real adapters, on a phone and on a desk.

import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { isBrowserSkipped } from '../../../support/browser.ts'
import {
  axeFindings,
  fillInAddress,
  fillInContact,
  openJourneys,
  openSummary,
  PATIENT,
  pay,
  receipt,
  WIDTHS,
} from './support.ts'

const { stripe, square, razorpay, openShop, openPage, hosts } = await openJourneys()

const stripeShop = await openShop(['stripe'])
const squareShop = await openShop(['square'])
const razorpayShop = await openShop(['razorpay'])

const cardOf = (page: Page, code: string) => page.frameLocator(`[data-way=${code}] iframe`).getByLabel('Card number')
const choose = (page: Page, name: string) => page.getByLabel(name, { exact: true }).check()
const bank = (page: Page, title: string) => page.frameLocator(`iframe[title="${title}"]`)
const problemAt = (page: Page, code: string) => page.locator(`[data-way=${code}] [data-problem]`)

async function open(shop: typeof stripeShop, name: string, width: number = 1280) {
  const page = await openPage({ width })
  const address = await shop.address()
  await page.goto(address)
  await fillInContact(page)
  await choose(page, name)
  return page
}

describe.skipIf(isBrowserSkipped).each(WIDTHS)('at %i px', (width) => {
  it("C16: Stripe's Payment Element pays, and only what it was paid with leaves the page", async () => {
    const before = await stripeShop.sold()
    const page = await open(stripeShop, 'Stripe', width)
    await cardOf(page, 'stripe').fill('4242 4242 4242 4242')
    expect(await axeFindings(page)).toEqual([])
    await pay(page)
    await receipt(page)
    const [order] = await stripeShop.orders()
    const intent = stripe.paid().at(-1)
    expect([order?.status_payment, order?.transactions[0]?.gateway_transaction_id]).toEqual(['paid', intent?.id])
    expect([intent?.amount, (await stripeShop.sold()) - before]).toEqual([1_000, 1])
  })

  it('C8: the bank wants to see the shopper, who passes', async () => {
    const page = await open(stripeShop, 'Stripe', width)
    await cardOf(page, 'stripe').fill('4000 0000 0000 3220')
    await pay(page)
    await bank(page, 'Stripe challenge frame').getByRole('button', { name: 'Complete' }).click()
    await receipt(page)
    expect((await stripeShop.orders())[0]?.status_payment).toBe('paid')
  })

  it('C8: the shopper fails before the bank, and pays with another card', async () => {
    const [before, paid] = [await stripeShop.sold(), stripe.paid().length]
    const page = await open(stripeShop, 'Stripe', width)
    await cardOf(page, 'stripe').fill('4000 0000 0000 3220')
    await pay(page)
    await bank(page, 'Stripe challenge frame').getByRole('button', { name: 'Fail' }).click()
    await expect
      .poll(() => page.getByRole('alert').allTextContents(), PATIENT)
      .toContainEqual(expect.stringMatching(/\w/))
    expect(await page.getByLabel('E-mail').inputValue()).toBe('ada@example.com')
    expect(stripe.paid().length).toBe(paid)
    await cardOf(page, 'stripe').fill('4242 4242 4242 4242')
    await pay(page)
    await receipt(page)
    expect([stripe.paid().length - paid, (await stripeShop.sold()) - before]).toEqual([1, 1])
  })

  it('C16: Square takes a card, and one that its bank wants to see', async () => {
    const page = await open(squareShop, 'Square', width)
    await cardOf(page, 'square').fill('4800 0000 0000 0004')
    await pay(page)
    await bank(page, 'Bank').getByRole('button', { name: 'Fail' }).click()
    await expect
      .poll(() => problemAt(page, 'square').textContent(), PATIENT)
      .toBe('The bank has not confirmed the card.')
    await pay(page)
    await bank(page, 'Bank').getByRole('button', { name: 'Complete' }).click()
    await receipt(page)
    const [order] = await squareShop.orders()
    const payment = square.payments.get(order?.transactions[0]?.gateway_transaction_id ?? '')
    expect([order?.status_payment, payment?.status, payment?.total_money]).toEqual([
      'paid',
      'COMPLETED',
      { amount: 1_000, currency: 'USD' },
    ])
  })

  it('C16: Razorpay opens its window for an order of ours; closed, it opens again', async () => {
    const page = await open(razorpayShop, 'Razorpay', width)
    await pay(page)
    const shown = bank(page, 'Razorpay')
    await shown.getByRole('button', { name: 'Pay with a bad card' }).click()
    await shown.getByRole('button', { name: 'Close' }).click()
    await expect.poll(() => problemAt(page, 'razorpay').textContent(), PATIENT).not.toBe('')
    const made = razorpay.orders.size
    await pay(page)
    await shown.getByRole('button', { name: 'Pay now' }).click()
    await receipt(page)
    expect(razorpay.orders.size).toBe(made)
    const [order] = await razorpayShop.orders()
    const payment = razorpay.payments.get(order?.transactions[0]?.gateway_transaction_id ?? '')
    expect([order?.status_payment, payment?.status, payment?.amount]).toEqual(['paid', 'captured', 1_000])
  })
})

describe.skipIf(isBrowserSkipped)("a provider's script", () => {
  it('is told of a decline by our page, which keeps what was typed and the frame of the card', async () => {
    const page = await open(stripeShop, 'Stripe')
    await cardOf(page, 'stripe').fill('4000 0000 0000 0002')
    await pay(page)
    await page
      .getByText(/declined/i)
      .first()
      .waitFor()
    expect(await page.getByLabel('E-mail').inputValue()).toBe('ada@example.com')
    expect(await axeFindings(page)).toEqual([])
    await cardOf(page, 'stripe').fill('4242 4242 4242 4242')
    await pay(page)
    await receipt(page)
  })

  it('says at its panel what is wrong with a card, and asks us for nothing', async () => {
    const page = await open(squareShop, 'Square')
    const asked = square.requests.length
    await pay(page)
    await expect.poll(() => problemAt(page, 'square').textContent(), PATIENT).toBe('Card number is not valid')
    expect(square.requests.length).toBe(asked)
    await cardOf(page, 'square').fill('4000 0000 0000 0002')
    await pay(page)
    await page
      .getByText(/declined/i)
      .first()
      .waitFor()
  })

  it('that does not load is said, and another way can be chosen; without scripts it is said too', async () => {
    const page = await openPage()
    hosts()?.down.add('js.stripe.com')
    await page.goto(await stripeShop.address())
    await choose(page, 'Stripe')
    await expect.poll(() => problemAt(page, 'stripe').textContent(), PATIENT).not.toBe('')
    await page.getByLabel('Test Gateway').check()
    const plain = await openPage({ hasScripts: false })
    await plain.goto(await stripeShop.address())
    await choose(plain, 'Stripe')
    await plain.getByText(/To pay with Stripe, scripting must be on/).waitFor()
  })

  it('follows the total, and is given the address that stands in the form', async () => {
    const shop = await openShop(['stripe'], { isShipped: true })
    const page = await open(shop, 'Stripe')
    await fillInAddress(page)
    await openSummary(page)
    await page.getByLabel(/^Quantity/).fill('3')
    const due = async () => Number(await page.locator('[data-charge]').getAttribute('data-minor'))
    await expect.poll(due, PATIENT).toBeGreaterThanOrEqual(3_000)
    await expect.poll(() => page.evaluate('standIn.amount'), PATIENT).toBe(await due())
    const sum = await due()
    await cardOf(page, 'stripe').fill('4242 4242 4242 4242')
    await pay(page)
    await receipt(page)
    expect(stripe.paid().at(-1)?.amount).toBe(sum)
  })
})
