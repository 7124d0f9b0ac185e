// The list of products: what it finds, how it is narrowed, and what is done to many at once, which nobody has to wait for.

import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import type { Product } from '../../../src/api/products/schema.ts'
import { base64, png, upload } from '../../api/assets/support.ts'
import { isBrowserSkipped } from '../../support/browser.ts'
import { eyesOf, looksFine } from './orders-support.ts'
import { Dashboard } from './people.ts'
import { apiOf, ProductScreen } from './products-support.ts'
import { looksGood, openDashboards, PATIENT, shoot } from './support.ts'

const rows = (page: Page, name = 'Products') => page.getByRole('table', { name }).locator('tbody tr')

/** The names that are listed, in the order of their text. */
const listed = async (page: Page): Promise<string[]> =>
  (await rows(page).locator('td.on-phone-title a').allTextContents()).toSorted()

describe.skipIf(isBrowserSkipped)('the list of products', async () => {
  const house = await openDashboards()
  const { app, openShop, openDashboard } = house

  /** Works through what waits, until the page says so. */
  async function untilDone(page: Page, words: RegExp) {
    const worker = app.startJobs()
    await expect
      .poll(() => {
        worker.poke()
        return page.getByRole('status').filter({ hasText: words }).count()
      }, PATIENT)
      .toBeGreaterThan(0)
    await worker.stop()
  }

  it.each(eyesOf(0))('finds by name and SKU, and each filter shows what it says ($width px, $scheme)', async (eyes) => {
    const shop = await openShop()
    const { category, attribute } = apiOf(shop)
    const kitchen = await category('Kitchen')
    const material = await attribute({
      name: 'Material',
      type: 'options',
      options: [{ value: 'Clay' }, { value: 'Glass' }],
    })
    const picture = await upload(app, shop.keys.sandbox.secret, { filename: 'a.png', contents: base64(png(40, 40)) })
    await shop.product({
      name: 'Mug',
      sku: 'MUG-1',
      price: 12,
      categories: [kitchen.id],
      assets: [picture.id],
      inventory: { managed: true, available: 3 },
    })
    await shop.product({ name: 'Bowl', price: 20, attributes: [{ id: material.id, value: 'Clay' }] })
    await shop.product({ name: 'Jar', price: 8, active: false, attributes: [{ id: material.id, value: 'Glass' }] })
    await shop.product({ name: 'Print', price: 30, inventory: { managed: true, available: 0 } })
    const page = await openDashboard('owner', shop, { ...eyes, path: '/dashboard/products' })
    await expect.poll(() => listed(page), PATIENT).toEqual(['Bowl', 'Jar', 'MugMUG-1', 'Print'])
    await looksGood(page)
    await shoot(page, 'products')
    const narrows = async (question: string, names: string[]) => {
      await page.goto(`${house.origin}/dashboard/products?${question}`)
      await expect.poll(() => listed(page), PATIENT).toEqual(names)
    }
    await page.getByRole('searchbox').fill('MUG-1')
    await expect.poll(() => listed(page), PATIENT).toEqual(['MugMUG-1'])
    await page.getByRole('button', { name: 'Clear' }).click()
    await expect.poll(async () => (await listed(page)).length, PATIENT).toBe(4)
    const unfold = page.getByRole('button', { name: 'Filters' })
    if (await unfold.isVisible()) await unfold.click()
    const pick = async (label: string, option: string, names: string[]) => {
      await page.getByLabel(label, { exact: true }).selectOption(option)
      await expect.poll(() => listed(page), PATIENT).toEqual(names)
    }
    await pick('State', 'Off', ['Jar'])
    await pick('State', 'On sale', ['Bowl', 'MugMUG-1', 'Print'])
    await pick('State', 'All', ['Bowl', 'Jar', 'MugMUG-1', 'Print'])
    await pick('Category', 'Kitchen', ['MugMUG-1'])
    await pick('Category', 'All', ['Bowl', 'Jar', 'MugMUG-1', 'Print'])
    await pick('Stock', 'Sold out', ['Print'])
    await pick('Stock', 'Below 5', ['MugMUG-1', 'Print'])
    await pick('Stock', 'All', ['Bowl', 'Jar', 'MugMUG-1', 'Print'])
    await pick('Picture', 'With a picture', ['MugMUG-1'])
    await pick('Picture', 'Without', ['Bowl', 'Jar', 'Print'])
    await pick('Picture', 'All', ['Bowl', 'Jar', 'MugMUG-1', 'Print'])
    await page.getByLabel('Attribute', { exact: true }).selectOption('Material')
    await pick('Material', 'Glass', ['Jar'])
    await looksFine(page)
    await shoot(page, 'products-narrowed')
    await pick('Material', 'Clay', ['Bowl'])
    await narrows('active=true&stock_below=2', ['Print'])
    await narrows('query=nothing', [])
    await page.getByRole('heading', { name: 'Nothing matches' }).waitFor()
    await looksFine(page)
  })

  it('D6: raises the price of fifty at once; the one that is refused is named, the others are changed', async () => {
    const shop = await openShop()
    const { api } = apiOf(shop)
    for (let number = 1; number <= 50; number++)
      await shop.product({ name: `Thing ${number}`, price: number === 7 ? 1 : 10 })
    const page = await openDashboard('owner', shop, { path: '/dashboard/products' })
    const screen = new ProductScreen(page)
    await expect.poll(() => rows(page).count(), PATIENT).toBe(50)
    await page.getByLabel('Choose all on this page').check()
    await page.getByText('50 products chosen').waitFor()
    await looksFine(page)
    await shoot(page, 'products-chosen')
    const before = await page.evaluate('scrollY')
    await page.locator('.chosen-bar').getByRole('button', { name: 'Price' }).click()
    await screen.dialog.waitFor()
    // The bar is in sight wherever one is in the list: pressing it moves nothing.
    expect(await page.evaluate('scrollY')).toBe(before)
    await screen.dialog.getByLabel('How').selectOption({ label: 'Add (or take off, with a minus)' })
    await screen.dialog.getByLabel('Amount').fill('much')
    await screen.dialog.getByRole('button', { name: 'Change the price of 50 products' }).click()
    await screen.dialog.locator('.field.wrong').waitFor()
    await screen.dialog.getByLabel('Amount').fill('-2.5')
    await looksGood(page)
    await shoot(page, 'products-price')
    await screen.dialog.getByRole('button', { name: 'Change the price of 50 products' }).click()
    await page.getByRole('heading', { level: 1, name: 'Change of many products' }).waitFor()
    await untilDone(page, /Done: 49 products changed, 1 refused/)
    await looksGood(page)
    await shoot(page, 'products-batch')
    await page.getByRole('button', { name: 'Show only the 1 refused' }).click()
    const refused = rows(page, 'Result of each product')
    await expect.poll(() => refused.count(), PATIENT).toBe(1)
    await expect.poll(() => refused.textContent()).toMatch(/Thing 7.*Refused.*price/)
    const { data } = await api<{ data: Product[] }>(200, 'GET', 'products?limit=200')
    expect(new Set(data.map(({ name, price }) => `${name === 'Thing 7'} ${price.raw}`))).toEqual(
      new Set(['true 1', 'false 7.5']),
    )
  })

  it('changes 200 at once, tells how far it is, and goes on while somebody leaves and comes back', async () => {
    const shop = await openShop()
    const { api, category } = apiOf(shop)
    await category('Sale')
    const made = Array.from({ length: 201 }, (_, number) => shop.product({ name: `Thing ${number}`, price: 10 }))
    await Promise.all(made)
    const page = await openDashboard('owner', shop, { path: '/dashboard/products' })
    const screen = new ProductScreen(page)
    await expect.poll(() => rows(page).count(), PATIENT).toBe(50)
    await page.getByLabel('Choose all on this page').check()
    await page.getByRole('button', { name: 'Choose the first 200 of 201' }).click()
    await page.getByText('200 products chosen').waitFor()
    await page.getByRole('button', { name: 'More changes' }).click()
    await page.getByRole('menuitem', { name: 'Categories' }).click()
    await screen.pick('Put into', 'Sale')
    await looksFine(page)
    await shoot(page, 'products-categories')
    await screen.dialog.getByRole('button', { name: 'Change the categories of 200 products' }).click()
    // Nobody works yet: it waits, and the page says so.
    await page.getByText('0 of 200 products done.').waitFor()
    await expect.poll(() => page.getByRole('progressbar', { name: 'Products done' }).getAttribute('max')).toBe('200')
    await looksFine(page)
    await shoot(page, 'products-batch-running')
    await new Dashboard(page).goTo('Orders')
    await new Dashboard(page).goTo('Products')
    await page.getByText('Changing 200 products: 0 done.').waitFor()
    await untilDone(page, /200 products changed\./)
    await looksFine(page)
    await shoot(page, 'products-after-batch')
    await page.getByRole('link', { name: 'See each' }).click()
    await expect.poll(() => rows(page, 'Result of each product').count(), PATIENT).toBe(200)
    const { meta } = await api<{ meta: { pagination: { total: number } } }>(200, 'GET', 'products?category_slug=sale')
    expect(meta.pagination.total).toBe(200)
  })

  it('sets stock, switches off and deletes what was chosen, and says beforehand what that does', async () => {
    const shop = await openShop()
    const { api } = apiOf(shop)
    await shop.product({ name: 'Mug' })
    await shop.product({ name: 'Bowl' })
    const page = await openDashboard('owner', shop, { path: '/dashboard/products' })
    const screen = new ProductScreen(page)
    const choose = async () => {
      await page.getByLabel('Choose all on this page').check()
      await page.getByText('2 products chosen').waitFor()
    }
    const names = async (select: (product: Product) => unknown) =>
      (await api<{ data: Product[] }>(200, 'GET', 'products')).data.map(select)
    await choose()
    await page.locator('.chosen-bar').getByRole('button', { name: 'Stock' }).click()
    await screen.dialog.getByLabel('Pieces on the shelf of each, sandbox').fill('9')
    await screen.dialog.getByRole('button', { name: 'Set the stock of 2 products' }).click()
    await untilDone(page, /Done: 2 products changed\./)
    await expect
      .poll(() => names(({ inventory }) => [inventory.managed, inventory.on_hand]))
      .toEqual([
        [true, 9],
        [true, 9],
      ])
    for (const [entry, verb] of [
      ['Switch off', 'Switch 2 products off'],
      ['Delete', 'Delete 2 products'],
    ] as const) {
      await page.getByRole('link', { name: 'Products' }).first().click()
      await choose()
      await page.getByRole('button', { name: 'More changes' }).click()
      await page.getByRole('menuitem', { name: entry, exact: true }).click()
      await looksFine(page)
      await shoot(page, `products-${entry.toLowerCase().replace(' ', '-')}`)
      await screen.dialog.getByRole('button', { name: verb }).click()
      await untilDone(page, /Done: 2 products changed\./)
      if (entry === 'Switch off') await expect.poll(() => names(({ active }) => active)).toEqual([false, false])
    }
    await expect.poll(() => names(({ id }) => id)).toEqual([])
  })

  it('of a packer offers nothing to change', async () => {
    const shop = await openShop()
    await shop.product({ name: 'Mug' })
    const page = await openDashboard('packer', shop, { path: '/dashboard/products' })
    await expect.poll(() => rows(page).count(), PATIENT).toBe(1)
    expect(await page.getByRole('checkbox').count()).toBe(0)
    for (const name of ['Add a product', 'Import']) expect(await page.getByRole('link', { name }).count()).toBe(0)
  })
})
