// A new merchant, with nothing set up, from the first login to a paid test order on the hosted checkout, by clicking and typing alone.

import { describe, expect, it } from 'vitest'
import { CONTACT, fillIn, fillInAddress, payByCard, totalIs } from '../../../pages/checkout/journeys/shopper.ts'
import { isBrowserSkipped } from '../../../support/browser.ts'
import { picture, rowsOf, Screen, shows } from '../screen.ts'
import { looksGood, openDashboards } from '../support.ts'

describe.skipIf(isBrowserSkipped)('a new merchant', async () => {
  const { app, openPage } = await openDashboards()

  it('D1: gets from the first login to a paid test order by clicking only, and hears that nothing more is needed', async () => {
    const { dashboard: login, keys } = await app.merchant({ email: 'new@example.com', name: 'Blue Door' })
    const page = await openPage()
    const dashboard = new Screen(page)
    await dashboard.logIn(login)
    const list = page.locator('.check-list')
    await shows(list, /Get your shop ready.*2 of 5 done/s)
    await shows(list, /test cards work without your doing anything/)
    await looksGood(page)

    await list.getByRole('link', { name: 'Add a product' }).click()
    await page.getByRole('heading', { level: 1, name: 'Add a product' }).waitFor()
    await page.getByLabel('Name', { exact: true }).fill('Blue mug')
    await page.getByRole('textbox', { name: 'Price', exact: true }).fill('14.50')
    await dashboard.upload(picture('mug.png'))
    await page.getByLabel('Count the stock').check()
    await page.getByLabel('Pieces on the shelf').fill('5')
    await page.getByRole('button', { name: 'Add the product' }).click()
    await page.getByRole('heading', { level: 1, name: 'Blue mug' }).waitFor()

    await dashboard.goTo('Overview')
    await list.getByRole('link', { name: 'Set up shipping' }).click()
    await page.getByRole('button', { name: 'Add a zone' }).click()
    await dashboard.dialog.getByLabel('Name').fill('Home')
    await dashboard.dialog.getByRole('combobox', { name: 'Add a country' }).fill('United States')
    await dashboard.dialog
      .getByRole('option', { name: /^United States(?! Minor)/ })
      .first()
      .click()
    // The list stays open for a further country.
    await page.keyboard.press('Tab')
    await dashboard.press('Add a way of sending')
    await dashboard.dialog.getByLabel('What shoppers read').fill('Parcel')
    await dashboard.dialog.getByRole('textbox', { name: 'Price', exact: true }).fill('4')
    await dashboard.press('Add the zone')
    await dashboard.dialog.waitFor({ state: 'detached' })

    await dashboard.goTo('Overview')
    await shows(list, /4 of 5 done/)
    await list.getByRole('link', { name: 'Payment' }).click()
    await page.getByRole('heading', { level: 1, name: 'Payment' }).waitFor()
    await rowsOf(page, 'Ways to pay').first().waitFor()
    await dashboard.goTo('Overview')

    const [checkout] = await Promise.all([
      page.context().waitForEvent('page'),
      list.getByRole('link', { name: 'Buy “Blue mug” as a test' }).click(),
    ])
    // The link's page goes on to the checkout by itself.
    await checkout.waitForURL(/\/pay\//)
    await fillIn(checkout, CONTACT)
    await fillInAddress(checkout)
    await totalIs(checkout, 18.5)
    await payByCard(checkout)
    await checkout.close()

    await page.reload()
    await shows(list, /Your shop is ready.*5 of 5 done/s)
    await looksGood(page)
    await list.getByRole('button', { name: 'Put this list away' }).click()
    await list.waitFor({ state: 'detached' })
    await page.reload()
    await expect.poll(() => page.locator('.total').first().textContent()).toContain('$18.50')
    expect(await list.count()).toBe(0)
    const { data } = (await app.call('GET', '/v1/orders', { key: keys.sandbox.secret })).body as {
      data: { status_payment: string; order_value: { raw: number } }[]
    }
    expect(data.map(({ status_payment, order_value }) => [status_payment, order_value.raw])).toEqual([['paid', 18.5]])
  })
})
