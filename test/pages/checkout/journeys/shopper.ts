// A shopper before the pages of a shop, with and without scripting: opened, filled in, updated and paid as people do, and looked at by axe.

import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterEach, expect } from 'vitest'
import { openBrowser } from '../../../support/browser.ts'
import { isWide } from '../../../support/wide.ts'
import { check, fill, press, useKeyboard } from './hands.ts'
import { axeFindings, fillInTestCard, openContext, openSummary, PATIENT, watched } from './support.ts'
import type { Way } from './ways.ts'

type Visit = Way & { readonly locale?: string }

export async function openShoppers(origin: string) {
  const browser = (await openBrowser()) as Browser
  const contexts: BrowserContext[] = []
  const problems: string[] = []

  afterEach(async () => {
    await Promise.all(contexts.splice(0).map((context) => context.close()))
    // What a browser refuses by the page's policy is told here too.
    expect(problems.splice(0)).toEqual([])
  })

  async function visit(path: string, { locale = 'en-US', ...way }: Visit): Promise<Page> {
    const context = await openContext(browser, { ...way, locale })
    contexts.push(context)
    const page = watched(await context.newPage(), problems)
    if (way.hasKeyboard) useKeyboard(page)
    page.on('request', (request) => {
      const { protocol, host } = new URL(request.url())
      if (protocol !== 'data:' && `http://${host}` !== origin) problems.push(`It asks ${host}.`)
    })
    await page.goto(origin + path)
    return page
  }

  return { visit }
}

/** The total that the page shows beside the button. */
export const shownTotal = async (page: Page): Promise<number> =>
  Number(await page.locator('[data-charge]').getAttribute('data-amount'))

/** What follows of what was chosen: a script asks by itself, without one the shopper does. */
export async function update(page: Page, { hasScripts }: Way, total: number) {
  if (!hasScripts) {
    const button = page.getByRole('button', { name: 'Update totals' }).first()
    if (!(await button.isVisible())) await openSummary(page)
    await press(button)
  }
  await expect.poll(() => shownTotal(page), PATIENT).toBe(total)
}

export async function fillIn(page: Page, values: Readonly<Record<string, string>>) {
  for (const [name, value] of Object.entries(values)) await fill(page.locator(`[name="${name}"]`).first(), value)
}

export const CONTACT = { 'customer[email]': 'ada@example.com' }

export const ADDRESSES = {
  US: {
    'shipping[name]': 'Ada Lovelace',
    'shipping[street]': '1 Main Street',
    'shipping[town_city]': 'San Francisco',
    'shipping[county_state]': 'CA',
    'shipping[postal_zip_code]': '94107',
  },
  DE: {
    'shipping[name]': 'Ada Lovelace',
    'shipping[street]': 'Hauptstraße 1',
    'shipping[postal_zip_code]': '10115',
    'shipping[town_city]': 'Berlin',
  },
  JP: {
    'shipping[name]': 'Ada Lovelace',
    'shipping[postal_zip_code]': '150-0001',
    'shipping[county_state]': '13',
    'shipping[town_city]': 'Shibuya',
    'shipping[street]': '1-1 Jingumae',
  },
  GB: {
    'shipping[name]': 'Ada Lovelace',
    'shipping[street]': '1 High Street',
    'shipping[town_city]': 'London',
    'shipping[postal_zip_code]': 'N1 9GU',
  },
} as const

export const PAYS = '4242 4242 4242 4242'
export const DECLINED = '4000 0000 0000 0002'
export const CHARGES_SILENTLY = '4000 0000 0000 0440'

export async function fillInCard(page: Page, number: string) {
  const way = page.locator('input[name="payment[gateway]"][value=test_gateway]')
  if (!(await way.isChecked())) await check(way)
  await fillInTestCard(page, number)
}

const seen = new Set<string>()

/**
 * What axe finds wrong with a state of the page, by the levels that are promised; once for each state, and in a wide run wherever it is met. It is a script:
 * a page without scripting is looked at as it stands, in another tab.
 */
export async function faultsOf(page: Page, state: string): Promise<string[]> {
  const hasScripts = await page.evaluate('matchMedia("(scripting: enabled)").matches')
  // Of the file: others may share its process.
  const met = `${expect.getState().testPath}: ${state}`
  if (!isWide && (seen.has(met) || !hasScripts)) return []
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
