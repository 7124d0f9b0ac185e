// What journeys of shoppers share: shops beside the doubles of the providers, behind a real port, and a browser in which the providers' scripts are
// stand-ins under their own names. A journey acts through the page; the API only sets up and tells what came of it.

import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterEach, expect } from 'vitest'
import type { Order } from '../../../../src/api/orders/schema.ts'
import type { GatewayRecord } from '../../../../src/api/payment-methods/schema.ts'
import { digital, openCaptureShop } from '../../../api/checkouts/capture-support.ts'
import { AXE } from '../../../demo/storefront-support.ts'
import { CONFIG as MOLLIE_CONFIG } from '../../../gateways/doubles/mollie.ts'
import { CONFIG as PAYPAL_CONFIG } from '../../../gateways/doubles/paypal.ts'
import { RAZORPAY_CONFIG } from '../../../gateways/doubles/razorpay.ts'
import { SQUARE_CONFIG } from '../../../gateways/doubles/square.ts'
import { SECRET_KEY, WEBHOOK_SECRET } from '../../../gateways/doubles/stripe.ts'
import { openAppBeside, SETTLE_SECONDS } from '../../../gateways/provider-shop.ts'
import { listen } from '../../../http/harness.ts'
import { openBrowser } from '../../../support/browser.ts'
import { type Doubles, standInFor } from '../stand-ins/hosts.ts'
import { fill, press, useKeyboard } from './hands.ts'
import type { Way } from './ways.ts'

export const PATIENT = { timeout: 60_000 }

const CONFIGS = {
  stripe: { publishable_key: 'pk_test_double', secret_key: SECRET_KEY, webhook_secret: WEBHOOK_SECRET },
  square: SQUARE_CONFIG,
  razorpay: RAZORPAY_CONFIG,
  paypal: PAYPAL_CONFIG,
  mollie: MOLLIE_CONFIG,
}

type Code = keyof typeof CONFIGS
type AnyDouble = NonNullable<Doubles[Code]>

type Eyes = Way & { readonly locale: string }

const USUAL: Eyes = { width: 1280, isDark: false, hasScripts: true, locale: 'en-GB' }

/** A browser of its own for one shopper. */
export async function openContext(browser: Browser, { width, isDark, hasScripts, locale }: Eyes) {
  const context = await browser.newContext({
    viewport: { width, height: 800 },
    colorScheme: isDark ? 'dark' : 'light',
    javaScriptEnabled: hasScripts,
    // What moves is drawn sixty times a second, and nobody looks.
    reducedMotion: 'reduce',
    locale,
  })
  context.setDefaultTimeout(PATIENT.timeout)
  return context
}

/** Notes what breaks on a page, also what the browser refuses by the page's policy. */
export function watched(page: Page, problems: string[]): Page {
  page.on('pageerror', (error) => problems.push(String(error)))
  page.on('console', (message) => {
    // A page that says no comes with a status that says so too.
    const isExpected = /Failed to load resource: .*(40[249]|422|net::ERR_)/.test(message.text())
    if (message.type() === 'error' && !isExpected) problems.push(message.text())
  })
  return page
}

type Openers = { readonly [code in Code]?: (now: () => Date) => Promise<AnyDouble> }
type Opened<These extends Openers> = {
  readonly [code in keyof These]: These[code] extends (now: () => Date) => Promise<infer Double> ? Double : never
}

/** Beside the servers that stand in the place of these providers. */
export async function openJourneys<These extends Openers>(
  openers: These,
  { settleSeconds = SETTLE_SECONDS }: { settleSeconds?: number } = {},
) {
  const codes = Object.keys(openers)
  const beside = await openAppBeside<AnyDouble>(Object.values(openers), { settleSeconds })
  const { app, complete } = beside
  const doubles = Object.fromEntries(codes.map((code, at) => [code, beside.doubles[at]])) as Opened<These>
  const origin = `http://127.0.0.1:${await listen(app)}`
  // After the app: what is opened last is closed first, and a browser would hold connections open.
  const browser = await openBrowser()
  const contexts: BrowserContext[] = []
  const problems: string[] = []
  let hosts: Awaited<ReturnType<typeof standInFor>> | undefined

  afterEach(async () => {
    await Promise.all(contexts.splice(0).map((context) => context.close()))
    // What a browser refuses by the page's policy is told here too.
    expect(problems.splice(0)).toEqual([])
    expect(hosts?.strays.splice(0) ?? []).toEqual([])
  })

  /** A shop that sells one thing for 10.00, as a file or in a parcel, by these providers. */
  async function openShop(codes: readonly Code[], { isShipped = false } = {}) {
    const shop = await openCaptureShop(app, codes.includes('razorpay') ? { currency: 'INR' } : {})
    const { secret } = shop.keys.sandbox
    for (const code of codes)
      await shop.succeed<GatewayRecord>(201, 'POST', 'gateways', { code, config: CONFIGS[code] }, secret)
    const product = await shop.product({
      ...(isShipped ? {} : digital),
      price: 10,
      inventory: { managed: true, available: 100 },
    })
    const left = async () =>
      (await shop.succeed<{ inventory: { available: number } }>(200, 'GET', `products/${product.id}`)).inventory
        .available
    return {
      ...shop,
      product,
      secret,
      /** The link of a cart with one of them. */
      link: async () => `${origin}/checkout/${shop.id}/cart/${(await shop.cart([{ id: product.id }])).id}`,
      /** The address on which a cart of one of them is paid. */
      address: async () => {
        const { id } = await shop.ofCart((await shop.cart([{ id: product.id }])).id)
        return `${origin}/checkout/${shop.id}/pay/${id}`
      },
      sold: async () => 100 - (await left()),
      /** The newest first. */
      orders: async () =>
        (await shop.succeed<{ data: Order[] }>(200, 'GET', 'orders?limit=200', undefined, secret)).data,
    }
  }

  async function openPage(eyes: Partial<Eyes> = {}) {
    if (browser === null) throw new Error('There is no browser.')
    const context = await openContext(browser, { ...USUAL, ...eyes })
    contexts.push(context)
    hosts = await standInFor(context, origin, doubles as Doubles)
    const page = watched(await context.newPage(), problems)
    return eyes.hasKeyboard ? useKeyboard(page) : page
  }

  return { app, origin, complete, doubles, openShop, openPage, hosts: () => hosts }
}

export const fillInContact = (page: Page, email = 'ada@example.com') => fill(page.getByLabel('E-mail'), email)

export async function fillInAddress(page: Page) {
  await fill(page.getByLabel('Country'), 'US')
  await page.getByLabel('State').waitFor()
  await fill(page.getByLabel('Full name'), 'Ada Lovelace')
  await fill(page.getByLabel(/^Address|^Street/).first(), '1 Main Street')
  await fill(page.getByLabel('City'), 'San Francisco')
  await fill(page.getByLabel('State'), 'CA')
  await fill(page.getByLabel('ZIP code'), '94107')
}

/** By the names of its fields, which are the same in every language. */
export async function fillInTestCard(page: Page, number: string) {
  const field = (name: string) => page.locator(`[name="payment[card][${name}]"]`)
  await fill(field('number'), number)
  await fill(field('expires'), '01/30')
  await fill(field('cvc'), '123')
}

/** On a phone the order is folded. */
export async function openSummary(page: Page) {
  const quantity = page.getByLabel(/^Quantity/).first()
  if (!(await quantity.isVisible())) await press(page.locator('details:has([name^="line_items"]) > summary'))
}

const PAY = 'button[name=do][value=pay]'

export const pay = (page: Page, times = 1) => press(page.locator(PAY), times)

/** The receipt is shown. */
export async function receipt(page: Page) {
  try {
    await page.waitForURL(/\/receipt(\?|$)/, PATIENT)
  } catch (error) {
    throw new Error(`There is no receipt, but ${page.url()}: ${await page.locator('main').textContent()}`, {
      cause: error,
    })
  }
}

// What just appears is half transparent for a moment; what moves for as long as it is there is not waited for.
const HAS_APPEARED = `Promise.allSettled(document.getAnimations()
  .filter(({ effect }) => effect.getComputedTiming().endTime !== Infinity).map(({ finished }) => finished)).then(() => {})`

/** What axe finds wrong, by the levels that are promised, once what is appearing is there. */
export async function axeFindings(page: Page): Promise<string[]> {
  if (!(await page.evaluate('"axe" in globalThis'))) await page.evaluate(AXE)
  await page.evaluate(HAS_APPEARED)
  return page.evaluate(`axe.run({ iframes: false, resultTypes: ['violations'],
    runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'] }).then(({ violations }) =>
      violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => id + ' ' + target.join(' '))))`)
}
