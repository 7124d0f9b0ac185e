// Which browser the tests use: the one that CHROMIUM_PATH names, one that is installed, or, for root on Debian and Ubuntu, one that is
// installed now. Otherwise one sentence that says how to get one.

import { execFile } from 'node:child_process'
import { accessSync, constants, existsSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'microsoft-edge', 'msedge']

const APPLICATIONS = [
  'Chromium.app/Contents/MacOS/Chromium',
  'Google Chrome.app/Contents/MacOS/Google Chrome',
  'Microsoft Edge.app/Contents/MacOS/Microsoft Edge',
]

const USUAL_PLACES = [
  ...['/Applications', join(homedir(), 'Applications')].flatMap((folder) =>
    APPLICATIONS.map((application) => join(folder, application)),
  ),
  '/snap/bin/chromium',
  '/opt/google/chrome/chrome',
  '/opt/microsoft/msedge/msedge',
]

const HOW_TO_GET_ONE =
  'The tests need a Chromium: install the package "chromium" (Debian, Ubuntu) or Google Chrome, or name one in CHROMIUM_PATH. ' +
  'SKIP_BROWSER=1 leaves those tests out, on your own machine.'

export const isRoot = process.getuid?.() === 0

/** The path of one that can be started. */
export async function chromiumPath(): Promise<string> {
  const named = process.env.CHROMIUM_PATH
  if (named) {
    if (!isProgram(named)) throw new Error(`CHROMIUM_PATH names ${named}, which is no program.`)
    return named
  }
  const found = findChromium()
  if (found !== null) return found
  if (!isRoot || !existsSync('/usr/bin/apt-get')) throw new Error(HOW_TO_GET_ONE)
  await install()
  const installed = findChromium()
  if (installed === null) throw new Error(HOW_TO_GET_ONE)
  return installed
}

function findChromium(): string | null {
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '')
  const places = [...folders.flatMap((folder) => NAMES.map((name) => join(folder, name))), ...USUAL_PLACES]
  return places.find(isProgram) ?? null
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/**
 * Under a lock, because test files run in several processes: the second one waits, and then finds it installed. The exit of the first
 * frees the lock, however it ends.
 */
async function install(): Promise<void> {
  const quiet = '-qq -o=DPkg::Lock::Timeout=300 -o=Dpkg::Use-Pty=0'
  const commands = [
    'command -v chromium >/dev/null && exit 0',
    `apt-get ${quiet} update && apt-get ${quiet} install -y --no-install-recommends chromium`,
  ]
  process.stderr.write('There is no Chromium here: installing the package "chromium", once.\n')
  const args = [join(tmpdir(), 'cartwright-install-chromium.lock'), 'sh', '-c', commands.join('\n')]
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  await new Promise<void>((resolve, reject) => {
    execFile('flock', args, { env, timeout: 600_000, maxBuffer: 64 * 1024 ** 2 }, (error, stdout, stderr) => {
      if (error === null) return resolve()
      process.stderr.write(`${stdout}${stderr}`)
      reject(new Error(`The package "chromium" cannot be installed. ${HOW_TO_GET_ONE}`))
    })
  })
}
