// What the tests of the example storefront share: the demo shop that it sells for, a browser, and a shopper who fills in its forms.

import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'
import { listen } from '../http/harness.ts'
import { testApp } from '../support/app.ts'
import { openBrowser } from '../support/browser.ts'
import { folderOfFile, seedInto } from './support.ts'

/** A server with the demo shop, whose key may be another (`setKey`); `browser` is null where there is none. */
export async function openStorefront() {
  const folder = await folderOfFile()
  let demoKey: string | null = null
  const app = await testApp({ dataDir: folder, findDemoKey: async () => demoKey })
  const origin = `http://127.0.0.1:${await listen(app)}`
  // After the app: what is opened last is closed first, and a browser would hold connections open.
  const browser = await openBrowser()
  const seeded = await seedInto(app.db, app.clock, folder)
  if (seeded === null) throw new Error('There is no demo shop.')
  demoKey = seeded.keys.sandbox.public
  const setKey = (key: string | null) => {
    demoKey = key
  }
  return { app, origin, browser, keys: seeded.keys, setKey }
}

/** For what the page does after a click: it is waited for, however busy the machine is. */
export const PATIENT = { timeout: 60_000 }

/** The script of axe, to be run in a page. */
export const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

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
