// @sampled: `npm test` approves at PayPal; the proof also fails, cancels and closes tabs, in every way.
// C9 with the providers that shoppers are sent to: PayPal and Mollie, whose pages are stand-ins under their own host names, through our real adapters.
// Each time as much is charged as was shown, once; whoever does not pay there is told so, and is offered the other ways.

import type { Page } from 'playwright-core'
import { describe, expect } from 'vitest'
import { openMollie } from '../../../gateways/doubles/mollie.ts'
import { openPayPal } from '../../../gateways/doubles/paypal.ts'
import { isBrowserSkipped } from '../../../support/browser.ts'
import { press } from './hands.ts'
import { CONTACT, choose, EMAIL, fillIn, pay, payByCard, receipt, textOf } from './shopper.ts'
import { openJourneys } from './support.ts'
import { EVERY_WAY, type Way } from './ways.ts'

const { doubles, complete, openShop, visit } = await openJourneys({ paypal: openPayPal, mollie: openMollie })
const { paypal, mollie } = doubles
const shop = await openShop(['paypal', 'mollie'])

const FORM = /\/pay\/chkt_\w+(\?|$)/

type Code = 'paypal' | 'mollie'
const HOSTS = { paypal: /^https:\/\/www\.sandbox\.paypal\.com\//, mollie: /^https:\/\/www\.mollie\.com\// }

/** A shopper who has filled in the form, and is on the provider's page. */
async function leaveFor(code: Code, way: Way) {
  const link = await shop.link()
  const page = await visit(link, way)
  await fillIn(page, CONTACT)
  await choose(page, code)
  await pay(page)
  await page.waitForURL(HOSTS[code])
  return { page, link }
}

/** Of the payment, as the address of the provider's page names it. */
const idIn = (page: Page) => {
  const { searchParams, pathname } = new URL(page.url())
  return searchParams.get('token') ?? `tr_${pathname.split('/').at(-1)}`
}

const decide = (page: Page, name: string) => press(page.getByRole('link', { name }))
const isPaidAtMollie = () => mollie.payments.filter(({ status }) => status === 'paid')

/** Decisions that pay nothing, and what the form says then. PayPal declines the last one. */
const UNPAID = [
  ['mollie', 'Failed', /The payment has failed\. Try again, or pay in another way\./],
  ['mollie', 'Cancel', /The payment was cancelled, and nothing was paid\./],
  ['paypal', 'Cancel and return', /not go through, and you have not been charged/],
  ['paypal', 'Complete purchase', /declined|did not go through/],
] as const

/** What was made since, in the words of whoever looks at the books afterwards. */
async function booksSince() {
  const before = {
    orders: (await shop.orders()).length,
    paypal: paypal.taken().length,
    mollie: isPaidAtMollie().length,
  }
  return async () => ({
    orders: (await shop.orders()).length - before.orders,
    paypal: paypal.taken().length - before.paypal,
    mollie: isPaidAtMollie().length - before.mollie,
  })
}

describe.skipIf(isBrowserSkipped).each(EVERY_WAY.ways)('%s', (_, way) => {
  const { journey, further } = EVERY_WAY.journeysIn(way)

  journey('C9: who approves at PayPal comes back to the receipt of what PayPal has taken', async () => {
    const books = await booksSince()
    const { page } = await leaveFor('paypal', way)
    await decide(page, 'Complete purchase')
    await receipt(page)
    const [order] = await shop.orders()
    const taken = paypal.taken().at(-1)
    expect([order?.status_payment, order?.transactions[0]?.gateway_transaction_id, taken?.amount]).toEqual([
      'paid',
      taken?.id,
      { currency_code: 'USD', value: '10.00' },
    ])
    expect(await books()).toEqual({ orders: 1, paypal: 1, mollie: 0 })
  })

  further('C9: who does not pay there has not been charged, reads why, and pays otherwise', async () => {
    for (const [code, decision, said] of UNPAID) {
      const books = await booksSince()
      const { page } = await leaveFor(code, way)
      if (decision === 'Complete purchase') paypal.books.orderOf(idIn(page)).issues.push('PAYER_CANNOT_PAY')
      await decide(page, decision)
      await page.waitForURL(FORM)
      expect(await textOf(page)).toMatch(said)
      expect(await page.getByLabel('E-mail').inputValue()).toBe(EMAIL)
      expect(await page.locator('input[name="payment[gateway]"]').count()).toBe(3)
      await payByCard(page)
      expect(await books()).toEqual({ orders: 1, paypal: 0, mollie: 0 })
    }
  })

  further('C9: who pays there and closes the tab has an order, to which the link of the cart leads', async () => {
    const books = await booksSince()
    for (const code of ['paypal', 'mollie'] as const) {
      const { page, link } = await leaveFor(code, way)
      if (code === 'paypal') paypal.approve(idIn(page))
      else mollie.become(idIn(page), 'paid')
      const later = await page.context().newPage()
      await page.close()
      // No message of the provider's comes: when the time to pay is over, it is asked.
      await complete(16 * 60)
      await later.goto(link)
      await receipt(later)
      // In another browser the e-mail address of the order is asked for.
      const again = await visit(link, way)
      for (const email of ['else@example.com', EMAIL]) {
        expect(await textOf(again)).toContain('This cart has been ordered')
        await fillIn(again, { email })
        await press(again.getByRole('button', { name: 'Show the receipt' }))
      }
      await receipt(again)
    }
    expect(await books()).toEqual({ orders: 2, paypal: 1, mollie: 1 })
  })
})
