// D13: where it ships and what is taxed is said on two screens, and "try an address" shows what a real checkout charges.

import type { Page, Route } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import type { Live } from '../../../src/api/checkouts/schema.ts'
import type { ShippingZone } from '../../../src/api/shipping/schema.ts'
import type { TaxZone } from '../../../src/api/tax/schema.ts'
import { isBrowserSkipped } from '../../support/browser.ts'
import { eyesOf, looksFine, OrderScreen } from './orders-support.ts'
import { type DashboardShop, looksGood, openDashboards, PATIENT, shoot } from './support.ts'

const TRIED = { country: 'US', region: 'CA', postal_zip_code: '94103' }

describe.skipIf(isBrowserSkipped)('terms', async () => {
  const house = await openDashboards()
  const { openShop, openDashboard } = house

  /** A shop that sells mugs and sends them nowhere yet. */
  async function openBareShop() {
    const shop = await openShop()
    const { secret } = shop.keys.sandbox
    await shop.succeed(204, 'DELETE', `shipping_zones/${shop.zoneId}`, undefined, secret)
    const mug = await shop.product({ name: 'Mug', price: 12.5, delivery: { weight: 350 } })
    const api = <T>(path: string) => shop.succeed<T>(200, 'GET', path, undefined, secret)
    return { ...shop, mug, api }
  }

  /** What a token that goes there says, by each of its methods. */
  async function checkoutThere(shop: DashboardShop, productId: string, quantity: number) {
    const { id } = await shop.token({ id: productId, quantity })
    await shop.succeed(200, 'GET', `checkouts/${id}/helper/set_tax_zone?${new URLSearchParams(TRIED)}`)
    const options = await shop.succeed<Live['shipping']['available_options']>(
      200,
      'GET',
      `checkouts/${id}/helper/shipping_options?country=US&region=CA`,
    )
    const rows: string[][] = []
    for (const option of options) {
      const query = new URLSearchParams({ country: 'US', region: 'CA', shipping_option_id: option.id })
      await shop.succeed(200, 'GET', `checkouts/${id}/check/shipping?${query}`)
      const live = await shop.succeed<Live>(200, 'GET', `checkouts/${id}/live`)
      rows.push([
        option.description,
        live.shipping.price.formatted_with_symbol,
        live.tax.amount.formatted_with_symbol,
        live.total_with_tax.formatted_with_symbol,
      ])
    }
    return rows
  }

  async function tryAddress(page: Page, quantity: number) {
    const section = page.getByRole('region', { name: 'Try an address' })
    await section.getByLabel('Country').selectOption('US')
    await section.getByLabel('State or region').selectOption('CA')
    await section.getByLabel('Postcode').fill('94103')
    await section.getByLabel('What is bought').selectOption({ label: 'Mug' })
    await section.getByLabel('Pieces').fill(String(quantity))
    await section.getByRole('button', { name: 'Show what applies' }).click()
    await section.getByRole('heading', { name: '94103, California, United States' }).waitFor()
    const rows = section.getByRole('table', { name: 'Ways of sending' }).locator('tbody tr')
    const cells = await rows.evaluateAll((all) =>
      all.map((row) => [...row.querySelectorAll('td')].map((cell) => cell.textContent ?? '')),
    )
    return cells.map(([method, _zone, ...money]) => [method, ...money])
  }

  it.each(eyesOf(1))('of an address are those of the checkout (D13, $width px, $scheme)', async (eyes) => {
    const shop = await openBareShop()
    const page = await openDashboard('owner', shop, { ...eyes, path: '/dashboard/shipping' })
    const screen = new OrderScreen(page)
    await page.getByRole('heading', { name: 'Nothing can be sent anywhere yet' }).waitFor()
    await looksGood(page)
    await shoot(page, 'shipping-empty')

    await page.getByRole('button', { name: 'Add a zone' }).click()
    await screen.dialog.getByRole('button', { name: 'Add the zone' }).click()
    await screen.dialog.getByRole('alert').waitFor()
    await screen.dialog.getByLabel('Name').fill('America')
    await screen.dialog.getByRole('combobox', { name: 'Add a country' }).fill('united sta')
    await screen.dialog
      .getByRole('option', { name: /^United States/ })
      .first()
      .click()
    await screen.dialog.getByRole('combobox', { name: 'Add a country' }).fill('canada')
    await screen.dialog.getByRole('option', { name: /^Canada/ }).click()
    await screen.dialog.getByLabel('Name').click()
    await screen.dialog.getByRole('button', { name: 'Only parts of a country' }).click()
    await screen.dialog.getByRole('combobox', { name: 'Only parts of which country?' }).click()
    // Whoever types faster than the parts arrive finds them all the same.
    const partsArriveLate = async (route: Route) => {
      await screen.dialog.getByRole('option', { name: 'Nothing matches' }).waitFor()
      await route.continue()
    }
    await page.route('**/locale/CA/subdivisions', partsArriveLate, { times: 1 })
    await screen.dialog.getByRole('option', { name: 'Canada' }).click()
    await screen.dialog.getByRole('combobox', { name: 'Add a part of Canada' }).fill('british')
    await screen.dialog.getByRole('option', { name: /^British Columbia/ }).click()
    await screen.dialog.getByLabel('Name').click()
    await screen.dialog.getByRole('button', { name: 'Add a way of sending' }).click()
    await screen.dialog.getByLabel('What shoppers read').fill('Post')
    await screen.dialog.getByLabel('Price', { exact: true }).fill('a lot')
    await screen.dialog.getByText('By the piece, and for which orders').click()
    await screen.dialog.getByLabel('Added for each further piece').fill('0.50')
    await screen.dialog.getByRole('button', { name: 'Add the zone' }).click()
    await screen.dialog.locator('.field.wrong').getByText('methods.0.price must').waitFor()
    await looksGood(page)
    await shoot(page, 'shipping-zone')
    await screen.dialog.getByLabel('Price', { exact: true }).fill('5')
    await screen.press('Add the zone')

    await screen.section('America').getByRole('button', { name: 'Edit America' }).click()
    await screen.dialog.getByLabel('What shoppers read').first().waitFor()
    await screen.dialog.getByRole('button', { name: 'Add a way of sending' }).click()
    await screen.dialog.getByLabel('What shoppers read').nth(1).fill('Express')
    await screen.dialog.getByLabel('Price', { exact: true }).nth(1).fill('20')
    await screen.dialog.getByRole('button', { name: 'Add a way of sending' }).click()
    await screen.dialog.getByLabel('What shoppers read').nth(2).fill('Free of charge')
    await screen.dialog.getByLabel('Price', { exact: true }).nth(2).fill('0')
    await screen.dialog.getByText('By the piece, and for which orders').nth(2).click()
    await screen.dialog.getByLabel('Only for orders from').nth(2).fill('100')
    await screen.press('Save')
    await screen.section('America').getByText('Orders of $100.00 and more').waitFor()
    const { data: zones } = await shop.api<{ data: ShippingZone[] }>('shipping_zones')
    expect(zones).toMatchObject([
      {
        name: 'America',
        countries: ['US', 'CA'],
        regions: { CA: ['BC'] },
        methods: [
          { description: 'Post', price: { raw: 5 }, with_others: { raw: 0.5 } },
          { description: 'Express', price: { raw: 20 }, min_order_value: null },
          { description: 'Free of charge', price: { raw: 0 }, min_order_value: { raw: 100 } },
        ],
      },
    ])

    await page.goto(`${house.origin}/dashboard/tax`)
    await page.getByRole('heading', { name: 'Nothing is taxed yet' }).waitFor()
    await looksGood(page)
    await shoot(page, 'tax-empty')
    await page.getByLabel('Shipping is taxed too').check()
    await screen.section('Prices and tax').getByRole('button', { name: 'Save' }).click()
    await screen.toast('Saved').waitFor()
    await page.getByRole('button', { name: 'Add a tax zone' }).click()
    await screen.dialog.getByLabel('Country').selectOption('US')
    await screen.dialog.getByLabel('State or region').selectOption('CA')
    await screen.dialog.getByLabel('Postcodes that begin with').fill('941')
    await screen.dialog.getByLabel('Name, such as VAT').fill('State')
    await screen.dialog.getByLabel('Rate', { exact: true }).fill('101')
    await screen.dialog.getByRole('button', { name: 'Add the tax zone' }).click()
    await screen.dialog.locator('.wrong-text').getByText('A rate must be a percentage from 0 to 100').waitFor()
    await screen.dialog.getByLabel('Rate', { exact: true }).fill('7.25')
    await screen.dialog.getByRole('button', { name: 'Add a rate' }).click()
    await screen.dialog.getByLabel('Name, such as VAT').nth(1).fill('City')
    await screen.dialog.getByLabel('Rate', { exact: true }).nth(1).fill('1,375')
    await looksGood(page)
    await shoot(page, 'tax-zone')
    await screen.press('Add the tax zone')
    await page.getByRole('table', { name: 'Tax zones' }).getByText('State: 7.25%').waitFor()
    const { data: taxes } = await shop.api<{ data: TaxZone[] }>('tax_zones')
    expect(taxes).toMatchObject([
      { country: 'US', region: 'CA', postal_prefix: '941', rates: [{ rate: 0.0725 }, { rate: 0.01375 }] },
    ])

    const onTax = await tryAddress(page, 3)
    expect(onTax).toEqual(await checkoutThere(shop, shop.mug.id, 3))
    expect(onTax.map(([method]) => method)).toEqual(['Post', 'Express'])
    await page.getByText('“Free of charge” of America is not offered').waitFor()
    await looksGood(page)
    await shoot(page, 'tax')
    await page.goto(`${house.origin}/dashboard/shipping`)
    const onShipping = await tryAddress(page, 9)
    expect(onShipping).toEqual(await checkoutThere(shop, shop.mug.id, 9))
    expect(onShipping.map(([method]) => method)).toEqual(['Post', 'Express', 'Free of charge'])
    await looksGood(page)
    await shoot(page, 'shipping')

    const section = screen.section('Try an address')
    await section.getByLabel('Country').selectOption('FR')
    await section.getByRole('button', { name: 'Show what applies' }).click()
    await section.getByText('Nothing can be sent there').waitFor()
    await looksFine(page)
    await section.getByLabel('Country').selectOption('')
    await section.getByRole('button', { name: 'Show what applies' }).click()
    await section.getByRole('alert').waitFor()

    await page.getByRole('button', { name: 'More for America' }).click()
    await page.getByRole('menuitem', { name: 'Delete the zone' }).click()
    await expect.poll(() => screen.says()).toContain('A product that names this zone alone is then sent nowhere.')
    await looksFine(page)
    await screen.press('Delete the zone')
    await page.getByRole('heading', { name: 'Nothing can be sent anywhere yet' }).waitFor()
    await expect.poll(async () => (await shop.api<{ data: ShippingZone[] }>('shipping_zones')).data).toEqual([])
  })

  it('of a tax zone are changed and deleted; only what was changed is sent', async () => {
    const shop = await openBareShop()
    const zone = await shop.taxZone({
      country: 'US',
      region: 'CA',
      rates: [{ type: 'State', rate: 0.06, digital_rate: 0 }],
    })
    const page = await openDashboard('owner', shop, { path: '/dashboard/tax' })
    const screen = new OrderScreen(page)
    const sent: unknown[] = []
    page.on('request', (request) => {
      if (request.method() === 'PUT') sent.push(request.postDataJSON())
    })
    await page.getByRole('button', { name: 'Edit', exact: true }).click()
    await screen.dialog.getByLabel('On downloads, if another').fill('')
    await screen.press('Save')
    await page.getByRole('button', { name: 'Edit', exact: true }).click()
    await screen.dialog.getByLabel('Country').selectOption('CA')
    await screen.press('Save')
    expect(sent).toEqual([
      { rates: [{ type: 'State', rate: '0.06', digital_rate: null }] },
      { country: 'CA', region: null },
    ])
    await expect.poll(() => shop.api(`tax_zones/${zone.id}`)).toMatchObject({ country: 'CA', region: null })
    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: 'Delete the tax zone' }).click()
    await screen.press('Delete the tax zone')
    await page.getByRole('heading', { name: 'Nothing is taxed yet' }).waitFor()
  })

  it('are seen by a developer of the live shop and not changed, and not shown to a packer', async () => {
    const shop = await openBareShop()
    await shop.zone({ name: 'America' })
    await shop.taxZone({ country: 'US', rates: [] })
    const developer = await openDashboard('developer', shop, { path: '/dashboard/shipping' })
    await developer.evaluate("sessionStorage.setItem('cartwright.mode', 'live')")
    for (const [path, title] of [
      ['shipping', 'America'],
      ['tax', 'Prices and tax'],
    ] as const) {
      await developer.goto(`${house.origin}/dashboard/${path}`)
      await developer.getByRole('heading', { name: title }).waitFor()
      await developer.getByRole('heading', { name: 'Try an address' }).waitFor()
      for (const name of [/^Add a/, /^Edit/, /^More/, 'Save'])
        expect(await developer.getByRole('button', { name }).count()).toBe(0)
      await looksFine(developer)
    }
    const packer = await openDashboard('packer', shop, { path: '/dashboard/shipping' })
    await packer.getByRole('heading', { name: 'This is not for your role' }).waitFor()
    await expect.poll(() => packer.getByRole('link', { name: 'Shipping' }).count(), PATIENT).toBe(0)
  })
})
