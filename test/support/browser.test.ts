// The browser of the tests: it is found, or refused with a clear message, and can reach only this machine.

import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { servePage } from '../sdk/surroundings.ts'
import { inSandboxWherePossible, isBrowserSkipped, openBrowser } from './browser.ts'
import { chromiumPath, INSTALLATION } from './chromium.ts'

const browser = await openBrowser()
const pageUrl = await servePage()
const folder = await mkdtemp(join(tmpdir(), 'cartwright-browser-'))
afterAll(() => rm(folder, { recursive: true, force: true }))
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
    // The browser resolves this name itself. It is this machine, but not under an allowed name.
    const otherName = pageUrl.replace('localhost', 'outside.localhost')
    expect(await reaches(otherName)).toBe(false)
    await expect(page?.goto(otherName)).rejects.toThrow('ERR_NAME_NOT_RESOLVED')
    await page?.close()
  })

  it('is not skipped in continuous integration', async () => {
    vi.stubEnv('SKIP_BROWSER', '1')
    vi.stubEnv('CI', '')
    expect(await openBrowser()).toBeNull()
    vi.stubEnv('CI', 'true')
    await expect(openBrowser()).rejects.toThrow('SKIP_BROWSER is not for continuous integration')
  })

  it.skipIf(isBrowserSkipped)('is not skipped by a SKIP_BROWSER that says no, and is one for all files', async () => {
    for (const no of ['', '0', 'false', 'No']) {
      vi.stubEnv('SKIP_BROWSER', no)
      expect(await openBrowser()).toBe(browser)
    }
  })

  it('is started without a sandbox where there can be none, and fails with any other failure', async () => {
    const tried: boolean[] = []
    const launch = (failure: string) => async (isSandboxed: boolean) => {
      tried.push(isSandboxed)
      if (isSandboxed) throw new Error(failure)
      return 'a browser'
    }
    expect(await inSandboxWherePossible(false, launch('Chromium sandboxing failed!'))).toBe('a browser')
    expect(await inSandboxWherePossible(true, launch(''))).toBe('a browser')
    await expect(inSandboxWherePossible(false, launch('no memory'))).rejects.toThrow('no memory')
    expect(tried).toEqual([true, false, false, true])
  })
})

describe('which browser it is', () => {
  const NONE =
    /^The tests need a Chromium: install the package "chromium" \(Debian\) or Google Chrome, or name one in CHR/
  const DEBIAN = 'PRETTY_NAME="Debian GNU/Linux 12"\nID=debian\n'
  const bare = {
    isRoot: true,
    osRelease: DEBIAN,
    places: [] as string[],
    install: (): Promise<void> => Promise.reject(new Error('It was installed.')),
  }
  beforeEach(() => vi.stubEnv('CHROMIUM_PATH', ''))

  it('is the one that CHROMIUM_PATH names, which must be a program', async () => {
    vi.stubEnv('CHROMIUM_PATH', process.execPath)
    expect(await chromiumPath(bare)).toBe(process.execPath)
    vi.stubEnv('CHROMIUM_PATH', '/none')
    await expect(chromiumPath(bare)).rejects.toThrow('CHROMIUM_PATH names /none, which is no program.')
  })

  it('is the first that tells its version, and no script that only says where to get one', async () => {
    const stub = await script('chromium-browser', 'echo "install the snap 2.0 first"; exit 10')
    const silent = await script('chromium', 'exit 0')
    expect(await chromiumPath({ ...bare, places: ['/none', stub, silent, process.execPath] })).toBe(process.execPath)
  })

  it('is told how to be got where there is none, it cannot be installed, or nothing came of that', async () => {
    await expect(chromiumPath({ ...bare, isRoot: false })).rejects.toThrow(NONE)
    for (const osRelease of ['', 'ID=fedora\n', 'ID=ubuntu\nID_LIKE=debian\n', 'ID=x\nID_LIKE="ubuntu debian"\n'])
      await expect(chromiumPath({ ...bare, osRelease })).rejects.toThrow(NONE)
    await expect(chromiumPath({ ...bare, install: async () => undefined })).rejects.toThrow(NONE)
  })

  it('is installed for root on Debian', async () => {
    await expect(chromiumPath(bare)).rejects.toThrow('It was installed.')
    await expect(chromiumPath({ ...bare, osRelease: 'ID=raspbian\nID_LIKE=debian\n' })).rejects.toThrow('It was inst')
    const places: string[] = []
    const install = async () => void places.push(process.execPath)
    expect(await chromiumPath({ ...bare, places, install })).toBe(process.execPath)
  })

  it('is installed once the lists of packages are free, or from those that are there', async () => {
    const options = '-qq -o=DPkg::Lock::Timeout=300 -o=Dpkg::Use-Pty=0'
    const [update, pause] = [`apt-get ${options} update`, 'sleep 10']
    const install = `apt-get ${options} install -y --no-install-recommends chromium-headless-shell`
    expect(await installing('exit 0')).toEqual([0, update, install])
    expect(await installing('[ "$try" -lt 3 ] && exit 100; exit 0')).toEqual([
      0,
      update,
      pause,
      update,
      pause,
      update,
      install,
    ])
    const locked = Array.from({ length: 5 }, () => [update, pause]).flat()
    expect(await installing('exit 100')).toEqual([0, ...locked, update, install])
  })

  it('is the whole Chromium where there is no package of its headless shell', async () => {
    const steps = await installing('exit 0', 'case "$*" in *-shell) exit 100 ;; esac')
    expect(steps).toEqual([
      0,
      expect.stringMatching(/update$/),
      expect.stringMatching(/shell$/),
      expect.stringMatching(/ chromium$/),
    ])
  })
})

async function script(name: string, text: string): Promise<string> {
  const path = join(await mkdtemp(join(folder, 'bin-')), name)
  await writeFile(path, `#!/bin/sh\n${text}\n`, { mode: 0o755 })
  return path
}

/**
 * Returns the exit code and the calls of an installation. `onUpdate` decides by its `$try` how `apt-get update` behaves. The script finds
 * no other program of the machine.
 */
async function installing(onUpdate: string, onInstall = ''): Promise<(number | string)[]> {
  const count = 'try=0; while read -r line; do case "$line" in *update) try=$((try + 1)) ;; esac; done <"$0.log"'
  const apt = await script(
    'apt-get',
    `echo "apt-get $*" >>"$0.log"\n[ "$4" = update ] || { ${onInstall || ':'}; exit 0; }\n${count}\n${onUpdate}`,
  )
  await writeFile(join(dirname(apt), 'sleep'), `#!/bin/sh\necho "sleep $*" >>"${apt}.log"\n`, { mode: 0o755 })
  const code = await new Promise<number>((resolve) => {
    const child = execFile('/bin/sh', ['-c', INSTALLATION], { env: { PATH: dirname(apt) } }, () =>
      resolve(child.exitCode ?? -1),
    )
  })
  return [code, ...(await readFile(`${apt}.log`, 'utf8')).trim().split('\n')]
}
