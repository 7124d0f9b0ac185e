// @proof: journeys through the parts of the page that its form tests prove without a browser.
// C1, C4, C6, C11, C14 and C15: totals that follow, amounts, countries, a second press, pages that say no, languages.

import { describe, expect } from 'vitest'
import { statement } from '../../../../src/db/db.ts'
import { LANGUAGES } from '../../../../src/pages/checkout/model.ts'
import { digital } from '../../../api/checkouts/capture-support.ts'
import { isBrowserSkipped, scrollsSideways } from '../../../support/browser.ts'
import { fill, press } from './hands.ts'
import {
  ADDRESSES,
  CONTACT,
  faultsOf,
  fillIn,
  fillInAddress,
  fillInCard,
  openSummary,
  PAYS,
  pay,
  payByCard,
  receipt,
  says,
  textOf,
  totalIs,
  update,
} from './shopper.ts'
import { openTestShops } from './support.ts'
import { EVERY_WAY, WITH_SCRIPTS } from './ways.ts'

const { app, origin, openShop, visit } = await openTestShops()

const closeShop = statement(
  'test.close_shop',
  'update merchants set is_disabled = true where merchant_id = :merchant_id',
)

describe.skipIf(isBrowserSkipped).each(EVERY_WAY.ways)('%s', (_, way) => {
  const { further } = EVERY_WAY.journeysIn(way)

  further('C4: an amount below the least is refused at its field; one above is charged', async () => {
    const shop = await openShop()
    const { id } = await shop.product({ ...digital, price: 5, pay_what_you_want: true })
    const page = await visit(await shop.cartLink({ id }), way)
    await fillIn(page, { ...CONTACT, pay_what_you_want: '2' })
    await fillInCard(page, PAYS)
    await pay(page)
    await says(page, 'Please pay $5.00 or more.')
    expect(await page.locator('[name=pay_what_you_want]').getAttribute('aria-invalid')).toBe('true')
    expect(await faultsOf(page, 'wrong')).toEqual([])
    await fillIn(page, { pay_what_you_want: '12.50' })
    await update(page, way, 12.5)
    await payByCard(page)
    expect((await shop.orders())[0]?.order.total.raw).toBe(12.5)
  })

  further('C6: each country has the fields of its addresses, its shipping and its tax', async () => {
    const shop = await openShop()
    for (const [country, price] of [
      ['DE', 7],
      ['JP', 9],
      ['GB', 8],
    ] as const)
      await shop.zone({ name: country, countries: [country], methods: [{ description: `To ${country}`, price }] })
    await shop.taxZone({ country: 'DE', rates: [{ type: 'VAT', rate: 0.19 }] })
    const { id } = await shop.product({ price: 10 })
    const page = await visit(await shop.cartLink({ id }), way)
    const totals = { US: 15, DE: 18.9, JP: 19, GB: 18 }
    for (const country of ['DE', 'JP', 'GB', 'US'] as const) {
      await fillIn(page, { 'shipping[country]': country })
      await update(page, way, totals[country])
      await expect
        .poll(() =>
          page.locator('[name^="shipping["]').evaluateAll((all) => all.map((each) => each.getAttribute('name'))),
        )
        .toEqual(expect.arrayContaining(Object.keys(ADDRESSES[country])))
      const names = await page
        .locator('[name^="shipping["]:visible')
        .evaluateAll((all) => all.map((each) => each.getAttribute('name')))
      const wanted = Object.keys(ADDRESSES[country])
      expect([country, names.filter((name) => wanted.includes(name ?? ''))]).toEqual([country, wanted])
      expect([country, await faultsOf(page, `to ${country}`)]).toEqual([country, []])
    }
    await fillIn(page, { ...CONTACT, ...ADDRESSES.US })
    await payByCard(page)
    expect((await shop.orders())[0]?.shipping).toMatchObject({ country: 'US', county_state: expect.any(String) })
  })

  further('C11: pressed twice, there is one order', async () => {
    const shop = await openShop()
    const { id } = await shop.product(digital)
    const page = await visit(await shop.cartLink({ id }), way)
    await fillIn(page, CONTACT)
    await fillInCard(page, PAYS)
    await pay(page, 2)
    // Without a script the second press breaks off the answer to the first.
    await expect.poll(() => page.url()).toMatch(/\/receipt(\?|$)/)
    expect((await shop.orders()).length).toBe(1)
    // And by whoever has the page open twice.
    await page.goto(page.url().replace(/\/receipt.*/, ''))
    await receipt(page)
  })

  further(
    'C14: a closed shop, a checkout that has ended, a cart that is empty, and one that never was say so',
    async () => {
      const shop = await openShop()
      const { id } = await shop.product(digital)
      const link = await shop.cartLink({ id })
      const page = await visit(link, way)
      const address = page.url()
      const says = async (url: string, text: string) => {
        await page.goto(url)
        expect(await textOf(page)).toContain(text)
        expect([text, await faultsOf(page, text)]).toEqual([text, []])
      }
      const cart = (cartId: string) => `${origin}/checkout/${shop.id}/cart/${cartId}`
      app.clock.advance(8 * 86_400)
      await says(address, 'This checkout is not open any more.')
      await says(cart((await shop.cart([])).id), 'empty')
      await says(cart(`cart_${'0'.repeat(26)}`), 'This cart is not there any more.')
      await app.db.run(closeShop, { merchant_id: shop.id })
      await says(origin + link, 'This shop is closed at the moment.')
    },
  )

  further('C15: each language says all of it, and fits a screen that is four times as large', async () => {
    const shop = await openShop()
    const { id } = await shop.product({ price: 10 })
    const link = await shop.cartLink({ id })
    const titles = new Set<string>()
    const page = await visit(link, { ...way, width: 320, locale: 'de-AT' })
    for (const language of LANGUAGES) {
      await page.goto(`${origin}${link}?lang=${language}`)
      expect(await page.locator('html').getAttribute('lang')).toBe(language)
      titles.add(await textOf(page))
      const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'
      expect([language, await page.evaluate(overflow)]).toEqual([language, 0])
    }
    expect(titles.size).toBe(LANGUAGES.length)
    await page.goto(origin + link)
    await fillIn(page, { ...CONTACT, 'shipping[country]': 'US' })
    if (!way.hasScripts) await press(page.getByRole('button', { name: 'Summen aktualisieren' }).first())
    await totalIs(page, 15)
    await fillIn(page, ADDRESSES.US)
    await payByCard(page)
    expect(await page.locator('h1').textContent()).toContain('Vielen Dank')
  })
})

describe.skipIf(isBrowserSkipped).each(WITH_SCRIPTS.ways)('%s', (_, way) => {
  const { further } = WITH_SCRIPTS.journeysIn(way)

  further(
    'C1: totals follow the place and the quantity, and nothing typed stays in the browser after paying',
    async () => {
      const shop = await openShop()
      // Where it goes decides what it costs.
      await shop.zone({ name: 'Abroad', countries: ['DE'], methods: [{ description: 'Parcel', price: 12 }] })
      const { id } = await shop.product({ price: 10 })
      const page = await visit(await shop.cartLink({ id }), way)
      await fillIn(page, { 'shipping[country]': 'DE' })
      await totalIs(page, 22)
      await fillIn(page, CONTACT)
      await fillInAddress(page)
      await totalIs(page, 15)
      await openSummary(page)
      await fill(page.getByLabel(/^Quantity/), '2')
      await totalIs(page, 25)
      expect(await page.getByLabel('Full name').inputValue()).toBe('Ada Lovelace')
      expect(await faultsOf(page, 'unfolded')).toEqual([])
      expect(await scrollsSideways(page)).toBe(false)
      await payByCard(page)
      expect(await scrollsSideways(page)).toBe(false)
      expect((await shop.orders()).map(({ order }) => order.total_with_tax.raw)).toEqual([25])
      await expect.poll(() => page.evaluate('sessionStorage.length')).toBe(0)
      const orders = (await shop.orders()).length
      await page.goBack()
      if (!page.url().endsWith('/receipt')) {
        // The browser may show the form as it was left. Its button gives the same order.
        await page.getByLabel('E-mail').waitFor()
        await fillInCard(page, PAYS)
        await pay(page)
      }
      await receipt(page)
      expect((await shop.orders()).length).toBe(orders)
    },
  )
})
