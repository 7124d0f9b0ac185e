// @proof: every view of the storefront, on a phone and on a desk.
// The shopping half of the example storefront, view by view, with and without JavaScript.

import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { isBrowserSkipped } from '../support/browser.ts'
import { DESK, faultsOf, openStorefront, PHONE } from './storefront-support.ts'

const { app, origin, keys, visit, ask, go } = await openStorefront()

const open = async (viewport: typeof PHONE, hasScripts = true) => (await visit(null, { viewport, hasScripts })).page

async function add(page: Page, options: readonly string[] = []) {
  for (const option of options) await page.getByRole('radio', { name: option }).check()
  await page.getByRole('button', { name: 'Add to cart' }).click()
  await page.getByText('In the cart:').waitFor()
}

describe.skipIf(isBrowserSkipped)('every view', () => {
  it('has nothing that axe would find in any view of the script', async () => {
    const page = await open(PHONE)
    const views = [
      ['', 'All products'],
      ['category/kitchen', 'Kitchen'],
      ['search/zebra', 'Results for “zebra”'],
      ['products/gone', 'Product not found'],
      ['cart', 'Your cart'],
      ['products/linen-cushion', 'Linen Cushion'],
    ] as const
    for (const [path, title] of views) {
      await go(page, path, title)
      expect([path, await faultsOf(page)]).toEqual([path, []])
    }
    await page.keyboard.press('Tab')
    expect(await page.evaluate('getComputedStyle(document.activeElement).outlineStyle')).not.toBe('none')
    await add(page, ['Sea'])
    expect(await faultsOf(page)).toEqual([])
    await go(page, 'cart', 'Your cart')
    expect(await faultsOf(page)).toEqual([])
  })

  it('has nothing that axe would find before its script has run', async () => {
    const page = await open(PHONE)
    await page.route('**/*.js', (route) => route.abort())
    for (const query of ['', '?category=kitchen', '?product=stoneware-mug', '?product=gone']) {
      await page.goto(`${origin}/storefront/${query}`)
      expect([query, await faultsOf(page)]).toEqual([query, []])
    }
  })
})

describe.skipIf(isBrowserSkipped)('a shopper on a phone', () => {
  it('can put a product into the cart without scrolling, sees the colour that was chosen, and what is left of it', async () => {
    const page = await open(PHONE)
    await go(page, 'products/linen-cushion', 'Linen Cushion')
    const box = await page.getByRole('button', { name: 'Add to cart' }).boundingBox()
    expect(box && box.y >= 0 && box.y + box.height <= PHONE.height).toBe(true)
    await page.getByRole('radio', { name: 'Sea' }).check()
    await page.getByRole('radio', { name: '60 cm' }).check()
    await page.locator('.stock').filter({ hasText: 'Only 2 left' }).waitFor()
    expect(await page.locator('.price.large').textContent()).toBe('$60.00')
    expect(await page.locator('.product-picture').getAttribute('src')).toContain('cushion-sea')
    // More than there are: said in the shop's own words, and nothing is asked of the API.
    const quantity = page.getByLabel('Quantity of Linen Cushion')
    await quantity.fill('3')
    await page.getByRole('button', { name: 'Add to cart' }).click()
    await page.getByRole('alert').filter({ hasText: 'Only 2 are left.' }).waitFor()
    expect(await page.locator('#cart-count').textContent()).toBe('0')
    await quantity.fill('1')
    await add(page)
    // The way on comes next.
    await page.getByRole('button', { name: 'Add to cart' }).focus()
    await page.keyboard.press('Tab')
    expect(await page.evaluate('document.activeElement.textContent')).toBe('See the cart')

    await page.getByRole('link', { name: 'See the cart' }).click()
    await page.getByRole('heading', { level: 1, name: 'Your cart' }).waitFor()
    expect(await page.locator('.line-picture').getAttribute('src')).toContain('cushion-sea')
    // The line leads back to what was chosen.
    await page.getByRole('link', { name: 'Linen Cushion' }).click()
    await page.getByRole('heading', { level: 1, name: 'Linen Cushion' }).waitFor()
    expect(await page.getByRole('radio', { name: 'Sea' }).isChecked()).toBe(true)
    expect(await page.getByRole('radio', { name: '60 cm' }).isChecked()).toBe(true)
  })

  it('steps the quantity, is told at the line when there are no more, and takes a removal back', async () => {
    const page = await open(PHONE)
    await go(page, 'products/linen-cushion', 'Linen Cushion')
    await add(page, ['Sea', '60 cm'])
    await go(page, 'cart', 'Your cart')
    const quantity = page.getByLabel('Quantity of Linen Cushion, Sea, 60 cm')
    const more = page.getByRole('button', { name: 'One more of Linen Cushion, Sea, 60 cm' })
    await more.click()
    await expect.poll(() => page.locator('#subtotal').textContent()).toBe('$120.00')
    // The lines are made anew; who stepped can step on.
    expect(await page.evaluate('document.activeElement.getAttribute("aria-label")')).toMatch(/^One more of/)
    await more.click()
    const line = page.locator('.line')
    await line.getByRole('alert').filter({ hasText: 'Only 2 are left.' }).waitFor()
    await expect.poll(() => quantity.inputValue()).toBe('2')
    await quantity.fill('0')
    await quantity.press('Enter')
    await line.getByText('Enter 1 or more.').waitFor()
    expect(await quantity.inputValue()).toBe('2')

    await page.getByRole('button', { name: 'Remove Linen Cushion, Sea, 60 cm' }).click()
    await page.getByText('Your cart is empty.').waitFor()
    const undo = page.getByRole('button', { name: 'Undo: put Linen Cushion, Sea, 60 cm back' })
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Undo')
    await undo.click()
    await line.waitFor()
    expect(await quantity.inputValue()).toBe('2')
    const restored = await quantity.getAttribute('id')
    await expect.poll(() => page.evaluate('document.activeElement.id')).toBe(restored)
  })

  it('who follows an old link is told what is missing, and where to go on', async () => {
    const page = await open(PHONE)
    await go(page, 'search/zebra', 'Results for “zebra”')
    expect(await page.locator('#said').textContent()).toBe('No products found.')
    await go(page, 'products/gone', 'Product not found')
    await page.getByText('It may have been sold or removed.').waitFor()
    expect(await page.title()).toBe('Product not found · Cartwright Demo')
    // What was said of another view is not said here.
    expect(await page.locator('#said').textContent()).toBe('')
    await go(page, 'category/gone', 'Category not found')
    await go(page, 'somewhere/else', 'Not found')
    // A link that was cut off.
    await go(page, 'products/%C3', 'Not found')
    await page.getByText('There is nothing at this address.').waitFor()
    await page.getByRole('link', { name: 'See all products' }).click()
    await page.getByRole('heading', { level: 1, name: 'All products' }).waitFor()
  })
})

describe.skipIf(isBrowserSkipped)('a shopper at a desk', () => {
  it('finds while typing, goes down the tree of categories and up again, and sorts', async () => {
    const page = await open(DESK)
    await go(page, '', 'All products')
    const search = page.getByLabel('Search products')
    await search.pressSequentially('kettle')
    await page.getByRole('heading', { level: 1, name: 'Results for “kettle”' }).waitFor()
    await page.getByText('One product', { exact: true }).waitFor()
    expect(await page.evaluate('document.activeElement.id')).toBe('query')
    // One step back, whatever was typed in between.
    await page.goBack()
    await page.getByRole('heading', { level: 1, name: 'All products' }).waitFor()

    const tree = page.getByRole('navigation', { name: 'Categories' })
    await tree.getByRole('link', { name: 'Textiles' }).click()
    await page.getByRole('heading', { level: 1, name: 'Textiles' }).waitFor()
    expect(await tree.locator('[aria-current]').allTextContents()).toEqual(['Textiles'])
    expect(await page.locator('.crumbs li').allTextContents()).toEqual(['All products', 'Home', 'Textiles'])
    await page.getByLabel('Sort by').focus()
    await page.getByLabel('Sort by').selectOption('Price, low to high')
    await expect
      .poll(() => page.locator('.card > a').allTextContents())
      .toEqual(['Kitchen Apron', 'Linen Cushion', 'Wool Blanket'])
    await expect.poll(() => page.evaluate('document.activeElement.id')).toBe('sort')
    expect(await page.locator('.card .price').allTextContents()).toEqual(['From $28.00', 'From $42.00', '$120.00'])
    await page.locator('.crumbs').getByRole('link', { name: 'Home' }).click()
    await page.getByRole('heading', { level: 1, name: 'Home', exact: true }).waitFor()
  })

  it('sees all pictures, what is sold out, what has a price of its own, and what one may pay as one likes', async () => {
    const page = await open(DESK)
    await go(page, 'products/stoneware-mug', 'Stoneware Mug')
    expect(await page.locator('.option.gone').allTextContents()).toEqual(['Clay +$2.00sold out'])
    await page.getByRole('radio', { name: 'Clay' }).check()
    expect(await page.getByRole('button', { name: 'Sold out' }).isDisabled()).toBe(true)
    const listed = await app.call('GET', '/v1/products?limit=2', { key: keys.sandbox.public })
    const assets = (listed.body as { data: { image: { id: string; url: string } }[] }).data.map(({ image }) => image)
    const ids = assets.map(({ id }) => id)
    await ask('POST', 'products', { name: 'Breakfast for One', permalink: 'breakfast', price: 40, assets: ids })
    await go(page, 'products/breakfast', 'Breakfast for One')
    const second = page.getByRole('button', { name: /^Picture 2 of 2/ })
    await second.click()
    expect(await second.getAttribute('aria-pressed')).toBe('true')
    const path = new URL(assets[1]?.url ?? '').pathname
    expect(await page.locator('.product-picture').getAttribute('src')).toContain(path)
    await go(page, 'products/wool-blanket', 'Wool Blanket')
    await page.getByRole('radio', { name: 'Ink' }).check()
    expect(await page.locator('.price.large').textContent()).toBe('$135.00')
    await go(page, 'products/gift-card', 'Gift Card')
    expect(await page.locator('.price.large').textContent()).toBe('From $10.00')
    await page.getByText('the checkout asks how much').waitFor()
    // Beside another product it costs what it costs on the shelf.
    await go(page, 'products/wool-blanket', 'Wool Blanket')
    expect(await page.locator('.related .price').first().textContent()).toBe('From $42.00')
  })
})

describe.skipIf(isBrowserSkipped)('without JavaScript', () => {
  it('one goes from shelf to shelf, looks at a product and searches', async () => {
    const page = await open(PHONE, false)
    await page.goto(`${origin}/storefront/`)
    await page.getByText('switch JavaScript on').first().waitFor()
    expect(await page.locator('.card').count()).toBe(24)
    await page.getByRole('link', { name: 'Next page' }).click()
    await page.getByRole('link', { name: 'Kitchen Apron' }).waitFor()
    await page.getByText('Categories', { exact: true }).click()
    await page.locator('.tree').getByRole('link', { name: 'Tableware' }).click()
    await page.getByRole('heading', { level: 1, name: 'Tableware' }).waitFor()
    expect(await page.locator('.card').count()).toBe(5)
    await page.getByRole('link', { name: 'Stoneware Mug' }).click()
    await page.getByRole('heading', { level: 1, name: 'Stoneware Mug' }).waitFor()
    await page.getByText('Sand, Sage, Clay (+$2.00)').waitFor()
    expect(await page.evaluate('document.querySelector(".product-picture").naturalWidth')).toBe(640)
    await page.getByLabel('Search products').fill('kettle')
    await page.getByLabel('Search products').press('Enter')
    await page.getByRole('link', { name: 'Whistling Kettle' }).waitFor()
    await page.locator('#cart-link').waitFor({ state: 'hidden' })
  })

  it('an address of it opens the same view for who has JavaScript', async () => {
    const page = await open(DESK)
    await page.goto(`${origin}/storefront/?product=bud-vase`)
    await page.locator('body[data-view]').getByRole('heading', { level: 1, name: 'Bud Vase' }).waitFor()
    expect(page.url()).toBe(`${origin}/storefront/#/products/bud-vase`)
  })
})
