// What journeys of shoppers share: shops beside the doubles of the providers, behind a real port, and a browser in which the providers' scripts are
// stand-ins under their own names. A journey acts through the page; the API only sets up and tells what came of it.

import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterEach, expect } from 'vitest'
import type { Order } from '../../../../src/api/orders/schema.ts'
import type { GatewayRecord } from '../../../../src/api/payment-methods/schema.ts'
import { digital, openCaptureShop } from '../../../api/checkouts/capture-support.ts'
import { AXE } from '../../../demo/storefront-support.ts'
import { openRazorpay, RAZORPAY_CONFIG } from '../../../gateways/doubles/razorpay.ts'
import { openSquare, SQUARE_CONFIG } from '../../../gateways/doubles/square.ts'
import { openStripe, SECRET_KEY, WEBHOOK_SECRET } from '../../../gateways/doubles/stripe.ts'
import { openAppBeside } from '../../../gateways/provider-shop.ts'
import { listen } from '../../../http/harness.ts'
import { openBrowser } from '../../../support/browser.ts'
import { standInFor } from '../stand-ins/hosts.ts'

/** `npm run proof:wide` takes the wider screens, the other half of the ways and all the looks as well. */
export const isWide = process.env.CARTWRIGHT_TEST_WIDE === '1'
export const WIDTHS: readonly number[] = isWide ? [360, 1280] : [360]
export const PATIENT = { timeout: 60_000 }

const CONFIGS = {
  stripe: { publishable_key: 'pk_test_double', secret_key: SECRET_KEY, webhook_secret: WEBHOOK_SECRET },
  square: SQUARE_CONFIG,
  razorpay: RAZORPAY_CONFIG,
}

type Code = keyof typeof CONFIGS

type Eyes = {
  readonly width: number
  readonly isDark: boolean
  readonly hasScripts: boolean
  readonly locale: string
}

/** A browser of its own for one shopper. */
export async function openContext(browser: Browser, { width, isDark, hasScripts, locale }: Eyes) {
  const context = await browser.newContext({
    viewport: { width, height: 800 },
    colorScheme: isDark ? 'dark' : 'light',
    javaScriptEnabled: hasScripts,
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

export async function openJourneys() {
  const { app, doubles, complete } = await openAppBeside<
    Awaited<ReturnType<typeof openStripe | typeof openSquare | typeof openRazorpay>>
  >([openStripe, openSquare, openRazorpay])
  const [stripe, square, razorpay] = doubles as unknown as [
    Awaited<ReturnType<typeof openStripe>>,
    Awaited<ReturnType<typeof openSquare>>,
    Awaited<ReturnType<typeof openRazorpay>>,
  ]
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
      /** The address on which a cart of one of them is paid. */
      address: async () => {
        const { id } = await shop.ofCart((await shop.cart([{ id: product.id }])).id)
        return `${origin}/checkout/${shop.id}/pay/${id}`
      },
      sold: async () => 100 - (await left()),
      orders: async () => (await shop.succeed<{ data: Order[] }>(200, 'GET', 'orders', undefined, secret)).data,
    }
  }

  async function openPage({ width = 1280, isDark = false, hasScripts = true, locale = 'en-GB' }: Partial<Eyes> = {}) {
    if (browser === null) throw new Error('There is no browser.')
    const context = await openContext(browser, { width, isDark, hasScripts, locale })
    contexts.push(context)
    hosts = await standInFor(context, origin, { stripe, razorpay })
    return watched(await context.newPage(), problems)
  }

  return { app, origin, browser, complete, stripe, square, razorpay, openShop, openPage, hosts: () => hosts }
}

export async function fillInContact(page: Page, email = 'ada@example.com') {
  await page.getByLabel('E-mail').fill(email)
}

export async function fillInAddress(page: Page) {
  await page.getByLabel('Country').selectOption('US')
  await page.getByLabel('State').waitFor()
  await page.getByLabel('Full name').fill('Ada Lovelace')
  await page
    .getByLabel(/^Address|^Street/)
    .first()
    .fill('1 Main Street')
  await page.getByLabel('City').fill('San Francisco')
  await page.getByLabel('State').selectOption('CA')
  await page.getByLabel('ZIP code').fill('94107')
}

export async function fillInTestCard(page: Page, number: string) {
  await page.getByLabel('Card number').fill(number)
  await page.getByLabel('Expiry date').fill('01/30')
  await page.getByLabel('Security code').fill('123')
}

/** On a phone the order is folded. */
export async function openSummary(page: Page) {
  const quantity = page.getByLabel(/^Quantity/).first()
  if (!(await quantity.isVisible())) await page.locator('details:has([name^="line_items"]) > summary').click()
}

export const pay = (page: Page) => page.locator('button[name=do][value=pay]').click()

/** The receipt is shown. */
export const receipt = (page: Page) => page.waitForURL(/\/receipt(\?|$)/, PATIENT)

/** What axe finds wrong, by the levels that are promised. */
export async function axeFindings(page: Page): Promise<string[]> {
  if (!(await page.evaluate('"axe" in globalThis'))) await page.evaluate(AXE)
  return page.evaluate(`axe.run({ iframes: false, resultTypes: ['violations'],
    runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'] }).then(({ violations }) =>
      violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => id + ' ' + target.join(' '))))`)
}
