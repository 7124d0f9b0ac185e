// The golden bodies on disk, in bodies/: read whole, and rewritten whole when that is asked for.

import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { GoldenFiles } from './compare.ts'

const FOLDER = join(import.meta.dirname, 'bodies')

export function readGolden(): GoldenFiles {
  if (!existsSync(FOLDER)) return new Map()
  const names = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.json'))
  return new Map(names.sort().map((name) => [name, readFileSync(join(FOLDER, name), 'utf8')]))
}

export function writeGolden(files: GoldenFiles) {
  rmSync(FOLDER, { recursive: true, force: true })
  for (const [name, content] of files) {
    mkdirSync(dirname(join(FOLDER, name)), { recursive: true })
    writeFileSync(join(FOLDER, name), content)
  }
}

/** Continuous integration must find what has changed, never agree to it. */
export function isUpdating({ UPDATE_GOLDEN, CI }: NodeJS.ProcessEnv = process.env): boolean {
  if (!UPDATE_GOLDEN) return false
  if (CI)
    throw new Error('UPDATE_GOLDEN rewrites the golden bodies, which nobody would then look at: not where CI is set.')
  return true
}
