// Which browser the tests use: the one that CHROMIUM_PATH names, one that is installed, or, for root on Debian, one that is installed now.
// Otherwise one sentence that says how to get one.

import { execFile } from 'node:child_process'
import { accessSync, constants, readFileSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'

/** The headless shell comes first: it draws the same pages with half of the CPU. */
const NAMES = [
  'chromium-headless-shell',
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
  'microsoft-edge',
  'msedge',
]

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
  'The tests need a Chromium: install the package "chromium" (Debian) or Google Chrome, or name one in CHROMIUM_PATH. ' +
  'SKIP_BROWSER=1 leaves those tests out, on your own machine.'

export const isRoot = process.getuid?.() === 0

/** What is asked of the machine, so that tests can be on another one. */
export type Machine = {
  readonly isRoot: boolean
  /** /etc/os-release; empty where there is none. */
  readonly osRelease: string
  /** Where one may be, in the order of preference. */
  readonly places: readonly string[]
  install(): Promise<void>
}

const thisMachine = (): Machine => ({
  isRoot,
  osRelease: osRelease(),
  places: [
    ...(process.env.PATH ?? '')
      .split(delimiter)
      .filter((folder) => folder !== '')
      .flatMap((folder) => NAMES.map((name) => join(folder, name))),
    ...USUAL_PLACES,
  ],
  install: installOnce,
})

/** The path of one that can be started. */
export async function chromiumPath(machine: Machine = thisMachine()): Promise<string> {
  const named = process.env.CHROMIUM_PATH
  if (named) {
    if (!isProgram(named)) throw new Error(`CHROMIUM_PATH names ${named}, which is no program.`)
    return named
  }
  const found = await findChromium(machine)
  if (found !== null) return found
  if (!machine.isRoot || !hasPackage(machine)) throw new Error(HOW_TO_GET_ONE)
  await machine.install()
  const installed = await findChromium(machine)
  if (installed === null) throw new Error(HOW_TO_GET_ONE)
  return installed
}

async function findChromium({ places }: Machine): Promise<string | null> {
  for (const place of places) if (isProgram(place) && (await tellsItsVersion(place))) return place
  return null
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** Ubuntu puts a script in the place of the browser, which only says that there is none without snap. */
const tellsItsVersion = (path: string): Promise<boolean> =>
  new Promise((resolve) => {
    execFile(path, ['--version'], { timeout: 30_000 }, (error, stdout) =>
      resolve(error === null && /\d+\.\d+/.test(stdout)),
    )
  })

/** Debian and what follows it; of those Ubuntu, and what follows that, has the script alone. */
const hasPackage = ({ osRelease }: Machine): boolean =>
  /^ID(_LIKE)?=.*\bdebian\b/m.test(osRelease) && !/^ID(_LIKE)?=.*\bubuntu\b/m.test(osRelease)

function osRelease(): string {
  try {
    return readFileSync('/etc/os-release', 'utf8')
  } catch {
    return ''
  }
}

/**
 * A machine that has just been started often fetches its lists of packages by itself, and apt waits for that lock in no way: `update` then
 * fails at once. So it is tried for a minute. And the lists that are there may do: `install` decides.
 */
export const INSTALLATION = `
quiet='-qq -o=DPkg::Lock::Timeout=300 -o=Dpkg::Use-Pty=0'
for name in chromium-headless-shell chromium; do $name --version >/dev/null 2>&1 && exit 0; done
for try in 1 2 3 4 5 6; do
  apt-get $quiet update && break
  [ "$try" = 6 ] || sleep 10
done
apt-get $quiet install -y --no-install-recommends chromium-headless-shell ||
  apt-get $quiet install -y --no-install-recommends chromium
`

/**
 * Under a lock, because test files run in several processes: the second one waits, and then finds it installed. The exit of the first
 * frees the lock, however it ends.
 */
async function installOnce(): Promise<void> {
  process.stderr.write('There is no Chromium here: installing the package "chromium", once.\n')
  const args = [join(tmpdir(), 'cartwright-install-chromium.lock'), 'sh', '-c', INSTALLATION]
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  await new Promise<void>((resolve, reject) => {
    execFile('flock', args, { env, timeout: 900_000, maxBuffer: 64 * 1024 ** 2 }, (error, stdout, stderr) => {
      if (error === null) return resolve()
      process.stderr.write(`${stdout}${stderr}`)
      reject(new Error(`The package "chromium" cannot be installed. ${HOW_TO_GET_ONE}`))
    })
  })
}
