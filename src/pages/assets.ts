// What browsers load besides the page itself: scripts and style sheets, as the build has made them of web/ (scripts/build.js). Their names change
// with what is in them, so that a browser keeps them for good. They are read once, at the start: nothing of a request becomes a path.

import { readFileSync } from 'node:fs'
import { extname } from 'node:path'
import type { BuiltFile } from '../http/files/built.ts'
import { ROOT } from '../root.ts'

/** Where they are served. */
export const ASSETS_PATH = '/checkout-assets'

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
}

type Assets = {
  /** By the names that pages use (`checkout.css`). */
  readonly names: ReadonlyMap<string, string>
  /** By the names under which they are served. */
  readonly files: ReadonlyMap<string, BuiltFile>
}

let kept: Assets | null = null

const assets = (): Assets => {
  kept ??= readAssets(new URL('dist/web/', ROOT))
  return kept
}

/** All of them, to be served below `ASSETS_PATH`. */
export const assetFiles = (): ReadonlyMap<string, BuiltFile> => assets().files

/** Where a page finds a file: `checkout.css`, `enhance.js`, `stripe.js`. Null for one that was not built: the page does without. */
export function assetPath(name: string): string | null {
  const built = assets().names.get(name)
  return built === undefined ? null : `${ASSETS_PATH}/${built}`
}

/** Of a folder as the build makes it. Where there is none, as in tests that have built nothing, there are no files. */
export function readAssets(folder: URL): Assets {
  const manifest = readIfThere(new URL('manifest.json', folder))
  const names = new Map(
    Object.entries(manifest === null ? {} : (JSON.parse(manifest.toString()) as Record<string, string>)),
  )
  const files = new Map([...names.values()].map((name) => [name, readBuilt(folder, name)]))
  return { names, files }
}

const readBuilt = (folder: URL, name: string): BuiltFile => ({
  type: TYPES[extname(name)] ?? 'application/octet-stream',
  plain: readFileSync(new URL(name, folder)),
  gzip: readFileSync(new URL(`${name}.gz`, folder)),
  br: readFileSync(new URL(`${name}.br`, folder)),
})

function readIfThere(file: URL): Buffer | null {
  try {
    return readFileSync(file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}
