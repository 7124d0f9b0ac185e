// @sampled: `npm test` refunds, cancels, and ships as a packer.
// Actions on an order: somebody ships it, gives money back, takes it, cancels it. once.test.ts has two people do it at the same moment.

import { describe, expect, it } from 'vitest'
import { digital, physical } from '../../api/orders/support.ts'
import { isBrowserSkipped, proof } from '../../support/browser.ts'
import { openDrafts, openTrade } from './orders-support.ts'
import { type Login, Screen } from './screen.ts'
import { eyesOf, looksFine, looksGood, openDashboards } from './support.ts'

describe.skipIf(isBrowserSkipped)('an order', async () => {
  const house = await openDashboards()
  const { openDashboard } = house
  const open = async (shop: { owner: Login }, { id }: { id: string }, who: 'owner' | 'packer', eyes = {}) =>
    new Screen(await openDashboard(who, shop, { ...eyes, path: `/dashboard/orders/${id}` }))

  proof('D8: is shipped in part and then the rest, and the customer hears of it', async () => {
    const trade = await openTrade(house)
    const order = await trade.buy({
      lines: [
        [trade.mug, 2],
        [trade.print, 1],
      ],
    })
    const screen = await open(trade, order, 'owner', eyesOf(0))
    await expect.poll(() => screen.states()).toEqual(['Paid', 'To ship'])
    await screen.action('Ship').click()
    const mugs = screen.dialog.getByRole('spinbutton', { name: 'Mug' })
    await screen.dialog.getByRole('button', { name: 'One Mug less' }).click()
    await expect.poll(() => mugs.inputValue()).toBe('1')
    await screen.dialog.getByRole('spinbutton', { name: 'Print' }).fill('0')
    await screen.dialog.getByLabel('Carrier').fill('UPS')
    await screen.dialog.getByLabel('Tracking number').fill('1Z999')
    await screen.dialog.getByLabel('Tracking link').fill('ups/1Z999')
    await expect
      .poll(() => screen.says())
      .toEqual([
        'Notes a parcel with 1 item; 2 items stay to be shipped.',
        'No money moves, and stock stays: it was taken when the order was made.',
        'Mails ada@example.com what is in it and how to follow it.',
      ])
    await looksFine(screen.page)
    // Errors of the API appear at their field, and nothing typed is lost.
    await screen.dialog.getByRole('button', { name: 'Ship 1 item' }).click()
    await screen.dialog.locator('.field.wrong', { hasText: 'must begin with https:// or http://' }).waitFor()
    await expect.poll(() => screen.dialog.getByLabel('Tracking number').inputValue()).toBe('1Z999')
    await screen.dialog.getByLabel('Tracking link').fill('https://ups.example/1Z999')
    await screen.finish('Ship 1 item')
    await screen.toast('Shipped 1 item').waitFor()
    await expect.poll(() => screen.states()).toEqual(['Paid', 'Partly shipped'])
    const delivery = screen.section('Delivery')
    await expect
      .poll(() => delivery.locator('.parcel').textContent())
      .toMatch(/Parcel 1[\s\S]*UPS[\s\S]*1Z999[\s\S]*1 × Mug/)
    house.app.clock.advance(1)
    await screen.action('Ship').click()
    // The same carrier again.
    await expect.poll(() => screen.dialog.getByLabel('Carrier').inputValue()).toBe('UPS')
    await screen.finish('Ship 2 items')
    await expect.poll(() => screen.states()).toEqual(['Paid', 'Shipped'])
    expect(await screen.action('Ship').count()).toBe(0)
    await expect
      .poll(async () => (await trade.get(order.id)).fulfillment.physical.shipments)
      .toMatchObject([
        {
          carrier_name: 'UPS',
          tracking_number: '1Z999',
          line_items: [{ product_name: 'Mug', fulfilled_quantity: 1 }],
        },
        { line_items: [{ fulfilled_quantity: 1 }, { product_name: 'Print', fulfilled_quantity: 1 }] },
      ])
    await trade.hears('ada@example.com', 'on its way', 2)
    const moments = screen.section('What has happened').locator('.moment')
    await expect.poll(() => moments.filter({ hasText: /shipped/i }).count()).toBe(2)
    expect(
      await moments
        .filter({ hasText: /shipped/i })
        .first()
        .textContent(),
    ).toContain(trade.owner.email)
  })

  it('is refunded in part by items that go back into stock, then by an amount', async () => {
    const trade = await openTrade(house)
    const order = await trade.buy({
      lines: [
        [trade.mug, 2],
        [trade.print, 1],
      ],
    })
    const screen = await open(trade, order, 'owner', eyesOf(2))
    await screen.action('Refund').click()
    await screen.dialog.getByLabel('What was paid for some items').check()
    await screen.dialog.getByRole('button', { name: 'One Mug more' }).click()
    await screen.dialog.getByLabel('Put the items back into stock').check()
    await expect
      .poll(async () => (await screen.says()).slice(0, 2))
      .toEqual(['Refunds $12.50 to the Visa card 4242.', 'Returns 1 piece to stock.'])
    await screen.finish('Refund $12.50')
    await expect.poll(() => screen.states()).toEqual(['Partly refunded', 'To ship'])
    await expect.poll(() => trade.stockOf(trade.mug)).toBe(99)
    // Refunded lines are not shipped unless somebody says so.
    await screen.action('Ship').click()
    await expect.poll(() => screen.dialog.getByRole('spinbutton', { name: 'Mug' }).inputValue()).toBe('1')
    await expect.poll(() => screen.says()).toContain('1 item was refunded, and left out unless you add it.')
    await screen.finish('Keep as it is')
    await screen.action('Refund').click()
    await screen.dialog.getByLabel('An amount').check()
    const amount = screen.dialog.getByLabel('Amount', { exact: true })
    await amount.fill('1000')
    await expect.poll(() => screen.says()).toEqual([expect.stringContaining('amount must be at most')])
    await screen.dialog.getByRole('button', { name: 'Refund', exact: true }).click()
    await screen.dialog.getByRole('alert').getByText('must be at most').first().waitFor()
    await amount.fill('5.25')
    await screen.finish('Refund $5.25')
    await expect.poll(async () => (await trade.get(order.id)).order.total_refunded.raw).toBe(17.75)
    await screen.section('Items').getByText('$17.75').waitFor()
  })

  proof('D10: is marked as paid by hand, a part and then all of it', async () => {
    const trade = await openTrade(house)
    const order = await trade.buy({ isByHand: true })
    const screen = await open(trade, order, 'owner', eyesOf(3))
    await expect.poll(() => screen.states()).toEqual(['Not paid', 'To ship'])
    await screen.action('Mark as paid').click()
    await screen.dialog.getByLabel('Amount that has come').fill('10')
    await screen.dialog.getByLabel('Reference').fill('Statement 7')
    await expect
      .poll(() => screen.says())
      .toEqual([
        'Notes that $10 has come. No money moves.',
        'What is left stays open, as a payment of its own.',
        'Stock stays as it is, and ada@example.com gets no mail.',
      ])
    await looksFine(screen.page)
    await screen.finish('Mark $10 as paid')
    await expect.poll(() => screen.states()).toEqual(['Partly paid', 'To ship'])
    house.app.clock.advance(1)
    await screen.action('Mark as paid').click()
    await screen.finish('Mark $20.00 as paid')
    await expect.poll(() => screen.states()).toEqual(['Paid', 'To ship'])
    const { transactions } = await trade.get(order.id)
    expect(transactions).toMatchObject([
      { status: 'complete', amount: { raw: 10 }, gateway_transaction_id: 'Statement 7' },
      { status: 'complete', amount: { raw: 20 } },
    ])
  })

  it('D11: is cancelled with its refund, and its goods are back in stock', async () => {
    const trade = await openTrade(house)
    const order = await trade.buy()
    const screen = await open(trade, order, 'owner', eyesOf(0))
    await screen.more('Cancel the order')
    await screen.dialog.getByLabel('Reason').fill('Broken in the store')
    await expect
      .poll(() => screen.says())
      .toEqual([
        'Refunds $30.00 to the Visa card 4242.',
        'Returns 2 pieces to stock, of products whose stock is counted.',
        'Mails ada@example.com that the order is cancelled.',
        'It cannot be opened again.',
      ])
    await looksFine(screen.page)
    await screen.finish('Cancel and refund $30.00')
    await expect.poll(() => screen.states()).toEqual(['Refunded', 'Cancelled'])
    await screen.page.getByText('Cancelled: Broken in the store').waitFor()
    for (const name of ['Ship', 'Refund']) expect(await screen.action(name).count()).toBe(0)
    await expect
      .poll(() => trade.get(order.id))
      .toMatchObject({ status: 'cancelled', order: { total_refunded: { raw: 30 } } })
    await expect.poll(() => trade.stockOf(trade.mug)).toBe(100)
    await trade.hears('ada@example.com', 'cancelled', 1)
  })

  it('D17 and D18: a packer ships it on a phone, and is not offered its money', async () => {
    const trade = await openTrade(house)
    const order = await trade.buy()
    const screen = await open(trade, order, 'packer', eyesOf(2))
    for (const name of ['Refund', 'Mark as paid', 'Edit'])
      expect(await screen.page.getByRole('button', { name }).count()).toBe(0)
    await screen.page.getByRole('button', { name: 'More actions' }).tap()
    await expect.poll(() => screen.page.getByRole('menuitem').allTextContents()).toEqual(['Send the receipt again'])
    await screen.page.keyboard.press('Escape')
    await screen.action('Ship').tap()
    // Everything that a thumb presses is large enough.
    for (const button of await screen.dialog.getByRole('button').all()) {
      const box = await button.boundingBox()
      expect(Math.min(box?.width ?? 0, box?.height ?? 0)).toBeGreaterThanOrEqual(44)
    }
    await screen.dialog.getByLabel('Tracking number').fill('1Z1')
    await screen.dialog.getByRole('button', { name: 'Ship 2 items' }).tap()
    await expect.poll(() => screen.states()).toEqual(['Paid', 'Shipped'])
    await screen.page.getByLabel('Note').fill('Left with the neighbour')
    await screen.page.getByRole('button', { name: 'Add the note' }).tap()
    await screen.section('What has happened').getByText('Left with the neighbour').waitFor()
  })

  proof(
    'takes a part of what a gateway holds and lets go of the rest, revokes a download, and marks what came back',
    async () => {
      const drafts = await openDrafts(house)
      const order = await drafts.order({ lines: [physical(), digital()] }, 'authorized')
      const screen = await open(drafts, order, 'owner')
      const { page } = screen
      await expect.poll(() => screen.states()).toEqual(['Held', 'To ship'])
      await screen.section('Payment').getByRole('button', { name: 'Take the payment' }).click()
      await screen.dialog.getByLabel('Amount to take').fill('25')
      await expect
        .poll(async () => (await screen.says()).slice(0, 2))
        .toEqual([
          'Takes $25, which Test Gateway holds.',
          'Test Gateway lets go of the rest: it cannot be taken later.',
        ])
      await screen.finish('Take $25')
      await expect.poll(async () => (await drafts.get(order.id)).order.total_paid.raw).toBe(25)
      await expect
        .poll(async () => (await screen.section('Payment').locator('.badge').allTextContents()).toSorted())
        .toEqual(['Let go of', 'Paid'])
      await screen.section('Downloads').getByRole('button', { name: 'Revoke' }).click()
      await expect
        .poll(() => screen.says())
        .toEqual(['Jane can no longer download The book.', 'No money moves, and nobody gets a mail.'])
      await looksFine(page)
      await screen.finish('Revoke the download')
      await screen.section('Downloads').getByText('Revoked').waitFor()
      await expect
        .poll(async () => (await drafts.get(order.id)).fulfillment.digital.downloads[0]?.is_access_revoked)
        .toBe(true)
      await screen.action('Ship').click()
      await screen.finish('Ship 2 items')
      await screen.section('Delivery').getByRole('button', { name: 'More for Mug' }).click()
      await page.getByRole('menuitem', { name: 'Mark as returned' }).click()
      await screen.finish('Mark as returned')
      await screen.section('Delivery').getByText('Returned').waitFor()
      await expect.poll(async () => (await drafts.get(order.id)).fulfillment.physical.items[0]?.status).toBe('returned')
      await looksGood(page)
    },
  )
})
