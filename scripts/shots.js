// Takes screenshots of the hosted checkout and of the dashboard. It starts a service with its demo shop, and a browser visits each state.
//   npm run shots                                 all of them, into shots/, which is not committed
//   npm run shots -- pay-errors dashboard         those with these name prefixes
//   npm run shots -- --views=360-dark,print       only in these views
//   npm run shots -- --into=folder
//   npm run shots -- --guide                      the small ones of docs/merchant-guide.md and README.md, into docs/pictures, which are committed
// The script reports a state that it could not reach, and continues with the others.

import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { chromium } from 'playwright-core'
import { checkoutStates } from './shots/checkout.js'
import { dashboardStates, GUIDE } from './shots/dashboard.js'
import { startService } from './shots/service.js'

const VIEWS = {
  '360-light': { width: 360, colorScheme: 'light' },
  '360-dark': { width: 360, colorScheme: 'dark' },
  '1280-light': { width: 1_280, colorScheme: 'light' },
  '1280-dark': { width: 1_280, colorScheme: 'dark' },
  '1280-forced': { width: 1_280, colorScheme: 'dark', forcedColors: 'active' },
  print: { width: 720, colorScheme: 'light', media: 'print' },
}

/** Size for the guide: large enough to read in a page of text, small enough to commit. */
const GUIDE_SIZE = { width: 1_120, height: 760 }
const GUIDE_QUALITY = 72

const folderOf = (path) => fileURLToPath(new URL(path, import.meta.url))

const { values: options, positionals: names } = parseArgs({
  allowPositionals: true,
  options: {
    views: { type: 'string', default: Object.keys(VIEWS).join() },
    into: { type: 'string' },
    guide: { type: 'boolean', default: false },
  },
})
const views = options.views.split(',')
const unknown = views.filter((name) => !Object.hasOwn(VIEWS, name))
if (unknown.length > 0) {
  console.error(`There is no view ${unknown.join(', ')}; there are ${Object.keys(VIEWS).join(', ')}.`)
  process.exit(2)
}
const folder = resolve(options.into ?? folderOf(options.guide ? '../docs/pictures' : '../shots'))
mkdirSync(folder, { recursive: true })

const service = await startService()
const browser = await chromium.launch({
  executablePath:
    process.env.CHROMIUM_PATH ??
    ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium', '/usr/bin/google-chrome'].find(existsSync),
  chromiumSandbox: process.getuid?.() !== 0,
  args: ['--disable-gpu', '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1', '--no-proxy-server'],
})
const failed = []
try {
  const context = await browser.newContext({ viewport: { width: 1_280, height: 900 }, locale: 'en-US' })
  context.setDefaultTimeout(60_000)
  const visit = async (path) => {
    const page = await context.newPage()
    await page.goto(service.origin + path, { waitUntil: 'load' })
    return page
  }
  await logIn(context)
  const states = { ...checkoutStates(service, visit), ...dashboardStates(service, openWith(visit)) }
  const isChosen = (name) => names.length === 0 || names.some((beginning) => name.startsWith(beginning))
  const wanted = options.guide
    ? Object.entries(GUIDE).filter(([name]) => isChosen(name))
    : Object.keys(states).flatMap((name) => (isChosen(name) ? [[name, name]] : []))
  for (const [name, state] of wanted) {
    try {
      const page = await states[state]()
      if (options.guide) await shootSmall(page, name)
      else for (const view of views) await shoot(page, name, view)
    } catch (error) {
      failed.push(name)
      console.error(`${name}: ${error.message}`)
    }
    await Promise.all(context.pages().map((page) => page.close()))
  }
} finally {
  await browser.close()
  await service.stop()
}
console.log(folder)
if (failed.length > 0) process.exitCode = 1

async function shoot(page, name, view) {
  const { width, media = 'screen', forcedColors = 'none', colorScheme } = VIEWS[view]
  await page.setViewportSize({ width, height: width < 500 ? 740 : 900 })
  await page.emulateMedia({ media, colorScheme, forcedColors })
  await page.screenshot({ path: `${folder}/${name}.${view}.png`, fullPage: true, animations: 'disabled' })
}

/** Saves a WebP, which only the browser's own protocol can produce. */
async function shootSmall(page, name) {
  await page.setViewportSize(GUIDE_SIZE)
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
  const session = await page.context().newCDPSession(page)
  const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: GUIDE_QUALITY })
  writeFileSync(`${folder}/${name}.webp`, Buffer.from(data, 'base64'))
}

async function logIn(context) {
  const answer = await context.request.post(`${service.origin}/dashboard/api/session`, {
    data: service.login,
    headers: { origin: service.origin, 'sec-fetch-site': 'same-origin' },
  })
  if (!answer.ok()) throw new Error(`Nobody could log in: ${await answer.text()}`)
}

/** Opens a screen of the dashboard, in the sandbox, and waits until it is fully loaded. */
function openWith(visit) {
  return async (path) => {
    const page = await visit(path)
    await page.locator('#content h1').waitFor()
    await page.waitForLoadState('networkidle')
    return page
  }
}
