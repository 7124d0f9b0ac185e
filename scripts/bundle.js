// A program of TypeScript in one file that Node runs as it is, for tests and the bench, which start processes of their own: one that loads its
// parts one by one takes seconds to start.

import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { OUTSIDE, REQUIRE } from './build.js'

const checkout = fileURLToPath(new URL('../', import.meta.url))

/** Named by its file, which has all of it in the order in which it is used; by its name it comes as seven hundred files. */
const TYPEBOX = join(checkout, 'node_modules', 'typebox', 'build', 'index.mjs')

/**
 * `contents` is a module in the checkout's root. The program, whose path comes back, exports what that does. It stands in a tree like a
 * release's, in the empty folder `home`: programs look for their migrations and their version beside themselves.
 */
export async function bundleInto(home, contents) {
  const folder = join(home, 'dist')
  mkdirSync(folder)
  for (const name of ['node_modules', 'migrations', 'demo', 'package.json'])
    symlinkSync(join(checkout, name), join(home, name))
  const outfile = join(folder, 'program.mjs')
  const stdin = { contents, resolveDir: checkout }
  // With its packages, as a release: finding and reading their files was a third of a start.
  const common = { bundle: true, platform: 'node', format: 'esm', logLevel: 'silent' }
  await build({ ...common, external: OUTSIDE, banner: { js: REQUIRE }, alias: { typebox: TYPEBOX }, stdin, outfile })
  return outfile
}
