// @sampled: `npm test` sets up shipping and tax, and compares them with a checkout.
// D13: where it ships and what is taxed is said on two screens, and "try an address" shows what a real checkout charges.

import type { Page, Route } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import type { Live } from '../../../src/api/checkouts/schema.ts'
import type { ShippingZone } from '../../../src/api/shipping/schema.ts'
import type { TaxZone } from '../../../src/api/tax/schema.ts'
import { isBrowserSkipped, proof } from '../../support/browser.ts'
import { Screen } from './screen.ts'
import { type DashboardShop, eyesOf, looksFine, looksGood, openDashboards } from './support.ts'

const TRIED = { country: 'US', region: 'CA', postal_zip_code: '94103' }

describe.skipIf(isBrowserSkipped)('terms', async () => {
  const house = await openDashboards()
  const { openShop, openDashboard } = house

  /** A shop that sells mugs and sends them nowhere yet. */
  async function openBareShop() {
    const shop = await openShop()
    await shop.api(204, 'DELETE', `shipping_zones/${shop.zoneId}`)
    const mug = await shop.product({ name: 'Mug', price: 12.5, delivery: { weight: 350 } })
    return { ...shop, mug }
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

  it('of an address are those of the checkout (D13)', async () => {
    const shop = await openBareShop()
    const page = await openDashboard('owner', shop, { ...eyesOf(1), path: '/dashboard/shipping' })
    const screen = new Screen(page)
    const label = (name: string, options = {}) => screen.dialog.getByLabel(name, options)
    await page.getByRole('heading', { name: 'Nothing can be sent anywhere yet' }).waitFor()
    await looksGood(page)

    await page.getByRole('button', { name: 'Add a zone' }).click()
    await screen.press('Add the zone')
    await screen.dialog.getByRole('alert').waitFor()
    await label('Name').fill('America')
    await screen.dialog.getByRole('combobox', { name: 'Add a country' }).fill('united sta')
    await screen.dialog
      .getByRole('option', { name: /^United States/ })
      .first()
      .click()
    await screen.dialog.getByRole('combobox', { name: 'Add a country' }).fill('canada')
    await screen.dialog.getByRole('option', { name: /^Canada/ }).click()
    await label('Name').click()
    await screen.press('Only parts of a country')
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
    await label('Name').click()
    await screen.press('Add a way of sending')
    await label('What shoppers read').fill('Post')
    await label('Price', { exact: true }).fill('a lot')
    await screen.dialog.getByText('By the piece, and for which orders').click()
    await label('Added for each further piece').fill('0.50')
    await screen.press('Add the zone')
    await screen.dialog.locator('.field.wrong').getByText('methods.0.price must').waitFor()
    await looksGood(page)
    await label('Price', { exact: true }).fill('5')
    await screen.finish('Add the zone')

    await screen.section('America').getByRole('button', { name: 'Edit America' }).click()
    await label('What shoppers read').first().waitFor()
    await screen.press('Add a way of sending')
    await label('What shoppers read').nth(1).fill('Express')
    await label('Price', { exact: true }).nth(1).fill('20')
    await screen.press('Add a way of sending')
    await label('What shoppers read').nth(2).fill('Free of charge')
    await label('Price', { exact: true }).nth(2).fill('0')
    await screen.dialog.getByText('By the piece, and for which orders').nth(2).click()
    await label('Only for orders from').nth(2).fill('100')
    await screen.finish('Save')
    await screen.section('America').getByText('Orders of $100.00 and more').waitFor()
    expect(await shop.list<ShippingZone>('shipping_zones')).toMatchObject([
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
    await page.getByLabel('Shipping is taxed too').check()
    await screen.section('Prices and tax').getByRole('button', { name: 'Save' }).click()
    await screen.toast('Saved').waitFor()
    await page.getByRole('button', { name: 'Add a tax zone' }).click()
    await label('Country').selectOption('US')
    await label('State or region').selectOption('CA')
    await label('Postcodes that begin with').fill('941')
    await label('Name, such as VAT').fill('State')
    await label('Rate', { exact: true }).fill('101')
    await screen.press('Add the tax zone')
    await screen.dialog.locator('.wrong-text').getByText('A rate must be a percentage from 0 to 100').waitFor()
    await label('Rate', { exact: true }).fill('7.25')
    await screen.press('Add a rate')
    await label('Name, such as VAT').nth(1).fill('City')
    await label('Rate', { exact: true }).nth(1).fill('1,375')
    await looksGood(page)
    await screen.finish('Add the tax zone')
    await page.getByRole('table', { name: 'Tax zones' }).getByText('State: 7.25%').waitFor()
    expect(await shop.list<TaxZone>('tax_zones')).toMatchObject([
      { country: 'US', region: 'CA', postal_prefix: '941', rates: [{ rate: 0.0725 }, { rate: 0.01375 }] },
    ])

    const onTax = await tryAddress(page, 3)
    expect(onTax).toEqual(await checkoutThere(shop, shop.mug.id, 3))
    expect(onTax.map(([method]) => method)).toEqual(['Post', 'Express'])
    await page.getByText('“Free of charge” of America is not offered').waitFor()
    await looksGood(page)
    await page.goto(`${house.origin}/dashboard/shipping`)
    const onShipping = await tryAddress(page, 9)
    expect(onShipping).toEqual(await checkoutThere(shop, shop.mug.id, 9))
    expect(onShipping.map(([method]) => method)).toEqual(['Post', 'Express', 'Free of charge'])
    await looksGood(page)

    const section = screen.section('Try an address')
    await section.getByLabel('Country').selectOption('FR')
    await section.getByRole('button', { name: 'Show what applies' }).click()
    await section.getByText('Nothing can be sent there').waitFor()
    await looksFine(page)
    await section.getByLabel('Country').selectOption('')
    await section.getByRole('button', { name: 'Show what applies' }).click()
    await section.getByRole('alert').waitFor()

    await screen.more('Delete the zone', 'More for America')
    await expect.poll(() => screen.says()).toContain('A product that names this zone alone is then sent nowhere.')
    await looksFine(page)
    await screen.finish('Delete the zone')
    await page.getByRole('heading', { name: 'Nothing can be sent anywhere yet' }).waitFor()
    expect(await shop.list('shipping_zones')).toEqual([])
  })

  proof('of a tax zone are changed and deleted; only what was changed is sent', async () => {
    const shop = await openBareShop()
    const zone = await shop.taxZone({
      country: 'US',
      region: 'CA',
      rates: [{ type: 'State', rate: 0.06, digital_rate: 0 }],
    })
    const page = await openDashboard('owner', shop, { path: '/dashboard/tax' })
    const screen = new Screen(page)
    const label = (name: string, options = {}) => screen.dialog.getByLabel(name, options)
    const sent: unknown[] = []
    page.on('request', (request) => {
      if (request.method() === 'PUT') sent.push(request.postDataJSON())
    })
    await page.getByRole('button', { name: 'Edit', exact: true }).click()
    await label('On downloads, if another').fill('')
    await screen.finish('Save')
    await page.getByRole('button', { name: 'Edit', exact: true }).click()
    await label('Country').selectOption('CA')
    await screen.finish('Save')
    expect(sent).toEqual([
      { rates: [{ type: 'State', rate: '0.06', digital_rate: null }] },
      { country: 'CA', region: null },
    ])
    await expect.poll(() => shop.api(200, 'GET', `tax_zones/${zone.id}`)).toMatchObject({ country: 'CA', region: null })
    await screen.more('Delete the tax zone')
    await screen.finish('Delete the tax zone')
    await page.getByRole('heading', { name: 'Nothing is taxed yet' }).waitFor()
  })
})
