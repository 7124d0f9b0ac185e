// A shopper's way through a storefront, from the list to the receipt, with one mistake on the way. All stores say the same to shoppers.

import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import type { FirstStart } from './open.ts'

/** Tells which step has been reached: the last one is where a store that fails has failed. */
export type Steps = (step: string) => void

/** Without a script of its own a page asks the server for what depends on a choice. */
type Store = { readonly hasScript: boolean }

export async function buy(page: Page, { hasScript }: Store, steps: Steps): Promise<void> {
  steps('the list')
  await page.getByRole('link', { name: 'Stoneware Mug' }).waitFor()
  await expectPictures(page)
  steps('the product')
  await page.getByRole('link', { name: 'Stoneware Mug' }).click()
  await page.getByRole('heading', { name: 'Stoneware Mug' }).waitFor()
  await expectPictures(page)
  await page.getByLabel('Colour').selectOption({ label: 'Sage' })
  steps('the cart')
  await page.getByRole('button', { name: 'Add to cart' }).click()
  await page.getByRole('listitem').filter({ hasText: 'Stoneware Mug' }).filter({ hasText: 'Sage' }).waitFor()
  await expectPictures(page)
  const quantity = page.getByLabel('Quantity of Stoneware Mug')
  expect(await quantity.inputValue()).toBe('1')
  await quantity.fill('2')
  await page.getByRole('button', { name: 'Update' }).click()
  await expect.poll(() => page.locator('#subtotal').textContent()).toBe('$36.00')
  steps('a mistake')
  await quantity.fill('90')
  await page.getByRole('button', { name: 'Update' }).click()
  expectShopperSentence(await page.getByRole('alert').textContent(), /\b(1?\d|2[0-4])\b/)
  expect(await page.locator('#subtotal').textContent()).toBe('$36.00')
  steps('the checkout')
  await page.getByRole('button', { name: 'Checkout' }).click()
  await page.getByRole('heading', { name: 'Checkout' }).waitFor()
  steps('shipping')
  await fillIn(page, hasScript)
  await expect.poll(() => page.locator('#shipping-price').textContent()).toBe('$10.50')
  steps('the discount')
  await page.getByLabel('Discount code').fill('WELCOME10')
  await page.getByRole('button', { name: 'Apply' }).click()
  await page.getByText('Discount WELCOME10').waitFor()
  expect(await page.locator('#saved').textContent()).toBe('$3.60')
  expect(await page.locator('#shipping-price').textContent()).toBe('$10.50')
  steps('paying')
  await page.getByLabel('Card number').fill('4242 4242 4242 4242')
  await page.getByRole('button', { name: 'Place order' }).click()
  steps('the receipt')
  await page.getByRole('heading', { name: 'Thank you, Ada!' }).waitFor()
  await page.getByRole('listitem').filter({ hasText: '2 × Stoneware Mug Sage' }).waitFor()
  expect(await page.locator('#paid').textContent()).toBe('$46.79')
}

/** Through a store that has neither a menu for options nor one for shipping: from the list into the cart, and paid. */
export async function buyWithoutChoices(page: Page, steps: Steps): Promise<void> {
  steps('the list')
  await page.getByRole('heading', { name: 'Just in' }).waitFor()
  await expectPictures(page)
  expect(await page.getByRole('listitem').count()).toBe(20)
  await page.getByRole('button').first().click()
  steps('the cart')
  const plates = page.getByRole('listitem').filter({ hasText: 'Dinner Plates' })
  const quantity = () => plates.locator('.quantity').textContent()
  await plates.getByRole('button', { name: '+' }).click()
  await expect.poll(quantity).toBe('2')
  await plates.getByRole('button', { name: '−' }).click()
  await expect.poll(quantity).toBe('1')
  expect(await page.locator('#subtotal').textContent()).toBe('$64.00')
  await page.getByRole('button', { name: 'Checkout' }).click()
  steps('paying')
  for (const [label, value] of [
    ['E-mail', 'ada@example.com'],
    ['Name', 'Ada'],
    ['Street', '1 Main Street'],
    ['City', 'Austin'],
    ['State', 'TX'],
    ['Postal code', '73301'],
    ['Card number', '4242424242424242'],
  ] as const)
    await page.getByLabel(label, { exact: true }).fill(value)
  await page.getByRole('button', { name: 'Place order' }).click()
  steps('the receipt')
  await page.getByRole('heading', { name: 'Thank you, Ada!' }).waitFor()
  const [shipping, paid] = await Promise.all(
    ['#shipping-price', '#paid'].map((place) => page.locator(place).textContent()),
  )
  expect([shipping, paid]).toEqual(['$8.50', '$72.50'])
}

/** Puts something into the cart of which a choice is missing; the shop says so when it is paid for, and the shopper takes it out again. */
export async function forgetToChoose(page: Page, steps: Steps): Promise<void> {
  steps('the list')
  await page.getByRole('button', { name: 'Add Breakfast Bowl' }).click()
  steps('the cart, added from the list')
  const quantity = page.getByLabel('Quantity of Breakfast Bowl')
  await quantity.waitFor()
  expect(await quantity.inputValue()).toBe('1')
  await quantity.fill('')
  await page.getByRole('button', { name: 'Update' }).click()
  await expect.poll(() => quantity.inputValue()).toBe('1')
  await page.getByRole('button', { name: 'Checkout' }).click()
  await fillIn(page, false)
  await page.getByLabel('Card number').fill('4242 4242 4242 4242')
  await page.getByRole('button', { name: 'Place order' }).click()
  steps('a missing choice')
  expectShopperSentence(await page.getByRole('alert').textContent(), /size/i)
  await page.goto(new URL('/cart', page.url()).href)
  await page.getByRole('button', { name: 'Remove Breakfast Bowl' }).click()
  await expect.poll(() => page.locator('#subtotal').textContent()).toBe('$0.00')
  await page.goto(new URL('/', page.url()).href)
}

async function fillIn(page: Page, hasScript: boolean): Promise<void> {
  await page.getByLabel('E-mail').fill('ada@example.com')
  await page.getByLabel('First name').fill('Ada')
  await page.getByLabel('Last name').fill('Byron')
  await page.getByLabel('Street').fill('1 Main Street')
  await page.getByLabel('City').fill('Vancouver')
  await page.getByLabel('Postal code').fill('V6B 1A1')
  const choose = async (label: string, choice: { label: string } | string) => {
    await page.getByRole('combobox', { name: label, exact: true }).selectOption(choice)
    if (!hasScript) await page.getByRole('button', { name: `Choose ${label.toLowerCase()}` }).click()
  }
  await choose('Country', 'CA')
  await choose('Region', 'BC')
  await choose('Shipping', { label: 'Parcel, 3 to 6 days' })
}

/** What the page shows of products must be there: a picture that was not found has no width. And nothing lies beside the screen. */
async function expectPictures(page: Page): Promise<void> {
  await expect.poll(() => page.locator('img').count()).toBeGreaterThan(0)
  const broken = () =>
    page.evaluate<string[]>(
      `[...document.images].filter((image) => image.complete && image.naturalWidth === 0).map(String)`,
    )
  const isLoaded = () => page.evaluate<boolean>('[...document.images].every((image) => image.complete)')
  await expect.poll(isLoaded).toBe(true)
  expect(await broken()).toEqual([])
  expect(await page.evaluate('document.documentElement.scrollWidth <= document.documentElement.clientWidth')).toBe(true)
}

/** Said to somebody who has never heard of fields and ids, and about what happened. */
function expectShopperSentence(text: string | null, about: RegExp): void {
  expect(text).toMatch(/^[A-Z][^_[\]{}<>]*[.!?]$/)
  expect(text).not.toMatch(/\b(quantity|options|variant|variants|line_items|id|field|must)\b|\w\.\w|\w{20}/)
  expect(text).toMatch(about)
}

/** The order of `buy` that the receipt names is in the shop's books, as it was bought. */
export const expectOrder = (shop: FirstStart, reference: string | null) =>
  expectBooked(shop, reference, {
    status_payment: 'paid',
    order_value: { raw: 46.79 },
    order: {
      discount: { code: 'WELCOME10' },
      shipping: { price: { raw: 10.5 } },
      line_items: [{ quantity: 2, selected_options: [{ option_name: 'Sage' }] }],
    },
    customer: { email: 'ada@example.com', firstname: 'Ada', lastname: 'Byron' },
    shipping: { name: 'Ada Byron', county_state: 'BC', country: 'CA' },
  })

/** The same of `buyWithoutChoices`. */
export const expectPlainOrder = (shop: FirstStart, reference: string | null) =>
  expectBooked(shop, reference, {
    status_payment: 'paid',
    order_value: { raw: 72.5 },
    order: {
      shipping: { price: { raw: 8.5 } },
      line_items: [{ quantity: 1, product_name: 'Dinner Plates, Set of Four' }],
    },
    shipping: { name: 'Ada', postal_zip_code: '73301', country: 'US' },
  })

async function expectBooked({ app, secretKey }: FirstStart, reference: string | null, order: object): Promise<void> {
  const { body } = await app.call('GET', '/v1/orders?limit=50', { key: secretKey })
  const orders = (body as { data: { customer_reference: string }[] }).data
  expect(orders.find(({ customer_reference }) => customer_reference === reference)).toMatchObject(order)
}
