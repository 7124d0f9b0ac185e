// Ways to pay: set up by the fields that a gateway itself names, asked whether it works, tried without an account, switched off. Secrets go in and
// never come back.

import type { Page } from 'playwright-core'
import { afterAll, describe, expect, it } from 'vitest'
import type { GatewayRecord } from '../../../src/api/payment-methods/schema.ts'
import { digital } from '../../api/checkouts/capture-support.ts'
import { CONFIG, openMollie } from '../../gateways/doubles/mollie.ts'
import { isBrowserSkipped } from '../../support/browser.ts'
import { isNowhere, rowsOf, sentBy, shows } from './developer-support.ts'
import { eyesOf, looksFine, OrderScreen } from './orders-support.ts'
import { Dashboard } from './people.ts'
import { looksGood, openDashboards, PATIENT, shoot } from './support.ts'

describe.skipIf(isBrowserSkipped)('ways to pay', async () => {
  const mollie = await openMollie(() => new Date())
  afterAll(() => mollie.close())
  const places: Readonly<Record<string, string>> = mollie.places
  const house = await openDashboards({ providerAddress: (official) => places[official] ?? official })
  const { openShop, openDashboard } = house

  async function openTill() {
    const shop = await openShop()
    const { secret } = shop.keys.sandbox
    await shop.product({ ...digital, name: 'Blue mug', price: 20 })
    return {
      ...shop,
      secret,
      gateways: async () =>
        (await shop.succeed<{ data: GatewayRecord[] }>(200, 'GET', 'gateways', undefined, secret)).data,
      setUp: (body: object, key = secret) => shop.succeed<GatewayRecord>(201, 'POST', 'gateways', body, key),
    }
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

  it.each(eyesOf(1))(
    'a gateway is set up by its own fields, works, and its secret does not come back ($width px, $scheme)',
    async (eyes) => {
      const till = await openTill()
      const secret = CONFIG.api_key
      const page = await openDashboard('owner', till, { ...eyes, path: '/dashboard/payment' })
      await shows(row(page, 'Test Gateway'), /Sandbox.*On/)
      await looksGood(page)
      await shoot(page, 'payment')
      await page.getByRole('link', { name: 'Set up Mollie' }).click()
      await page.getByRole('heading', { level: 1, name: 'Set up Mollie' }).waitFor()
      await page.getByRole('button', { name: 'Switch on Mollie' }).click()
      await shows(page.locator('.field.wrong'), 'config.api_key is required')
      await looksGood(page)
      await shoot(page, 'payment-wrong')
      await page.getByLabel('API key').fill(secret)
      await page.getByRole('button', { name: 'Switch on Mollie' }).click()

      // Whether it works is asked by itself, and told in words.
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
      await shoot(page, 'payment-way')

      // Only what was changed is sent; what is left empty is kept.
      const form = new OrderScreen(page).section('Settings')
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
      await shoot(page, 'payment-refused')

      const screen = new OrderScreen(page)
      await screen.action('Switch off').click()
      await expect
        .poll(() => screen.says())
        .toContain('Payments that are under way still end, and refunds go on working.')
      await looksFine(page)
      await screen.press('Switch off')
      await screen.action('Switch on').waitFor()
      await expect.poll(async () => (await till.gateways()).map(({ enabled }) => enabled)).toEqual([false])
      await screen.action('Switch on').click()
      await screen.action('Switch off').waitFor()
      await screen.more('Delete')
      await screen.press('Delete it')
      await page.getByRole('heading', { level: 1, name: 'Payment' }).waitFor()
      await expect.poll(() => till.gateways()).toEqual([])
    },
  )

  it.each(eyesOf(2))(
    'a provider is tried without an account, and a test purchase is one press away ($width px, $scheme)',
    async (eyes) => {
      const till = await openTill()
      const page = await openDashboard('developer', till, { ...eyes, path: '/dashboard/payment' })
      await page.getByRole('button', { name: 'Try Stripe without an account' }).click()
      await shows(row(page, 'Stripe'), /Sandbox.*Simulated/)
      await expect.poll(() => till.gateways()).toMatchObject([{ code: 'stripe', simulated: true, enabled: true }])
      await page.getByRole('button', { name: 'Switch off Test Gateway' }).click()
      const screen = new OrderScreen(page)
      await screen.press('Switch off')
      await shows(row(page, 'Test Gateway'), 'Off')
      await looksGood(page)
      await shoot(page, 'payment-simulated')
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
      await shoot(page, 'payment-simulated-way')
      await page.getByRole('button', { name: 'Use this account' }).click()
      await shows(page.locator('.field.wrong').first(), 'is required')
    },
  )

  it.each(eyesOf(3))(
    'what is paid by hand is set up several times, for the mode that one looks at ($width px, $scheme)',
    async (eyes) => {
      const till = await openTill()
      const page = await openDashboard('owner', till, { ...eyes, path: '/dashboard/payment' })
      await new Dashboard(page).switchTo('Live')
      await page.getByText('Nobody can pay in live yet.').waitFor()
      await looksFine(page)
      await shoot(page, 'payment-live')
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
      await expect.poll(() => page.getByText('Nobody can pay in live yet.').count(), PATIENT).toBe(0)
      await expect
        .poll(async () => (await till.gateways()).map(({ config }) => config.details))
        .toEqual(['To account 12345.\nWithin a week.', 'To account 12345.\nWithin a week.'])
    },
  )

  it('of a manager are looked at and not changed, also what is secret in them; of live they are changed in live alone', async () => {
    const till = await openTill()
    const { id } = await till.setUp({ code: 'mollie', config: CONFIG })
    const live = await till.setUp(
      { code: 'mollie', config: { api_key: 'live_8qR2wUkyvBn3eTzXcG5pLs7Jd4Hm9a' } },
      till.keys.live.secret,
    )
    const page = await openDashboard('manager', till, { path: '/dashboard/payment' })
    await shows(row(page, 'Mollie').first(), 'On')
    expect(await page.getByRole('link', { name: /^Set up/ }).count()).toBe(0)
    await page.goto(`${house.origin}/dashboard/payment/${id}`)
    await page.getByText(`Kept (…${CONFIG.api_key.slice(-4)})`, { exact: false }).waitFor()
    for (const name of ['Save', 'Switch off', 'More actions'])
      expect(await page.getByRole('button', { name }).count()).toBe(0)
    await isNowhere(page, CONFIG.api_key)
    await looksFine(page)
    await shoot(page, 'payment-manager')

    const owner = await openDashboard('owner', till, { path: `/dashboard/payment/${live.id}` })
    await owner.getByText('it is changed in live, not in the sandbox').waitFor()
    expect(await owner.getByRole('button', { name: 'Save' }).count()).toBe(0)
    await looksFine(owner)
    await owner.getByRole('button', { name: 'Switch to live' }).click()
    await owner.getByRole('button', { name: 'Save' }).waitFor()

    const developer = await openDashboard('developer', till, { path: `/dashboard/payment/${live.id}` })
    await new Dashboard(developer).switchTo('Live')
    await row(developer, 'Live').getByRole('link', { name: 'Mollie', exact: true }).click()
    await developer.getByText('Ways to pay are set up by an owner of the shop.').waitFor()
    expect(await developer.getByRole('button', { name: 'Save' }).count()).toBe(0)
  })
})
