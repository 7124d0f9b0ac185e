// A headless Chromium for tests, one for each file, that reaches nothing but this machine. Which one it is, chromium.ts says.
// SKIP_BROWSER=1 leaves the tests out that need it, for people; continuous integration may not.

import { type Browser, chromium } from 'playwright-core'
import { afterAll } from 'vitest'
import { chromiumPath, isRoot } from './chromium.ts'

const isSkipping = () => !['', '0', 'false', 'no'].includes((process.env.SKIP_BROWSER ?? '').toLowerCase())

/** For `describe.skipIf` and `it.skipIf`. Nothing was opened then: `openBrowser` gives null. */
export const isBrowserSkipped = isSkipping()

const FLAGS = [
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // Whatever a page or the browser itself may ask for: no name but this machine's is looked up, and nobody is asked to.
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost',
  '--no-proxy-server',
]

/**
 * Opens one, to be closed when the file ends; null where it is to be skipped. Called at the top of a test file, outside of hooks: an
 * installation takes longer than a hook may. Its profile is a new folder below the temporary one.
 */
export async function openBrowser(): Promise<Browser | null> {
  if (isSkipping()) {
    if (process.env.CI)
      throw new Error('SKIP_BROWSER is not for continuous integration: the tests in the browser must run there.')
    process.stderr.write('SKIP_BROWSER is set: what is tested in the browser is left out.\n')
    return null
  }
  const executablePath = await chromiumPath()
  const browser = await inSandboxWherePossible(isRoot, (chromiumSandbox) =>
    chromium.launch({ executablePath, headless: true, chromiumSandbox, args: FLAGS }),
  )
  afterAll(() => browser.close())
  return browser
}

/** Chromium refuses to start a sandbox as root, and cannot in a container without user namespaces. The pages are ours either way. */
export async function inSandboxWherePossible<T>(asRoot: boolean, launch: (isSandboxed: boolean) => Promise<T>) {
  if (asRoot) return launch(false)
  try {
    return await launch(true)
  } catch (error) {
    if (!/sandbox/i.test(String(error))) throw error
    return launch(false)
  }
}
