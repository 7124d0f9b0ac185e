// @sampled: `npm test` sets a gateway up and switches it off.
// Ways to pay: set up by the fields that a gateway itself names, asked whether it works, tried without an account, switched off. Secrets go in and
// never come back.

import type { Page } from 'playwright-core'
import { afterAll, describe, expect, it } from 'vitest'
import type { GatewayRecord } from '../../../src/api/payment-methods/schema.ts'
import { digital } from '../../api/checkouts/capture-support.ts'
import { CONFIG, openMollie } from '../../gateways/doubles/mollie.ts'
import { isBrowserSkipped, proof } from '../../support/browser.ts'
import { isNowhere, rowsOf, Screen, sentBy, shows } from './screen.ts'
import { eyesOf, looksFine, looksGood, openDashboards } from './support.ts'

describe.skipIf(isBrowserSkipped)('ways to pay', async () => {
  const mollie = await openMollie(() => new Date())
  afterAll(() => mollie.close())
  const places: Readonly<Record<string, string>> = mollie.places
  const house = await openDashboards({ providerAddress: (official) => places[official] ?? official })
  const { openShop, openDashboard } = house

  async function openTill() {
    const shop = await openShop()
    await shop.product({ ...digital, name: 'Blue mug', price: 20 })
    return { ...shop, gateways: () => shop.list<GatewayRecord>('gateways') }
  }

  const row = (page: Page, name: string) => rowsOf(page, 'Ways to pay').filter({ hasText: name })
  const says = (page: Page) => page.getByRole('status').filter({ hasText: /work/ })

  /** What the page asks for there is answered when it is let go. */
  async function holdReads(page: Page, path: string): Promise<() => Promise<void>> {
    let open = () => {}
    const isOpen = new Promise<void>((resolve) => {
      open = resolve
    })
    await page.route(`**${path}`, async (route) => {
      if (route.request().method() === 'GET') await isOpen
      await route.continue()
    })
    return async () => {
      open()
      await page.unrouteAll({ behavior: 'wait' })
    }
  }

  it('a gateway is set up by its own fields, works, and its secret does not come back', async () => {
    const till = await openTill()
    const secret = CONFIG.api_key
    const page = await openDashboard('owner', till, { ...eyesOf(1), path: '/dashboard/payment' })
    await shows(row(page, 'Test Gateway'), /Sandbox.*On/)
    await looksGood(page)
    await page.getByRole('link', { name: 'Set up Mollie' }).click()
    await page.getByRole('heading', { level: 1, name: 'Set up Mollie' }).waitFor()
    await page.getByRole('button', { name: 'Switch on Mollie' }).click()
    await shows(page.locator('.field.wrong'), 'config.api_key is required')
    await looksGood(page)
    await page.getByLabel('API key').fill(secret)
    await page.getByRole('button', { name: 'Switch on Mollie' }).click()

    // The page checks by itself whether it works, and says so.
    await shows(says(page), 'It works. Mollie knows this API key')
    const key = page.getByLabel('API key')
    expect([await key.inputValue(), await key.getAttribute('type')]).toEqual(['', 'password'])
    await page.getByText(`ending in ${secret.slice(-4)}`).waitFor()
    await isNowhere(page, secret)
    const [made] = await till.gateways()
    expect(made).toMatchObject({ code: 'mollie', enabled: true, sandbox: true, simulated: false })
    await page.getByText(`/gateway-webhooks/${till.id}/${made?.id}`).waitFor()
    await page.reload()
    await page.getByText(`ending in ${secret.slice(-4)}`).waitFor()
    await isNowhere(page, secret)
    await looksGood(page)

    // Only what was changed is sent; what is left empty is kept.
    const form = new Screen(page).section('Settings')
    const save = () => form.getByRole('button', { name: 'Save' }).click()
    const letGo = await holdReads(page, `/v1/gateways/${made?.id}`)
    await form.getByLabel('Return URL').fill('https://shop.example/back')
    expect(await sentBy(page, save)).toEqual({ config: { return_url: 'https://shop.example/back' } })
    await shows(says(page), 'It works.')
    // Also before the page has read what was just saved.
    expect(await form.getByLabel('Return URL').inputValue()).toBe('https://shop.example/back')
    await form.getByLabel('Return URL').fill('')
    expect(await sentBy(page, save)).toEqual({ config: { return_url: null } })
    await letGo()
    await form.getByLabel('Return URL').fill('ftp://shop.example')
    await save()
    await shows(form.locator('.field.wrong'), 'config.return_url must begin with')
    await form.getByLabel('Return URL').fill('')
    await form.getByLabel('API key').fill('test_wrong0000000000000000000000')
    await save()
    await shows(says(page), 'It does not work yet.')
    expect(await form.getByLabel('API key').inputValue()).toBe('')
    await isNowhere(page, 'test_wrong0000000000000000000000')
    await looksFine(page)

    const screen = new Screen(page)
    await screen.action('Switch off').click()
    await expect
      .poll(() => screen.says())
      .toContain('Payments that are under way still end, and refunds go on working.')
    await looksFine(page)
    await screen.finish('Switch off')
    await screen.action('Switch on').waitFor()
    await expect.poll(async () => (await till.gateways()).map(({ enabled }) => enabled)).toEqual([false])
    await screen.action('Switch on').click()
    await screen.action('Switch off').waitFor()
    await screen.more('Delete')
    await screen.finish('Delete it')
    await page.getByRole('heading', { level: 1, name: 'Payment' }).waitFor()
    await expect.poll(() => till.gateways()).toEqual([])
  })

  proof('a provider is tried without an account, and a test purchase is one press away', async () => {
    const till = await openTill()
    const page = await openDashboard('developer', till, { ...eyesOf(2), path: '/dashboard/payment' })
    await page.getByRole('button', { name: 'Try Stripe without an account' }).click()
    await shows(row(page, 'Stripe'), /Sandbox.*Simulated/)
    await expect.poll(() => till.gateways()).toMatchObject([{ code: 'stripe', simulated: true, enabled: true }])
    await page.getByRole('button', { name: 'Switch off Test Gateway' }).click()
    const screen = new Screen(page)
    await screen.finish('Switch off')
    await shows(row(page, 'Test Gateway'), 'Off')
    await looksGood(page)
    const opened = page.context().waitForEvent('page')
    await page.getByRole('link', { name: 'Make a test purchase' }).click()
    const checkout = await opened
    // On a phone what is bought is folded.
    await checkout.getByText('Blue mug').first().waitFor({ state: 'attached' })
    const ways = checkout.locator('[name="payment[gateway]"]')
    await ways.first().waitFor({ state: 'attached' })
    expect(await ways.evaluateAll((found) => found.map((way) => way.getAttribute('value')))).toEqual(['stripe'])
    await checkout.close()
    await row(page, 'Stripe').getByRole('link', { name: 'Stripe', exact: true }).click()
    await page.getByText('Its payments are made up in the sandbox').waitFor()
    await looksFine(page)
    await page.getByRole('button', { name: 'Use this account' }).click()
    await shows(page.locator('.field.wrong').first(), 'is required')
  })

  proof('what is paid by hand is set up several times, for the mode that one looks at', async () => {
    const till = await openTill()
    const page = await openDashboard('owner', till, { ...eyesOf(3), path: '/dashboard/payment' })
    await new Screen(page).switchTo('Live')
    await page.getByText('Nobody can pay in live yet.').waitFor()
    await looksFine(page)
    for (const name of ['Bank transfer', 'Cash']) {
      await page.getByRole('link', { name: 'Set up Manual payment' }).click()
      await page.getByLabel('Name').fill(name)
      await page.getByLabel('How to pay').fill('To account 12345.\nWithin a week.')
      await page.getByRole('button', { name: 'Switch on Manual payment' }).click()
      await page.getByRole('heading', { level: 1, name }).waitFor()
      await page.getByRole('link', { name: 'Payment' }).first().click()
      await shows(row(page, name), /Live.*On/)
      expect(await row(page, name).textContent()).not.toContain('Sandbox')
    }
    await expect.poll(() => page.getByText('Nobody can pay in live yet.').count()).toBe(0)
    await expect
      .poll(async () => (await till.gateways()).map(({ config }) => config.details))
      .toEqual(['To account 12345.\nWithin a week.', 'To account 12345.\nWithin a week.'])
  })
})
