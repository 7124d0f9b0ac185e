// The dashboard in a real Chromium: shops behind a real port, and people of each role who are logged in. A journey acts through the page;
// the API sets up, and says afterwards what is stored.

import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { openCaptureShop } from '../../api/checkouts/capture-support.ts'
import { listen } from '../../http/harness.ts'
import { type TestApp, testApp } from '../../support/app.ts'
import { axeFindings, openVisitors, scrollsSideways } from '../../support/browser.ts'
import { isProof } from '../../support/proof.ts'
import type { Body } from '../../support/shop.ts'
import { Browser, join } from '../support.ts'
import type { Login } from './screen.ts'

type Role = 'owner' | 'manager' | 'packer' | 'developer'
type Eyes = { readonly width?: number; readonly scheme?: 'light' | 'dark'; readonly path?: string }
type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

export type House = Awaited<ReturnType<typeof openDashboards>>
export type DashboardShop = Awaited<ReturnType<House['openShop']>>

let count = 0

/** An app whose merchants have e-mail addresses of their own; `login` is that of the last one. */
export function withLogins(app: TestApp) {
  const opened = { login: { email: '', password: '' } as Login }
  const merchant: TestApp['merchant'] = async (draft) => {
    const made = await app.merchant({ email: `owner${++count}@example.com`, name: 'Paper & Ink', ...draft })
    opened.login = made.dashboard
    return made
  }
  return { app: { ...app, merchant }, opened }
}

/** Call it at the top of a test file, outside of hooks. The clock of the service is set to that of the browser. */
export async function openDashboards(options: Parameters<typeof testApp>[0] = {}) {
  const app = await testApp({ trustProxy: () => true, ...options })
  toNow(app)
  const port = await listen(app)
  const origin = `http://localhost:${port}`
  const expected = /Failed to load resource: .*(4\d\d|50[234]|net::ERR_)/
  const visitors = await openVisitors({ origin, expected })

  /** A shop that ships within the US and takes the test card. */
  async function openShop(draft: Parameters<TestApp['merchant']>[0] = {}) {
    const { app: watched, opened } = withLogins(app)
    const shop = await openCaptureShop(watched, draft)
    const { secret } = shop.keys.sandbox
    return {
      ...shop,
      secret,
      owner: opened.login,
      /** The API by the secret key of the sandbox. */
      api: <T>(status: number, method: Method, path: string, body?: Body) =>
        shop.succeed<T>(status, method, path, body, secret),
      /** All of a list. */
      list: async <T>(path: string) => (await shop.succeed<{ data: T[] }>(200, 'GET', path, undefined, secret)).data,
    }
  }

  async function sessionOf(who: Role | Login, { owner }: { owner: Login }): Promise<Browser> {
    const session = new Browser(app, { headers: { 'user-agent': 'HeadlessChrome' } })
    const login = typeof who === 'string' ? owner : who
    expect((await session.logIn(login.email, login.password)).status).toBe(200)
    return typeof who === 'string' && who !== 'owner' ? join(app, session, who) : session
  }

  /** A context in which nobody is logged in. */
  async function openPage({ width = 1280, scheme = 'light', path = '/dashboard' }: Eyes = {}): Promise<Page> {
    const page = await blankPage({ width, scheme })
    await page.goto(origin + path)
    return page
  }

  const blankPage = ({ width = 1280, scheme = 'light' }: Eyes) =>
    visitors.openPage({
      viewport: { width, height: 800 },
      colorScheme: scheme,
      // Drawing what moves costs time.
      reducedMotion: 'reduce',
      locale: 'en-US',
      hasTouch: width < 600,
    })

  /** Opens a screen in a session that was begun through the API: the login page has tests of its own. */
  async function openDashboard(who: Role | Login, shop: { owner: Login }, eyes: Eyes = {}): Promise<Page> {
    const session = await sessionOf(who, shop)
    const page = await blankPage(eyes)
    await page.context().addCookies([...session.jar].map(([name, value]) => ({ name, value, url: origin })))
    await page.goto(origin + (eyes.path ?? '/dashboard'))
    await page.locator('#content h1').waitFor()
    return page
  }

  /** Runs jobs until the condition holds. */
  async function work(isDone: () => Promise<boolean>) {
    const worker = app.startJobs()
    await expect
      .poll(() => {
        worker.poke()
        return isDone()
      })
      .toBe(true)
    await worker.stop()
  }

  return { app, port, origin, openShop, openPage, openDashboard, work }
}

/** The tests' clock begins in the past; a browser's does not. */
export const toNow = ({ clock }: TestApp) => clock.advance((Date.now() - clock.now().getTime()) / 1_000)

const EYES = [
  { width: 360, scheme: 'light' },
  { width: 1280, scheme: 'dark' },
  { width: 360, scheme: 'dark' },
  { width: 1280, scheme: 'light' },
] as const

/** A width and a scheme, by turns. */
export const eyesOf = (turn: 0 | 1 | 2 | 3) => EYES[turn]

/** For pages that are built otherwise on a phone: the proof walks through them at both widths. */
export const bothWidths = isProof ? EYES.slice(0, 2) : EYES.slice(1, 2)

/** In the proof: axe finds nothing at both widths, and nothing scrolls sideways at 320 px. The other scheme changes contrasts only. */
export async function looksGood(page: Page): Promise<void> {
  if (!isProof) return
  const before = page.viewportSize() ?? { width: 1280, height: 800 }
  const found: string[] = []
  for (const { width, scheme } of EYES) {
    await page.setViewportSize({ ...before, width })
    await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' })
    const isFirst = scheme === (width === 360 ? 'light' : 'dark')
    const findings = await (isFirst ? axeFindings(page) : axeFindings(page, "runOnly: ['color-contrast']"))
    found.push(...findings.map((finding) => `${width} px, ${scheme}: ${finding}`))
  }
  await page.setViewportSize({ ...before, width: 320 })
  if (await scrollsSideways(page)) found.push('It scrolls sideways at 320 px.')
  await page.setViewportSize(before)
  await page.emulateMedia({ colorScheme: null, reducedMotion: 'reduce' })
  expect(found).toEqual([])
}

/** The same as the page is now: for a state that differs little from others. */
export async function looksFine(page: Page): Promise<void> {
  if (!isProof) return
  expect(await axeFindings(page)).toEqual([])
  expect(await scrollsSideways(page)).toBe(false)
}
