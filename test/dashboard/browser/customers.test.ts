// Customers: found, looked at, changed and erased; those of the sandbox apart from those of the live shop.

import { describe, expect, it } from 'vitest'
import { countSpending } from '../../../src/api/reports/spending.ts'
import { isBrowserSkipped } from '../../support/browser.ts'
import { openTrade } from './orders-support.ts'
import { rowsOf, Screen } from './screen.ts'
import { eyesOf, looksFine, looksGood, openDashboards } from './support.ts'

describe.skipIf(isBrowserSkipped)('customers', async () => {
  const house = await openDashboards()
  const { openShop, openDashboard } = house

  it('are found, changed and erased; their orders stay', async () => {
    const trade = await openTrade(house)
    const page = await openDashboard('owner', trade, { ...eyesOf(3), path: '/dashboard/customers' })
    await page.getByRole('heading', { name: 'No customers yet' }).waitFor()
    const order = await trade.buy()
    await trade.buy({ name: 'Grace Hopper', email: 'grace@example.com' })
    await page.reload()
    const rows = rowsOf(page, 'Customers')
    await expect.poll(() => rows.count()).toBe(2)
    await looksFine(page)
    for (const found of ['grace h', 'ada@']) {
      await page.getByRole('searchbox').fill(found)
      await expect.poll(() => rows.count()).toBe(1)
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
    const screen = new Screen(page)
    await screen.section('Addresses').getByRole('button', { name: 'Add' }).click()
    await screen.dialog.getByLabel('Street', { exact: false }).first().fill('1 Main Street')
    await screen.dialog.getByLabel('Country').selectOption('United States')
    await screen.dialog.getByLabel('Ships here').check()
    await screen.finish('Add the address')
    await screen.section('Addresses').getByText('United States').waitFor()
    await looksGood(page)
    await screen.action('Edit').click()
    await screen.dialog.getByLabel('E-mail').fill('no address')
    await screen.dialog.getByRole('button', { name: 'Save' }).click()
    await screen.dialog.locator('.field.wrong').first().waitFor()
    await screen.dialog.getByLabel('E-mail').fill('ada@analytical.example')
    await screen.finish('Save')
    await page.getByRole('link', { name: 'ada@analytical.example' }).waitFor()
    await screen.more('Erase the customer')
    await expect
      .poll(() => screen.says())
      .toContain('Orders stay, with the name and the addresses they were made with: your books need them.')
    await looksFine(page)
    await screen.finish('Erase the customer')
    await page.getByRole('heading', { level: 1, name: 'Customers' }).waitFor()
    expect((await trade.call('GET', `customers/${order.customer.id}`, undefined, trade.secret)).status).toBe(404)
    await expect.poll(async () => (await trade.get(order.id)).customer.email).toBe('ada@example.com')
  })

  it('D16: what is in the sandbox is not found in live, nor the other way round', async () => {
    const shop = await openShop()
    const customer = (email: string, key: string) =>
      shop.succeed(201, 'POST', 'customers', { email, firstname: 'Ada', lastname: 'Byron' }, key)
    await customer('in-sandbox@example.com', shop.keys.sandbox.secret)
    await customer('in-live@example.com', shop.keys.live.secret)
    const page = await openDashboard('owner', shop)
    const dashboard = new Screen(page)
    const found = await dashboard.search('in-')
    await expect.poll(() => found.allTextContents()).toEqual([expect.stringContaining('in-sandbox@example.com')])
    await page.keyboard.press('Escape')
    await dashboard.switchTo('Live')
    await dashboard.search('in-')
    await expect.poll(() => found.allTextContents()).toEqual([expect.stringContaining('in-live@example.com')])
    await looksGood(page)
  })
})
