// What moves money or goods happens once: pressed twice on one page, and by two people at the same moment. And what an order is done to is done by the
// keyboard alone.

import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import type { Order } from '../../../src/api/orders/schema.ts'
import { physical } from '../../api/orders/support.ts'
import { isBrowserSkipped } from '../../support/browser.ts'
import { OrderScreen, openDrafts, openTrade } from './orders-support.ts'
import { openDashboards, PATIENT } from './support.ts'

describe.skipIf(isBrowserSkipped)('an action on an order', async () => {
  const house = await openDashboards()
  const { openDashboard } = house

  type Shop = { join(role: 'owner'): Promise<{ email: string; password: string }> }

  const open = async (shop: Shop, { id }: { id: string }) =>
    new OrderScreen(await openDashboard('owner', shop, { path: `/dashboard/orders/${id}` }))

  /** Two people have the same dialog open; one presses twice, and the other in the same moment. */
  async function bothPress(
    shop: Shop,
    order: { id: string },
    prepare: (screen: OrderScreen) => Promise<void>,
    verb: string,
  ) {
    const first = await open(shop, order)
    const second = await open(shop, order)
    for (const screen of [first, second]) {
      await prepare(screen)
      await screen.dialog.getByRole('button', { name: verb }).waitFor()
    }
    await Promise.all([
      first.dialog.getByRole('button', { name: verb }).dblclick(),
      second.dialog.getByRole('button', { name: verb }).click(),
    ])
    for (const { dialog } of [first, second]) await dialog.waitFor({ state: 'detached' })
    return { first, second }
  }

  /** One has done it, and the other hears that nothing was changed by him. */
  async function oneHears({ first, second }: Awaited<ReturnType<typeof bothPress>>) {
    const overtaken = ({ page }: OrderScreen) => page.getByText('You have changed nothing just now.').count()
    await expect.poll(async () => (await overtaken(first)) + (await overtaken(second)), PATIENT).toBe(1)
  }

  const openTradeOf = async () => {
    const trade = await openTrade(house)
    return { trade, order: await trade.buy() }
  }

  it('cancels once, and gives money and goods back once', async () => {
    const { trade, order } = await openTradeOf()
    await oneHears(
      await bothPress(trade, order, (screen) => screen.more('Cancel the order'), 'Cancel and refund $30.00'),
    )
    const now = await trade.get(order.id)
    expect([now.status, now.refunds.length, now.order.total_refunded.raw]).toEqual(['cancelled', 1, 30])
    await expect.poll(() => trade.stockOf(trade.mug)).toBe(100)
    await trade.hears('ada@example.com', 'cancelled', 1)
  })

  it('ships once', async () => {
    const { trade, order } = await openTradeOf()
    await oneHears(await bothPress(trade, order, (screen) => screen.action('Ship').click(), 'Ship 2 items'))
    const { shipments } = (await trade.get(order.id)).fulfillment.physical
    expect(shipments.map(({ line_items }) => line_items.map((line) => line.fulfilled_quantity))).toEqual([[2]])
    await trade.hears('ada@example.com', 'on its way', 1)
  })

  // What is about one payment, or one item, and says the same twice is no conflict: both hear that it is done.
  it('notes a payment by hand once', async () => {
    const trade = await openTrade(house)
    const order = await trade.buy({ isByHand: true })
    await bothPress(
      trade,
      order,
      async (screen) => {
        await screen.action('Mark as paid').click()
        await screen.dialog.getByLabel('Amount that has come').fill('10')
      },
      'Mark $10 as paid',
    )
    const { transactions, order: sums } = await trade.get(order.id)
    expect(transactions.map(({ status, amount }) => [status, amount.raw])).toEqual([
      ['complete', 10],
      ['pending', 20],
    ])
    expect(sums.total_paid.raw).toBe(10)
  })

  it('takes what a gateway holds once, and marks what came back once', async () => {
    const drafts = await openDrafts(house)
    const shop: Shop = { join: async () => drafts.login }
    const order = await drafts.order({ lines: [physical()] }, 'authorized')
    house.app.clock.advance(1)
    await bothPress(shop, order, (screen) => screen.action('Take the payment').click(), 'Take $20.00')
    const taken: Order = await drafts.get(order.id)
    expect(taken.transactions.map(({ type, status, amount }) => [type, status, amount.raw])).toEqual([
      ['charge', 'complete', 20],
    ])
    const shipping = await open(shop, order)
    await shipping.action('Ship').click()
    await shipping.press('Ship 2 items')
    house.app.clock.advance(1)
    await bothPress(
      shop,
      order,
      async (screen) => {
        await screen.section('Delivery').getByRole('button', { name: 'More for Mug' }).click()
        await screen.page.getByRole('menuitem', { name: 'Mark as returned' }).click()
      },
      'Mark as returned',
    )
    await expect
      .poll(async () => (await drafts.get(order.id)).fulfillment.physical.items.map(({ status }) => status))
      .toEqual(['returned'])
  })

  /** Where the focus is: the words of a button or a link, the label of a field. */
  const focused = (page: Page): Promise<string> =>
    page.evaluate(`(() => {
      const at = document.activeElement
      return (at?.labels?.[0]?.textContent ?? at?.getAttribute('aria-label') ?? at?.textContent ?? '').trim()
    })()`)

  async function tabTo(page: Page, name: string) {
    for (let steps = 0; steps < 60; steps++) {
      if ((await focused(page)).startsWith(name)) return
      await page.keyboard.press('Tab')
    }
    throw new Error(`Tab does not come to ${name}.`)
  }

  it('is done by the keyboard alone: a part shipped, some items refunded', async () => {
    const { trade, order } = await openTradeOf()
    const screen = await open(trade, order)
    const { page, dialog } = screen
    const { keyboard } = page
    await tabTo(page, 'Ship')
    await keyboard.press('Enter')
    await dialog.waitFor()
    await tabTo(page, 'Mug')
    await keyboard.type('1')
    await tabTo(page, 'Carrier')
    await keyboard.type('UPS')
    await dialog.getByRole('button', { name: 'Ship 1 item' }).waitFor()
    await tabTo(page, 'Ship 1 item')
    await keyboard.press('Enter')
    await dialog.waitFor({ state: 'detached' })
    await expect.poll(() => screen.states(), PATIENT).toEqual(['Paid', 'Partly shipped'])
    house.app.clock.advance(1)
    await page.reload()
    await page.locator('#content h1').waitFor()
    await tabTo(page, 'Refund')
    await keyboard.press('Enter')
    await dialog.waitFor()
    await tabTo(page, 'All that is left')
    await keyboard.press('ArrowDown')
    await tabTo(page, 'One Mug more')
    await keyboard.press('Enter')
    await expect.poll(async () => (await screen.says())[0]).toBe('Refunds $12.50 to the Visa card 4242.')
    await tabTo(page, 'Refund $12.50')
    await keyboard.press('Enter')
    await dialog.waitFor({ state: 'detached' })
    // Back where it began.
    await expect.poll(() => focused(page), PATIENT).toBe('Refund')
    await expect.poll(async () => (await trade.get(order.id)).order.total_refunded.raw).toBe(12.5)
  })
})
