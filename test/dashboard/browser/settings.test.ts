// @sampled: `npm test` changes each of the three screens.
// The settings of a shop: what it is called and looks like, its checkout page, its mails.

import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import type { Merchant } from '../../../src/api/merchants/schema.ts'
import { mailServer, refusal } from '../../mail/mail-server.ts'
import { isBrowserSkipped, proof } from '../../support/browser.ts'
import { size } from '../../support/proof.ts'
import { openTrade } from './orders-support.ts'
import { picture, Screen } from './screen.ts'
import { type DashboardShop, eyesOf, looksFine, looksGood, openDashboards } from './support.ts'

const settingsOf = ({ api }: Pick<DashboardShop, 'api'>) => api<Merchant>(200, 'GET', 'merchants')

/** Bodies of what changes something, as they go out. */
function watchChanges(page: Page): unknown[] {
  const sent: unknown[] = []
  page.on('request', (request) => {
    if (request.method() === 'PUT' && request.url().endsWith('/v1/merchants')) sent.push(request.postDataJSON())
  })
  return sent
}

async function save(page: Page) {
  await page.getByRole('button', { name: 'Save' }).click()
  await page.locator('.toast').filter({ hasText: 'Saved' }).first().waitFor()
}

describe.skipIf(isBrowserSkipped)('settings', async () => {
  const house = await openDashboards()
  const { openShop, openDashboard } = house

  it('of the shop: name, logo, colours and address', async () => {
    const shop = await openShop()
    const page = await openDashboard('owner', shop, { ...eyesOf(0), path: '/dashboard/settings/shop' })
    const sent = watchChanges(page)
    await page.getByLabel('Name of the shop').fill('Tinte & Papier')
    await page.getByText('Prices are in USD ($).', { exact: false }).waitFor()
    await looksGood(page)
    await page.getByLabel('Accent', { exact: true }).fill('#ffd400')
    await page.getByText('too weak to read: they are written in black', { exact: false }).waitFor()
    await page.getByText('Words on buttons are black', { exact: false }).waitFor()
    await page.getByLabel('E-mail for customers').fill('nobody')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.locator('.field.wrong').getByText('support_email must be an e-mail address').waitFor()
    await looksGood(page)
    await page.getByLabel('E-mail for customers').fill('hallo@tinte.example')
    await page.getByLabel('Choose a logo').setInputFiles(picture('logo.png'))
    await page.getByRole('img', { name: 'Your logo' }).waitFor()
    await page.getByLabel('Town or city').fill('Berlin')
    await page.getByLabel('Country').selectOption('DE')
    await page.getByLabel('Time zone').selectOption('Europe/Berlin')
    await page.getByLabel('Cancel unpaid orders after').fill('48')
    sent.length = 0
    await save(page)
    expect(sent).toEqual([
      {
        name: 'Tinte & Papier',
        support_email: 'hallo@tinte.example',
        logo: expect.stringMatching(/^ast_/),
        colors: { accent: '#ffd400' },
        address: { city: 'Berlin', country: 'DE' },
        time_zone: 'Europe/Berlin',
        orders: { unpaid_expire_after_hours: 48 },
      },
    ])
    await expect.poll(async () => (await settingsOf(shop)).has.logo).toBe(true)
    // The frame of the page knows it without being loaded anew.
    await expect.poll(() => page.locator('body').textContent()).toContain('Tinte & Papier')
    await page.getByRole('button', { name: 'Remove the logo' }).click()
    await page.getByRole('button', { name: 'Use ours for accent' }).click()
    await page.getByRole('button', { name: 'Save' }).click()
    await expect.poll(async () => (await settingsOf(shop)).images.logo).toBe(null)
    expect(sent[1]).toEqual({ logo: null, colors: { accent: null } })
  })

  it('of the checkout page, as it then is', async () => {
    const shop = await openShop()
    const page = await openDashboard('owner', shop, { ...eyesOf(1), path: '/dashboard/settings/checkout' })
    await page.getByText('As soon as there is a product', { exact: false }).waitFor()
    await shop.product({ name: 'Mug', price: 12 })
    await page.reload()
    await page.getByRole('link', { name: 'Open the checkout of “Mug”' }).waitFor()
    const sent = watchChanges(page)
    for (const name of ['Français (French)', 'Español (Spanish)', 'Italiano (Italian)', 'Nederlands (Dutch)'])
      await page.getByLabel(name).uncheck()
    await page.getByLabel('For who reads none of them').selectOption('de')
    await page.getByLabel('Your terms').fill('https://shop.example/terms')
    await page.getByLabel('Where shoppers go on after paying').fill('https://shop.example/thanks')
    await page.getByLabel('Your websites').fill('shop.example')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.locator('.field.wrong').getByText('must be an origin such as', { exact: false }).waitFor()
    await looksGood(page)
    await page.getByLabel('Your websites').fill('https://shop.example\nhttp://localhost:3000')
    sent.length = 0
    await save(page)
    expect(sent).toEqual([
      {
        checkout: {
          languages: ['de', 'en', 'pt', 'pl', 'ja'],
          terms_url: 'https://shop.example/terms',
          return_url: 'https://shop.example/thanks',
        },
        allowed_origins: ['https://shop.example', 'http://localhost:3000'],
      },
    ])
    const [opened] = await Promise.all([
      page.context().waitForEvent('page'),
      page.getByRole('link', { name: 'Open the checkout of “Mug”' }).click(),
    ])
    await opened.waitForLoadState()
    await expect.poll(() => opened.content()).toContain('https://shop.example/terms')
    await looksGood(page)
  })

  it('of mails: which are sent, how they look, and the outbox', async () => {
    const trade = await openTrade(house)
    const order = await trade.buy()
    await trade.hears('ada@example.com', order.customer_reference, 1)
    const page = await openDashboard('owner', trade, { ...eyesOf(2), path: '/dashboard/settings/mail' })
    const screen = new Screen(page)
    const sent = watchChanges(page)
    await page.getByText('No mail is sent: this service has no mail server.', { exact: false }).waitFor()
    expect(await page.getByRole('button', { name: 'Send a test mail' }).count()).toBe(0)
    await page.getByRole('table', { name: 'Outbox' }).waitFor()
    await looksGood(page)
    const previews = [
      ['Receipt of an order', 'Thank you for your order'],
      ['Parcel on its way', 'Follow the parcel'],
      ['Refund', 'Stoneware mug'],
      ['Cancelled order', 'cancelled'],
      ['Login link', 'Log in'],
      ['New order', 'Stoneware mug'],
    ] as const
    for (const [label, words] of previews.slice(0, size(1, previews.length))) {
      await page.getByRole('button', { name: `Preview: ${label}` }).click()
      await screen.dialog
        .frameLocator('iframe')
        .getByText(words, { exact: false })
        .filter({ visible: true })
        .first()
        .waitFor()
      if (label.startsWith('Receipt')) {
        await looksGood(page)
      }
      await screen.dialog.getByRole('button', { name: 'Close' }).click()
    }
    await page.getByLabel('Refund', { exact: true }).uncheck()
    await page.getByLabel('Send them to').fill('orders@paper.example')
    await save(page)
    expect(sent).toEqual([
      { notifications: { customer: { refunds: false }, merchant: { email: 'orders@paper.example' } } },
    ])
    await page.getByRole('link', { name: `Your order ${order.customer_reference}`, exact: false }).click()
    await page.getByRole('heading', { name: 'As it was kept' }).waitFor()
    await page.frameLocator('iframe').getByText('Thank you for your order').filter({ visible: true }).first().waitFor()
    await looksGood(page)
  })

  proof('of mails that are sent: a test mail says what the server said', async () => {
    const server = await mailServer()
    const sending = await openDashboards({ mailServer: server.settings() })
    const shop = await sending.openShop()
    const page = await sending.openDashboard('owner', shop, { path: '/dashboard/settings/mail' })
    await page.getByText('noreply@service.example', { exact: false }).waitFor()
    await page.getByText('Nothing was kept: mails are sent', { exact: false }).waitFor()
    const section = new Screen(page).section('Test mail')
    await section.getByLabel('To').fill('nobody')
    await section.getByRole('button', { name: 'Send a test mail' }).click()
    await section.locator('.field.wrong').getByText('to must be an e-mail address').waitFor()
    await section.getByLabel('To').fill('ada@example.com')
    await section.getByLabel('Which mail').selectOption('receipt')
    await section.getByRole('button', { name: 'Send a test mail' }).click()
    await section.getByText('The mail server has accepted the mail.', { exact: false }).waitFor()
    await looksGood(page)
    expect(server.deliveries.map(({ to, mail }) => [to, mail.subject])).toEqual([
      [['ada@example.com'], '[Test] Your order JNP-1042 from Paper & Ink'],
    ])
    server.onRecipient = () => Promise.reject(refusal(550))
    await section.getByRole('button', { name: 'Send a test mail' }).click()
    await section.getByText('it answered 550 5.1.1 to RCPT TO', { exact: false }).waitFor()
    await looksFine(page)
  })

  proof('frame a mail in which nothing runs, for whoever is logged in to this shop', async () => {
    const [shop, other] = [await openTrade(house), await openShop()]
    const order = await shop.buy()
    await shop.hears('ada@example.com', order.customer_reference, 1)
    const { data } = await shop.api<{ data: { id: string }[] }>(200, 'GET', 'developer/outbox')
    const path = `/dashboard/api/mails/outbox/${data[0]?.id}`
    const page = await openDashboard('owner', shop)
    const answer = await page.request.get(house.origin + path)
    expect([answer.status(), answer.headers()['content-type']]).toEqual([200, 'text/html; charset=utf-8'])
    expect(answer.headers()['content-security-policy']).toMatch(
      /^default-src 'none'; style-src 'unsafe-inline'; img-src .*frame-ancestors 'self'; sandbox allow-popups/,
    )
    expect(answer.headers()['cache-control']).toBe('no-store')
    const stranger = await openDashboard('owner', other)
    await expect.poll(async () => (await stranger.request.get(house.origin + path)).status()).toBe(404)
    const packer = await openDashboard('packer', shop)
    for (const address of [path, '/dashboard/api/mails/previews/receipt'])
      await expect.poll(async () => (await packer.request.get(house.origin + address)).status()).toBe(403)
    await expect
      .poll(async () => (await page.request.get(`${house.origin}/dashboard/api/mails/previews/newsletter`)).status())
      .toBe(422)
    const nobody = await house.openPage()
    await expect.poll(async () => (await nobody.request.get(house.origin + path)).status()).toBe(401)
  })
})
