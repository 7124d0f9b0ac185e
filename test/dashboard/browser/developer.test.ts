// @sampled: `npm test` stops where a webhook was mended.
// Developers at work: keys, the version, webhooks from the first test to sending again, events as they happen, and a request found by its id.

import { describe, expect, it } from 'vitest'
import { answerWith, openReceiver } from '../../api/webhooks/support.ts'
import { isBrowserSkipped } from '../../support/browser.ts'
import { isProof } from '../../support/proof.ts'
import { hasRows, isNowhere, rowsOf, Screen, shows } from './screen.ts'
import { eyesOf, looksFine, looksGood, openDashboards, toNow } from './support.ts'

describe.skipIf(isBrowserSkipped)('developers', async () => {
  const house = await openDashboards({ allowPrivateAddresses: true, webhookPollMs: 20, requestLog: 'all' })
  house.app.startJobs()
  const { app, origin, openShop, openDashboard } = house

  const ask = (key: string, path: string, headers: Record<string, string> = {}) =>
    fetch(`${origin}/v1/${path}`, { headers: { 'x-authorization': key, ...headers } })

  it('D14: a key is shown once, works, and is refused after it was revoked', async () => {
    const shop = await openShop()
    const page = await openDashboard('developer', shop, { ...eyesOf(1), path: '/dashboard/keys' })
    const step = new Screen(page)
    await hasRows(page, 'API keys', 4)
    await looksGood(page)
    await page.getByRole('button', { name: 'New key' }).click()
    // Keys of the live shop are its owners'.
    await expect
      .poll(() => step.dialog.getByLabel('Mode').locator('option').allTextContents())
      .toEqual(['Sandbox: to try things'])
    await step.press('Make a secret sandbox key')
    const shown = (await step.dialog.locator('[data-secret]').textContent()) ?? ''
    expect(shown).toMatch(/^sk_test_/)
    // It warns before it closes.
    await page.keyboard.press('Escape')
    await step.dialog.getByRole('alert').waitFor()
    await looksFine(page)
    await step.press('Go back to it')
    expect(await step.takeSecret()).toBe(shown)
    await hasRows(page, 'API keys', 5)
    await isNowhere(page, shown)
    await page.reload()
    await hasRows(page, 'API keys', 5)
    await isNowhere(page, shown)

    expect((await ask(shown, 'products')).status).toBe(200)
    const short = `sk_test_…${shown.slice(-4)}`
    await page.getByRole('button', { name: `Revoke ${short}` }).click()
    const revoke = step.dialog.getByRole('button', { name: `Revoke ${short}` })
    await expect.poll(() => revoke.isDisabled()).toBe(true)
    await step.dialog.getByLabel(/last four/).fill('nope')
    await expect.poll(() => revoke.isDisabled()).toBe(true)
    await step.dialog.getByLabel(/last four/).fill(shown.slice(-4))
    await looksFine(page)
    await revoke.click()
    await step.dialog.waitFor({ state: 'detached' })
    await expect.poll(async () => (await ask(shown, 'products')).status).toBe(401)
    await hasRows(page, 'API keys', 4)
  })

  it('D15: the version is raised after its changes were read, answers change, and it is set back', async () => {
    const shop = await openShop({ apiVersion: '2021-09-29' })
    const { secret } = shop.keys.sandbox
    const discountIn = async () => Object.keys((await (await ask(secret, 'carts')).json()) as object)
    const before = await discountIn()
    expect(before).toContain('discount_code')
    const page = await openDashboard('owner', shop, { ...eyesOf(2), path: '/dashboard/versions' })
    const step = new Screen(page)
    await page.locator('details.version').first().waitFor()
    // A page that nobody has loaded offers nothing.
    const set = page.getByRole('button', { name: 'Set the shop to 2022-07-21' })
    await expect.poll(() => set.isVisible()).toBe(false)
    await page.locator('details.version').filter({ hasText: 'Newest' }).locator('summary').click()
    await set.waitFor()
    await looksGood(page)
    await set.click()
    await expect.poll(() => step.dialog.textContent()).toContain('discount_code')
    await looksFine(page)
    await step.press('Set to 2022-07-21')
    await step.dialog.waitFor({ state: 'detached' })
    await expect.poll(discountIn).not.toContain('discount_code')
    await shows(page.locator('.facts'), /Your shop is set to2022-07-21/)
    await page.locator('details.version').filter({ hasText: '2021-09-29' }).locator('summary').click()
    await page.getByRole('button', { name: 'Set the shop back to 2021-09-29' }).click()
    await step.press('Set back to 2021-09-29')
    await expect.poll(discountIn).toEqual(before)
  })

  it('a webhook is added, fails, says why, is mended and sends again; its key is changed without a gap', async () => {
    const shop = await openShop()
    const receiver = await openReceiver(answerWith(500, {}, '<b>Out of paper</b>'))
    const page = await openDashboard('developer', shop, { ...eyesOf(0), path: '/dashboard/webhooks' })
    const step = new Screen(page)
    await page.getByRole('heading', { name: 'No webhooks in sandbox' }).waitFor()
    await page.getByRole('button', { name: 'Python' }).click()
    await shows(page.locator('.samples pre'), /import base64, hashlib, hmac/)
    await looksGood(page)
    await page.getByRole('button', { name: 'New webhook' }).first().click()
    await step.dialog.getByLabel('Address').fill('not an address')
    await step.press('Add the webhook')
    await step.dialog.getByRole('alert').waitFor()
    await expect.poll(() => step.dialog.getByLabel('Address').getAttribute('aria-invalid')).toBe('true')
    await step.dialog.getByLabel('Address').fill(receiver.url)
    await step.dialog.getByLabel(/^All events/).uncheck()
    await expect.poll(() => step.dialog.getByRole('button', { name: 'Add the webhook' }).isDisabled()).toBe(true)
    await step.dialog.getByLabel(/^customers\.create/).check()
    await looksFine(page)
    await step.press('Add the webhook')
    const signingKey = await step.takeSecret()
    expect(signingKey).toMatch(/^whsec_/)
    await isNowhere(page, signingKey)

    await page.getByRole('link', { name: receiver.url }).click()
    await page.getByRole('button', { name: 'Send a test event' }).click()
    await page.getByRole('heading', { level: 1, name: 'test.webhook' }).waitFor()
    await shows(page.locator('.attempts'), /Out of paper/)
    // The answer of a stranger is text.
    expect(await page.locator('.attempts b').count()).toBe(0)
    await shows(page.locator('.message.open'), /It answered 500: it broke\. The next attempt is due/)
    await looksFine(page)
    await page.getByRole('link', { name: receiver.url }).click()
    await shows(page.locator('.message.bad'), /Failing since .* It answered 500: it broke/)
    await hasRows(page, 'Deliveries', 1)
    await looksGood(page)

    receiver.reply = answerWith(200, {}, 'Thank you')
    await rowsOf(page, 'Deliveries').first().getByRole('link').click()
    // Nobody waits for the next attempt who has mended the server.
    await page.getByRole('button', { name: 'Try now' }).click()
    await shows(page.locator('.message.good'), /It arrived .* It answered 200/)
    expect(receiver.received).toHaveLength(2)
    await page.getByRole('button', { name: 'Send again' }).click()
    await expect.poll(() => receiver.received.length).toBe(3)
    await expect.poll(() => page.locator('.attempt').count()).toBe(3)
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1)
    await looksGood(page)

    if (!isProof) return
    await page.getByRole('link', { name: receiver.url }).click()
    await page.getByRole('button', { name: 'Send a test event' }).waitFor()
    await step.more('Change the signing key')
    await looksFine(page)
    await step.press('Make a new key')
    expect(await step.takeSecret()).not.toBe(signingKey)
    await shows(page.locator('.facts').first(), /Former signing key/)
    await step.more('Finish the change of the key')
    await step.press('Finish the change')
    await expect.poll(() => page.locator('.facts').first().textContent()).not.toContain('Former signing key')

    await step.more('Switch off')
    await step.press('Switch off')
    await step.dialog.waitFor({ state: 'detached' })
    await shop.api(201, 'POST', 'customers', { email: 'ada@example.com' })
    await page.reload()
    await page.getByRole('button', { name: 'Switch on and send what was missed (1)' }).click()
    await looksFine(page)
    await step.press('Switch on and send what was missed')
    await expect.poll(() => receiver.received.at(-1)?.body.event).toBe('customers.create')
    await page.getByLabel('Event', { exact: true }).selectOption('customers.create')
    await hasRows(page, 'Deliveries', 1)
    await page.getByLabel('State', { exact: true }).selectOption('Failed')
    await page.getByRole('heading', { name: 'Nothing matches' }).waitFor()
    await page.getByRole('button', { name: 'Clear the filters' }).click()
    await hasRows(page, 'Deliveries', 2)
    await page.getByRole('link', { name: 'Webhooks' }).first().click()
    await hasRows(page, 'Webhooks', 1)
    await looksGood(page)
  })

  it('events appear as they happen, and lead to the request that caused them, which is found by its id too', async () => {
    const shop = await openShop()
    const { secret } = shop.keys.sandbox
    const page = await openDashboard('developer', shop, {
      ...eyesOf(3),
      path: '/dashboard/events?event=customers.create',
    })
    await page.getByRole('heading', { name: 'Nothing matches' }).waitFor()
    // The log looks for events in the time of the request.
    toNow(app)
    const answer = await app.call('POST', '/v1/customers', {
      key: secret,
      body: { email: 'ada@example.com', firstname: '<img src=x onerror=alert(1)>' },
    })
    const { id } = answer.body as { id: string }
    const requestId = String(answer.headers['x-request-id'])
    // Without a press: it looks by itself.
    await hasRows(page, 'Events', 1)
    await page.getByRole('button', { name: 'Pause' }).click()
    await looksFine(page)
    await page.getByRole('link', { name: 'customers.create' }).click()
    await shows(page.locator('.facts'), new RegExp(id))
    await looksGood(page)
    await page.getByRole('link', { name: requestId }).click()
    await page.getByRole('heading', { level: 1, name: 'POST /v1/customers' }).waitFor()
    await shows(page.locator('.bodies pre').first(), /onerror=alert/)
    expect(await page.locator('.bodies img').count()).toBe(0)
    await page.getByRole('link', { name: /^evt_/ }).waitFor()
    await looksGood(page)

    await page.goto(`${origin}/dashboard/requests?method=POST&path=/v1/customers`)
    await hasRows(page, 'Requests', 1)
    await page.getByLabel('Answer', { exact: true }).selectOption('4xx')
    await page.getByRole('heading', { name: /^Nothing matches/ }).waitFor()
    await page.getByRole('button', { name: 'Clear the filters' }).click()
    await expect.poll(() => rowsOf(page, 'Requests').count()).toBeGreaterThan(1)
    await looksGood(page)
    await page.getByRole('textbox', { name: 'Request id' }).fill(requestId)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'POST /v1/customers' }).waitFor()
    await page.goto(`${origin}/dashboard/requests?path=/v1/nothing-begins-so`)
    await page.getByRole('heading', { name: /^Nothing matches/ }).waitFor()
    await looksFine(page)
  })
})
