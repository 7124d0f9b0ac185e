// A program of TypeScript in one file, for tests that start processes of their own (scripts/bundle.js).

import { createHash } from 'node:crypto'
import { existsSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { inject } from 'vitest'

type Bundler = { bundleInto(home: string, contents: string): Promise<string> }
const { bundleInto }: Bundler = await import(new URL('../../scripts/bundle.js', import.meta.url).href)

/**
 * `contents` is a module in the checkout's root. The program, whose path comes back, exports what that does. The one that the first file has made is
 * that of all others; it is gone after the run.
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
    // Another was quicker. A folder that is not empty is not replaced.
    rmSync(made, { recursive: true, force: true })
  }
  return program
}
