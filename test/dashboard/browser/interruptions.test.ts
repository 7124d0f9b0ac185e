// @alone
// What interrupts people at work: a session that ends, a server that restarts; and work by the keyboard alone, in the dark.

import { afterAll, describe, expect, it } from 'vitest'
import { testApp } from '../../support/app.ts'
import { isBrowserSkipped } from '../../support/browser.ts'
import { cloneDatabase } from '../../support/database.ts'
import { Browser } from '../support.ts'
import { Dashboard } from './people.ts'
import { looksGood, openDashboards, PATIENT, shoot, toNow } from './support.ts'

describe.skipIf(isBrowserSkipped)('interruptions', async () => {
  const connection = await cloneDatabase()
  const house = await openDashboards({ connection })
  const { app, port, openShop, openDashboard } = house

  it('D4: a session that ends is renewed above the page, which keeps what was typed and goes on with what it did', async () => {
    const shop = await openShop()
    await shop.succeed(
      201,
      'POST',
      'customers',
      { email: 'grace@example.com', firstname: 'Grace', lastname: 'Hopper' },
      shop.keys.sandbox.secret,
    )
    const page = await openDashboard('owner', shop, { path: '/dashboard?days=7' })
    const dashboard = new Dashboard(page)
    await dashboard.search('gra')
    const found = page.getByRole('listbox', { name: 'Found' }).getByRole('option')
    await expect.poll(() => found.count(), PATIENT).toBe(1)
    const other = new Browser(app)
    await other.logIn(shop.owner.email, shop.owner.password)
    await other.succeed(204, 'DELETE', '/dashboard/api/sessions')
    // In one go: a dialog that opens between two letters takes the second.
    await page.getByRole('combobox').fill('grace')
    await page.getByRole('dialog', { name: 'Log in again' }).waitFor()
    await looksGood(page)
    await shoot(page, 'signed-out')
    await dashboard.logInAgain(shop.owner)
    await expect.poll(() => page.getByRole('combobox').inputValue()).toBe('grace')
    await expect.poll(() => found.allTextContents(), PATIENT).toEqual([expect.stringContaining('grace@example.com')])
    expect(new URL(page.url()).search).toBe('?days=7')
  })

  it('D19: in the dark and by the keyboard alone one logs in, goes through the screens, searches and changes to live', async () => {
    const shop = await openShop()
    await shop.succeed(201, 'POST', 'customers', { email: 'ada@example.com' }, shop.keys.sandbox.secret)
    const page = await house.openPage({ scheme: 'dark' })
    const { keyboard } = page
    await page.getByLabel('E-mail').waitFor()
    // The first field has the focus.
    await keyboard.type(shop.owner.email)
    await keyboard.press('Tab')
    await keyboard.type(shop.owner.password)
    await keyboard.press('Enter')
    await page.locator('#content h1').waitFor()
    const focused = () => page.evaluate<string>("document.activeElement?.textContent?.trim() ?? ''")
    const tabTo = async (text: string) => {
      for (let press = 0; press < 60; press++) {
        await keyboard.press('Tab')
        if ((await focused()) === text) return
      }
      throw new Error(`Tab does not come to ${text}.`)
    }
    await page.reload()
    await page.locator('#content h1').waitFor()
    await keyboard.press('Tab')
    await expect.poll(() => focused()).toBe('Skip to the content')
    await keyboard.press('Enter')
    await expect.poll(() => page.evaluate('document.activeElement?.id')).toBe('content')
    await page.reload()
    await page.locator('#content h1').waitFor()
    await tabTo('Customers')
    await keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Customers' }).waitFor()
    // What is new is read first.
    await expect.poll(focused).toBe('Customers')
    await keyboard.press('Control+k')
    await page.getByRole('dialog', { name: 'Search' }).waitFor()
    await keyboard.type('ada@')
    const found = page.getByRole('listbox', { name: 'Found' }).getByRole('option')
    await expect.poll(() => found.count(), PATIENT).toBe(1)
    await keyboard.press('Enter')
    await expect.poll(() => new URL(page.url()).pathname).toMatch(/\/dashboard\/customers\/cstmr_/)
    await keyboard.press('Control+k')
    await page.getByRole('dialog', { name: 'Search' }).waitFor()
    await keyboard.press('Escape')
    await page.getByRole('dialog', { name: 'Search' }).waitFor({ state: 'detached' })
    await page.reload()
    await page.locator('#content h1').waitFor()
    await tabTo('Live')
    await keyboard.press('Enter')
    await new Dashboard(page).sandboxBar.waitFor({ state: 'detached' })
    await looksGood(page)
  })

  it('D20: while the server restarts the page says so, and goes on by itself when it is back', async () => {
    const shop = await openShop()
    const page = await openDashboard('owner', shop)
    const dashboard = new Dashboard(page)
    await app.close()
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox').fill('nobody')
    await page.getByText('The server does not answer').waitFor()
    await looksGood(page)
    const next = await testApp({ connection, trustProxy: () => true })
    toNow(next)
    afterAll(() => next.server.server.closeAllConnections())
    await next.server.listen({ host: '127.0.0.1', port })
    await page.getByText('The server does not answer').waitFor({ state: 'detached' })
    await page.getByText('No order, customer or product matches.').waitFor()
    await page.keyboard.press('Escape')
    await dashboard.goTo('Customers')
  })
})
