// The release this program is, read from its own package, and the build, read from beside it.

import { readFileSync } from 'node:fs'
import { ROOT } from './root.ts'

const { version } = JSON.parse(readFileSync(new URL('package.json', ROOT), 'utf8')) as { version: string }

export const release: string = version

/** The name of what the program was made of. Two builds of one release may write the same thing differently. */
export const build: string = readBuild() ?? release

/** scripts/build.js writes it. Null where the program runs as it was written, without a build. */
function readBuild(): string | null {
  try {
    return readFileSync(new URL('dist/source-hash', ROOT), 'utf8').slice(0, 16)
  } catch {
    return null
  }
}
