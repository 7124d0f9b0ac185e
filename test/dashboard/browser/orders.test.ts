// @sampled: `npm test` walks through the list on a desk.
// The list of orders: what it finds, how it is narrowed, what is done to many; and how orders of every kind look.

import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { ADDRESS } from '../../api/checkouts/capture-support.ts'
import { isBrowserSkipped, proof } from '../../support/browser.ts'
import { openTrade } from './orders-support.ts'
import { exported, rowsOf, Screen, shows } from './screen.ts'
import { bothWidths, eyesOf, looksFine, looksGood, openDashboards } from './support.ts'

/** The numbers of the orders that are listed, in the order of their text. */
const listed = async (page: Page): Promise<string[]> =>
  (await rowsOf(page, 'Orders').locator('td.on-phone-title').allTextContents()).toSorted()

describe.skipIf(isBrowserSkipped)('the list of orders', async () => {
  const house = await openDashboards()
  const { openDashboard } = house

  it.each(bothWidths)('D7: finds by number and name, and each filter shows what it says ($width px)', async (eyes) => {
    const trade = await openTrade(house)
    const ada = await trade.buy()
    const grace = await trade.buy({ name: 'Grace Hopper', email: 'grace@example.com', isByHand: true })
    const alan = await trade.buy({ name: 'Alan Turing', email: 'alan@example.com' })
    const cancelled = await trade.buy({ name: 'Ada Byron', email: 'byron@example.com', isByHand: true })
    await trade.api(200, 'POST', `orders/${cancelled.id}/cancel`, {})
    await trade.api(200, 'POST', `orders/${alan.id}/refund`, {})
    const items = [{ id: ada.fulfillment.physical.items[0]?.id, quantity: 1 }]
    await trade.api(201, 'POST', `orders/${ada.id}/fulfillments/physical/shipments`, { items })
    const [ADA = '', GRACE = '', ALAN = '', CANCELLED = ''] = [ada, grace, alan, cancelled].map(
      (order) => order.customer_reference,
    )
    const page = await openDashboard('owner', trade, { ...eyes, path: '/dashboard/orders' })
    const screen = new Screen(page)
    const lists = (...numbers: string[]) => expect.poll(() => listed(page)).toEqual(numbers.toSorted())
    await lists(ADA, GRACE, ALAN, CANCELLED)
    await looksGood(page)
    const search = page.getByRole('searchbox', { name: 'Order number, name or e-mail' })
    for (const [text = '', ...numbers] of [
      [GRACE, GRACE],
      ['Ada', ADA, CANCELLED],
    ]) {
      await search.fill(text)
      await lists(...numbers)
      expect(new URL(page.url()).searchParams.get('query')).toBe(text)
    }
    await search.fill('nobody at all')
    await screen.heading('Nothing matches')
    await looksFine(page)
    await screen.button('Clear the filters').click()
    await lists(ADA, GRACE, ALAN, CANCELLED)
    if (eyes.width < 600) await screen.button('Filters').click()
    const pick = (label: string, option: string) => page.getByLabel(label, { exact: true }).selectOption(option)
    await pick('Payment', 'Not paid')
    await lists(GRACE, CANCELLED)
    await pick('Delivery', 'To ship')
    await lists(GRACE, CANCELLED)
    // A view is an address: the back button and a reload show it again.
    await page.goBack()
    await page.reload()
    await lists(GRACE, CANCELLED)
    expect(page.url()).toMatch(/status_payment=not_paid$/)
    await screen.button('Clear').click()
    await pick('Delivery', 'Partly shipped')
    await lists(ADA)
    await screen.button('Clear').click()
    const views = page.getByRole('navigation', { name: 'Orders by how they stand' })
    for (const [name, ...numbers] of [
      ['To be paid', GRACE],
      ['To ship', ADA],
      ['Cancelled', CANCELLED],
      ['All', ADA, GRACE, ALAN, CANCELLED],
    ] as const) {
      await views.getByRole('link', { name }).click()
      await lists(...numbers)
    }
    // Days are the shop's.
    const day = (offset: number) => new Date(Date.now() + offset * 86_400_000).toISOString().slice(0, 10)
    await page.getByLabel('From').fill(day(-1))
    await page.getByLabel('To').fill(day(-1))
    await screen.heading('Nothing matches')
    await page.getByLabel('From').fill(day(0))
    await page.getByLabel('To').fill(day(0))
    await lists(ADA, GRACE, ALAN, CANCELLED)
    await search.fill('Ada')
    await lists(ADA, CANCELLED)
    const lines = await exported(page, 'Export these 2 orders')
    expect([lines.length, lines.join()]).toEqual([3, expect.stringContaining(ADA)])
    // An order leads back to the same view.
    await page.getByRole('link', { name: ADA }).click()
    await page.locator('.page-head').getByRole('link', { name: 'Orders' }).click()
    await lists(ADA, CANCELLED)
  })

  proof('ships many at once, and names those that could not be', async () => {
    const trade = await openTrade(house)
    const [one, two, three] = [await trade.buy(), await trade.buy({ isByHand: true }), await trade.buy()]
    const page = await openDashboard('packer', trade, { ...eyesOf(2), path: '/dashboard/orders' })
    for (const { customer_reference: number } of [one, two, three])
      await page.getByRole('checkbox', { name: `Choose order ${number}` }).check()
    const screen = new Screen(page)
    await screen.button('Ship 3 orders').click()
    await expect.poll(() => screen.says()).toContain('1 order is not paid yet.')
    await looksFine(page)
    // Meanwhile somebody else cancels one.
    await trade.api(200, 'POST', `orders/${two.id}/cancel`, {})
    await screen.dialog.getByLabel('Carrier of all').fill('DHL')
    await screen.press('Ship 3 orders')
    const told = page.getByRole('dialog', { name: 'Not all were shipped' })
    await told.getByText(`${two.customer_reference}: The order is cancelled`).waitFor()
    await told.getByRole('button', { name: 'Close' }).click()
    for (const { id } of [one, three])
      await expect.poll(async () => (await trade.get(id)).status_fulfillment).toBe('fulfilled')
    await expect.poll(() => rowsOf(page, 'Orders').filter({ hasText: 'Shipped' }).count()).toBe(2)
  })

  proof(
    'shows nothing yet and thirty lines, prints a slip without prices, edits addresses, sends the receipt again',
    async () => {
      const trade = await openTrade(house)
      const page = await openDashboard('owner', trade, { path: '/dashboard/orders' })
      const screen = new Screen(page)
      await screen.heading('No orders yet')
      await looksFine(page)
      const products = []
      for (let index = 1; index <= 30; index++)
        products.push(
          await trade.product({ name: `Postcard with a view of the mountains, number ${index}`, price: index }),
        )
      const lines = products.map((product, index) => [product, (index % 3) + 1] as const)
      const long = await trade.buy({ lines, more: { billing: { ...ADDRESS, name: 'Analytical Engines' } } })
      await page.goto(`${house.origin}/dashboard/orders/${long.id}`)
      await screen.heading(long.customer_reference)
      await looksFine(page)
      await page.emulateMedia({ media: 'print' })
      const slip = page.locator('.slip')
      await expect.poll(() => slip.locator('tbody tr').count()).toBe(30)
      await shows(slip, '1 Main Street')
      await expect.poll(() => page.locator('.order-page').isVisible()).toBe(false)
      expect(await slip.textContent()).not.toContain('$')
      await page.emulateMedia({ media: 'screen' })
      await screen.more('Edit customer and addresses')
      await screen.dialog.getByLabel('Street', { exact: false }).first().fill('3 Main Street')
      await looksFine(page)
      await screen.finish('Save')
      await screen.section('Customer').getByText('3 Main Street').waitFor()
      const { street, town_city } = (await trade.get(long.id)).shipping
      expect([street, town_city]).toEqual(['3 Main Street', 'San Francisco'])
      await screen.more('Send the receipt again')
      await expect.poll(() => screen.says()).toEqual(['Mails ada@example.com the receipt.', 'No money moves.'])
      await screen.finish('Send the receipt')
      await screen.toast('The receipt is on its way').waitFor()
    },
  )
})
