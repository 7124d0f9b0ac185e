// @proof: every state of every page in a browser, by light and in the dark.
// How the pages look: axe finds nothing, on a phone and on a desk; nothing is cut off at 320 pixels; a thumb can press what is to be pressed; styles
// alone open and close what was chosen.

import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import type { Page } from 'playwright-core'
import { afterAll, describe, expect, it } from 'vitest'
import { LANGUAGES } from '../../../../src/pages/checkout/model.ts'
import { payPage } from '../../../../src/pages/checkout/views/pay.ts'
import { axeFindings, isBrowserSkipped, openBrowser } from '../../../support/browser.ts'
import { payModel } from './samples.ts'
import { STATES, THEME } from './states.ts'

const ORIGIN = 'http://127.0.0.1:9'

const { outputFiles } = await build({
  entryPoints: [fileURLToPath(new URL('../../../../web/checkout/checkout.css', import.meta.url))],
  bundle: true,
  minify: true,
  write: false,
})
const css = outputFiles[0]?.text ?? ''

type View = { readonly width: number; readonly colorScheme?: 'light' | 'dark' }

/** One tab for all states: opening another takes longer than the check. */
const tab = (await (await openBrowser())?.newPage()) ?? null
afterAll(() => tab?.close())

/** All that a page loads comes from here. */
await tab?.route('**/*', (route) => {
  const { pathname } = new URL(route.request().url())
  if (/\/checkout-\w+\.css$/.test(pathname)) return route.fulfill({ contentType: 'text/css', body: css })
  if (pathname === THEME.path) return route.fulfill({ contentType: 'text/css', body: THEME.css })
  const language = LANGUAGES.find((each) => pathname === `/language-${each}`)
  const state = language === undefined ? STATES[pathname.slice(1)] : () => payPage(payModel({ language }))
  if (state !== undefined) return route.fulfill({ contentType: 'text/html', body: state().text })
  return route.fulfill({ status: 404 })
})

async function open(state: string, { width, colorScheme = 'light' }: View): Promise<Page> {
  if (tab === null) throw new Error('There is no browser.')
  await tab.setViewportSize({ width, height: 800 })
  await tab.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
  await tab.goto(`${ORIGIN}/${state}`)
  return tab
}

/** Beside the form the order stands in another place; of what is the same at every width, one page is enough. */
const WIDE = [
  'pay-everything',
  'pay-errors',
  'pay-sandbox-card',
  'receipt-unpaid',
  'product',
  'message-not-paid',
  'cart-ordered-refused',
]

const viewsOf = (state: string): readonly Required<View>[] =>
  [360, ...(WIDE.includes(state) ? [1_280] : [])].flatMap((width) =>
    (['light', 'dark'] as const).map((colorScheme) => ({ width, colorScheme })),
  )

/** Folded parts are looked at too. */
const UNFOLD = 'for (const details of document.querySelectorAll("details")) details.open = true'

const RULES = "runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']"
/** The dark changes contrasts only. */
const CONTRAST = "runOnly: ['color-contrast']"

const SMALL = `[...document.querySelectorAll('button:not(.unseen), .primary, select, .choice, .field > input:not([type=checkbox])')]
  .filter((each) => each.offsetParent !== null && each.getBoundingClientRect().height < 44)
  .map(({ outerHTML }) => outerHTML.slice(0, 120))`

const OVERFLOW = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'

describe.skipIf(isBrowserSkipped)('every page', () => {
  it.each(Object.keys(STATES))('has nothing that axe finds: %s', async (state) => {
    for (const { width, colorScheme } of viewsOf(state)) {
      const page = await open(state, { width, colorScheme })
      await page.evaluate(UNFOLD)
      const findings = await axeFindings(page, colorScheme === 'light' ? RULES : CONTRAST)
      expect([width, colorScheme, findings]).toEqual([width, colorScheme, []])
    }
  })

  it.each(Object.keys(STATES))('fits into 320 pixels, and its buttons a thumb: %s', async (state) => {
    const page = await open(state, { width: 320 })
    await page.evaluate(UNFOLD)
    expect([await page.evaluate(OVERFLOW), await page.evaluate(SMALL)]).toEqual([0, []])
  })

  it.each(LANGUAGES)('fits into 320 pixels in %s (C15)', async (language) => {
    const page = await open(`language-${language}`, { width: 320 })
    await page.evaluate(UNFOLD)
    expect(await page.locator('html').getAttribute('lang')).toBe(language)
    expect(await page.evaluate(OVERFLOW)).toBe(0)
  })
})

describe.skipIf(isBrowserSkipped)('styles alone', () => {
  it('open the way to pay that is chosen, and change what the button says', async () => {
    const page = await open('pay-filled', { width: 360 })
    const panels = () => page.locator('.panel:visible').count()
    const says = (name: string) => page.getByRole('button', { name, exact: true }).isVisible()
    expect([await panels(), await says('Pay €84.90')]).toEqual([1, true])
    await page.getByLabel('PayPal').check()
    expect([await panels(), await says('Continue to pay €84.90')]).toEqual([1, true])
    await page.getByLabel('Bank transfer').check()
    expect([await panels(), await says('Order now and pay €84.90 later')]).toEqual([1, true])
  })

  it('show the fields of a bill that goes elsewhere', async () => {
    const page = await open('pay-everything', { width: 360 })
    const name = page.locator('[name="billing[name]"]')
    expect(await name.isVisible()).toBe(true)
    await page.getByLabel('Same as the shipping address').check()
    expect(await name.isVisible()).toBe(false)
  })

  it('fold the order on a phone, and show it beside the form', async () => {
    const narrow = await open('pay-filled', { width: 360 })
    const line = (page: Page) => page.locator('.line-name').first()
    expect(await line(narrow).isVisible()).toBe(false)
    await narrow.locator('summary', { hasText: 'Your order' }).click()
    expect(await line(narrow).isVisible()).toBe(true)
    const wide = await open('pay-filled', { width: 1_280 })
    expect(await line(wide).isVisible()).toBe(true)
    expect(await wide.locator('.summary summary').isVisible()).toBe(false)
  })

  it('put the focus on what is wrong', async () => {
    const page = await open('pay-errors', { width: 360 })
    await expect.poll(() => page.evaluate('document.activeElement.hasAttribute("data-problems")')).toBe(true)
    await page.getByRole('link', { name: 'Enter the street.' }).click()
    expect(await page.evaluate('location.hash')).toBe('#f-shipping-street')
  })
})
