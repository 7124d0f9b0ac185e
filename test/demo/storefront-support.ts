// The example storefront with its demo shop behind a real port, and shoppers who fill in its forms.

import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { listen } from '../http/harness.ts'
import { testApp } from '../support/app.ts'
import { axeFindings, openVisitors, scrollsSideways } from '../support/browser.ts'
import { isProof } from '../support/proof.ts'
import { folderOfFile, seedInto } from './support.ts'

export const PHONE = { width: 360, height: 640 }
export const DESK = { width: 1280, height: 800 }

type Visit = { readonly viewport?: typeof PHONE; readonly hasScripts?: boolean; readonly cart?: string }

/** A server with the demo shop, whose key may be replaced by `setKey`. */
export async function openStorefront() {
  const folder = await folderOfFile()
  let demoKey: string | null = null
  const app = await testApp({ dataDir: folder, findDemoKey: async () => demoKey })
  const origin = `http://127.0.0.1:${await listen(app)}`
  const visitors = await openVisitors({ origin, expected: /Failed to load resource/ })
  const seeded = await seedInto(app.db, app.clock, folder)
  if (seeded === null) throw new Error('There is no demo shop.')
  demoKey = seeded.keys.sandbox.public
  const { secret } = seeded.keys.sandbox

  /** A shopper who was never here. `refusals` are the statuses of requests that failed; `captures` the payments that were sent. */
  async function visit(path: string | null = '', { viewport = PHONE, hasScripts = true, cart }: Visit = {}) {
    const context = await visitors.openContext({ viewport, javaScriptEnabled: hasScripts })
    if (cart !== undefined) await context.addCookies([{ name: 'commercejs_cart_id', value: cart, url: origin }])
    const page = await context.newPage()
    const refusals = new Set<string>()
    const captures: string[] = []
    page.on('requestfailed', () => void refusals.add('failed'))
    page.on('response', (response) => response.status() >= 400 && refusals.add(String(response.status())))
    page.on('request', (request) => {
      if (request.method() === 'POST' && /\/checkouts\/chkt_\w+$/.test(request.url())) captures.push(request.url())
    })
    if (path !== null) await page.goto(`${origin}/storefront/${path && `#/${path}`}`)
    if (path !== null) await page.locator('body[data-view] h1').waitFor()
    return { page, captures, refused: () => [...refusals] }
  }

  return {
    app,
    origin,
    keys: seeded.keys,
    setKey: (key: string | null) => {
      demoKey = key
    },
    visit,
    /** The API by the secret key of the demo shop. */
    ask: async <T>(method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body?: unknown): Promise<T> => {
      const answer = await app.call(method, `/v1/${path}`, { key: secret, ...(body === undefined ? {} : { body }) })
      expect([path, answer.status < 300, answer.text]).toEqual([path, true, answer.text])
      return answer.body as T
    },
    /** Goes to a view, and waits until it is there. */
    go: async (page: Page, path: string, title: string) => {
      await page.goto(`${origin}/storefront/#/${path}`)
      await page.locator('body[data-view]').getByRole('heading', { level: 1, name: title }).waitFor()
    },
  }
}

/** In the proof: faults by axe and what is too wide, on a phone and on a desk. The dark changes contrasts only. */
export async function faultsOf(page: Page): Promise<string[]> {
  if (!isProof) return []
  const found: string[] = []
  for (const viewport of [DESK, PHONE]) {
    await page.setViewportSize(viewport)
    await page.emulateMedia({ colorScheme: 'light' })
    found.push(...(await axeFindings(page, '')))
    if (await scrollsSideways(page)) found.push(`It is wider than ${viewport.width} px.`)
    await page.emulateMedia({ colorScheme: 'dark' })
    found.push(...(await axeFindings(page, "runOnly: ['color-contrast']")).map((finding) => `dark: ${finding}`))
  }
  return found
}

export async function fillInContact(page: Page, email = 'ada@example.com') {
  await page.getByLabel('E-mail').fill(email)
  await page.getByLabel('First name').fill('Ada')
  await page.getByLabel('Last name').fill('Byron')
}

export async function fillInAddress(page: Page) {
  const delivery = page.locator('#address')
  await delivery.getByLabel('Street').fill('1 Main Street')
  await delivery.getByLabel('City').fill('Vancouver')
  await delivery.getByLabel('Country').selectOption('CA')
  await delivery.getByLabel('Province').selectOption('BC')
  await delivery.getByLabel('Postal code').fill('V6B 1A1')
  await page.getByLabel('Parcel, 3 to 6 days').check()
}

export async function fillInCard(page: Page, number: string) {
  await page.getByLabel('Card number').fill(number)
  await page.getByLabel('Expiry date').fill('01/30')
  await page.getByLabel('Security code').fill('123')
}
