// A headless Chromium that reaches only this machine, shared by a worker's files. SKIP_BROWSER=1 skips its tests, except in CI.

import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { afterAll, afterEach, expect, it } from 'vitest'
import { chromiumPath, isRoot } from './chromium.ts'
import { isProof } from './proof.ts'

/** Timeout for a page's reaction to a click: a busy machine fails no test. */
export const PATIENT = { timeout: 60_000 }

const isSkipping = () => !['', '0', 'false', 'no'].includes((process.env.SKIP_BROWSER ?? '').toLowerCase())

/** `it` that runs in `npm run proof` only, for files that run in both. */
export const proof = it.runIf(isProof)

/** For `describe.skipIf` and `it.skipIf`. `openBrowser` then returns null. */
export const isBrowserSkipped = isSkipping()

/** Extra pages that each window loads, which took half of Chromium's time; and spare processes, which few tests use. */
const COSTLY = ['WebUIOmniboxPopup', 'WebUIOmniboxAimPopup', 'SpareRendererForSitePerProcess']

/** Playwright disables these. Chromium uses only the last such list on the command line. */
const DISABLED_BY_PLAYWRIGHT = [
  'AimEnabled',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsFirstBalancedModeAutoEnable',
  'HttpsUpgrades',
  'LensOverlay',
  'MediaRouter',
  'NetworkTimeServiceQuerying',
  'OptimizationHints',
  'PaintHolding',
  'PreconnectToSearch',
  'ThirdPartyStoragePartitioning',
]

const FLAGS = [
  `--disable-features=${[...COSTLY, ...DISABLED_BY_PLAYWRIGHT].join()}`,
  '--disable-gpu',
  '--disable-quic',
  // Several pages of a test share a process.
  '--renderer-process-limit=1',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // The browser resolves only this machine's names, whatever a page requests.
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost',
  '--no-proxy-server',
]

/** Survives the modules of a file: with shared processes the next file finds the browser here. */
const worker = globalThis as { cartwrightBrowser?: Promise<Browser> | undefined }

/**
 * Returns the browser of this worker, or null if browser tests are skipped. Call it at the top of a test file, outside of hooks: installing
 * Chromium takes longer than a hook may. Close every context that you open. The browser ends with the process.
 */
export async function openBrowser(): Promise<Browser | null> {
  if (isSkipping()) {
    if (process.env.CI)
      throw new Error('SKIP_BROWSER is not for continuous integration: the tests in the browser must run there.')
    process.stderr.write('SKIP_BROWSER is set: what is tested in the browser is left out.\n')
    return null
  }
  worker.cartwrightBrowser ??= launch().catch((error) => {
    worker.cartwrightBrowser = undefined
    throw error
  })
  return worker.cartwrightBrowser
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

async function launch(): Promise<Browser> {
  const executablePath = await chromiumPath()
  // Playwright's own handlers would keep the process alive after the signal.
  const signals = { handleSIGINT: false, handleSIGTERM: false, handleSIGHUP: false }
  const browser = await inSandboxWherePossible(isRoot, (chromiumSandbox) =>
    chromium.launch({ executablePath, headless: true, chromiumSandbox, args: FLAGS, ...signals }),
  )
  // Vitest ends a worker with SIGTERM, and people press Ctrl-C. If the process is killed, its pipe closes and Chromium exits by itself.
  const end = async (signal: NodeJS.Signals) => {
    await browser.close()
    process.kill(process.pid, signal)
  }
  for (const signal of SIGNALS) process.once(signal, end)
  browser.once('disconnected', () => {
    worker.cartwrightBrowser = undefined
    for (const signal of SIGNALS) process.off(signal, end)
  })
  return browser
}

/**
 * Chromium refuses to start a sandbox as root, and cannot start one in a container without user namespaces. The tests open only our own
 * pages, so they need none.
 */
export async function inSandboxWherePossible<T>(asRoot: boolean, start: (isSandboxed: boolean) => Promise<T>) {
  if (asRoot) return start(false)
  try {
    return await start(true)
  } catch (error) {
    if (!/sandbox/i.test(String(error))) throw error
    return start(false)
  }
}

type Visitors = {
  /** Console errors of failed requests that the tests cause on purpose. */
  readonly expected?: RegExp
  /** The only origin that pages may request; undefined if the test has its own rule. */
  readonly origin?: string
}

/** Opens pages for the tests of one file. Each context closes after its test; an error on a page fails the test. */
export async function openVisitors({ expected = /$^/, origin }: Visitors = {}) {
  const browser = await openBrowser()
  const contexts: BrowserContext[] = []
  const problems: string[] = []

  const end = async () => {
    await Promise.all(contexts.splice(0).map((context) => context.close()))
    expect(problems.splice(0)).toEqual([])
  }
  afterEach(async ({ task }) => {
    if (task.result?.state === 'fail') for (const context of contexts) await printPages(context)
    await end()
  })
  afterAll(end)

  async function openContext(options: BrowserContextOptions = {}): Promise<BrowserContext> {
    if (browser === null) throw new Error('There is no browser.')
    const context = await browser.newContext(options)
    context.setDefaultTimeout(PATIENT.timeout)
    contexts.push(context)
    context.on('page', watch)
    return context
  }

  /** Records script errors, refusals by the page's policy, and requests to other origins. */
  function watch(page: Page) {
    page.on('pageerror', (error) => problems.push(String(error)))
    page.on('console', (message) => {
      if (message.type() === 'error' && !expected.test(message.text())) problems.push(message.text())
    })
    page.on('request', (request) => {
      const url = new URL(request.url())
      const isOwn = origin === undefined || ['data:', 'blob:'].includes(url.protocol) || url.origin === origin
      if (!isOwn) problems.push(`It asks ${url.origin}.`)
    })
  }

  return {
    openContext,
    openPage: async (options: BrowserContextOptions = {}): Promise<Page> => (await openContext(options)).newPage(),
  }
}

/** For a test that has failed: what its pages show, by role and name. */
async function printPages(context: BrowserContext) {
  for (const page of context.pages()) {
    const shown = await page.locator('body').ariaSnapshot({ timeout: 5_000 }).catch(String)
    process.stderr.write(`When the test failed, ${page.url()} showed:\n${shown}\n`)
  }
}

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** The WCAG levels that we promise. */
const LEVELS = "runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']"

// Waits for elements that fade in, but not for endless animations.
const HAS_APPEARED = `Promise.allSettled(document.getAnimations()
  .filter(({ effect }) => effect.getComputedTiming().endTime !== Infinity).map(({ finished }) => finished)).then(() => {})`

/** Returns the violations that axe finds. `rules` are options of axe; an empty string means all rules. */
export async function axeFindings(page: Page, rules = LEVELS): Promise<string[]> {
  if (!(await page.evaluate('"axe" in globalThis'))) await page.evaluate(AXE)
  await page.evaluate(HAS_APPEARED)
  return page.evaluate(`axe.run({ iframes: false, resultTypes: ['violations'], ${rules} }).then(({ violations }) =>
    violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => id + ' ' + target.join(' '))))`)
}

/** True if content overflows the screen sideways. */
export const scrollsSideways = (page: Page): Promise<boolean> =>
  page.evaluate('document.documentElement.scrollWidth > document.documentElement.clientWidth')
