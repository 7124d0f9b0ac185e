// @proof: providers that fail, and two tabs at once, in every way.
// A provider that is down while somebody pays, one of which nobody hears for a minute, and a checkout that is open in two tabs: the page says how it
// stands, nobody is charged twice, and the other ways are offered.

import type { Page } from 'playwright-core'
import { describe, expect } from 'vitest'
import { openMollie } from '../../../gateways/doubles/mollie.ts'
import { openSquare } from '../../../gateways/doubles/square.ts'
import { isBrowserSkipped } from '../../../support/browser.ts'
import { fill, press, useKeyboard } from './hands.ts'
import {
  CONTACT,
  choose,
  EMAIL,
  faultsOf,
  fillIn,
  fillInCard,
  openSummary,
  PAYS,
  pay,
  payByCard,
  receipt,
  says,
  textOf,
  update,
} from './shopper.ts'
import { openJourneys } from './support.ts'
import { EVERY_WAY, type Way, WITH_SCRIPTS } from './ways.ts'

const { app, doubles, openShop, visit } = await openJourneys({ mollie: openMollie, square: openSquare })
const { mollie, square } = doubles
const shop = await openShop(['mollie', 'square'])

const cardOf = (page: Page) => page.frameLocator('[data-way=square] iframe').getByLabel('Card number')

async function open(way: Way) {
  const page = await visit(await shop.link(), way)
  await fillIn(page, CONTACT)
  return page
}

/** The same checkout in two tabs. */
async function openTwice(way: Way) {
  const first = await open(way)
  const second = await first.context().newPage()
  if (way.hasKeyboard) useKeyboard(second)
  await second.goto(first.url())
  await fillIn(second, CONTACT)
  return [first, second] as const
}

describe.skipIf(isBrowserSkipped).each(EVERY_WAY.ways)('%s', (_, way) => {
  const { journey } = EVERY_WAY.journeysIn(way)

  journey('a provider that is down is said to be, and another way pays, once', async () => {
    const [orders, payments] = [(await shop.orders()).length, mollie.payments.length]
    await mollie.goDown()
    try {
      const page = await open(way)
      await choose(page, 'mollie')
      await pay(page)
      await says(page, /This way to pay does not work at the moment|not been charged/)
      expect(await page.getByLabel('E-mail').inputValue()).toBe(EMAIL)
      expect(await faultsOf(page, 'provider is down')).toEqual([])
      await payByCard(page)
    } finally {
      await mollie.comeBack()
    }
    expect([(await shop.orders()).length - orders, mollie.payments.length - payments]).toEqual([1, 0])
  })

  journey(
    'a checkout in two tabs is paid once, as the tab was that paid; the other then shows the receipt',
    async () => {
      const [orders, sold] = [(await shop.orders()).length, await shop.sold()]
      const [first, second] = await openTwice(way)
      await openSummary(second)
      await fill(second.getByLabel(/^Quantity/), '3')
      await update(second, way, 30)
      await payByCard(second)
      await payByCard(first)
      expect(await textOf(first)).toContain('$30.00')
      expect([(await shop.orders()).length - orders, (await shop.sold()) - sold]).toEqual([1, 3])
    },
  )

  journey('two tabs that pay at the same moment have one order', async () => {
    const [orders, sold] = [(await shop.orders()).length, await shop.sold()]
    const [first, second] = await openTwice(way)
    for (const page of [first, second]) await fillInCard(page, PAYS)
    await Promise.all([first, second].map((page) => pay(page)))
    await Promise.all([first, second].map(receipt))
    expect([(await shop.orders()).length - orders, (await shop.sold()) - sold]).toEqual([1, 1])
  })
})

describe.skipIf(isBrowserSkipped).each(WITH_SCRIPTS.ways)('%s', (_, way) => {
  const { journey } = WITH_SCRIPTS.journeysIn(way)

  journey('a provider that is down when a card is to be charged is said to be, and another way pays', async () => {
    const [orders, payments] = [(await shop.orders()).length, square.payments.size]
    const page = await open(way)
    await choose(page, 'square')
    await fill(cardOf(page), '4111 1111 1111 1111')
    await square.goDown()
    try {
      await pay(page)
      await says(page, /This way to pay does not work|not been charged/)
      await payByCard(page)
    } finally {
      await square.comeBack()
    }
    expect([(await shop.orders()).length - orders, square.payments.size - payments]).toEqual([1, 0])
  })

  journey(
    'C13: who has waited for a minute need not stay, and whoever does is shown the receipt of one charge',
    async () => {
      const [orders, payments] = [(await shop.orders()).length, square.payments.size]
      const page = await open(way)
      await choose(page, 'square')
      await fill(cardOf(page), '4111 1111 1111 1111')
      // It has taken the money, and nobody hears of it.
      square.trouble('after', { on: /\/v2\/payments/, times: 1_000 })
      await pay(page)
      await page.waitForURL(/\/wait(\?|$)/)
      await page.getByRole('heading', { name: 'Your payment is being checked' }).waitFor()
      app.clock.advance(61)
      await page.getByRole('heading', { name: 'Still being checked' }).waitFor()
      expect(await textOf(page)).toMatch(/need not wait: you get an e-mail.*charged at most once/)
      expect(await faultsOf(page, 'still waiting')).toEqual([])
      // Whoever opens the checkout anew is not asked to pay again.
      await page.goto(page.url().replace(/\/wait.*/, ''))
      await page.waitForURL(/\/wait(\?|$)/)
      square.calm()
      app.clock.advance(61)
      await press(page.getByRole('link', { name: 'Look again' }))
      await receipt(page)
      expect([(await shop.orders()).length - orders, square.payments.size - payments]).toEqual([1, 1])
    },
  )
})
