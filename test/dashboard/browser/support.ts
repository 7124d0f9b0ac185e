// People at the dashboard in a real Chromium: shops behind a real port, somebody of each role logged in, and a look at what they see. A journey
// acts through the page; the API only sets up and tells what came of it.

import type { BrowserContext, Browser as Chromium, Page } from 'playwright-core'
import { afterEach, expect } from 'vitest'
import { openCaptureShop } from '../../api/checkouts/capture-support.ts'
import { listen } from '../../http/harness.ts'
import { axeFindings } from '../../pages/checkout/journeys/support.ts'
import { type TestApp, testApp } from '../../support/app.ts'
import { openBrowser } from '../../support/browser.ts'
import { isWide } from '../../support/wide.ts'
import { Browser, HERE } from '../support.ts'

export const PATIENT = { timeout: 60_000 }

export type Role = 'owner' | 'manager' | 'packer' | 'developer'
export type Scheme = 'light' | 'dark'
export type Login = { readonly email: string; readonly password: string }

type Eyes = { readonly width?: number; readonly scheme?: Scheme; readonly path?: string }

export type DashboardShop = Awaited<ReturnType<Awaited<ReturnType<typeof openDashboards>>['openShop']>>

const PASSWORD = 'correct horse battery'

let count = 0

/** Called at the top of a test file, outside of hooks. The service's clock stands where the browser's does. */
export async function openDashboards(options: Parameters<typeof testApp>[0] = {}) {
  const app = await testApp({ trustProxy: () => true, ...options })
  toNow(app)
  const port = await listen(app)
  const origin = `http://localhost:${port}`
  // After the app: what is opened last is closed first, and a browser would hold connections open.
  const browser = (await openBrowser()) as Chromium
  const contexts: BrowserContext[] = []
  const problems: string[] = []

  afterEach(async () => {
    await Promise.all(contexts.splice(0).map((context) => context.close()))
    // What a browser refuses by the page's policy is told here too.
    expect(problems.splice(0)).toEqual([])
  })

  /** A shop that ships within the US and takes the test card, with its owner's login. */
  async function openShop(draft: Parameters<TestApp['merchant']>[0] = {}) {
    let owner: Login = { email: '', password: '' }
    const watched: TestApp = Object.assign(Object.create(app), {
      merchant: async (given: typeof draft) => {
        const merchant = await app.merchant({ email: `owner${++count}@example.com`, name: 'Paper & Ink', ...given })
        owner = merchant.dashboard
        return merchant
      },
    })
    const shop = await openCaptureShop(watched, draft)
    return {
      ...shop,
      owner,
      /** Somebody of this role, who was invited and has come. */
      join: (role: Role) => (role === 'owner' ? Promise.resolve(owner) : join(owner, role)),
    }
  }

  async function join(owner: Login, role: Role): Promise<Login> {
    const inviting = new Browser(app)
    await inviting.logIn(owner.email, owner.password)
    const email = `${role}${++count}@example.com`
    const invited = await inviting.succeed<{ invitation_url: string }>(201, 'POST', '/dashboard/api/team', {
      body: { email, name: role, role },
    })
    const token = invited.invitation_url.split('/').at(-1) ?? ''
    const joining = new Browser(app)
    await joining.succeed(200, 'POST', `/dashboard/api/invitations/${token}`, {
      body: { name: `The ${role}`, password: PASSWORD },
    })
    return { email, password: PASSWORD }
  }

  /** A browser of its own, in which nobody is logged in yet. */
  async function openPage({ width = 1280, scheme = 'light', path = '/dashboard' }: Eyes = {}): Promise<Page> {
    const context = await browser.newContext({
      viewport: { width, height: 800 },
      colorScheme: scheme,
      locale: 'en-US',
      hasTouch: width < 600,
    })
    context.setDefaultTimeout(PATIENT.timeout)
    contexts.push(context)
    const page = watch(await context.newPage(), problems, origin)
    await page.goto(origin + path)
    return page
  }

  /** Logged in, without typing: D1 and D2 do that. */
  async function openDashboard(
    who: Role | Login,
    shop: { join(role: Role): Promise<Login> },
    eyes: Eyes = {},
  ): Promise<Page> {
    const { email, password } = typeof who === 'string' ? await shop.join(who) : who
    const page = await openPage({ ...eyes, path: '/dashboard/forgotten' })
    await page.evaluate(
      async ([body]) => {
        const headers = { 'content-type': 'application/json' }
        const answer = await fetch('/dashboard/api/session', { method: 'POST', headers, body })
        if (!answer.ok) throw new Error(await answer.text())
      },
      [JSON.stringify({ email, password })] as const,
    )
    await page.goto(origin + (eyes.path ?? '/dashboard'))
    await page.locator('#content h1').waitFor()
    return page
  }

  return { app, port, origin, browser, openShop, openPage, openDashboard }
}

/** The tests' clock begins in the past; a browser's does not. */
export const toNow = ({ clock }: TestApp) => clock.advance((Date.now() - clock.now().getTime()) / 1_000)

/** Notes what breaks on a page, also what the browser refuses by the page's policy, and whom it asks besides the service. */
function watch(page: Page, problems: string[], origin: string): Page {
  page.on('pageerror', (error) => problems.push(String(error)))
  page.on('console', (message) => {
    const isExpected = /Failed to load resource: .*(4\d\d|50[234]|net::ERR_)/.test(message.text())
    if (message.type() === 'error' && !isExpected) problems.push(message.text())
  })
  page.on('request', (request) => {
    const { protocol, origin: asked } = new URL(request.url())
    if (!['data:', 'blob:'].includes(protocol) && asked !== origin) problems.push(`It asks ${asked}.`)
  })
  return page
}

const WIDTHS = [360, 1280]
const SCHEMES = ['light', 'dark'] as const

/** In the ordinary run each width and each scheme once; by `npm run proof:wide` each width in each scheme. */
const LOOKS = WIDTHS.flatMap((width, index) =>
  SCHEMES.filter((_, other) => isWide || other === index).map((colorScheme) => ({ width, colorScheme })),
)

/** As it stands now, in both colour schemes and at both widths: nothing for axe to find, and nothing to scroll sideways, also at 320 px. */
export async function looksGood(page: Page): Promise<void> {
  const before = page.viewportSize() ?? { width: 1280, height: 800 }
  const found: string[] = []
  for (const { width, colorScheme } of LOOKS) {
    await page.setViewportSize({ ...before, width })
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    for (const finding of await axeFindings(page)) found.push(`${width} px, ${colorScheme}: ${finding}`)
  }
  await page.setViewportSize({ ...before, width: 320 })
  if (await page.evaluate('document.documentElement.scrollWidth > innerWidth'))
    found.push('It scrolls sideways at 320 px.')
  await page.setViewportSize(before)
  await page.emulateMedia({ colorScheme: null, reducedMotion: null })
  expect(found).toEqual([])
}

/** In `looksGood` the schemes change; whoever wants a picture says which: `SHOTS=folder` keeps one of every look. */
export async function shoot(page: Page, name: string): Promise<void> {
  const folder = process.env.SHOTS
  if (folder === undefined) return
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 800 })
    for (const colorScheme of SCHEMES) {
      await page.emulateMedia({ colorScheme })
      await page.screenshot({ path: `${folder}/${name}-${width}-${colorScheme}.png`, fullPage: true })
    }
  }
  await page.emulateMedia({ colorScheme: null })
}

export { HERE }
