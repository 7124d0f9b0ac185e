// C1 to C7, C9 to C15: a shopper buys on the hosted pages, with and without scripting. A journey acts through the page; the API sets up and verifies.

import type { Page } from 'playwright-core'
import { describe, expect } from 'vitest'
import type { Order } from '../../../../src/api/orders/schema.ts'
import { statement } from '../../../../src/db/db.ts'
import { LANGUAGES } from '../../../../src/pages/checkout/model.ts'
import { digital, openCaptureShop } from '../../../api/checkouts/capture-support.ts'
import { listen } from '../../../http/harness.ts'
import { testApp } from '../../../support/app.ts'
import { isBrowserSkipped } from '../../../support/browser.ts'
import { check, leave, press } from './hands.ts'
import {
  ADDRESSES,
  CHARGES_SILENTLY,
  CONTACT,
  DECLINED,
  faultsOf,
  fillIn,
  fillInCard,
  openShoppers,
  PAYS,
  shownTotal,
  update,
} from './shopper.ts'
import { PATIENT, pay, receipt } from './support.ts'
import { EVERY_WAY } from './ways.ts'

// A gateway that does not answer is given up after two seconds.
const app = await testApp({ captureSettleSeconds: 3 })
const origin = `http://127.0.0.1:${await listen(app)}`
const { visit } = await openShoppers(origin)

async function openShop() {
  const shop = await openCaptureShop(app)
  const { secret } = shop.keys.sandbox
  await shop.succeed(201, 'POST', 'gateways', { code: 'test_redirect', config: {} }, secret)
  return {
    ...shop,
    secret,
    cartLink: async (...lines: Parameters<typeof shop.cart>[0]) => {
      const { id } = await shop.cart(lines)
      return `/checkout/${shop.id}/cart/${id}`
    },
    orders: async () => (await shop.succeed<{ data: Order[] }>(200, 'GET', 'orders', undefined, secret)).data,
  }
}

const closeShop = statement(
  'test.close_shop',
  'update merchants set is_disabled = true where merchant_id = :merchant_id',
)

const textOf = async (page: Page) => (await page.locator('main').textContent()) ?? ''

describe.skipIf(isBrowserSkipped).each(EVERY_WAY.ways)('%s', (_, way) => {
  const { journey } = EVERY_WAY.journeysIn(way)

  journey('C1: a cart becomes an order, and what was shown is what was charged', async () => {
    const shop = await openShop()
    const { id } = await shop.product({ name: 'Walnut stool', price: 40 })
    const page = await visit(await shop.cartLink({ id, quantity: 2 }), way)
    expect(await faultsOf(page, 'empty')).toEqual([])
    await fillIn(page, { ...CONTACT, 'shipping[country]': 'US' })
    await update(page, way, 85)
    await fillIn(page, ADDRESSES.US)
    await fillInCard(page, PAYS)
    expect(await faultsOf(page, 'filled in')).toEqual([])
    await pay(page)
    await receipt(page)
    const [order] = await shop.orders()
    expect([order?.order.total.raw, order?.status_payment]).toEqual([85, 'paid'])
    expect(await textOf(page)).toContain(order?.customer_reference)
    expect(await textOf(page)).toContain('$85.00')
    expect(await faultsOf(page, 'receipt')).toEqual([])
  })

  journey('C2: a file is bought without an address, and downloaded from the receipt', async () => {
    const shop = await openShop()
    const contents = Buffer.from('%PDF-1.4\n%plan').toString('base64')
    const asset = await shop.succeed<{ id: string }>(
      201,
      'POST',
      'assets',
      { filename: 'plan.pdf', contents, private: true },
      shop.secret,
    )
    const { id } = await shop.product({
      name: 'Plan',
      price: 9,
      delivery: { physical: false, digital: { packages: [{ name: 'Plan', asset: asset.id, is_sample: true }] } },
    })
    const page = await visit(await shop.cartLink({ id }), way)
    expect(await page.locator('[name^="shipping["]').count()).toBe(0)
    await fillIn(page, CONTACT)
    await fillInCard(page, PAYS)
    await pay(page)
    await receipt(page)
    const link = page.locator('main a[href*="/fulfill/"]').first()
    const [download] = await Promise.all([page.waitForEvent('download'), press(link)])
    expect(download.suggestedFilename()).toBe('Plan.pdf')
    expect(await faultsOf(page, 'receipt with files')).toEqual([])
  })

  journey('C3: what costs nothing asks for no way to pay', async () => {
    const shop = await openShop()
    const { id } = await shop.product({ ...digital, price: 0 })
    const page = await visit(await shop.cartLink({ id }), way)
    expect(await page.locator('[name="payment[gateway]"]').count()).toBe(0)
    await fillIn(page, CONTACT)
    await pay(page)
    await receipt(page)
    expect((await shop.orders())[0]?.order.total_due.raw).toBe(0)
  })

  journey('C4: an amount below the least is refused at its field; one above is charged', async () => {
    const shop = await openShop()
    const { id } = await shop.product({ ...digital, price: 5, pay_what_you_want: true })
    const page = await visit(await shop.cartLink({ id }), way)
    await fillIn(page, { ...CONTACT, pay_what_you_want: '2' })
    await fillInCard(page, PAYS)
    await pay(page)
    await expect.poll(() => textOf(page), PATIENT).toContain('Please pay $5.00 or more.')
    expect(await page.locator('[name=pay_what_you_want]').getAttribute('aria-invalid')).toBe('true')
    expect(await faultsOf(page, 'wrong')).toEqual([])
    await fillIn(page, { pay_what_you_want: '12.50' })
    await update(page, way, 12.5)
    await fillInCard(page, PAYS)
    await pay(page)
    await receipt(page)
    expect((await shop.orders())[0]?.order.total.raw).toBe(12.5)
  })

  journey('C5: a code lowers the price, a gift card pays a part, and another all of it', async () => {
    const shop = await openShop()
    await shop.discount({ code: 'TEN', type: 'percentage', value: 10 })
    const some = await shop.giftCard({ code: 'SOME-5', value: 5 })
    const all = await shop.giftCard({ code: 'ALL-500', value: 500 })
    const { id } = await shop.product({ ...digital, price: 20 })
    const page = await visit(await shop.cartLink({ id }), way)
    const type = async (name: string, code: string) => {
      await fillIn(page, { [name]: code })
      if (way.hasScripts) await leave(page.locator(`[name=${name}]`))
    }
    await fillIn(page, CONTACT)
    await press(page.locator('summary', { hasText: 'Discount code or gift card' }))
    await type('discount_code', 'WRONG')
    if (!way.hasScripts) await press(page.getByRole('button', { name: 'Apply Discount code' }))
    await expect.poll(() => textOf(page), PATIENT).toContain('This code cannot be used')
    await type('discount_code', 'ten')
    await update(page, way, 18)
    await type('giftcard_code', some.code)
    await update(page, way, 13)
    expect(await faultsOf(page, 'codes')).toEqual([])
    await type('giftcard_code', all.code)
    await update(page, way, 0)
    expect(await page.locator('[name="payment[gateway]"]').count()).toBe(0)
    await pay(page)
    await receipt(page)
    const [order] = await shop.orders()
    expect([order?.order.total.raw, order?.order.total_due.raw]).toEqual([18, 0])
  })

  journey('C6: each country has the fields of its addresses, its shipping and its tax', async () => {
    const shop = await openShop()
    for (const [country, price] of [
      ['DE', 7],
      ['JP', 9],
      ['GB', 8],
    ] as const)
      await shop.zone({ name: country, countries: [country], methods: [{ description: `To ${country}`, price }] })
    await shop.taxZone({ country: 'DE', rates: [{ type: 'VAT', rate: 0.19 }] })
    const { id } = await shop.product({ price: 10 })
    const page = await visit(await shop.cartLink({ id }), way)
    const totals = { US: 15, DE: 18.9, JP: 19, GB: 18 }
    for (const country of ['DE', 'JP', 'GB', 'US'] as const) {
      await fillIn(page, { 'shipping[country]': country })
      await update(page, way, totals[country])
      await expect
        .poll(
          () => page.locator('[name^="shipping["]').evaluateAll((all) => all.map((each) => each.getAttribute('name'))),
          PATIENT,
        )
        .toEqual(expect.arrayContaining(Object.keys(ADDRESSES[country])))
      const names = await page
        .locator('[name^="shipping["]:visible')
        .evaluateAll((all) => all.map((each) => each.getAttribute('name')))
      const wanted = Object.keys(ADDRESSES[country])
      expect([country, names.filter((name) => wanted.includes(name ?? ''))]).toEqual([country, wanted])
      expect([country, await faultsOf(page, `to ${country}`)]).toEqual([country, []])
    }
    await fillIn(page, { ...CONTACT, ...ADDRESSES.US })
    await fillInCard(page, PAYS)
    await pay(page)
    await receipt(page)
    expect((await shop.orders())[0]?.shipping).toMatchObject({ country: 'US', county_state: expect.any(String) })
  })

  journey('C7: a declined card is told, everything but the card stays, and another card pays', async () => {
    const shop = await openShop()
    const { id } = await shop.product(digital)
    const page = await visit(await shop.cartLink({ id }), way)
    await fillIn(page, CONTACT)
    await fillInCard(page, DECLINED)
    await pay(page)
    await expect.poll(() => textOf(page), PATIENT).toMatch(/declined/i)
    expect(await page.getByLabel('E-mail').inputValue()).toBe('ada@example.com')
    expect(await page.content()).not.toContain('0000 0002')
    expect(await page.getByLabel('Card number').inputValue()).toBe('')
    expect(await faultsOf(page, 'declined')).toEqual([])
    expect(await shop.orders()).toEqual([])
    await fillInCard(page, PAYS)
    await pay(page)
    await receipt(page)
    expect((await shop.orders()).length).toBe(1)
  })

  journey(
    'C9: who is sent elsewhere approves there, or declines and pays otherwise, or closes the tab and comes back',
    async () => {
      const shop = await openShop()
      const { id } = await shop.product(digital)
      const away = async (page: Page) => {
        await fillIn(page, CONTACT)
        await check(page.locator('input[name="payment[gateway]"][value=test_redirect]'))
        await pay(page)
        await page.waitForURL(/\/test-gateway\//, PATIENT)
      }
      const back = (page: Page) => press(page.getByRole('link').first())
      const approving = await visit(await shop.cartLink({ id }), way)
      await away(approving)
      await press(approving.getByRole('button', { name: 'Approve' }))
      await back(approving)
      await receipt(approving)
      expect((await shop.orders()).length).toBe(1)

      const declining = await visit(await shop.cartLink({ id }), way)
      await away(declining)
      await press(declining.getByRole('button', { name: 'Decline' }))
      await back(declining)
      await declining.waitForURL(/\/pay\/chkt_\w+(\?|$)/, PATIENT)
      expect(await textOf(declining)).toMatch(/declined|did not go through/i)
      expect(await declining.getByLabel('E-mail').inputValue()).toBe('ada@example.com')
      expect(await faultsOf(declining, 'back from elsewhere')).toEqual([])
      await fillInCard(declining, PAYS)
      await pay(declining)
      await receipt(declining)
      expect((await shop.orders()).length).toBe(2)

      const link = await shop.cartLink({ id })
      const closing = await visit(link, way)
      await away(closing)
      await closing.close()
      const again = await visit(link, way)
      await fillIn(again, CONTACT)
      await fillInCard(again, PAYS)
      await pay(again)
      await receipt(again)
      expect((await shop.orders()).length).toBe(3)
    },
  )

  journey('C10: what sells out meanwhile is named, nothing is charged, and the rest is bought without it', async () => {
    const shop = await openShop()
    const { id } = await shop.product({ ...digital, name: 'Last vase', inventory: { managed: true, available: 1 } })
    const other = await shop.product({ ...digital, name: 'Plan', price: 7 })
    const page = await visit(await shop.cartLink({ id }, { id: other.id }), way)
    const alone = await visit(await shop.cartLink({ id }), way)
    await fillIn(page, CONTACT)
    await fillInCard(page, PAYS)
    await shop.succeed(200, 'PUT', `products/${id}`, { inventory: { managed: true, available: 0 } }, shop.secret)
    await pay(page)
    await expect.poll(() => textOf(page), PATIENT).toContain('“Last vase” is sold out.')
    expect(await page.getByLabel('E-mail').inputValue()).toBe('ada@example.com')
    expect(await faultsOf(page, 'sold out')).toEqual([])
    expect(await shop.orders()).toEqual([])
    await page.getByRole('button', { name: 'Remove Last vase' }).click()
    await expect.poll(() => shownTotal(page), PATIENT).toBe(7)
    expect(await faultsOf(page, 'a line left out')).toEqual([])
    await fillInCard(page, PAYS)
    await pay(page)
    await receipt(page)
    const [order] = await shop.orders()
    expect(order?.order.line_items.map(({ product_name }) => product_name)).toEqual(['Plan'])

    await fillIn(alone, CONTACT)
    await fillInCard(alone, PAYS)
    await pay(alone)
    await expect.poll(() => textOf(alone), PATIENT).toContain('has sold out')
    expect(await faultsOf(alone, 'all sold out')).toEqual([])
    expect((await shop.orders()).length).toBe(1)
  })

  journey('C11: pressed twice, there is one order', async () => {
    const shop = await openShop()
    const { id } = await shop.product(digital)
    const page = await visit(await shop.cartLink({ id }), way)
    await fillIn(page, CONTACT)
    await fillInCard(page, PAYS)
    await pay(page, 2)
    // Without a script the second press breaks off the answer to the first.
    await expect.poll(() => page.url(), PATIENT).toMatch(/\/receipt(\?|$)/)
    expect((await shop.orders()).length).toBe(1)
    // And by whoever has the page open twice.
    await page.goto(page.url().replace(/\/receipt.*/, ''))
    await receipt(page)
  })

  journey('C12: a price that changed meanwhile is shown before anything is charged', async () => {
    const shop = await openShop()
    const { id } = await shop.product({ ...digital, price: 10 })
    const page = await visit(await shop.cartLink({ id }), way)
    await fillIn(page, CONTACT)
    await fillInCard(page, PAYS)
    await shop.succeed(200, 'PUT', `products/${id}`, { price: 12 }, shop.secret)
    await pay(page)
    await expect.poll(() => textOf(page), PATIENT).toContain('The total is now $12.00.')
    expect(await textOf(page)).toContain('$10.00')
    expect([await shownTotal(page), await shop.orders()]).toEqual([12, []])
    expect(await faultsOf(page, 'changed')).toEqual([])
    await fillInCard(page, PAYS)
    await pay(page)
    await receipt(page)
    expect((await shop.orders())[0]?.order.total.raw).toBe(12)
  })

  journey('C13: where nobody knows what became of a payment, the page waits, and then shows the receipt', async () => {
    const shop = await openShop()
    const { id } = await shop.product(digital)
    const page = await visit(await shop.cartLink({ id }), way)
    await fillIn(page, CONTACT)
    await fillInCard(page, CHARGES_SILENTLY)
    await pay(page)
    await page.waitForURL(/\/wait(\?|$)/, PATIENT)
    expect(await faultsOf(page, 'waiting')).toEqual([])
    app.clock.advance(60)
    await receipt(page)
    expect((await shop.orders()).length).toBe(1)
  })

  journey(
    'C14: a closed shop, a checkout that has ended, a cart that is empty, and one that never was say so',
    async () => {
      const shop = await openShop()
      const { id } = await shop.product(digital)
      const link = await shop.cartLink({ id })
      const page = await visit(link, way)
      const address = page.url()
      const says = async (url: string, text: string) => {
        await page.goto(url)
        expect(await textOf(page)).toContain(text)
        expect([text, await faultsOf(page, text)]).toEqual([text, []])
      }
      const cart = (cartId: string) => `${origin}/checkout/${shop.id}/cart/${cartId}`
      app.clock.advance(8 * 86_400)
      await says(address, 'This checkout is not open any more.')
      await says(cart((await shop.cart([])).id), 'empty')
      await says(cart(`cart_${'0'.repeat(26)}`), 'This cart is not there any more.')
      await app.db.run(closeShop, { merchant_id: shop.id })
      await says(origin + link, 'This shop is closed at the moment.')
    },
  )

  journey('C15: each language says all of it, and fits a screen that is four times as large', async () => {
    const shop = await openShop()
    const { id } = await shop.product({ price: 10 })
    const link = await shop.cartLink({ id })
    const titles = new Set<string>()
    const page = await visit(link, { ...way, width: 320, locale: 'de-AT' })
    for (const language of LANGUAGES) {
      await page.goto(`${origin}${link}?lang=${language}`)
      expect(await page.locator('html').getAttribute('lang')).toBe(language)
      titles.add(await textOf(page))
      const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'
      expect([language, await page.evaluate(overflow)]).toEqual([language, 0])
    }
    expect(titles.size).toBe(LANGUAGES.length)
    await page.goto(origin + link)
    await fillIn(page, { ...CONTACT, 'shipping[country]': 'US' })
    if (!way.hasScripts) await press(page.getByRole('button', { name: 'Summen aktualisieren' }).first())
    await expect.poll(() => shownTotal(page), PATIENT).toBe(15)
    await fillIn(page, ADDRESSES.US)
    await fillInCard(page, PAYS)
    await pay(page)
    await receipt(page)
    expect(await page.locator('h1').textContent()).toContain('Vielen Dank')
  })
})
