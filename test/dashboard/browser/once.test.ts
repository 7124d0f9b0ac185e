// @proof: two people act at the same moment, and one by the keyboard alone.
// Actions that move money or goods happen once: pressed twice on one page, and by two people at the same moment.

import { describe, expect, it } from 'vitest'
import { isBrowserSkipped } from '../../support/browser.ts'
import { openTrade } from './orders-support.ts'
import { focused, type Login, Screen, tabTo } from './screen.ts'
import { looksFine, openDashboards } from './support.ts'

describe.skipIf(isBrowserSkipped)('an action on an order', async () => {
  const house = await openDashboards()
  const { openDashboard } = house

  type Prepare = (screen: Screen) => Promise<unknown>

  const open = async (shop: { owner: Login }, { id }: { id: string }) =>
    new Screen(await openDashboard('owner', shop, { path: `/dashboard/orders/${id}` }))

  /** Two people have the same dialog open; one presses twice, and the other in the same moment. Gives who hears that nothing was changed. */
  async function bothPress(shop: { owner: Login }, order: { id: string }, prepare: Prepare, verb: string) {
    const both = [await open(shop, order), await open(shop, order)] as const
    for (const screen of both) {
      await prepare(screen)
      await screen.dialog.getByRole('button', { name: verb }).waitFor()
    }
    const [first, second] = both.map(({ dialog }) => dialog.getByRole('button', { name: verb }))
    await Promise.all([first?.dblclick(), second?.click()])
    for (const { dialog } of both) await dialog.waitFor({ state: 'detached' })
    const overtaken = async () => {
      const counts = await Promise.all(
        both.map(({ page }) => page.getByText('You have changed nothing just now.').count()),
      )
      return both.filter((_, index) => counts[index] === 1)
    }
    return { both, overtaken }
  }

  const inTrade = async (prepare: Prepare, verb: string) => {
    const trade = await openTrade(house)
    const order = await trade.buy()
    const pressed = await bothPress(trade, order, prepare, verb)
    return { trade, ...pressed, now: () => trade.get(order.id) }
  }

  const oneHears = async ({ overtaken }: Awaited<ReturnType<typeof bothPress>>) =>
    expect.poll(async () => (await overtaken()).length).toBe(1)

  it('D9: refunds once, and the second hears it', async () => {
    const refund: Prepare = async (screen) => {
      await screen.action('Refund').click()
      await expect
        .poll(() => screen.says())
        .toEqual([
          'Refunds $30.00 to the Visa card 4242.',
          'Stock stays as it is.',
          'Mails ada@example.com what was given back.',
        ])
      await screen.dialog.getByLabel('Put the items back into stock').check()
      await expect.poll(async () => (await screen.says())[1]).toBe('Returns 2 pieces to stock.')
      await looksFine(screen.page)
    }
    const pressed = await inTrade(refund, 'Refund $30.00')
    await oneHears(pressed)
    const [loser] = await pressed.overtaken()
    await loser?.page.getByText(/What happened last: Refunded \$30\.00/).waitFor()
    if (loser !== undefined) await looksFine(loser.page)
    for (const screen of pressed.both) {
      await expect.poll(() => screen.states()).toEqual(['Refunded', 'Not shipped'])
      expect(await screen.action('Refund').count()).toBe(0)
    }
    const { refunds, order } = await pressed.now()
    expect([refunds.length, order.total_refunded.raw]).toEqual([1, 30])
    expect(await pressed.trade.stockOf(pressed.trade.mug)).toBe(100)
  })

  it('cancels once, and gives money and goods back once', async () => {
    const pressed = await inTrade((screen) => screen.more('Cancel the order'), 'Cancel and refund $30.00')
    await oneHears(pressed)
    const now = await pressed.now()
    expect([now.status, now.refunds.length, now.order.total_refunded.raw]).toEqual(['cancelled', 1, 30])
    expect(await pressed.trade.stockOf(pressed.trade.mug)).toBe(100)
    await pressed.trade.hears('ada@example.com', 'cancelled', 1)
  })

  it('ships once', async () => {
    const pressed = await inTrade((screen) => screen.action('Ship').click(), 'Ship 2 items')
    await oneHears(pressed)
    const { shipments } = (await pressed.now()).fulfillment.physical
    expect(shipments.map(({ line_items }) => line_items.map((line) => line.fulfilled_quantity))).toEqual([[2]])
    await pressed.trade.hears('ada@example.com', 'on its way', 1)
  })

  it('is done by the keyboard alone: some items are refunded', async () => {
    const trade = await openTrade(house)
    const order = await trade.buy()
    const screen = await open(trade, order)
    const { page, dialog } = screen
    const { keyboard } = page
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
    await expect.poll(() => focused(page)).toBe('Refund')
    await expect.poll(async () => (await trade.get(order.id)).order.total_refunded.raw).toBe(12.5)
  })
})
