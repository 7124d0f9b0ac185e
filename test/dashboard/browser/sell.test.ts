// Codes and gift cards: made, handed out, used in a checkout, looked up and taken away.

import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import type { Discount } from '../../../src/api/discounts/schema.ts'
import type { GiftCard } from '../../../src/api/gift-cards/schema.ts'
import type { Order } from '../../../src/api/orders/schema.ts'
import { digital } from '../../api/checkouts/capture-support.ts'
import { leave, press } from '../../pages/checkout/journeys/hands.ts'
import { CONTACT, fillIn, fillInCard, PAYS, shownTotal } from '../../pages/checkout/journeys/shopper.ts'
import { pay, receipt } from '../../pages/checkout/journeys/support.ts'
import { isBrowserSkipped } from '../../support/browser.ts'
import { rowsOf, sentBy, shows } from './developer-support.ts'
import { eyesOf, looksFine, OrderScreen } from './orders-support.ts'
import { Dashboard } from './people.ts'
import { looksGood, openDashboards, PATIENT, shoot } from './support.ts'

/** In the page, as soon as the note is drawn anew and before anything else happens. */
const TYPES_WHILE_DRAWN = `{
  const [code, note] = ['code', 'note'].map((name) => document.querySelector('[name=' + name + ']'))
  const watch = new MutationObserver(() => {
    watch.disconnect()
    code.value = 'TYPED-MEANWHILE'
    code.dispatchEvent(new Event('input', { bubbles: true }))
  })
  watch.observe(note, { attributes: true, childList: true, subtree: true })
}`

describe.skipIf(isBrowserSkipped)('codes and gift cards', async () => {
  const house = await openDashboards()
  const { app, openShop, openDashboard, openPage } = house

  async function openTill() {
    const shop = await openShop()
    const { secret } = shop.keys.sandbox
    const mug = await shop.product({ ...digital, name: 'Blue mug', price: 20 })
    const print = await shop.product({ ...digital, name: 'Print', price: 30 })
    return {
      ...shop,
      mug,
      print,
      get: <T>(path: string) => shop.succeed<T>(200, 'GET', path, undefined, secret),
      make: <T>(path: string, body: object) => shop.succeed<T>(201, 'POST', path, body, secret),
      /** Somebody buys, in a browser of their own, and types a code in. */
      buy: async (product: { id: string }, name: 'discount_code' | 'giftcard_code', code: string, total: number) => {
        const { id } = await shop.cart([{ id: product.id }])
        const page = await openPage({ path: `/checkout/${shop.id}/cart/${id}` })
        await fillIn(page, CONTACT)
        await press(page.locator('summary', { hasText: 'Discount code or gift card' }))
        await fillIn(page, { [name]: code })
        await leave(page.locator(`[name=${name}]`))
        await expect.poll(() => shownTotal(page), PATIENT).toBe(total)
        if (total > 0) await fillInCard(page, PAYS)
        await pay(page)
        await receipt(page)
        await page.close()
        const { data } = await shop.succeed<{ data: Order[] }>(200, 'GET', 'orders', undefined, secret)
        app.clock.advance(1)
        return data[0] as Order
      },
    }
  }

  const bigCode = (page: Page) => page.locator('.big-code code')

  it.each(eyesOf(0))('D12: a code is made in the page and used in a checkout ($width px, $scheme)', async (eyes) => {
    const till = await openTill()
    const page = await openDashboard('owner', till, { ...eyes, path: '/dashboard/discounts' })
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.getByRole('heading', { name: 'No discounts yet' }).waitFor()
    await looksGood(page)
    await shoot(page, 'discounts-none')

    await page.getByRole('link', { name: 'New discount' }).first().click()
    await page.getByRole('heading', { level: 1, name: 'New discount' }).waitFor()
    await page.getByLabel('How much').fill('150')
    await page.getByRole('button', { name: 'Make the code' }).click()
    const wrong = page.locator('.field.wrong')
    await shows(wrong, 'must be a percentage above 0 and at most 100')
    await expect.poll(() => wrong.getByLabel('How much').inputValue()).toBe('150')
    await looksGood(page)
    await shoot(page, 'discount-wrong')

    await page.getByLabel('Code').fill('Mug-Ten')
    await page.getByLabel('How much').fill('10')
    await page.getByLabel('How many orders').fill('2')
    await page.getByLabel('Last day').fill('2030-05-31')
    await page.getByLabel('Choose a product').fill('mug')
    await page.getByRole('button', { name: 'Blue mug' }).click()
    await page.getByRole('button', { name: 'Remove Blue mug' }).waitFor()
    await looksFine(page)
    await shoot(page, 'discount-new')
    await page.getByRole('button', { name: 'Make the code' }).click()
    await page.getByRole('heading', { level: 1, name: 'Discount Mug-Ten' }).waitFor()
    await expect.poll(() => bigCode(page).textContent()).toBe('Mug-Ten')
    await page.locator('.big-code').getByRole('button', { name: 'Copy' }).click()
    await expect.poll(() => page.evaluate('navigator.clipboard.readText()'), PATIENT).toBe('Mug-Ten')
    const [made] = (await till.get<{ data: Discount[] }>('discounts')).data
    expect(made).toMatchObject({
      code: 'Mug-Ten',
      type: 'percentage',
      value: 10,
      limit: 2,
      // Until that day is over in the shop.
      expires: Date.UTC(2030, 5, 1) / 1_000,
      product_ids: [till.mug.id],
    })

    const order = await till.buy(till.mug, 'discount_code', 'mug-ten', 18)
    expect(order.order.discount).toMatchObject({ code: 'Mug-Ten' })
    await page.reload()
    await page.getByText('1 of 2 used').waitFor()
    await looksGood(page)
    await shoot(page, 'discount')

    // Only what was changed is sent.
    const form = new OrderScreen(page).section('Change it')
    const save = () => form.getByRole('button', { name: 'Save' }).click()
    await form.getByLabel('What it is for').fill('For the fair')
    expect(await sentBy(page, save)).toEqual({ description: 'For the fair' })
    await page.getByText('For the fair', { exact: true }).first().waitFor()
    await form.getByRole('button', { name: 'Remove Blue mug' }).click()
    await form.getByLabel('Last day').fill('')
    expect(await sentBy(page, save)).toEqual({ product_ids: [], expires: null })
    await page.getByText('Every product', { exact: true }).waitFor()
    await expect
      .poll(() => till.get(`discounts/${made?.id}`))
      .toMatchObject({ description: 'For the fair', expires: null })
    await form.getByLabel('How many orders').fill('0')
    await save()
    await shows(form.locator('.field.wrong'), 'limit must be')
    await looksFine(page)
  })

  it.each(eyesOf(1))('codes are found, narrowed, exported and deleted ($width px, $scheme)', async (eyes) => {
    const till = await openTill()
    const now = Math.floor(app.clock.now().getTime() / 1_000)
    await till.make('discounts', { code: 'SUMMER-10', type: 'percentage', value: 12.5, limit: 1_500 })
    app.clock.advance(1)
    const ending = await till.make<Discount>('discounts', { code: 'FLASH', type: 'fixed', value: 5, expires: now + 60 })
    app.clock.advance(1)
    await till.make('discounts', { code: 'SUMMER-VIP', type: 'fixed', value: 20.5, limit: 3 })
    await till.succeed(200, 'PUT', `discounts/${ending.id}`, { expires: now - 60 }, till.keys.sandbox.secret)
    const page = await openDashboard('manager', till, { ...eyes, path: '/dashboard/discounts' })
    const codes = () => rowsOf(page, 'Discounts').locator('.code-text').allTextContents()
    await expect.poll(codes, PATIENT).toEqual(['SUMMER-10', 'FLASH', 'SUMMER-VIP'])
    const text = (await rowsOf(page, 'Discounts').allTextContents()).join(' ')
    for (const part of ['12.5 %', '$5.00', '$20.50', '0 of 1,500 used', 'Ended', 'Can be used', 'No end'])
      expect(text).toContain(part)
    await looksGood(page)
    await shoot(page, 'discounts')
    await page.getByRole('searchbox', { name: 'Part of a code' }).fill('mer')
    await expect.poll(codes, PATIENT).toEqual(['SUMMER-10', 'SUMMER-VIP'])
    const saved = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Export' }).click()
    const file = await readFile((await (await saved).path()) ?? '', 'utf8')
    expect(
      file
        .trim()
        .split('\r\n')
        .slice(1)
        .map((line) => line.split(',')[0]),
    ).toEqual(['SUMMER-10', 'SUMMER-VIP'])
    await page.getByLabel('Show').selectOption('Ended')
    await page.getByRole('heading', { name: 'Nothing matches' }).waitFor()
    await looksFine(page)
    await page.getByRole('button', { name: 'Clear the filters' }).click()
    await page.getByLabel('Show').selectOption('Ended')
    await expect.poll(codes, PATIENT).toEqual(['FLASH'])

    await page.getByRole('link', { name: 'FLASH' }).click()
    const screen = new OrderScreen(page)
    await screen.action('Delete').click()
    await expect.poll(() => screen.says()).toContain('Carts that have it go on without it, and show the full price.')
    await looksFine(page)
    await shoot(page, 'discount-delete')
    await screen.press('Delete the code')
    await page.getByRole('heading', { level: 1, name: 'Discounts' }).waitFor()
    // The list is shown as it was left.
    await page.getByRole('heading', { name: 'Nothing matches' }).waitFor()
    await expect
      .poll(async () => (await till.get<{ data: Discount[] }>('discounts')).data.map(({ code }) => code))
      .toEqual(['SUMMER-10', 'SUMMER-VIP'])
  })

  it.each(eyesOf(2))('a gift card is made, pays, and its ledger says what for ($width px, $scheme)', async (eyes) => {
    const till = await openTill()
    const page = await openDashboard('owner', till, { ...eyes, path: '/dashboard/giftcards' })
    await page.getByRole('heading', { name: 'No gift cards yet' }).waitFor()
    await looksGood(page)
    await shoot(page, 'giftcards-none')
    await page.getByRole('link', { name: 'New gift card' }).first().click()
    await page.getByLabel('Value').fill('-5')
    await page.getByRole('button', { name: 'Make the gift card' }).click()
    await shows(page.locator('.field.wrong'), 'value')
    await expect.poll(() => page.locator('.field.wrong').getByLabel('Value').inputValue()).toBe('-5')
    await looksFine(page)
    await shoot(page, 'giftcard-wrong')
    await page.getByLabel('Value').fill('50')
    await page.getByLabel('Note').fill('For Ada')
    await page.getByRole('button', { name: 'Make the gift card' }).click()
    await page.getByRole('heading', { level: 1, name: 'Gift card', exact: true }).waitFor()
    await bigCode(page).waitFor()
    const code = (await bigCode(page).textContent()) ?? ''
    expect(code).toMatch(/^[2-9A-HJ-NP-Z]{4}(-[2-9A-HJ-NP-Z]{4}){2}$/)
    const entries = () => rowsOf(page, 'What happened to the balance').allTextContents()
    await expect.poll(entries, PATIENT).toEqual([expect.stringMatching(/^Made.*\+\$50\.00\$50\.00/)])

    const first = await till.buy(till.mug, 'giftcard_code', code.toLowerCase(), 0)
    const second = await till.buy(till.print, 'giftcard_code', code, 0)
    await page.reload()
    await expect
      .poll(entries, PATIENT)
      .toEqual([
        expect.stringMatching(new RegExp(`^Paid order ${second.customer_reference}.*-\\$30\\.00\\$0\\.00`)),
        expect.stringMatching(new RegExp(`^Paid order ${first.customer_reference}.*-\\$20\\.00\\$30\\.00`)),
        expect.stringMatching(/^Made/),
      ])
    await looksGood(page)
    await shoot(page, 'giftcard')

    const screen = new OrderScreen(page)
    await screen.action('Set the balance').click()
    await expect.poll(() => screen.dialog.getByLabel('Left on the card').inputValue()).toBe('0')
    await screen.dialog.getByLabel('Left on the card').fill('12.50')
    await looksFine(page)
    await shoot(page, 'giftcard-balance')
    await screen.press('Set the balance')
    await expect.poll(async () => (await entries())[0], PATIENT).toMatch(/^Set by hand.*\+\$12\.50\$12\.50/)
    const form = screen.section('Change it')

    // Somebody else changes the note, and the code is typed while the page draws what it has read anew.
    const path = `giftcards/${page.url().split('/').at(-1)}`
    await till.succeed(200, 'PUT', path, { note: 'For Bob' }, till.keys.sandbox.secret)
    await page.evaluate(TYPES_WHILE_DRAWN)
    await screen.action('Set the balance').click()
    await screen.dialog.getByLabel('Left on the card').fill('12')
    await screen.press('Set the balance')
    await expect.poll(() => form.getByLabel('Note').inputValue(), PATIENT).toBe('For Bob')
    await expect.poll(async () => (await entries())[0], PATIENT).toMatch(/^Set by hand.*-\$0\.50\$12\.00/)
    expect(await form.getByLabel('Code').inputValue()).toBe('TYPED-MEANWHILE')
    await form.getByLabel('Code').fill(code)

    await form.getByLabel('Note').fill('For Grace')
    const save = () => form.getByRole('button', { name: 'Save' }).click()
    expect(await sentBy(page, save)).toEqual({ note: 'For Grace' })

    await page.getByRole('link', { name: first.customer_reference }).click()
    await page.getByRole('heading', { level: 1, name: first.customer_reference }).waitFor()
    await page.goBack()
    await new Dashboard(page).switchTo('Live')
    await page.getByRole('link', { name: code }).click()
    // What was spent in the sandbox is there in live.
    await expect.poll(entries, PATIENT).toEqual([expect.stringMatching(/^Made.*\+\$50\.00\$50\.00/)])
    await new Dashboard(page).switchTo('Sandbox')

    await page.getByRole('searchbox', { name: 'How the code begins' }).fill(code.slice(0, 5).toLowerCase())
    await expect.poll(() => rowsOf(page, 'Gift cards').count(), PATIENT).toBe(1)
    await looksGood(page)
    await shoot(page, 'giftcards')
    const saved = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Export' }).click()
    expect(await readFile((await (await saved).path()) ?? '', 'utf8')).toContain(`${code},`)
    await page.getByRole('link', { name: code }).click()
    await screen.action('Delete').click()
    await expect
      .poll(async () => (await screen.says())[0])
      .toBe('What is left on it is gone: $12.00 in sandbox, and what is left in live too.')
    await looksFine(page)
    await screen.press('Delete the gift card')
    await page.getByRole('heading', { level: 1, name: 'Gift cards' }).waitFor()
    await expect.poll(async () => (await till.get<{ data: GiftCard[] }>('giftcards')).data).toEqual([])
  })

  it('of a developer are made in the sandbox and looked at in live; a packer has none of them', async () => {
    const till = await openTill()
    const code = await till.make<Discount>('discounts', { code: 'SUMMER', type: 'percentage', value: 10 })
    const card = await till.make<GiftCard>('giftcards', { value: 10 })
    const page = await openDashboard('developer', till, { path: '/dashboard/discounts' })
    await page.getByRole('link', { name: 'New discount' }).waitFor()
    await new Dashboard(page).switchTo('Live')
    await page.getByRole('link', { name: 'New discount' }).waitFor({ state: 'detached' })
    await page.getByRole('link', { name: 'SUMMER' }).click()
    await bigCode(page).waitFor()
    for (const name of ['Delete', 'Save']) expect(await page.getByRole('button', { name }).count()).toBe(0)
    await page.goto(`${house.origin}/dashboard/giftcards/${card.id}`)
    await bigCode(page).waitFor()
    for (const name of ['Delete', 'Save', 'Set the balance'])
      expect(await page.getByRole('button', { name }).count()).toBe(0)
    await looksFine(page)

    const packer = await openDashboard('packer', till, { path: `/dashboard/discounts/${code.id}` })
    await packer.getByRole('heading', { name: 'This is not for your role' }).waitFor()
    const ways = await packer.getByRole('navigation', { name: 'Dashboard' }).getByRole('link').allTextContents()
    for (const name of ['Discounts', 'Gift cards', 'Payment']) expect(ways).not.toContain(name)
    await looksFine(packer)
  })
})
