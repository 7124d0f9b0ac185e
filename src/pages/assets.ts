// Loads the scripts and style sheets of the checkout pages, which scripts/build.js builds from web/. Their names change
// with their content, so browsers cache them for ever. All files are read once, before the server accepts requests. A
// request can therefore only get a loaded file, never another path on disk.

import { readFileSync } from 'node:fs'
import { extname } from 'node:path'
import type { BuiltFile } from '../http/files/built.ts'
import { ROOT } from '../root.ts'

/** Path prefix of the built files. */
export const ASSETS_PATH = '/checkout-assets'

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
}

type Assets = {
  /** Built names, which contain a hash, by the names that pages use (`checkout.css`). */
  readonly names: ReadonlyMap<string, string>
  /** Files by their built names. */
  readonly files: ReadonlyMap<string, BuiltFile>
}

let loadedAssets: Assets | null = null

const assets = (): Assets => {
  loadedAssets ??= readAssets(new URL('dist/web/', ROOT))
  return loadedAssets
}

/** All built files, to be served below `ASSETS_PATH`. */
export const assetFiles = (): ReadonlyMap<string, BuiltFile> => assets().files

/** The path of a built file: `checkout.css`, `enhance.js`, `stripe.js`. Null if it was not built; the page then works without it. */
export function assetPath(name: string): string | null {
  const builtName = assets().names.get(name)
  return builtName === undefined ? null : `${ASSETS_PATH}/${builtName}`
}

/** Reads the folder that the build writes. Without it, as in tests, there are no files. */
export function readAssets(folder: URL): Assets {
  const manifest = readIfExists(new URL('manifest.json', folder))
  const names = new Map(
    Object.entries(manifest === null ? {} : (JSON.parse(manifest.toString()) as Record<string, string>)),
  )
  const files = new Map([...names.values()].map((name) => [name, readBuiltFile(folder, name)]))
  return { names, files }
}

const readBuiltFile = (folder: URL, name: string): BuiltFile => ({
  type: CONTENT_TYPES[extname(name)] ?? 'application/octet-stream',
  uncompressed: readFileSync(new URL(name, folder)),
  gzip: readFileSync(new URL(`${name}.gz`, folder)),
  br: readFileSync(new URL(`${name}.br`, folder)),
})

function readIfExists(file: URL): Buffer | null {
  try {
    return readFileSync(file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}
