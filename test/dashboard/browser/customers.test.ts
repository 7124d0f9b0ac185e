// Customers: found, looked at, changed and erased.

import { describe, expect, it } from 'vitest'
import { countSpending } from '../../../src/api/reports/spending.ts'
import { isBrowserSkipped } from '../../support/browser.ts'
import { eyesOf, looksFine, OrderScreen, openTrade } from './orders-support.ts'
import { looksGood, openDashboards, PATIENT, shoot } from './support.ts'

describe.skipIf(isBrowserSkipped)('customers', async () => {
  const house = await openDashboards()
  const { openDashboard } = house

  it.each(eyesOf(3))('are found, changed and erased; their orders stay ($width px, $scheme)', async (eyes) => {
    const trade = await openTrade(house)
    const page = await openDashboard('owner', trade, { ...eyes, path: '/dashboard/customers' })
    await page.getByRole('heading', { name: 'No customers yet' }).waitFor()
    const order = await trade.buy()
    await trade.buy({ name: 'Grace Hopper', email: 'grace@example.com' })
    await page.reload()
    const rows = page.getByRole('table', { name: 'Customers' }).locator('tbody tr')
    await expect.poll(() => rows.count(), PATIENT).toBe(2)
    await looksFine(page)
    await shoot(page, 'customers')
    for (const found of ['hopp', 'grace h', 'lovel', 'ada@']) {
      await page.getByRole('searchbox').fill(found)
      await expect.poll(() => rows.count(), PATIENT).toBe(1)
    }
    await page.getByRole('link', { name: 'Ada Lovelace' }).click()
    await page.getByRole('heading', { level: 1, name: 'Ada Lovelace' }).waitFor()
    await page.getByRole('link', { name: order.customer_reference }).waitFor()
    await page.getByText('Nothing yet').waitFor()
    await trade.api(200, 'POST', `orders/${order.id}/refund`, { amount: 5 })
    const { db, clock } = house.app
    await countSpending.run({ db, clock, signal: new AbortController().signal })
    await page.reload()
    await page.getByText('Spent in all').waitFor()
    await page.getByText('$25.00', { exact: true }).waitFor()
    const screen = new OrderScreen(page)
    await screen.section('Addresses').getByRole('button', { name: 'Add' }).click()
    await screen.dialog.getByLabel('Street', { exact: false }).first().fill('1 Main Street')
    await screen.dialog.getByLabel('Country').selectOption('United States')
    await screen.dialog.getByLabel('Ships here').check()
    await screen.press('Add the address')
    await screen.section('Addresses').getByText('United States').waitFor()
    await looksGood(page)
    await shoot(page, 'customer')
    await screen.action('Edit').click()
    await screen.dialog.getByLabel('E-mail').fill('no address')
    await screen.dialog.getByRole('button', { name: 'Save' }).click()
    await screen.dialog.locator('.field.wrong').first().waitFor()
    await screen.dialog.getByLabel('E-mail').fill('ada@analytical.example')
    await screen.press('Save')
    await page.getByRole('link', { name: 'ada@analytical.example' }).waitFor()
    await screen.more('Erase the customer')
    await expect
      .poll(() => screen.says())
      .toContain('Orders stay, with the name and the addresses they were made with: your books need them.')
    await looksFine(page)
    await shoot(page, 'customer-erase')
    await screen.press('Erase the customer')
    await page.getByRole('heading', { level: 1, name: 'Customers' }).waitFor()
    expect(
      (await trade.call('GET', `customers/${order.customer.id}`, undefined, trade.keys.sandbox.secret)).status,
    ).toBe(404)
    await expect.poll(async () => (await trade.get(order.id)).customer.email).toBe('ada@example.com')
  })

  it('of a packer are seen and not changed', async () => {
    const trade = await openTrade(house)
    const order = await trade.buy()
    const page = await openDashboard('packer', trade, { path: `/dashboard/customers/${order.customer.id}` })
    await page.getByRole('link', { name: order.customer_reference }).waitFor()
    for (const name of ['Edit', 'More actions', 'Add'])
      expect(await page.getByRole('button', { name, exact: true }).count()).toBe(0)
  })
})
