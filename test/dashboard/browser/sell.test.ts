// @sampled: `npm test` makes a code and a gift card, and pays with each.
// Codes and gift cards: made, handed out, used in a checkout, looked up and taken away.

import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import type { Discount } from '../../../src/api/discounts/schema.ts'
import type { GiftCard } from '../../../src/api/gift-cards/schema.ts'
import { digital, digitalBody } from '../../api/checkouts/capture-support.ts'
import { isBrowserSkipped, proof } from '../../support/browser.ts'
import { exported, hasRows, rowsOf, Screen, sentBy, shows } from './screen.ts'
import { eyesOf, looksFine, looksGood, openDashboards } from './support.ts'

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
  const { app, openShop, openDashboard } = house

  async function openTill() {
    const shop = await openShop()
    const mug = await shop.product({ ...digital, name: 'Blue mug', price: 20 })
    const print = await shop.product({ ...digital, name: 'Print', price: 30 })
    return {
      ...shop,
      mug,
      print,
      make: <T>(path: string, body: Record<string, unknown>) => shop.api<T>(201, 'POST', path, body),
      /** Somebody buys with a code. The checkout page has tests of its own (C5). */
      buy: async ({ id }: { id: string }, code: { discount_code: string } | { giftcard_code: string }) => {
        const order = await shop.order(await shop.token({ id }), digitalBody(code))
        app.clock.advance(1)
        return order
      },
    }
  }

  const bigCode = (page: Page) => page.locator('.big-code code')

  it('D12: a code is made in the page and used in a checkout', async () => {
    const till = await openTill()
    const page = await openDashboard('owner', till, { ...eyesOf(0), path: '/dashboard/discounts' })
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.getByRole('heading', { name: 'No discounts yet' }).waitFor()
    await looksGood(page)

    await page.getByRole('link', { name: 'New discount' }).first().click()
    await page.getByRole('heading', { level: 1, name: 'New discount' }).waitFor()
    await page.getByLabel('How much').fill('150')
    await page.getByRole('button', { name: 'Make the code' }).click()
    const wrong = page.locator('.field.wrong')
    await shows(wrong, 'must be a percentage above 0 and at most 100')
    await expect.poll(() => wrong.getByLabel('How much').inputValue()).toBe('150')
    await looksGood(page)

    await page.getByLabel('Code').fill('Mug-Ten')
    await page.getByLabel('How much').fill('10')
    await page.getByLabel('How many orders').fill('2')
    await page.getByLabel('Last day').fill('2030-05-31')
    await page.getByLabel('Choose a product').fill('mug')
    await page.getByRole('button', { name: 'Blue mug' }).click()
    await page.getByRole('button', { name: 'Remove Blue mug' }).waitFor()
    await looksFine(page)
    await page.getByRole('button', { name: 'Make the code' }).click()
    await page.getByRole('heading', { level: 1, name: 'Discount Mug-Ten' }).waitFor()
    await expect.poll(() => bigCode(page).textContent()).toBe('Mug-Ten')
    await page.locator('.big-code').getByRole('button', { name: 'Copy' }).click()
    await expect.poll(() => page.evaluate('navigator.clipboard.readText()')).toBe('Mug-Ten')
    const [made] = await till.list<Discount>('discounts')
    expect(made).toMatchObject({
      code: 'Mug-Ten',
      type: 'percentage',
      value: 10,
      limit: 2,
      // Until that day is over in the shop.
      expires: Date.UTC(2030, 5, 1) / 1_000,
      product_ids: [till.mug.id],
    })

    const order = await till.buy(till.mug, { discount_code: 'mug-ten' })
    expect(order.order).toMatchObject({ discount: { code: 'Mug-Ten' }, total: { raw: 18 } })
    await page.reload()
    await page.getByText('1 of 2 used').waitFor()
    await looksGood(page)

    // Only what was changed is sent.
    const form = new Screen(page).section('Change it')
    const save = () => form.getByRole('button', { name: 'Save' }).click()
    await form.getByLabel('What it is for').fill('For the fair')
    expect(await sentBy(page, save)).toEqual({ description: 'For the fair' })
    await page.getByText('For the fair', { exact: true }).first().waitFor()
    await form.getByRole('button', { name: 'Remove Blue mug' }).click()
    await form.getByLabel('Last day').fill('')
    expect(await sentBy(page, save)).toEqual({ product_ids: [], expires: null })
    await page.getByText('Every product', { exact: true }).waitFor()
    await form.getByLabel('How many orders').fill('0')
    await save()
    await shows(form.locator('.field.wrong'), 'limit must be')
    await looksFine(page)
  })

  proof('codes are found, narrowed, exported and deleted', async () => {
    const till = await openTill()
    const now = Math.floor(app.clock.now().getTime() / 1_000)
    await till.make('discounts', { code: 'SUMMER-10', type: 'percentage', value: 12.5, limit: 1_500 })
    app.clock.advance(1)
    const ending = await till.make<Discount>('discounts', { code: 'FLASH', type: 'fixed', value: 5, expires: now + 60 })
    app.clock.advance(1)
    await till.make('discounts', { code: 'SUMMER-VIP', type: 'fixed', value: 20.5, limit: 3 })
    await till.api(200, 'PUT', `discounts/${ending.id}`, { expires: now - 60 })
    const page = await openDashboard('manager', till, { ...eyesOf(1), path: '/dashboard/discounts' })
    const codes = () => rowsOf(page, 'Discounts').locator('.code-text').allTextContents()
    await expect.poll(codes).toEqual(['SUMMER-10', 'FLASH', 'SUMMER-VIP'])
    const text = (await rowsOf(page, 'Discounts').allTextContents()).join(' ')
    for (const part of ['12.5 %', '$5.00', '$20.50', '0 of 1,500 used', 'Ended', 'Can be used', 'No end'])
      expect(text).toContain(part)
    await looksGood(page)
    await page.getByRole('searchbox', { name: 'Part of a code' }).fill('mer')
    await expect.poll(codes).toEqual(['SUMMER-10', 'SUMMER-VIP'])
    const lines = await exported(page, 'Export')
    expect(lines.slice(1).map((line) => line.split(',')[0])).toEqual(['SUMMER-10', 'SUMMER-VIP'])
    await page.getByLabel('Show').selectOption('Ended')
    await page.getByRole('heading', { name: 'Nothing matches' }).waitFor()
    await looksFine(page)
    await page.getByRole('button', { name: 'Clear the filters' }).click()
    await page.getByLabel('Show').selectOption('Ended')
    await expect.poll(codes).toEqual(['FLASH'])

    await page.getByRole('link', { name: 'FLASH' }).click()
    const screen = new Screen(page)
    await screen.action('Delete').click()
    await expect.poll(() => screen.says()).toContain('Carts that have it go on without it, and show the full price.')
    await looksFine(page)
    await screen.finish('Delete the code')
    await page.getByRole('heading', { level: 1, name: 'Discounts' }).waitFor()
    // The list is shown as it was left.
    await page.getByRole('heading', { name: 'Nothing matches' }).waitFor()
    await expect
      .poll(async () => (await till.list<Discount>('discounts')).map(({ code }) => code))
      .toEqual(['SUMMER-10', 'SUMMER-VIP'])
  })

  it('a gift card is made, pays, and its ledger says what for', async () => {
    const till = await openTill()
    const page = await openDashboard('owner', till, { ...eyesOf(2), path: '/dashboard/giftcards' })
    await page.getByRole('heading', { name: 'No gift cards yet' }).waitFor()
    await looksGood(page)
    await page.getByRole('link', { name: 'New gift card' }).first().click()
    await page.getByLabel('Value').fill('-5')
    await page.getByRole('button', { name: 'Make the gift card' }).click()
    await shows(page.locator('.field.wrong'), 'value')
    await expect.poll(() => page.locator('.field.wrong').getByLabel('Value').inputValue()).toBe('-5')
    await looksFine(page)
    await page.getByLabel('Value').fill('50')
    await page.getByLabel('Note').fill('For Ada')
    await page.getByRole('button', { name: 'Make the gift card' }).click()
    await page.getByRole('heading', { level: 1, name: 'Gift card', exact: true }).waitFor()
    await bigCode(page).waitFor()
    const code = (await bigCode(page).textContent()) ?? ''
    expect(code).toMatch(/^[2-9A-HJ-NP-Z]{4}(-[2-9A-HJ-NP-Z]{4}){2}$/)
    const entries = () => rowsOf(page, 'What happened to the balance').allTextContents()
    await expect.poll(entries).toEqual([expect.stringMatching(/^Made.*\+\$50\.00\$50\.00/)])

    const first = await till.buy(till.mug, { giftcard_code: code.toLowerCase() })
    const second = await till.buy(till.print, { giftcard_code: code })
    await page.reload()
    await expect
      .poll(entries)
      .toEqual([
        expect.stringMatching(new RegExp(`^Paid order ${second.customer_reference}.*-\\$30\\.00\\$0\\.00`)),
        expect.stringMatching(new RegExp(`^Paid order ${first.customer_reference}.*-\\$20\\.00\\$30\\.00`)),
        expect.stringMatching(/^Made/),
      ])
    await looksGood(page)

    const screen = new Screen(page)
    await screen.action('Set the balance').click()
    await expect.poll(() => screen.dialog.getByLabel('Left on the card').inputValue()).toBe('0')
    await screen.dialog.getByLabel('Left on the card').fill('12.50')
    await looksFine(page)
    await screen.finish('Set the balance')
    await expect.poll(async () => (await entries())[0]).toMatch(/^Set by hand.*\+\$12\.50\$12\.50/)
    const form = screen.section('Change it')

    // Somebody else changes the note, and the code is typed while the page draws what it has read anew.
    const path = `giftcards/${page.url().split('/').at(-1)}`
    await till.api(200, 'PUT', path, { note: 'For Bob' })
    await page.evaluate(TYPES_WHILE_DRAWN)
    await screen.action('Set the balance').click()
    await screen.dialog.getByLabel('Left on the card').fill('12')
    await screen.finish('Set the balance')
    await expect.poll(() => form.getByLabel('Note').inputValue()).toBe('For Bob')
    await expect.poll(async () => (await entries())[0]).toMatch(/^Set by hand.*-\$0\.50\$12\.00/)
    expect(await form.getByLabel('Code').inputValue()).toBe('TYPED-MEANWHILE')
    await form.getByLabel('Code').fill(code)

    await form.getByLabel('Note').fill('For Grace')
    const save = () => form.getByRole('button', { name: 'Save' }).click()
    expect(await sentBy(page, save)).toEqual({ note: 'For Grace' })

    await page.getByRole('link', { name: first.customer_reference }).click()
    await page.getByRole('heading', { level: 1, name: first.customer_reference }).waitFor()
    await page.goBack()
    await new Screen(page).switchTo('Live')
    await page.getByRole('link', { name: code }).click()
    // What was spent in the sandbox is there in live.
    await expect.poll(entries).toEqual([expect.stringMatching(/^Made.*\+\$50\.00\$50\.00/)])
    await new Screen(page).switchTo('Sandbox')

    await page.getByRole('searchbox', { name: 'How the code begins' }).fill(code.slice(0, 5).toLowerCase())
    // The list searches after a pause in typing. A click meanwhile would hit a row that is drawn again.
    await page.waitForURL((url) => url.search !== '')
    await hasRows(page, 'Gift cards', 1)
    await looksGood(page)
    expect((await exported(page, 'Export')).join()).toContain(`${code},`)
    await page.getByRole('link', { name: code }).click()
    await screen.action('Delete').click()
    await expect
      .poll(async () => (await screen.says())[0])
      .toBe('What is left on it is gone: $12.00 in sandbox, and what is left in live too.')
    await looksFine(page)
    await screen.finish('Delete the gift card')
    await page.getByRole('heading', { level: 1, name: 'Gift cards' }).waitFor()
    await expect.poll(async () => await till.list<GiftCard>('giftcards')).toEqual([])
  })
})
