// The list of orders: what it finds, how it is narrowed, what is done to many; and how orders of every kind look.

import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { isBrowserSkipped } from '../../support/browser.ts'
import { eyesOf, looksFine, OrderScreen, openTrade } from './orders-support.ts'
import { looksGood, openDashboards, PATIENT, shoot } from './support.ts'

const rows = (page: Page) => page.getByRole('table', { name: 'Orders' }).locator('tbody tr')

/** The numbers of the orders that are listed, in the order of their text. */
const listed = async (page: Page): Promise<string[]> =>
  (await rows(page).locator('td.on-phone-title').allTextContents()).toSorted()

describe.skipIf(isBrowserSkipped)('the list of orders', async () => {
  const house = await openDashboards()
  const { openDashboard } = house

  it.each(eyesOf(1))(
    'D7: finds by number, mail and name, and each filter shows what it says ($width px, $scheme)',
    async (eyes) => {
      const trade = await openTrade(house)
      const ada = await trade.buy()
      const grace = await trade.buy({ name: 'Grace Hopper', email: 'grace@example.com', isByHand: true })
      const alan = await trade.buy({ name: 'Alan Turing', email: 'alan@example.com' })
      const cancelled = await trade.buy({ name: 'Ada Byron', email: 'byron@example.com', isByHand: true })
      await trade.api(200, 'POST', `orders/${cancelled.id}/cancel`, {})
      await trade.api(200, 'POST', `orders/${alan.id}/refund`, {})
      const [item] = ada.fulfillment.physical.items
      await trade.api(201, 'POST', `orders/${ada.id}/fulfillments/physical/shipments`, {
        items: [{ id: item?.id, quantity: 1 }],
      })
      const [ADA, GRACE, ALAN, CANCELLED] = [ada, grace, alan, cancelled].map((order) => order.customer_reference)
      const page = await openDashboard('owner', trade, { ...eyes, path: '/dashboard/orders' })
      const shows = (...numbers: (string | undefined)[]) =>
        expect.poll(() => listed(page), PATIENT).toEqual(numbers.toSorted())
      await shows(ADA, GRACE, ALAN, CANCELLED)
      await looksGood(page)
      await shoot(page, 'orders')
      const search = page.getByRole('searchbox', { name: 'Order number, name or e-mail' })
      for (const [text, ...numbers] of [
        [GRACE, GRACE],
        ['alan@', ALAN],
        ['hopp', GRACE],
        ['Ada', ADA, CANCELLED],
        ['ada love', ADA],
      ]) {
        await search.fill(text ?? '')
        await shows(...numbers)
        expect(new URL(page.url()).searchParams.get('query')).toBe(text)
      }
      await search.fill('nobody at all')
      await page.getByRole('heading', { name: 'Nothing matches' }).waitFor()
      await looksFine(page)
      await shoot(page, 'orders-nothing')
      await page.getByRole('button', { name: 'Clear the filters' }).click()
      await shows(ADA, GRACE, ALAN, CANCELLED)
      if (eyes.width < 600) await page.getByRole('button', { name: 'Filters' }).click()
      const pick = (label: string, option: string) => page.getByLabel(label, { exact: true }).selectOption(option)
      await pick('Payment', 'Refunded')
      await shows(ALAN)
      await pick('Payment', 'Not paid')
      await shows(GRACE, CANCELLED)
      await pick('Delivery', 'To ship')
      await shows(GRACE, CANCELLED)
      // A view is an address: it comes back by the browser's button, and by itself.
      await page.goBack()
      await page.reload()
      await shows(GRACE, CANCELLED)
      expect(page.url()).toMatch(/status_payment=not_paid$/)
      await page.getByRole('button', { name: 'Clear', exact: true }).click()
      await pick('Delivery', 'Partly shipped')
      await shows(ADA)
      await page.getByRole('button', { name: 'Clear', exact: true }).click()
      const view = (name: string) =>
        page.getByRole('navigation', { name: 'Orders by how they stand' }).getByRole('link', { name })
      await view('To be paid').click()
      await shows(GRACE)
      await view('To ship').click()
      await shows(ADA)
      await view('Cancelled').click()
      await shows(CANCELLED)
      await view('All').click()
      // Days are the shop's.
      const day = (offset: number) => new Date(Date.now() + offset * 86_400_000).toISOString().slice(0, 10)
      await page.getByLabel('From').fill(day(0))
      await shows(ADA, GRACE, ALAN, CANCELLED)
      await page.getByLabel('From').fill(day(1))
      await page.getByRole('heading', { name: 'Nothing matches' }).waitFor()
      await page.getByLabel('From').fill(day(-1))
      await page.getByLabel('To').fill(day(-1))
      await page.getByRole('heading', { name: 'Nothing matches' }).waitFor()
      await page.getByLabel('To').fill(day(0))
      await shows(ADA, GRACE, ALAN, CANCELLED)
      await search.fill('Ada')
      await shows(ADA, CANCELLED)
      const saving = page.waitForEvent('download')
      await page.getByRole('button', { name: 'Export these 2 orders' }).click()
      const text = await readFile(await (await saving).path(), 'utf8')
      expect(text.trim().split('\n')).toHaveLength(3)
      expect(text).toContain(ADA)
      // From an order, back to the same view.
      await page.getByRole('link', { name: ADA ?? '' }).click()
      await page.locator('.page-head').getByRole('link', { name: 'Orders' }).click()
      await shows(ADA, CANCELLED)
    },
  )

  it.each(eyesOf(2))('ships many at once, and names those that could not be ($width px, $scheme)', async (eyes) => {
    const trade = await openTrade(house)
    const [one, two, three] = [await trade.buy(), await trade.buy({ isByHand: true }), await trade.buy()]
    const page = await openDashboard('packer', trade, { ...eyes, path: '/dashboard/orders' })
    for (const { customer_reference: number } of [one, two, three])
      await page.getByRole('checkbox', { name: `Choose order ${number}` }).check()
    await page.getByRole('button', { name: 'Ship 3 orders' }).click()
    const screen = new OrderScreen(page)
    await expect.poll(() => screen.says()).toContain('1 order is not paid yet.')
    await looksFine(page)
    await shoot(page, 'orders-ship-many')
    // Meanwhile somebody else cancels one.
    await trade.api(200, 'POST', `orders/${two.id}/cancel`, {})
    await screen.dialog.getByLabel('Carrier of all').fill('DHL')
    await screen.dialog.getByRole('button', { name: 'Ship 3 orders' }).click()
    const told = page.getByRole('dialog', { name: 'Not all were shipped' })
    await told.getByText(`${two.customer_reference}: The order has been cancelled`).waitFor()
    await told.getByRole('button', { name: 'Close' }).click()
    for (const { id } of [one, three])
      await expect.poll(async () => (await trade.get(id)).status_fulfillment).toBe('fulfilled')
    await expect.poll(() => rows(page).filter({ hasText: 'Shipped' }).count(), PATIENT).toBe(2)
  })

  it('shows nothing yet and thirty lines, prints a slip without prices, edits addresses, sends the receipt again', async () => {
    const trade = await openTrade(house)
    const page = await openDashboard('owner', trade, { path: '/dashboard/orders' })
    await page.getByRole('heading', { name: 'No orders yet' }).waitFor()
    await looksFine(page)
    await shoot(page, 'orders-empty')
    const products = []
    for (let index = 1; index <= 30; index++)
      products.push(
        await trade.product({ name: `Postcard with a view of the mountains, number ${index}`, price: index }),
      )
    const long = await trade.buy({
      lines: products.map((product, index) => [product, (index % 3) + 1] as const),
      more: {
        billing: {
          name: 'Analytical Engines',
          street: '2 Side Street',
          town_city: 'Reno',
          county_state: 'NV',
          postal_zip_code: '89501',
          country: 'US',
        },
      },
    })
    await page.goto(`${house.origin}/dashboard/orders/${long.id}`)
    await page.getByRole('heading', { name: long.customer_reference }).waitFor()
    await looksFine(page)
    await shoot(page, 'order-thirty')
    await page.emulateMedia({ media: 'print' })
    const slip = page.locator('.slip')
    await expect.poll(() => slip.locator('tbody tr').count()).toBe(30)
    await expect.poll(() => slip.textContent()).toContain('1 Main Street')
    await expect.poll(() => page.locator('.order-page').isVisible()).toBe(false)
    expect(await slip.textContent()).not.toContain('$')
    await shoot(page, 'order-slip')
    await page.emulateMedia({ media: 'screen' })
    const screen = new OrderScreen(page)
    await screen.more('Edit customer and addresses')
    await screen.dialog.getByLabel('Street', { exact: false }).first().fill('3 Main Street')
    await looksFine(page)
    await shoot(page, 'order-edit')
    await screen.press('Save')
    await screen.section('Customer').getByText('3 Main Street').waitFor()
    await expect
      .poll(async () => (await trade.get(long.id)).shipping)
      .toMatchObject({ street: '3 Main Street', town_city: 'San Francisco' })
    await screen.more('Send the receipt again')
    await expect.poll(() => screen.says()).toEqual(['Mails ada@example.com the receipt.', 'No money moves.'])
    await screen.press('Send the receipt')
    await screen.toast('The receipt is on its way').waitFor()
  })
})
