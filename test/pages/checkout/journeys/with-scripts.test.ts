// C1, C8 and C11 with scripts: a shopper fills in the form, with totals that follow, loses the line, presses many times, goes back, loads the page anew.

import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { isBrowserSkipped } from '../../../support/browser.ts'
import { isWide } from '../../../support/wide.ts'
import { fill, press } from './hands.ts'
import { faultsOf } from './shopper.ts'
import {
  fillInAddress,
  fillInContact,
  fillInTestCard,
  openJourneys,
  openSummary,
  PATIENT,
  pay,
  receipt,
} from './support.ts'
import { WITH_SCRIPTS } from './ways.ts'

const { openShop, openPage, origin } = await openJourneys({})

const parcels = await openShop([], { isShipped: true })
// Where it goes decides what it costs.
await parcels.zone({ name: 'Abroad', countries: ['DE'], methods: [{ description: 'Parcel', price: 12 }] })
const files = await openShop([])

const due = async (page: Page) => Number(await page.locator('[data-charge]').getAttribute('data-minor'))
const noSideways = 'document.documentElement.scrollWidth <= document.documentElement.clientWidth'

describe.skipIf(isBrowserSkipped).each(WITH_SCRIPTS.ways)('%s', (_, way) => {
  const { journey } = WITH_SCRIPTS.journeysIn(way)

  journey('C1: from the address to the receipt, with totals that follow; axe finds nothing on the way', async () => {
    const before = (await parcels.orders()).length
    const page = await openPage(way)
    await page.goto(await parcels.address())
    await fill(page.getByLabel('Country'), 'DE')
    await expect.poll(() => due(page), PATIENT).toBe(2_200)
    await fillInContact(page)
    await fillInAddress(page)
    // The way of sending follows the place, and what it costs.
    await expect.poll(() => due(page), PATIENT).toBe(1_500)
    await openSummary(page)
    const sent = await due(page)
    await fill(page.getByLabel(/^Quantity/), '2')
    await expect.poll(() => due(page), PATIENT).toBe(sent + 1_000)
    expect(await page.getByLabel('Full name').inputValue()).toBe('Ada Lovelace')
    expect(await faultsOf(page, 'unfolded')).toEqual([])
    expect(await page.evaluate(noSideways)).toBe(true)
    await fillInTestCard(page, '4242 4242 4242 4242')
    await pay(page)
    await receipt(page)
    expect(await page.evaluate(noSideways)).toBe(true)
    const orders = await parcels.orders()
    expect([orders.length - before, orders[0]?.status_payment, orders[0]?.order.total_with_tax.raw]).toEqual([
      1,
      'paid',
      (sent + 1_000) / 100,
    ])
    await expect.poll(() => page.evaluate('sessionStorage.length'), PATIENT).toBe(0)
  })

  journey('C8: the bank of the test gateway asks, and the shopper says yes', async () => {
    const page = await openPage(way)
    await page.goto(await files.address())
    await fillInContact(page)
    await fillInTestCard(page, '4000 0000 0000 3220')
    await pay(page)
    const confirm = page.getByRole('button', { name: 'Confirm as the bank would' })
    await confirm.waitFor()
    expect(await faultsOf(page, 'to confirm')).toEqual([])
    await press(confirm)
    await receipt(page)
  })
})

describe.skipIf(isBrowserSkipped)('a shopper', () => {
  it('who goes back after paying sees the receipt again, and pays nothing twice', async () => {
    const page = await openPage()
    await page.goto(await files.address())
    await fillInContact(page)
    await fillInTestCard(page, '4242 4242 4242 4242')
    await pay(page)
    await receipt(page)
    const orders = (await files.orders()).length
    await page.goBack()
    if (!page.url().endsWith('/receipt')) {
      // From the browser's own memory: the form as it was left, whose button works, and gives the same order.
      await page.getByLabel('E-mail').waitFor()
      await fillInTestCard(page, '4242 4242 4242 4242')
      await pay(page)
    }
    await receipt(page)
    expect((await files.orders()).length).toBe(orders)
  })
})

// What the script does about these is tried on a smaller page in every run (enhance.test.ts).
describe.runIf(isWide && !isBrowserSkipped)('on the whole page, a shopper', () => {
  it('C11: who presses many times has one order', async () => {
    const [orders, sold] = [(await files.orders()).length, await files.sold()]
    const page = await openPage()
    await page.goto(await files.address())
    await fillInContact(page)
    await fillInTestCard(page, '4242 4242 4242 4242')
    const posts: string[] = []
    page.on('request', (request) => request.method() === 'POST' && posts.push(request.url()))
    await page.evaluate('for (let times = 0; times < 5; times++) document.querySelector("button[value=pay]").click()')
    await receipt(page)
    expect([posts.length, (await files.orders()).length - orders, (await files.sold()) - sold]).toEqual([1, 1, 1])
  })

  it('whose line breaks while the totals are asked for is told, loses nothing, and goes on when it is back', async () => {
    const page = await openPage({ width: 360 })
    await page.goto(await parcels.address())
    await fillInContact(page)
    let isGone = true
    await page.route(`${origin}/**`, (route) => (isGone ? route.abort('internetdisconnected') : route.continue()))
    await page.getByLabel('Country').selectOption('US')
    await page.getByText(/No connection/).waitFor()
    await page.getByLabel('E-mail').fill('byron@example.com')
    isGone = false
    await page.getByLabel('State').waitFor()
    await expect.poll(() => page.locator('[data-status]').textContent(), PATIENT).toBe('')
    expect(await page.getByLabel('E-mail').inputValue()).toBe('byron@example.com')
  })

  it('whose page is loaded anew finds what was typed, but no card', async () => {
    const page = await openPage()
    await page.goto(await parcels.address())
    await fillInContact(page)
    await fillInAddress(page)
    await fillInTestCard(page, '4242 4242 4242 4242')
    await page.reload()
    await expect.poll(() => page.getByLabel('Full name').inputValue(), PATIENT).toBe('Ada Lovelace')
    await expect.poll(() => page.getByLabel('State').inputValue(), PATIENT).toBe('CA')
    expect(await page.getByLabel('Card number').inputValue()).toBe('')
  })
})
