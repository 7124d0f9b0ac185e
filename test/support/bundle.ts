// A program of TypeScript in one file, for tests that start processes of their own (scripts/bundle.js).

import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { inject } from 'vitest'

type Bundler = { bundleInto(home: string, contents: string): Promise<string> }
const { bundleInto }: Bundler = await import(new URL('../../scripts/bundle.js', import.meta.url).href)

/** `contents` is a module in the checkout's root. The program, whose path comes back, exports what that does. It is gone after the run. */
export const bundle = (contents: string): Promise<string> =>
  bundleInto(mkdtempSync(join(inject('sharedFolder'), 'program-')), contents)
