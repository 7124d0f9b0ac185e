// @proof: nine published storefronts in a browser, with every SDK.
// Storefronts on the shop of a first start, with only the address and the key changed: plain pages, components, and pages made on a server.

import { readFileSync } from 'node:fs'
import { afterAll, describe, expect, it } from 'vitest'
import { isBrowserSkipped, openBrowser } from '../support/browser.ts'
import { openComponent, openFirstStart, openPlainPage, openServerRendered } from './open.ts'
import { triedTable } from './tried.ts'
import { buy, buyWithoutChoices, expectOrder, expectPlainOrder, forgetToChoose, type Steps } from './walk.ts'

const shop = await openFirstStart()
// After the app: what is opened last is closed first, and a browser would hold connections open.
const browser = await openBrowser()

const SDK_2_8 = '@chec/commerce.js'
const SDK_2_2 = 'commerce.js-2.2'
const SDK_2_0 = 'commerce.js-2.0'

const versionOf = (name: string): string =>
  JSON.parse(readFileSync(new URL(`../../node_modules/${name}/package.json`, import.meta.url), 'utf8')).version

// All at once: bundles and processes take a moment each.
const [plainPage, sloppyPage, component20, component22, component28, server20, server22, server28] = await Promise.all([
  openPlainPage(shop, 'plain-page'),
  openPlainPage(shop, 'sloppy-page'),
  openComponent(shop, SDK_2_0),
  openComponent(shop, SDK_2_2),
  openComponent(shop, SDK_2_8),
  openServerRendered(shop, SDK_2_0),
  openServerRendered(shop, SDK_2_2),
  openServerRendered(shop, SDK_2_8),
])

const PLAIN_PAGE = { kind: 'a plain page that loads `/v2/commerce.js`', hasScript: true, forgets: false }
const SLOPPY_PAGE = { ...PLAIN_PAGE, kind: 'the same, without menus for options and shipping', hasChoices: false }
const COMPONENTS = { kind: 'components (React)', hasScript: true, forgets: false }
const SERVER = { kind: 'pages made on a server', hasScript: false, forgets: false }

/** Every kind on both screens, and with every SDK that it can have. `forgets`: the shopper first adds from the list, where nothing is chosen. */
const TRIED = [
  { ...PLAIN_PAGE, sdk: SDK_2_8, address: plainPage, width: 360 },
  { ...PLAIN_PAGE, sdk: SDK_2_8, address: plainPage, width: 1280 },
  { ...SLOPPY_PAGE, sdk: SDK_2_8, address: sloppyPage, width: 360 },
  { ...COMPONENTS, sdk: SDK_2_0, address: component20, width: 360 },
  { ...COMPONENTS, sdk: SDK_2_2, address: component22, width: 1280 },
  { ...COMPONENTS, sdk: SDK_2_8, address: component28, width: 360 },
  { ...SERVER, sdk: SDK_2_0, address: server20, width: 360, forgets: true },
  { ...SERVER, sdk: SDK_2_2, address: server22, width: 1280 },
  { ...SERVER, sdk: SDK_2_8, address: server28, width: 360, forgets: true },
].map((each) => ({ hasChoices: true, ...each, version: versionOf(each.sdk) }))

type Visit = Pick<(typeof TRIED)[number], 'address' | 'width' | 'hasScript' | 'hasChoices' | 'forgets'>

const table = triedTable('stores', ['Storefront', 'SDK', 'Version it names', 'Screen', 'From the list to the receipt'])

describe.skipIf(isBrowserSkipped)('a storefront that is pointed here', () => {
  it.each(TRIED)('sells: $kind, SDK $version, $width px', async ({ kind, version, ...store }) => {
    await table.try([kind, version, 'none', `${store.width} px`], 'sells', (steps) => visit(store, steps))
  })

  it('is what docs/moving-in.md says was tried', () => table.compare())
})

async function visit({ address, width, hasScript, hasChoices, forgets }: Visit, steps: Steps): Promise<void> {
  if (browser === null) throw new Error('There is no browser.')
  const context = await browser.newContext({ viewport: { width, height: 800 }, javaScriptEnabled: hasScript })
  const page = await context.newPage()
  page.setDefaultTimeout(60_000)
  const complaints: string[] = []
  const origins = new Set<string>()
  page.on('request', (request) => void origins.add(new URL(request.url()).origin))
  page.on('pageerror', ({ message }) => void complaints.push(message))
  try {
    await page.goto(address)
    if (forgets) await forgetToChoose(page, steps)
    await (hasChoices ? buy(page, { hasScript }, steps) : buyWithoutChoices(page, steps))
    const expectBooked = hasChoices ? expectOrder : expectPlainOrder
    await expectBooked(shop, await page.locator('#reference').textContent())
    expect(complaints).toEqual([])
    expect([...origins].filter((origin) => origin !== 'null').sort()).toEqual([shop.url, new URL(address).origin])
  } catch (error) {
    // What the page itself says went wrong is nearer to the cause than the button that did not appear.
    const shown = await page.evaluate<string>('document.body.innerText').catch(() => '')
    throw new Error([...complaints, String(error), `The page shows: ${shown.slice(0, 600)}`].join('\n'), {
      cause: error,
    })
  } finally {
    await context.close()
  }
}

afterAll(() => {
  const failures = shop.app.logged.map((line) => JSON.parse(line) as { status?: number; msg?: string })
  expect(failures.filter(({ msg, status = 0 }) => msg === 'request' && status >= 500)).toEqual([])
})
