// What journeys of developers share: a shop whose deliveries go out and whose requests are kept, and what is done in dialogs.

import type { Locator, Page } from 'playwright-core'
import { expect } from 'vitest'
import { totpCode } from '../../../src/dashboard/account/totp.ts'
import { openDashboards, PATIENT } from './support.ts'

/** Called at the top of a test file. */
export async function openWorkshop() {
  const house = await openDashboards({ allowPrivateAddresses: true, webhookPollMs: 20, requestLog: 'all' })
  house.app.startJobs()
  return house
}

/** The dialog that is open. */
export class Step {
  readonly dialog: Locator
  readonly page: Page

  constructor(page: Page) {
    this.page = page
    this.dialog = page.locator('dialog.dialog[open]')
  }

  async press(name: string | RegExp) {
    await this.dialog.getByRole('button', { name }).click()
  }

  /** What is shown once; it is kept by "I have kept …". */
  async takeSecret(): Promise<string> {
    const shown = await this.dialog.locator('[data-secret]').textContent()
    await this.press(/^I have kept/)
    await this.dialog.waitFor({ state: 'detached' })
    return shown ?? ''
  }

  async choose(name: string) {
    await this.page.getByRole('button', { name: 'More actions' }).click()
    await this.page.getByRole('menuitem', { name, exact: true }).click()
  }
}

export const rowsOf = (page: Page, table: string): Locator =>
  page.getByRole('table', { name: table, exact: true }).locator('tbody tr')

/** What is nowhere on the page, nor kept by the browser. */
export async function isNowhere(page: Page, secret: string) {
  const kept = await page.evaluate<string>(
    'document.documentElement.outerHTML + JSON.stringify({ ...localStorage, ...sessionStorage })',
  )
  expect(kept).not.toContain(secret)
}

/** What a form sends when this is pressed. It returns when the form knows the answer. */
export async function sentBy(page: Page, act: () => Promise<void>): Promise<unknown> {
  const request = page.waitForRequest((each) => each.method() === 'PUT' && each.url().includes('/v1/'))
  await act()
  const sent = (await request).postDataJSON()
  await expect.poll(() => page.locator('form[aria-busy]').count(), PATIENT).toBe(0)
  return sent
}

export const shows = (locator: Locator, text: string | RegExp) =>
  expect.poll(() => locator.textContent(), PATIENT).toEqual(expect.stringMatching(text))

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** What an app shows for the secret that was typed into it. */
export function appCode(secret: string, at: Date): string {
  const bits = [...secret.replaceAll(' ', '')]
    .map((letter) => ALPHABET.indexOf(letter).toString(2).padStart(5, '0'))
    .join('')
  const key = Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)))
  return totpCode(key, Math.floor(at.getTime() / 30_000))
}
