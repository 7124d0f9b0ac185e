// A shopper before the pages of a shop, with and without scripting: opened, filled in, updated and paid as people do, and checked by axe.
// The scripts of the providers are stand-ins under their own names; no other host may be requested.

import type { Browser, Page } from 'playwright-core'
import { afterEach, expect } from 'vitest'
import { axeFindings, openVisitors } from '../../../support/browser.ts'
import { isProof } from '../../../support/proof.ts'
import { type Doubles, standInFor } from '../stand-ins/hosts.ts'
import { check, fill, press, useKeyboard } from './hands.ts'
import type { Way } from './ways.ts'

type Eyes = Way & { readonly locale: string }

const USUAL: Eyes = { width: 1280, isDark: false, hasScripts: true, locale: 'en-US' }

// A page that says no comes with a status that says so too.
const EXPECTED = /Failed to load resource: .*(40[249]|422|net::ERR_)/

export async function openShoppers(origin: string, doubles: Doubles = {}) {
  const visitors = await openVisitors({ expected: EXPECTED })
  let hosts: Awaited<ReturnType<typeof standInFor>> | undefined
  afterEach(() => expect(hosts?.strays.splice(0) ?? []).toEqual([]))

  /** The page of a shopper who was never here, at this path or address. */
  async function visit(path: string | null, eyes: Partial<Eyes> = {}): Promise<Page> {
    const { width, isDark, hasScripts, locale, hasKeyboard } = { ...USUAL, ...eyes }
    const context = await visitors.openContext({
      viewport: { width, height: 800 },
      colorScheme: isDark ? 'dark' : 'light',
      javaScriptEnabled: hasScripts,
      // Drawing what moves costs time.
      reducedMotion: 'reduce',
      locale,
    })
    hosts = await standInFor(context, origin, doubles)
    const page = await context.newPage()
    if (hasKeyboard) useKeyboard(page)
    if (path !== null) await page.goto(new URL(path, origin).href)
    return page
  }

  return { visit }
}

export const textOf = async (page: Page) => (await page.locator('main').textContent()) ?? ''

/** Waits until the page says so. */
export const says = (page: Page, text: string | RegExp) =>
  expect
    .poll(() => textOf(page))
    .toEqual(typeof text === 'string' ? expect.stringContaining(text) : expect.stringMatching(text))

/** The total that the page shows beside the button. */
const shownTotal = async (page: Page): Promise<number> =>
  Number(await page.locator('[data-charge]').getAttribute('data-amount'))

export const totalIs = (page: Page, total: number) => expect.poll(() => shownTotal(page)).toBe(total)

/** Brings the total up to date: a script does it by itself, without one the shopper presses a button. */
export async function update(page: Page, { hasScripts }: Pick<Way, 'hasScripts'>, total: number) {
  if (!hasScripts) {
    const button = page.getByRole('button', { name: 'Update totals' }).first()
    if (!(await button.isVisible())) await openSummary(page)
    await press(button)
  }
  await totalIs(page, total)
}

export async function fillIn(page: Page, values: Readonly<Record<string, string>>) {
  for (const [name, value] of Object.entries(values)) await fill(page.locator(`[name="${name}"]`).first(), value)
}

export const EMAIL = 'ada@example.com'
export const CONTACT = { 'customer[email]': EMAIL }

export const ADDRESS = {
  'shipping[name]': 'Ada Lovelace',
  'shipping[street]': '1 Main Street',
  'shipping[town_city]': 'San Francisco',
  'shipping[county_state]': 'CA',
  'shipping[postal_zip_code]': '94107',
}

/** In the United States. */
export async function fillInAddress(page: Page) {
  await fillIn(page, { 'shipping[country]': 'US' })
  await page.getByLabel('State').waitFor()
  await fillIn(page, ADDRESS)
}

export const PAYS = '4242 4242 4242 4242'
export const DECLINED = '4000 0000 0000 0002'
export const IS_VERIFIED = '4000 0000 0000 3220'
export const CHARGES_SILENTLY = '4000 0000 0000 0440'

export const choose = (page: Page, gateway: string) =>
  check(page.locator(`input[name="payment[gateway]"][value=${gateway}]`))

export async function fillInCard(page: Page, number: string) {
  if (!(await page.locator('input[name="payment[gateway]"][value=test_gateway]').isChecked()))
    await choose(page, 'test_gateway')
  await fillIn(page, {
    'payment[card][number]': number,
    'payment[card][expires]': '01/30',
    'payment[card][cvc]': '123',
  })
}

/** On a phone the order is folded. */
async function openSummary(page: Page) {
  const quantity = page.getByLabel(/^Quantity/).first()
  if (!(await quantity.isVisible())) await press(page.locator('details:has([name^="line_items"]) > summary'))
}

export const pay = (page: Page) => press(page.locator('button[name=do][value=pay]'))

/** The receipt is shown. */
export async function receipt(page: Page) {
  try {
    await page.waitForURL(/\/receipt(\?|$)/)
  } catch (error) {
    throw new Error(`There is no receipt, but ${page.url()}: ${await textOf(page)}`, { cause: error })
  }
}

/** Pays by this card, and gets the receipt. */
export async function payByCard(page: Page, number = PAYS) {
  await fillInCard(page, number)
  await pay(page)
  await receipt(page)
}

const seen = new Set<string>()

/**
 * In the proof: the violations that axe finds in a state of the page, once for each state with and without scripting. Axe is a script, so a
 * page without scripting is copied into another tab.
 */
export async function faultsOf(page: Page, state: string): Promise<string[]> {
  if (!isProof) return []
  const hasScripts = await page.evaluate('matchMedia("(scripting: enabled)").matches')
  // Other files share the process.
  const met = `${expect.getState().testPath}: ${state}, ${hasScripts}`
  if (seen.has(met)) return []
  seen.add(met)
  if (hasScripts) return axeFindings(page)
  const [url, html] = [
    page.url(),
    (await page.content()).replace(/<script\b.*?<\/script>|<meta http-equiv="refresh".*?>/g, ''),
  ]
  const scheme = (await page.evaluate('matchMedia("(prefers-color-scheme: dark)").matches')) ? 'dark' : 'light'
  const browser = page.context().browser() as Browser
  const context = await browser.newContext({ viewport: page.viewportSize(), colorScheme: scheme })
  try {
    await context.route(url, (route) => route.fulfill({ contentType: 'text/html; charset=utf-8', body: html }))
    const copy = await context.newPage()
    await copy.goto(url)
    return await axeFindings(copy)
  } finally {
    await context.close()
  }
}
