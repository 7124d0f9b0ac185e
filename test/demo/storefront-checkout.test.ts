// @proof: every view of the buying half of the storefront.
// The buying half of the example storefront: checkout, gift card, receipt, login by mail, own orders.

import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import type { Order } from '../../src/api/orders/schema.ts'
import { runLoginJobs } from '../api/customers/login-support.ts'
import { isBrowserSkipped } from '../support/browser.ts'
import { faultsOf, fillInAddress, fillInCard, fillInContact, openStorefront } from './storefront-support.ts'

const { app, origin, visit, ask } = await openStorefront()

type Product = { id: string; variant_groups: { id: string; options: { id: string; name: string }[] }[] }

/** Makes a cart. `wanted`: permalinks of products, each with the name of the option to choose, or null for a product without options. */
async function fillCart(wanted: Readonly<Record<string, string | null>>): Promise<string> {
  const { id } = await ask<{ id: string }>('GET', 'carts')
  for (const [permalink, option] of Object.entries(wanted)) {
    const product = await ask<Product>('GET', `products/${permalink}?type=permalink`)
    const options = Object.fromEntries(
      product.variant_groups.map((group) => [group.id, group.options.find(({ name }) => name === option)?.id]),
    )
    await ask('POST', `carts/${id}`, { id: product.id, quantity: 1, options })
  }
  return id
}

const ordersOf = async (email: string) =>
  (await ask<{ data: Order[] }>('GET', 'orders?limit=50')).data.filter(({ customer }) => customer.email === email)

/** Before the row of what is left to pay. */
const SUMS = [
  ['Total', '$42.60'],
  ['Gift card (DEMO-GIFT-CARD)', '−$25.00'],
]

const sumsOf = (page: Page) =>
  page
    .locator('.sums div')
    .evaluateAll((rows) => rows.map((row) => [...row.children].map(({ textContent }) => textContent)))

/** Id and classes of what has the focus. */
const focusOf = (page: Page) =>
  page.evaluate<string>(`document.activeElement.id + ' ' + document.activeElement.className`)

describe.skipIf(isBrowserSkipped)('a shopper who buys', () => {
  it('fills in what is asked for, pays a part by gift card, hears of a declined card, and looks again where no answer came', async () => {
    const cart = await fillCart({ 'stoneware-mug': 'Sage', 'one-pot-suppers': null })
    const { page, captures } = await visit('checkout', { cart })
    // Nothing is chosen for somebody of whom nothing is known.
    expect(await page.getByLabel('Country').first().locator('option:checked').textContent()).toBe('Choose a country')
    expect(await page.locator('#address [data-part="county_state"]').isHidden()).toBe(true)
    expect(await faultsOf(page)).toEqual([])

    await page.locator('#pay').click()
    const faults = page.getByRole('alert').filter({ hasText: 'Please check these fields' })
    await faults.getByRole('button', { name: 'Choose a country.' }).waitFor()
    expect(await focusOf(page)).toMatch(/faults/)
    const email = page.getByLabel('E-mail')
    expect(await email.getAttribute('aria-invalid')).toBe('true')
    const complaint = page.locator(`#${await email.getAttribute('aria-describedby')}`)
    expect(await complaint.textContent()).toBe('Enter your e-mail address.')
    expect(await faultsOf(page)).toEqual([])
    await faults.getByRole('button', { name: 'Enter your e-mail address.' }).click()
    expect(await focusOf(page)).toMatch(/field-customer-email/)
    await fillInContact(page, 'ada@example.com')
    expect(await complaint.textContent()).toBe('')
    // What is mended leaves the list.
    expect(await faults.getByRole('button', { name: 'Enter your e-mail address.' }).count()).toBe(0)
    expect(captures).toEqual([])

    // Of several ways to send it none is chosen for the shopper, and one that was chosen stays.
    const delivery = page.locator('#address')
    await delivery.getByLabel('Country').selectOption('CA')
    const courier = page.getByLabel('Courier, next day')
    await courier.waitFor()
    expect(await page.locator('#shipping-options input:checked').count()).toBe(0)
    await page.locator('#pay').click()
    await faults.getByRole('button', { name: 'Choose how we send it.' }).waitFor()
    expect(await faultsOf(page)).toEqual([])
    await courier.check()
    expect(await page.locator('#sending-problem').textContent()).toBe('')
    await delivery.getByLabel('Province').selectOption('BC')
    await page.getByLabel('Pick-up at the workshop').waitFor()
    expect(await courier.isChecked()).toBe(true)
    // Where it is not offered it is not counted in.
    await delivery.getByLabel('Country').selectOption('US')
    await page.getByLabel('Ground, 3 to 5 days').waitFor()
    expect(await page.locator('#shipping-options input:checked').count()).toBe(0)
    await expect.poll(() => page.locator('#pay').textContent()).toBe('Pay')
    await fillInAddress(page)
    // $30.00, $9.00 for the parcel, and 12 % on what is bought.
    await page.getByRole('button', { name: 'Pay $42.60' }).waitFor()
    const card = page.getByRole('textbox', { name: 'Gift card' })
    await card.fill('NOPE')
    await card.press('Enter')
    await expect.poll(() => card.getAttribute('aria-invalid')).toBe('true')
    await card.fill(' demo-gift-card ')
    await page.getByRole('button', { name: 'Redeem' }).click()
    await page.locator('.applied', { hasText: 'Gift card DEMO-GIFT-CARD pays $25.00' }).waitFor()
    await page.getByRole('button', { name: 'Pay $17.60' }).waitFor()
    await page.getByRole('button', { name: 'Remove Gift card DEMO-GIFT-CARD' }).click()
    await page.getByRole('button', { name: 'Pay $42.60' }).waitFor()
    expect(await focusOf(page)).toMatch(/code-gift-card/)
    await card.fill('DEMO-GIFT-CARD')
    await card.press('Enter')
    await page.getByRole('button', { name: 'Pay $17.60' }).waitFor()

    await fillInCard(page, '4000 0000 0000 0002')
    await page.locator('#pay').click()
    await page.getByRole('alert').filter({ hasText: 'The card was declined.' }).waitFor()
    // The focus is at the message, beside the card; what was typed is still there.
    expect(await focusOf(page)).toMatch(/faults near/)
    expect(await page.getByLabel('Card number').inputValue()).toBe('4000 0000 0000 0002')
    expect(await email.inputValue()).toBe('ada@example.com')
    expect(await faultsOf(page)).toEqual([])
    // Another sum: what was said of the old one is over.
    await page.getByRole('button', { name: 'Remove Gift card DEMO-GIFT-CARD' }).click()
    await page.getByRole('button', { name: 'Pay $42.60' }).waitFor()
    expect(await page.locator('.faults.near').isHidden()).toBe(true)
    await card.fill('DEMO-GIFT-CARD')
    await card.press('Enter')
    await page.getByRole('button', { name: 'Pay $17.60' }).waitFor()
    expect((await sumsOf(page)).slice(-3)).toEqual(SUMS.concat([['Left to pay', '$17.60']]))

    // It arrives, and the answer is lost.
    await page.route(/\/checkouts\/chkt_\w+$/, async (route) => {
      if (route.request().method() !== 'POST') return route.continue()
      await route.fetch()
      await route.abort()
    })
    await fillInCard(page, '4242 4242 4242 4242')
    await page.locator('#pay').click()
    await page.getByText('Your payment may have gone through').waitFor()
    expect(await focusOf(page)).toMatch(/faults near/)
    await page.getByRole('button', { name: 'Look again' }).click()
    await page.getByRole('heading', { level: 1, name: 'Thank you, Ada' }).waitFor()

    expect(await page.locator('address').first().textContent()).toBe(
      'Ada Byron\n1 Main Street\nVancouver, British Columbia V6B 1A1\nCanada',
    )
    expect((await sumsOf(page)).slice(-3)).toEqual(SUMS.concat([['Paid by card', '$17.60']]))
    expect(await page.locator('.mailed').textContent()).toBe(
      'The receipt is kept: npm run cartwright -- mail last prints it.',
    )
    expect(await page.locator('#cart-count').textContent()).toBe('0')
    const [order, ...others] = await ordersOf('ada@example.com')
    expect([others, order?.status_payment, order?.order.total_due.raw]).toEqual([[], 'paid', 17.6])
    expect(await page.locator('#reference').textContent()).toBe(order?.customer_reference)
    // The picture of the colour that was bought.
    const pictures = await page
      .locator('.bought img')
      .evaluateAll((images) => images.map((image) => image.getAttribute('src')))
    expect(pictures.filter((url) => /sage/.test(url ?? ''))).toHaveLength(1)
    const file = await page.getByRole('link', { name: 'Twelve One-Pot Suppers.pdf' }).getAttribute('href')
    expect((await app.call('GET', String(file).replace(origin, ''))).status).toBe(200)
    expect(await faultsOf(page)).toEqual([])
    await page.reload()
    await page.getByRole('heading', { level: 1, name: 'Thank you, Ada' }).waitFor()
  })

  it('presses twice and pays once; and confirms a payment that the bank asks about', async () => {
    const { page, captures } = await visit('checkout', { cart: await fillCart({ 'stool-plans': null }) })
    expect(await page.getByLabel('Street').count()).toBe(0)
    await fillInContact(page, 'twice@example.com')
    await page.getByRole('button', { name: 'Fill in a card that pays' }).click()
    await page.getByLabel('Card number').fill('4000 0000 0000 3220')
    await page.locator('#pay').dblclick()
    const confirm = page.getByRole('button', { name: 'Confirm the payment' })
    await confirm.waitFor()
    expect(captures.length).toBe(1)
    await confirm.dblclick()
    await page.getByRole('heading', { level: 1, name: 'Thank you' }).waitFor()
    expect(captures.length).toBe(2)
    expect((await ordersOf('twice@example.com')).map(({ status_payment }) => status_payment)).toEqual(['paid'])
  })

  it('orders what is free without a payment, gives what it is worth to them, or sends the money by hand', async () => {
    const free = await visit('checkout', { cart: await fillCart({ wallpapers: null }) })
    expect(await free.page.locator('#payment').isHidden()).toBe(true)
    await fillInContact(free.page, 'free@example.com')
    await free.page.getByRole('button', { name: 'Place the order' }).click()
    await free.page.getByRole('heading', { level: 1, name: 'Thank you' }).waitFor()

    const { page } = await visit('checkout', { cart: await fillCart({ wallpapers: null }) })
    await fillInContact(page, 'free@example.com')
    await page.getByLabel('Your price').fill('abc')
    await page.getByLabel('Your price').press('Tab')
    await page.getByText('Enter an amount, such as 5.00.').first().waitFor()
    await page.getByRole('button', { name: 'Place the order' }).click()
    expect(await focusOf(page)).toMatch(/faults/)
    await page.getByLabel('Your price').fill('3,50')
    await page.getByLabel('Your price').press('Tab')
    await page.getByRole('button', { name: 'Pay $3.50' }).waitFor()
    await page.getByLabel('Bank transfer').check()
    await page.getByRole('button', { name: 'Order for $3.50' }).click()
    await page.getByText('$3.50 is still to be paid.').waitFor()
    await page.getByText('They can be fetched as soon as your payment has arrived.').waitFor()
    expect(await faultsOf(page)).toEqual([])
    const totals = (await ordersOf('free@example.com')).map(({ order }) => order.total_with_tax.raw)
    expect(totals.sort()).toEqual([0, 3.5])
  })
})

describe.skipIf(isBrowserSkipped)('a customer', () => {
  it('logs in by a mailed link, sees where their orders stand, is known at the checkout, and is asked again when the login has ended', async () => {
    const bought = await visit('checkout', { cart: await fillCart({ 'bud-vase': null }) })
    await fillInContact(bought.page, 'grace@example.com')
    await fillInAddress(bought.page)
    await fillInCard(bought.page, '4242 4242 4242 4242')
    await bought.page.getByRole('button', { name: /^Pay \$/ }).click()
    await bought.page.getByRole('heading', { level: 1, name: 'Thank you' }).waitFor()
    const [order] = await ordersOf('grace@example.com')
    if (order === undefined) throw new Error('There is no order.')
    const items = order.fulfillment.physical.items.map(({ id, quantity }) => ({ id, quantity }))
    const tracking = { carrier_name: 'Pigeon Post', tracking_number: 'PP 1', tracking_url: 'https://post.example/1' }
    await ask('POST', `orders/${order.id}/fulfillments/physical/shipments`, { items, ...tracking })

    const { page } = await visit('account', { cart: await fillCart({ 'bud-vase': null }) })
    await page.getByText('Log in to see your orders.').waitFor()
    expect(await faultsOf(page)).toEqual([])
    await page.getByLabel('E-mail').fill('nobody')
    await page.getByRole('button', { name: 'Mail me a link' }).click()
    await page.getByRole('alert').filter({ hasText: 'Enter an e-mail address' }).waitFor()
    await page.getByLabel('E-mail').fill('grace@example.com')
    await page.getByRole('button', { name: 'Mail me a link' }).click()
    await page.getByText('cartwright mail last').waitFor()
    expect(await faultsOf(page)).toEqual([])

    const { mails } = await runLoginJobs(app)
    const link = /http\S+\/storefront\/#\/login\/\w{40}/.exec(mails.at(-1)?.text ?? '')?.[0] ?? ''
    await page.goto(link)
    await page.getByRole('heading', { level: 1, name: 'Your orders' }).waitFor()
    // The token has left the address.
    expect(page.url()).toBe(`${origin}/storefront/#/account`)
    await page.locator('.order', { hasText: order.customer_reference }).filter({ hasText: 'PaidShipped' }).waitFor()
    expect(await faultsOf(page)).toEqual([])
    await page.getByRole('link', { name: order.customer_reference }).click()
    await page.getByRole('heading', { level: 1, name: `Order ${order.customer_reference}` }).waitFor()
    expect(await page.getByRole('link', { name: 'PP 1' }).getAttribute('href')).toBe('https://post.example/1')
    expect(await faultsOf(page)).toEqual([])

    await page.goto(`${origin}/storefront/#/checkout`)
    await expect.poll(() => page.getByLabel('E-mail').inputValue()).toBe('grace@example.com')
    expect(await page.locator('#address').getByLabel('Province').inputValue()).toBe('BC')

    // A day later.
    app.clock.advance(25 * 3_600)
    await page.goto(`${origin}/storefront/#/orders/${order.id}`)
    await page.getByText('Your login has ended. Please log in again.').waitFor()
    await page.goto(link)
    await page.getByText('This link has been used').waitFor()

    const { token } = await ask<{ token: string }>('POST', 'customers/issue-token', { email: 'grace@example.com' })
    await page.goto(`${origin}/storefront/#/login/${token}`)
    await page.getByRole('button', { name: 'Log out' }).click()
    await page.goto(`${origin}/storefront/#/account`)
    await page.getByText('Log in to see your orders.').waitFor()
  })
})
