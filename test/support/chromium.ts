// Finds the browser: CHROMIUM_PATH, then an installed one, then Debian's package if root. Otherwise an error says how to get one.

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

/** Facts about the machine, so that tests can simulate another one. */
export type Machine = {
  readonly isRoot: boolean
  /** /etc/os-release; empty if there is none. */
  readonly osRelease: string
  /** Candidate paths, in order of preference. */
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

/** Returns the path of a browser that can be started. */
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

/** Ubuntu ships a script in place of the browser, which only says that the snap is missing. */
const tellsItsVersion = (path: string): Promise<boolean> =>
  new Promise((resolve) => {
    execFile(path, ['--version'], { timeout: 30_000 }, (error, stdout) =>
      resolve(error === null && /\d+\.\d+/.test(stdout)),
    )
  })

/** True for Debian and its derivatives. Ubuntu and its derivatives have only the script. */
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
 * A freshly started machine often updates its package lists by itself. apt does not wait for that lock, so `update` fails at once. Retry
 * for a minute. After that the existing lists may be enough, and `install` decides.
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
 * Runs under a lock, because test files run in several processes: the second waits and then finds the browser. The first frees the lock
 * however it exits.
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
