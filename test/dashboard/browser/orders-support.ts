// What journeys about orders share: a shop that sells, ways to buy in it, and what somebody does on the page of an order.

import type { Locator, Page } from 'playwright-core'
import { expect } from 'vitest'
import type { Order } from '../../../src/api/orders/schema.ts'
import { ADDRESS } from '../../api/checkouts/capture-support.ts'
import { openShop as openOrders } from '../../api/orders/support.ts'
import { axeFindings } from '../../pages/checkout/journeys/support.ts'
import type { TestApp } from '../../support/app.ts'
import type { Body } from '../../support/shop.ts'
import { isWide } from '../../support/wide.ts'
import { type Login, looksGood, type openDashboards, PATIENT, type Scheme } from './support.ts'

type House = Awaited<ReturnType<typeof openDashboards>>

export type Eyes = { readonly width: number; readonly scheme: Scheme }

const EYES: readonly Eyes[] = [
  { width: 360, scheme: 'light' },
  { width: 1280, scheme: 'dark' },
  { width: 360, scheme: 'dark' },
  { width: 1280, scheme: 'light' },
]

/** In the ordinary run a journey goes once, each with other eyes; by `npm run proof:wide` with all. */
export const eyesOf = (turn: number): readonly Eyes[] => (isWide ? EYES : EYES.slice(turn % 4, (turn % 4) + 1))

/** `looksGood` of a state that differs little from others: in the ordinary run with the eyes that the journey has. */
export async function looksFine(page: Page): Promise<void> {
  if (isWide) return looksGood(page)
  expect(await axeFindings(page)).toEqual([])
  expect(await page.evaluate('document.documentElement.scrollWidth > innerWidth')).toBe(false)
}

type Bought = {
  readonly name?: string
  readonly email?: string
  readonly lines?: readonly (readonly [product: { id: string }, quantity: number])[]
  readonly isByHand?: boolean
  readonly more?: Body
}

export type Trade = Awaited<ReturnType<typeof openTrade>>

/** A shop that sells mugs and prints, of which it counts the stock, by the test card and by bank transfer. */
export async function openTrade({ app, openShop }: House) {
  const shop = await openShop()
  const { secret } = shop.keys.sandbox
  await shop.succeed(201, 'POST', 'gateways', { code: 'manual', config: { name: 'Bank transfer' } }, secret)
  const mug = await shop.product({
    name: 'Mug',
    price: 12.5,
    sku: 'MUG-1',
    inventory: { managed: true, available: 100 },
  })
  const print = await shop.product({ name: 'Print', price: 30, inventory: { managed: true, available: 100 } })
  const buy = async ({
    name = 'Ada Lovelace',
    email = 'ada@example.com',
    lines = [[mug, 2]],
    isByHand,
    more,
  }: Bought = {}) => {
    const [firstname, lastname] = name.split(' ')
    const token = await shop.token(...lines.map(([{ id }, quantity]) => ({ id, quantity })))
    const order = await shop.order(
      token,
      shop.body({
        customer: { email, firstname, lastname },
        shipping: { ...ADDRESS, name },
        ...(isByHand ? { payment: { gateway: 'manual' } } : {}),
        ...more,
      }),
    )
    // What is done to it is done later: of one second, lists are in no order.
    app.clock.advance(1)
    return order
  }
  const api = <T>(status: number, method: 'GET' | 'POST' | 'PUT', path: string, body?: Body) =>
    shop.succeed<T>(status, method, path, body, secret)
  return {
    ...shop,
    mug,
    print,
    buy,
    api,
    get: (id: string) => api<Order>(200, 'GET', `orders/${id}`),
    stockOf: async ({ id }: { id: string }) =>
      (await api<{ inventory: { available: number } }>(200, 'GET', `products/${id}`)).inventory.available,
    /** Waits until so many mails with these words in their subject are written to a customer, by workers. */
    hears: async (email: string, words: string, times: number) => {
      const worker = app.startJobs()
      const written = async () => {
        worker.poke()
        const { data } = await api<{ data: { to: string; subject: string }[] }>(200, 'GET', 'developer/outbox?limit=50')
        return data.filter(({ to, subject }) => to === email && subject.includes(words)).length
      }
      await expect.poll(written, PATIENT).toBe(times)
      await worker.stop()
    },
  }
}

/** A shop whose orders are made as a test says, without a checkout. */
export async function openDrafts({ app }: House) {
  let login: Login = { email: '', password: '' }
  const watched: TestApp = Object.assign(Object.create(app), {
    merchant: async (draft: Parameters<TestApp['merchant']>[0]) => {
      const merchant = await app.merchant({ name: 'Paper & Ink', ...draft, email: `drafts${++count}@example.com` })
      login = merchant.dashboard
      return merchant
    },
  })
  const shop = await openOrders(watched)
  return { ...shop, login }
}

let count = 0

/** The page of an order, as somebody uses it. */
export class OrderScreen {
  readonly page: Page

  constructor(page: Page) {
    this.page = page
  }

  /** Of the whole page: at its head. */
  action(name: string): Locator {
    return this.page.locator('.page-actions').getByRole('button', { name, exact: true })
  }

  async more(name: string) {
    await this.page.getByRole('button', { name: 'More actions' }).click()
    await this.page.getByRole('menuitem', { name, exact: true }).click()
  }

  get dialog(): Locator {
    return this.page.locator('dialog.dialog[open]')
  }

  /** What the dialog says that it will do. */
  async says(): Promise<string[]> {
    const sentences = this.dialog.locator('.says li')
    await sentences.first().waitFor()
    await expect.poll(() => sentences.allTextContents(), PATIENT).not.toContain('Asking what that comes to…')
    return sentences.allTextContents()
  }

  async press(name: string | RegExp) {
    await this.dialog.getByRole('button', { name }).click()
    await this.dialog.waitFor({ state: 'detached' })
  }

  states(): Promise<string[]> {
    return this.page.locator('.page-title .badge').allTextContents()
  }

  section(title: string): Locator {
    return this.page.getByRole('region', { name: title, exact: true })
  }

  toast(text: string | RegExp): Locator {
    return this.page.locator('.toast').filter({ hasText: text })
  }
}
