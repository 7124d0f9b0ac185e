// Bundles a TypeScript program into one file that Node runs directly. Tests and the bench start such programs, because loading the parts
// one by one takes seconds.

import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { OUTSIDE, REQUIRE } from './build.js'

const checkout = fileURLToPath(new URL('../', import.meta.url))

/** This file contains all of typebox in loading order; the package name would resolve to seven hundred files. */
const TYPEBOX = join(checkout, 'node_modules', 'typebox', 'build', 'index.mjs')

/**
 * `contents` is a module in the checkout's root. Returns the path of the program, which has the same exports. The empty folder `home` is
 * laid out like a release, because programs look up migrations and version beside themselves.
 */
export async function bundleInto(home, contents) {
  const folder = join(home, 'dist')
  mkdirSync(folder)
  for (const name of ['node_modules', 'migrations', 'demo', 'package.json'])
    symlinkSync(join(checkout, name), join(home, name))
  const outfile = join(folder, 'program.mjs')
  const stdin = { contents, resolveDir: checkout }
  // Packages are bundled as in a release: finding and reading their files took a third of the start.
  const common = { bundle: true, platform: 'node', format: 'esm', logLevel: 'silent' }
  await build({ ...common, external: OUTSIDE, banner: { js: REQUIRE }, alias: { typebox: TYPEBOX }, stdin, outfile })
  return outfile
}
