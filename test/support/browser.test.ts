// What the browser of the tests is: found or refused with a sentence, and cut off from everything but this machine.

import { afterEach, describe, expect, it, vi } from 'vitest'
import { servePage } from '../sdk/surroundings.ts'
import { isBrowserSkipped, openBrowser } from './browser.ts'
import { chromiumPath } from './chromium.ts'

const browser = await openBrowser()
const pageUrl = await servePage()
afterEach(() => vi.unstubAllEnvs())

describe('the browser', () => {
  it.skipIf(isBrowserSkipped)('reaches this machine and nothing else', async () => {
    const page = await browser?.newPage()
    await page?.goto(pageUrl)
    const reaches = (url: string) =>
      page?.evaluate(
        (address) =>
          fetch(address, { mode: 'no-cors' }).then(
            () => true,
            () => false,
          ),
        url,
      )
    expect(await reaches(pageUrl)).toBe(true)
    // A name that a browser finds by itself: this very machine, but not under a name that is allowed.
    const otherName = pageUrl.replace('localhost', 'outside.localhost')
    expect(await reaches(otherName)).toBe(false)
    await expect(page?.goto(otherName)).rejects.toThrow('ERR_NAME_NOT_RESOLVED')
  })

  it('is not skipped in continuous integration', async () => {
    vi.stubEnv('SKIP_BROWSER', '1')
    vi.stubEnv('CI', '')
    expect(await openBrowser()).toBeNull()
    vi.stubEnv('CI', 'true')
    await expect(openBrowser()).rejects.toThrow('SKIP_BROWSER is not for continuous integration')
  })

  it('is the one that CHROMIUM_PATH names, which must be a program', async () => {
    vi.stubEnv('CHROMIUM_PATH', process.execPath)
    expect(await chromiumPath()).toBe(process.execPath)
    vi.stubEnv('CHROMIUM_PATH', '/none')
    await expect(chromiumPath()).rejects.toThrow('CHROMIUM_PATH names /none, which is no program.')
  })
})
