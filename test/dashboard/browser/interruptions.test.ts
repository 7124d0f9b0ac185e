// @proof @alone: it opens an app inside of a test, on the port of another.
// A server that restarts, and work by the keyboard alone, in the dark. products-form.test.ts has the session end.

import { afterAll, describe, expect, it } from 'vitest'
import { testApp } from '../../support/app.ts'
import { isBrowserSkipped } from '../../support/browser.ts'
import { cloneDatabase } from '../../support/database.ts'
import { focused, Screen, tabTo } from './screen.ts'
import { looksGood, openDashboards, toNow } from './support.ts'

describe.skipIf(isBrowserSkipped)('interruptions', async () => {
  const connection = await cloneDatabase()
  const house = await openDashboards({ connection })
  const { app, port, openShop, openDashboard } = house

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
    await page.reload()
    await page.locator('#content h1').waitFor()
    await keyboard.press('Tab')
    await expect.poll(() => focused(page)).toBe('Skip to the content')
    await keyboard.press('Enter')
    await expect.poll(() => page.evaluate('document.activeElement?.id')).toBe('content')
    await page.reload()
    await page.locator('#content h1').waitFor()
    await tabTo(page, 'Customers')
    await keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Customers' }).waitFor()
    // What is new is read first.
    await expect.poll(() => focused(page)).toBe('Customers')
    await keyboard.press('Control+k')
    await page.getByRole('dialog', { name: 'Search' }).waitFor()
    await keyboard.type('ada@')
    const found = page.getByRole('listbox', { name: 'Found' }).getByRole('option')
    await expect.poll(() => found.count()).toBe(1)
    await keyboard.press('Enter')
    await expect.poll(() => new URL(page.url()).pathname).toMatch(/\/dashboard\/customers\/cstmr_/)
    await keyboard.press('Control+k')
    await page.getByRole('dialog', { name: 'Search' }).waitFor()
    await keyboard.press('Escape')
    await page.getByRole('dialog', { name: 'Search' }).waitFor({ state: 'detached' })
    await page.reload()
    await page.locator('#content h1').waitFor()
    await tabTo(page, 'Live')
    await keyboard.press('Enter')
    await new Screen(page).sandboxBar.waitFor({ state: 'detached' })
    await looksGood(page)
  })

  it('D20: while the server restarts the page says so, and goes on by itself when it is back', async () => {
    const shop = await openShop()
    const page = await openDashboard('owner', shop)
    const dashboard = new Screen(page)
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
