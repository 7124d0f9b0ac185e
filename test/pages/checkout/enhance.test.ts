// @sampled: `npm test` tries totals, a broken line and a second press.
// What the script does on the page of the checkout, in a browser: totals that follow, a line that breaks, a second press, what is kept and what never.

import type { Page } from 'playwright-core'
import { afterEach, describe, expect, it } from 'vitest'
import { isBrowserSkipped, openVisitors, proof } from '../../support/browser.ts'
import { openScriptPage } from './script-page.ts'
import { standInFor } from './stand-ins/hosts.ts'

const plain = await openScriptPage()
const withStripe = await openScriptPage('stripe')
const visitors = await openVisitors({ expected: /net::ERR_|Failed to load resource/ })

let hosts: Awaited<ReturnType<typeof standInFor>>

async function open(server = plain, path = '/pay'): Promise<Page> {
  const context = await visitors.openContext()
  hosts = await standInFor(context, server.origin)
  const page = await context.newPage()
  await page.goto(server.origin + path)
  return page
}

afterEach(() => {
  for (const server of [plain, withStripe]) {
    server.goOn()
    server.reset()
  }
  expect(hosts?.strays ?? []).toEqual([])
})

const total = (page: Page) => page.getByText(/^Total/).textContent()
const totalIs = (page: Page, minor: number) => expect.poll(() => total(page)).toBe(`Total ${minor}`)

/** What is typed may have been asked about once more since: that is answered too. */
const answered = (look: () => Promise<number>, expected: number) =>
  expect
    .poll(async () => {
      plain.goOn()
      return look()
    })
    .toBe(expected)

describe.skipIf(isBrowserSkipped)('the script of the checkout', () => {
  it('asks for the totals when something that costs has changed, not for a name, and never with a card', async () => {
    const page = await open()
    await page.getByLabel('Card number').fill('4242 4242 4242 4242')
    await page.getByLabel('E-mail').fill('ada@example.com')
    await page.getByLabel('Town').focus()
    await page.getByLabel('Country').selectOption('DE')
    await expect.poll(() => plain.sent.length).toBe(1)
    const names = [...(plain.sent[0]?.form.keys() ?? [])]
    expect(names.filter((name) => name.startsWith('payment['))).toEqual(['payment[gateway]'])
    expect(await page.getByLabel('Card number').inputValue()).toBe('4242 4242 4242 4242')
    await page.getByLabel('Code', { exact: true }).fill('TEN')
    await page.getByLabel('Quantity').fill('3')
    await totalIs(page, 2_900)
    const last = plain.sent.at(-1)
    expect([last?.isFragment, last?.form.get('do'), last?.form.get('customer[email]')]).toEqual([
      true,
      'update',
      'ada@example.com',
    ])
    expect(await page.title()).toBe('Checkout 2900')
    expect(await page.locator('[name=expected_total]').inputValue()).toBe('2900')
    await expect(page.getByText('needs scripting').isVisible()).resolves.toBe(false)
    await expect(page.getByText('with scripting', { exact: true }).isVisible()).resolves.toBe(true)
  })

  proof(
    'keeps what is typed while the answer is on its way, also in a field that goes elsewhere, and the focus',
    async () => {
      const page = await open()
      plain.state.isHeld = true
      await page.getByLabel('Country').selectOption('US')
      await expect.poll(() => plain.waiting.length).toBe(1)
      await page.getByLabel('Town').pressSequentially('San Francisco')
      await page.getByLabel('E-mail').pressSequentially('ada@')
      await page.evaluate('document.activeElement.setSelectionRange(1, 2)')
      await answered(() => page.getByLabel('State').count(), 1)
      expect(await page.getByLabel('Town').inputValue()).toBe('San Francisco')
      const focused = '(({ name, value, selectionStart, selectionEnd }) => [name, value, selectionStart, selectionEnd])'
      expect(await page.evaluate(`${focused}(document.activeElement)`)).toEqual(['customer[email]', 'ada@', 1, 2])
      await page.getByLabel('Town').focus()
      await page.evaluate(`(() => {
      const list = document.querySelector('[name="shipping[country]"]')
      list.value = 'DE'
      list.dispatchEvent(new Event('change', { bubbles: true }))
    })()`)
      await expect.poll(() => plain.sent.at(-1)?.form.get('shipping[country]')).toBe('DE')
      await page.getByLabel('Town').pressSequentially('!')
      await answered(() => page.getByLabel('State').count(), 0)
      await page.keyboard.type('?')
      expect(await page.getByLabel('Town').inputValue()).toMatch(/^(San Francisco!\?|!\?San Francisco)$/)
    },
  )

  proof('shows the latest answer alone, however late an earlier one comes', async () => {
    const page = await open()
    plain.state.isHeld = true
    await page.getByLabel('Quantity').fill('2')
    await expect.poll(() => plain.waiting.length).toBe(1)
    await page.getByLabel('Quantity').fill('5')
    await expect.poll(() => plain.waiting.length).toBe(2)
    plain.waiting[1]?.()
    await totalIs(page, 5_000)
    plain.goOn()
    plain.state.isHeld = false
    await page.getByRole('button', { name: 'Update' }).click()
    // Leaving the field may ask once more.
    await expect.poll(() => plain.sent.length).toBeGreaterThanOrEqual(3)
    await totalIs(page, 5_000)
  })

  it('says that the line is gone, tries again, and loses nothing', async () => {
    const page = await open()
    await page.getByLabel('E-mail').fill('ada@example.com')
    plain.state.isGone = true
    await page.getByLabel('Quantity').fill('4')
    await page.getByText('offline').waitFor()
    plain.state.isGone = false
    await totalIs(page, 4_000)
    await expect.poll(() => page.locator('[data-status]').textContent()).toBe('')
    expect(await page.getByLabel('E-mail').inputValue()).toBe('ada@example.com')
  })

  it('posts once, however often the button is pressed, and gives it back after an error', async () => {
    const page = await open()
    Object.assign(plain.state, { isHeld: true, status: 422, note: 'Something is wrong.' })
    await page.getByLabel('E-mail').fill('ada@example.com')
    const pay = page.getByRole('button', { name: 'Pay' })
    await page.evaluate('for (let presses = 0; presses < 5; presses++) document.querySelector("[value=pay]").click()')
    await expect.poll(() => plain.waiting.length).toBe(1)
    plain.goOn()
    await page.getByText('Something is wrong.').waitFor()
    expect(plain.sent.map(({ form, isFragment }) => [form.get('do'), isFragment])).toEqual([['pay', false]])
    plain.state.isHeld = false
    plain.state.status = 200
    expect(await pay.getAttribute('aria-disabled')).toBeNull()
    await pay.click()
    await page.getByText('Paid').waitFor()
  })

  it('puts back what was typed when the page is loaded anew, but never a card or a code', async () => {
    const page = await open()
    await page.getByLabel('E-mail').fill('ada@example.com')
    await page.getByLabel('Country').selectOption('US')
    await page.getByLabel('Card number').fill('4242 4242 4242 4242')
    await page.getByLabel('Code', { exact: true }).fill('TEN')
    await page.getByLabel('Gift card').fill('SECRET-CODE')
    await page.getByLabel('State').waitFor()
    const kept = await page.evaluate('JSON.stringify({ ...sessionStorage, ...localStorage })')
    expect(kept).not.toMatch(/4242|SECRET|TEN/)
    await page.reload()
    await expect.poll(() => page.getByLabel('E-mail').inputValue()).toBe('ada@example.com')
    // And what belongs to it follows.
    await page.getByLabel('State').waitFor()
    expect(await page.getByLabel('Gift card').inputValue()).toBe('')
    await page.getByRole('button', { name: 'Pay' }).click()
    await page.getByText('Paid').waitFor()
    await expect.poll(() => page.evaluate('sessionStorage.length')).toBe(0)
  })

  proof('works where the browser forbids to keep anything', async () => {
    const page = await open()
    await page.addInitScript(
      "Object.defineProperty(window, 'sessionStorage', { get() { throw new DOMException('no', 'SecurityError') } })",
    )
    await page.reload()
    await page.getByLabel('Quantity').fill('2')
    await totalIs(page, 2_000)
  })

  proof('goes straight on from a product, once: not when the shopper comes back', async () => {
    const page = await open()
    await page.goto(`${plain.origin}/straight`)
    await page.getByText('Paid').waitFor()
    expect(plain.sent.map(({ path }) => path)).toEqual(['/paid'])
    // Back is where the shopper was before, and not here again, whether the browser keeps this page in its history or not.
    await page.goBack()
    await page.getByLabel('E-mail').waitFor()
    await page.addInitScript("history.replaceState({ hasGoneOn: true }, '')")
    await page.goto(`${plain.origin}/straight`)
    await page.getByRole('button', { name: 'Buy' }).waitFor()
    // What the page had sent by now would have come before this.
    await page.evaluate('fetch("/pay").then(({ status }) => status)')
    expect(plain.sent.length).toBe(1)
  })

  it("leaves a provider's frame and the card in it alone, also where it shows what is wrong, with the focus on it", async () => {
    const page = await open(withStripe)
    await page.getByLabel('stripe').check()
    const card = page.frameLocator('[data-way=stripe] iframe').getByLabel('Card number')
    await card.fill('4242 4242 4242 4242')
    await page.getByLabel('Quantity').fill('3')
    await totalIs(page, 3_000)
    expect(await card.inputValue()).toBe('4242 4242 4242 4242')
    // Its sum follows ours.
    await expect
      .poll(() => page.evaluate('standIn'))
      .toMatchObject({ amount: 3_000, currency: 'eur', mounts: 1, locale: 'de' })
    withStripe.sent.length = 0
    Object.assign(withStripe.state, { status: 422, note: 'The name is missing.' })
    await page.getByRole('button', { name: 'Pay' }).click()
    await page.getByText('The name is missing.').waitFor()
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('The name is missing.')
    expect(await card.inputValue()).toBe('4242 4242 4242 4242')
    expect(withStripe.sent.map(({ form }) => form.get('payment[stripe][payment_method_id]'))).toEqual(['pm_card_visa'])
    Object.assign(withStripe.state, { status: 200, note: '' })
    await page.getByRole('button', { name: 'Pay' }).click()
    await page.getByText('Paid').waitFor()
  })

  proof(
    "says at its panel what a provider's script says, and that it did not load; then a press tries again",
    async () => {
      const page = await open(withStripe)
      hosts.down.add('js.stripe.com')
      await page.getByLabel('stripe').check()
      await page.getByText('unavailable').waitFor()
      hosts.down.clear()
      await page.getByRole('button', { name: 'Pay' }).click()
      await page.getByText('Die Kartennummer ist unvollständig.').waitFor()
      expect(withStripe.sent).toEqual([])
      expect(await page.getByRole('button', { name: 'Pay' }).getAttribute('aria-disabled')).toBeNull()
    },
  )
})
