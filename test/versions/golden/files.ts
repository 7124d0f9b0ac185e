// The golden bodies on disk, in bodies/: the newest body in full, and for each older version that differs the diff to the next newer one.

import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { GoldenFiles } from './compare.ts'
import { applyDiff, makeDiff } from './diff.ts'

const FOLDER = join(import.meta.dirname, 'bodies')

/** In the place of a version: the SDK, which names none. It is answered in the newest one, with the fields of all. */
export const SDK = 'sdk'

export const isOfSdk = (file: string) => file.endsWith(`@${SDK}.diff`)

/** The files as they are. */
export function readStored(): Map<string, string> {
  if (!existsSync(FOLDER)) return new Map()
  const names = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' }).filter((name) => /\.(json|diff)$/.test(name))
  return new Map(names.map((name) => [name, readFileSync(join(FOLDER, name), 'utf8')]))
}

/** The whole text of every file, the diffs applied. */
export const readGolden = (): GoldenFiles => expand(readStored())

export function writeGolden(files: GoldenFiles) {
  rmSync(FOLDER, { recursive: true, force: true })
  for (const [name, content] of shrink(files)) {
    mkdirSync(dirname(join(FOLDER, name)), { recursive: true })
    writeFileSync(join(FOLDER, name), content)
  }
}

/** Applies every diff. One that does not apply is an error which names the file. */
export function expand(stored: ReadonlyMap<string, string>): GoldenFiles {
  const whole = new Map<string, string>()
  for (const [name, newer] of withNewer(stored.keys())) {
    const text = stored.get(name) ?? ''
    whole.set(name, newer === null ? text : applied(text, name, whole.get(newer) ?? '', newer))
  }
  return whole
}

function applied(diff: string, name: string, text: string, newer: string): string {
  try {
    return applyDiff(text, diff)
  } catch (error) {
    throw new Error(`${name} does not apply to ${newer}. ${(error as Error).message}`)
  }
}

/** The other way round. */
export const shrink = (whole: GoldenFiles): Map<string, string> =>
  new Map(
    withNewer(whole.keys()).map(([name, newer]) => {
      const text = whole.get(name) ?? ''
      return [name, newer === null ? text : makeDiff(whole.get(newer) ?? '', text)]
    }),
  )

/** Each file after the one that its diff applies to: the next newer version's, or for the SDK the newest one. */
function withNewer(names: Iterable<string>): [name: string, newer: string | null][] {
  const byExchange = new Map<string, string[]>()
  for (const name of names) {
    const exchange = name.replace(/(@.*)?\.\w+$/, '')
    byExchange.set(exchange, [...(byExchange.get(exchange) ?? []), name])
  }
  return [...byExchange].sort().flatMap(([exchange, files]) => {
    const newest = `${exchange}.json`
    if (!files.includes(newest)) throw new Error(`${files.join(', ')}: there is no ${newest} that it could apply to.`)
    const ofSdk = files.filter(isOfSdk)
    const ofVersions = files
      .filter((name) => name !== newest && !ofSdk.includes(name))
      .sort()
      .reverse()
    return [
      [newest, null] as [string, null],
      ...ofSdk.map((name) => [name, newest] as [string, string]),
      ...ofVersions.map((name, index) => [name, ofVersions[index - 1] ?? newest] as [string, string]),
    ]
  })
}

/** The golden body of an exchange such as `carts.add` at a version, or for the SDK. `dates`: newest first. */
export function goldenText(files: GoldenFiles, exchange: string, version: string, dates: readonly string[]): string {
  const known = [...files.keys()].filter((name) => name.endsWith('.json')).map((name) => name.slice(0, -5))
  const path = exchange.replace('.', '/')
  if (!known.includes(path)) {
    const [resource = ''] = exchange.split('.')
    const near = known.filter((name) => name.startsWith(`${resource}/`)).map((name) => name.replace('/', '.'))
    const resources = [...new Set(known.map((name) => name.replace(/\/.*/, '')))]
    const list = near.length > 0 ? near : resources.map((name) => `${name}.…`)
    throw new Error(`There is no golden body of "${exchange}". There are: ${list.join(', ')}.`)
  }
  if (version !== SDK && !dates.includes(version))
    throw new Error(`There is no version "${version}". There are: ${[...dates, SDK].join(', ')}.`)
  const newer = version === SDK ? [SDK] : dates.slice(0, dates.indexOf(version) + 1).reverse()
  const holder = newer.map((date) => `${path}@${date}.diff`).find((name) => files.has(name))
  return files.get(holder ?? `${path}.json`) ?? ''
}

/** Continuous integration must find what has changed, never agree to it. */
export function isUpdating({ UPDATE_GOLDEN, CI }: NodeJS.ProcessEnv = process.env): boolean {
  if (!UPDATE_GOLDEN) return false
  if (CI)
    throw new Error('UPDATE_GOLDEN rewrites the golden bodies, which nobody would then look at: not where CI is set.')
  return true
}
