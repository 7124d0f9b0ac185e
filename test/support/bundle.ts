// Bundles a TypeScript program into one file, for tests that start their own processes (scripts/bundle.js).

import { createHash } from 'node:crypto'
import { existsSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { inject } from 'vitest'

type Bundler = { bundleInto(home: string, contents: string): Promise<string> }
const { bundleInto }: Bundler = await import(new URL('../../scripts/bundle.js', import.meta.url).href)

/**
 * `contents` is a module in the checkout's root. Returns the path of the program, which has the same exports. The first test file builds
 * the program and all others reuse it. It is deleted after the run.
 */
export async function bundle(contents: string): Promise<string> {
  const shared = inject('sharedFolder')
  const home = join(shared, `program-${createHash('sha256').update(contents).digest('hex').slice(0, 16)}`)
  const program = join(home, 'dist', 'program.mjs')
  if (existsSync(home)) return program
  const made = mkdtempSync(join(shared, 'making-'))
  await bundleInto(made, contents)
  try {
    renameSync(made, home)
  } catch {
    // Another process was faster: rename does not replace a folder that is not empty.
    rmSync(made, { recursive: true, force: true })
  }
  return program
}
