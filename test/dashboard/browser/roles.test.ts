// @sampled: `npm test` looks as a packer.
// The screens as each role sees them: whole, without the controls that change something, or not at all.

import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import type { Discount } from '../../../src/api/discounts/schema.ts'
import type { GiftCard } from '../../../src/api/gift-cards/schema.ts'
import type { GatewayRecord } from '../../../src/api/payment-methods/schema.ts'
import { CONFIG } from '../../gateways/doubles/mollie.ts'
import { isBrowserSkipped, proof } from '../../support/browser.ts'
import { openTrade } from './orders-support.ts'
import { isNowhere, Screen } from './screen.ts'
import { looksFine, looksGood, openDashboards } from './support.ts'

type Seen = readonly [path: string, shown: string, ...absent: (string | RegExp)[]]

const CLOSED = 'This is not for your role'
const LOOK_ONLY = 'Your role may look at this and not change it here.'

describe.skipIf(isBrowserSkipped)('a role', async () => {
  const house = await openDashboards()
  const { openDashboard } = house

  /** A shop that has one of everything. */
  async function openFullShop() {
    const trade = await openTrade(house)
    const order = await trade.buy()
    const { api } = trade
    await api(201, 'POST', 'categories', { name: 'Kitchen', slug: 'kitchen' })
    await trade.taxZone({ country: 'US', rates: [] })
    const discount = await api<Discount>(201, 'POST', 'discounts', { code: 'SUMMER', type: 'percentage', value: 10 })
    const card = await api<GiftCard>(201, 'POST', 'giftcards', { value: 10 })
    const gateway = await api<GatewayRecord>(201, 'POST', 'gateways', { code: 'mollie', config: CONFIG })
    const config = { api_key: 'live_8qR2wUkyvBn3eTzXcG5pLs7Jd4Hm9a' }
    const body = { code: 'mollie', config }
    const live = await trade.succeed<GatewayRecord>(201, 'POST', 'gateways', body, trade.keys.live.secret)
    return { ...trade, order, discount, card, gateway, live }
  }

  /** Goes to each screen, waits for the text, and finds none of the controls that are absent. */
  async function see(page: Page, screens: readonly Seen[]) {
    const content = page.locator('#content')
    for (const [path, shown, ...absent] of screens) {
      await page.goto(`${house.origin}/dashboard/${path}`)
      await content.getByText(shown, { exact: false }).first().waitFor()
      for (const name of absent)
        for (const role of ['button', 'link'] as const)
          expect([path, name, await content.getByRole(role, { name, exact: true }).count()]).toEqual([path, name, 0])
      await looksFine(page)
    }
  }

  it('of a packer sees what is to be packed, changes none of it, and is told who may see the rest', async () => {
    const shop = await openFullShop()
    const page = await openDashboard('packer', shop, { path: '/dashboard/webhooks' })
    for (const sentence of [
      'As packer you may not do this: owner, manager or developer may.',
      `Ask ${shop.owner.email}.`,
      'with the role “packer”',
    ])
      await page.getByText(sentence).waitFor()
    await looksGood(page)
    await see(page, [
      [`customers/${shop.order.customer.id}`, shop.order.customer_reference, 'Edit', 'More actions', 'Add'],
      ['categories', 'Kitchen', /^Move/, /^Actions/, 'New category'],
      [`discounts/${shop.discount.id}`, CLOSED],
      ['settings/mail', CLOSED],
      ['shipping', CLOSED],
      [`products/${shop.mug.id}`, 'Mug', 'Save'],
    ])
    await expect.poll(() => page.getByLabel('Name', { exact: true }).isDisabled()).toBe(true)
    await see(page, [['products', 'Mug', 'Add a product', 'Import']])
    expect(await page.getByRole('checkbox').count()).toBe(0)
    const links = await new Screen(page).links.allTextContents()
    const closed = ['Discounts', 'Gift cards', 'Payment', 'Shipping', 'Shop', 'Checkout page', 'Mail', 'API keys']
    expect(links.filter((name) => closed.includes(name))).toEqual([])
  })

  proof('of a developer changes the sandbox, and looks at the live shop', async () => {
    const shop = await openFullShop()
    const page = await openDashboard('developer', shop, { path: '/dashboard/discounts' })
    await page.getByRole('link', { name: 'New discount' }).waitFor()
    await see(page, [
      ['settings/shop', 'Changes here apply to the sandbox only: your live shop keeps its own settings.'],
    ])
    await new Screen(page).switchTo('Live')
    const changes = ['Save', /^Add a/, /^Edit/, /^More/] as const
    await see(page, [
      ['discounts', 'SUMMER', 'New discount'],
      [`discounts/${shop.discount.id}`, 'SUMMER', 'Delete', 'Save'],
      [`giftcards/${shop.card.id}`, shop.card.code, 'Delete', 'Save', 'Set the balance'],
      ['settings/shop', LOOK_ONLY, 'Save'],
      ['settings/shop', 'Paper & Ink'],
      ['settings/checkout', LOOK_ONLY, 'Save'],
      ['settings/checkout', 'Deutsch'],
      ['settings/mail', LOOK_ONLY, 'Save'],
      ['settings/mail', 'Receipt of an order'],
      ['shipping', 'Try an address', ...changes],
      ['tax', 'Prices and tax', ...changes],
      [`payment/${shop.live.id}`, 'Ways to pay are set up by an owner of the shop.', 'Save'],
    ])
  })

  proof(
    'of a manager looks at ways to pay, without their secrets; an owner changes live ones in live only',
    async () => {
      const shop = await openFullShop()
      const page = await openDashboard('manager', shop, { path: '/dashboard/payment' })
      await see(page, [
        ['payment', 'Mollie', /^Set up/],
        [`payment/${shop.gateway.id}`, `Kept (…${CONFIG.api_key.slice(-4)})`, 'Save', 'Switch off', 'More actions'],
      ])
      await isNowhere(page, CONFIG.api_key)
      const owner = await openDashboard('owner', shop, { path: '/dashboard/settings/shop' })
      await owner.getByLabel('Name of the shop').waitFor()
      expect(await owner.getByText('Changes here apply to the sandbox only').count()).toBe(0)
      await see(owner, [[`payment/${shop.live.id}`, 'it is changed in live, not in the sandbox', 'Save']])
      await owner.getByRole('button', { name: 'Switch to live' }).click()
      await owner.getByRole('button', { name: 'Save' }).waitFor()
    },
  )
})
