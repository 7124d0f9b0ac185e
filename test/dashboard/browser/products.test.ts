// @sampled: `npm test` changes the prices of many products, and imports some.
// The list of products: its filters, changes of many products by a job, and products as a table.

import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import type { Product } from '../../../src/api/products/schema.ts'
import { base64, png, upload } from '../../api/assets/support.ts'
import { isBrowserSkipped, proof } from '../../support/browser.ts'
import { exported, hasRows, rowsOf, Screen, shows } from './screen.ts'
import { bothWidths, eyesOf, looksFine, looksGood, openDashboards } from './support.ts'

/** The names that are listed, sorted. */
const listed = async (page: Page): Promise<string[]> =>
  (await rowsOf(page, 'Products').locator('td.on-phone-title a').allTextContents()).toSorted()

describe.skipIf(isBrowserSkipped)('the list of products', async () => {
  const house = await openDashboards()
  const { app, openShop, openDashboard } = house

  /** Runs jobs until the page says so. */
  const untilDone = (page: Page, words: string | RegExp) =>
    house.work(async () => (await page.getByRole('status').filter({ hasText: words }).count()) > 0)

  async function openList(query = '') {
    const shop = await openShop()
    return {
      ...shop,
      products: () => shop.list<Product>('products?limit=200'),
      open: async (eyes = {}) => {
        const page = await openDashboard('owner', shop, { ...eyes, path: `/dashboard/products${query}` })
        return { page, screen: new Screen(page), bar: page.locator('.chosen-bar') }
      },
    }
  }

  async function chooseAll(page: Page, count: number) {
    await page.getByLabel('Choose all on this page').check()
    await page.getByText(`${count} products chosen`).waitFor()
  }

  proof.each(bothWidths)('finds by name and SKU, and each filter shows what it says ($width px)', async (eyes) => {
    const { open, product, api, secret } = await openList()
    const kitchen = await api<{ id: string }>(201, 'POST', 'categories', { name: 'Kitchen', slug: 'kitchen' })
    const options = [{ value: 'Clay' }, { value: 'Glass' }]
    const material = await api<{ id: string }>(201, 'POST', 'attributes', {
      name: 'Material',
      description: '',
      type: 'options',
      options,
    })
    const picture = await upload(app, secret, { filename: 'a.png', contents: base64(png(40, 40)) })
    const more = { categories: [kitchen.id], assets: [picture.id], inventory: { managed: true, available: 3 } }
    await product({ name: 'Mug', sku: 'MUG-1', price: 12, ...more })
    await product({ name: 'Bowl', price: 20, attributes: [{ id: material.id, value: 'Clay' }] })
    await product({ name: 'Jar', price: 8, active: false, attributes: [{ id: material.id, value: 'Glass' }] })
    await product({ name: 'Print', price: 30, inventory: { managed: true, available: 0 } })
    const { page } = await open(eyes)
    const lists = (...names: string[]) => expect.poll(() => listed(page)).toEqual(names)
    const ALL = ['Bowl', 'Jar', 'MugMUG-1', 'Print']
    await lists(...ALL)
    await looksGood(page)
    await page.getByRole('searchbox').fill('MUG-1')
    await lists('MugMUG-1')
    await page.getByRole('button', { name: 'Clear' }).click()
    await lists(...ALL)
    const unfold = page.getByRole('button', { name: 'Filters' })
    if (await unfold.isVisible()) await unfold.click()
    for (const [label, option, ...names] of [
      ['State', 'Off', 'Jar'],
      ['State', 'On sale', 'Bowl', 'MugMUG-1', 'Print'],
      ['State', 'All', ...ALL],
      ['Category', 'Kitchen', 'MugMUG-1'],
      ['Category', 'All', ...ALL],
      ['Stock', 'Sold out', 'Print'],
      ['Stock', 'Below 5', 'MugMUG-1', 'Print'],
      ['Stock', 'All', ...ALL],
      ['Picture', 'With a picture', 'MugMUG-1'],
      ['Picture', 'Without', 'Bowl', 'Jar', 'Print'],
      ['Picture', 'All', ...ALL],
      ['Attribute', 'Material', ...ALL],
      ['Material', 'Glass', 'Jar'],
      ['Material', 'Clay', 'Bowl'],
    ] as const) {
      await page.getByLabel(label, { exact: true }).selectOption(option)
      await lists(...names)
    }
    await looksFine(page)
    await page.goto(`${house.origin}/dashboard/products?active=true&stock_below=2`)
    await lists('Print')
    await page.goto(`${house.origin}/dashboard/products?query=nothing`)
    await page.getByRole('heading', { name: 'Nothing matches' }).waitFor()
    await looksFine(page)
  })

  it('D6: raises the price of fifty at once; the one that is refused is named, the others are changed', async () => {
    const { open, product, products } = await openList()
    for (let number = 1; number <= 50; number++)
      await product({ name: `Thing ${number}`, price: number === 7 ? 1 : 10 })
    const { page, screen, bar } = await open()
    await hasRows(page, 'Products', 50)
    await chooseAll(page, 50)
    await looksFine(page)
    const before = await page.evaluate('scrollY')
    await bar.getByRole('button', { name: 'Price' }).click()
    await screen.dialog.waitFor()
    // The bar is in sight wherever one is in the list: pressing it moves nothing.
    expect(await page.evaluate('scrollY')).toBe(before)
    await screen.dialog.getByLabel('How').selectOption({ label: 'Add (or take off, with a minus)' })
    await screen.dialog.getByLabel('Amount').fill('much')
    await screen.press('Change the price of 50 products')
    await screen.dialog.locator('.field.wrong').waitFor()
    await screen.dialog.getByLabel('Amount').fill('-2.5')
    await looksGood(page)
    await screen.press('Change the price of 50 products')
    await screen.heading('Change of many products', 1)
    await untilDone(page, /Done: 49 products changed, 1 refused/)
    await looksGood(page)
    await page.getByRole('button', { name: 'Show only the 1 refused' }).click()
    await hasRows(page, 'Result of each product', 1)
    await shows(rowsOf(page, 'Result of each product'), /Thing 7.*Refused.*price/)
    expect(new Set((await products()).map(({ name, price }) => `${name === 'Thing 7'} ${price.raw}`))).toEqual(
      new Set(['true 1', 'false 7.5']),
    )
  })

  proof('changes 200 at once, tells how far it is, and goes on while somebody leaves and comes back', async () => {
    const { open, product, api } = await openList()
    await api(201, 'POST', 'categories', { name: 'Sale', slug: 'sale' })
    await Promise.all(Array.from({ length: 201 }, (_, number) => product({ name: `Thing ${number}`, price: 10 })))
    const { page, screen } = await open()
    await hasRows(page, 'Products', 50)
    await page.getByLabel('Choose all on this page').check()
    await page.getByRole('button', { name: 'Choose the first 200 of 201' }).click()
    await page.getByText('200 products chosen').waitFor()
    await screen.more('Categories', 'More changes')
    await screen.pick('Put into', 'Sale')
    await looksFine(page)
    await screen.press('Change the categories of 200 products')
    // No job runs yet, and the page says so.
    await page.getByText('0 of 200 products done.').waitFor()
    await expect.poll(() => page.getByRole('progressbar', { name: 'Products done' }).getAttribute('max')).toBe('200')
    await looksFine(page)
    await screen.goTo('Orders')
    await screen.goTo('Products')
    await page.getByText('Changing 200 products: 0 done.').waitFor()
    await untilDone(page, /200 products changed\./)
    await looksFine(page)
    await page.getByRole('link', { name: 'See each' }).click()
    await hasRows(page, 'Result of each product', 200)
    const { meta } = await api<{ meta: { pagination: { total: number } } }>(200, 'GET', 'products?category_slug=sale')
    expect(meta.pagination.total).toBe(200)
  })

  proof('sets stock, switches off and deletes what was chosen, and says beforehand what that does', async () => {
    const { open, product, products } = await openList()
    await product({ name: 'Mug' })
    await product({ name: 'Bowl' })
    const { page, screen, bar } = await open()
    const selected = async (select: (product: Product) => unknown) => (await products()).map(select)
    await chooseAll(page, 2)
    await bar.getByRole('button', { name: 'Stock' }).click()
    await screen.dialog.getByLabel('Pieces on the shelf of each, sandbox').fill('9')
    await screen.press('Set the stock of 2 products')
    await untilDone(page, /Done: 2 products changed\./)
    const inventory = selected(({ inventory: { managed, on_hand } }) => `${managed} ${on_hand}`)
    expect(await inventory).toEqual(['true 9', 'true 9'])
    for (const [entry, verb] of [
      ['Switch off', 'Switch 2 products off'],
      ['Delete', 'Delete 2 products'],
    ] as const) {
      await page.getByRole('link', { name: 'Products' }).first().click()
      await chooseAll(page, 2)
      await screen.more(entry, 'More changes')
      await looksFine(page)
      await screen.press(verb)
      await untilDone(page, /Done: 2 products changed\./)
      if (entry === 'Switch off') expect(await selected(({ active }) => active)).toEqual([false, false])
    }
    expect(await products()).toEqual([])
  })

  it('exports a table, tries a changed one without changing anything, and imports it', async () => {
    const { open, product, products } = await openList('?active=true')
    const mug = await product({ name: 'Mug', price: 10 })
    await product({ name: 'Jar', price: 8, active: false })
    const { page, screen } = await open(eyesOf(2))
    const table = await exported(page, 'Export these 1')
    expect([table.length, table.join()]).toEqual([2, expect.stringContaining('Mug')])
    await page.getByRole('link', { name: 'Import' }).click()
    await screen.heading('Import products', 1)
    await looksFine(page)
    const csv = ['id,name,price', `${mug.id},Cup,12`, ',Bowl,20', ',Plate,much'].join('\n')
    await page
      .locator('input[type=file]')
      .setInputFiles({ name: 'products.csv', mimeType: 'text/csv', buffer: Buffer.from(csv) })
    await untilDone(page, '2 lines can be imported, 1 line cannot')
    await shows(page.getByRole('row').filter({ hasText: 'Refused' }), /Plate.*Line 4.*price/)
    const stored = async () => (await products()).map(({ name, price }) => `${name} ${price.raw}`).toSorted()
    expect(await stored()).toEqual(['Jar 8', 'Mug 10'])
    await looksGood(page)
    await page.getByRole('button', { name: 'Import 2 lines' }).click()
    await screen.heading('Change of many products', 1)
    await untilDone(page, 'Done: 2 products changed, 1 refused')
    expect(await stored()).toEqual(['Bowl 20', 'Cup 12', 'Jar 8'])
  })
})
