// @sampled: `npm test` makes each journey in one way, by turns; the proof in every way. pay.test.ts, lines.test.ts and after.test.ts have what
// is declined, confirmed, free or dearer by now, without a browser; enhance.test.ts has what the script does with such an answer.
// C1 to C13: a shopper buys on the hosted pages. A journey acts through the page; the API sets up, and says afterwards what is stored.

import { describe, expect } from 'vitest'
import { digital } from '../../../api/checkouts/capture-support.ts'
import { isBrowserSkipped } from '../../../support/browser.ts'
import { leave, press } from './hands.ts'
import {
  ADDRESS,
  CHARGES_SILENTLY,
  CONTACT,
  choose,
  faultsOf,
  fillIn,
  fillInCard,
  PAYS,
  pay,
  payByCard,
  receipt,
  says,
  textOf,
  totalIs,
  update,
} from './shopper.ts'
import { openTestShops } from './support.ts'
import { EVERY_WAY } from './ways.ts'

const { app, openShop, visit } = await openTestShops()

describe.skipIf(isBrowserSkipped).each(EVERY_WAY.ways)('%s', (_, way) => {
  const { journey, further } = EVERY_WAY.journeysIn(way)

  journey('C1: a cart becomes an order, and what was shown is what was charged', async () => {
    const shop = await openShop()
    const { id } = await shop.product({ name: 'Walnut stool', price: 40 })
    const page = await visit(await shop.cartLink({ id, quantity: 2 }), way)
    expect(await faultsOf(page, 'empty')).toEqual([])
    await fillIn(page, { ...CONTACT, 'shipping[country]': 'US' })
    await update(page, way, 85)
    await fillIn(page, ADDRESS)
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
    await payByCard(page)
    const link = page.locator('main a[href*="/fulfill/"]').first()
    const [download] = await Promise.all([page.waitForEvent('download'), press(link)])
    expect(download.suggestedFilename()).toBe('Plan.pdf')
    expect(await faultsOf(page, 'receipt with files')).toEqual([])
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
    await says(page, 'This code cannot be used')
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

  journey('C9: who declines elsewhere comes back to the form as it was, and pays otherwise', async () => {
    const shop = await openShop()
    const { id } = await shop.product(digital)
    const page = await visit(await shop.cartLink({ id }), way)
    await fillIn(page, CONTACT)
    await choose(page, 'test_redirect')
    await pay(page)
    await page.waitForURL(/\/test-gateway\//)
    await press(page.getByRole('button', { name: 'Decline' }))
    await press(page.getByRole('link').first())
    await page.waitForURL(/\/pay\/chkt_\w+(\?|$)/)
    expect(await textOf(page)).toMatch(/declined|did not go through/i)
    expect(await page.getByLabel('E-mail').inputValue()).toBe('ada@example.com')
    expect(await faultsOf(page, 'back from elsewhere')).toEqual([])
    await payByCard(page)
    expect((await shop.orders()).length).toBe(1)
  })

  further('C10: what sells out meanwhile is named, nothing is charged, and the rest is bought without it', async () => {
    const shop = await openShop()
    const { id } = await shop.product({ ...digital, name: 'Last vase', inventory: { managed: true, available: 1 } })
    const other = await shop.product({ ...digital, name: 'Plan', price: 7 })
    const page = await visit(await shop.cartLink({ id }, { id: other.id }), way)
    await fillIn(page, CONTACT)
    await fillInCard(page, PAYS)
    await shop.succeed(200, 'PUT', `products/${id}`, { inventory: { managed: true, available: 0 } }, shop.secret)
    await pay(page)
    await says(page, '“Last vase” is sold out.')
    expect(await page.getByLabel('E-mail').inputValue()).toBe('ada@example.com')
    expect(await faultsOf(page, 'sold out')).toEqual([])
    expect(await shop.orders()).toEqual([])
    await page.getByRole('button', { name: 'Remove Last vase' }).click()
    await totalIs(page, 7)
    expect(await faultsOf(page, 'a line left out')).toEqual([])
    await payByCard(page)
    const [order] = await shop.orders()
    expect(order?.order.line_items.map(({ product_name }) => product_name)).toEqual(['Plan'])
  })

  journey('C13: where nobody knows what became of a payment, the page waits, and then shows the receipt', async () => {
    const shop = await openShop()
    const { id } = await shop.product(digital)
    const page = await visit(await shop.cartLink({ id }), way)
    await fillIn(page, CONTACT)
    await fillInCard(page, CHARGES_SILENTLY)
    await pay(page)
    await page.waitForURL(/\/wait(\?|$)/)
    expect(await faultsOf(page, 'waiting')).toEqual([])
    app.clock.advance(60)
    await receipt(page)
    expect((await shop.orders()).length).toBe(1)
  })
})
