// Bundles that tests load instead of hundreds of files, which takes seconds. They are cached with the packages, keyed by their content.

import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { type BuildOptions, buildSync, build as buildWithPlugins, type Plugin } from 'esbuild'

const root = fileURLToPath(new URL('../../', import.meta.url))
const packages = join(root, 'node_modules')
/** Below node_modules, so that Node loads the content like a package. */
const kept = join(packages, '.cache', 'tests')
const source = join(root, 'src')

const COMMON = { bundle: true, format: 'esm', platform: 'node', logLevel: 'warning' } satisfies BuildOptions

/** Returns the path of a package bundled into one file. */
export function packageInOneFile(name: string): string {
  const { version } = JSON.parse(readFileSync(join(packages, name, 'package.json'), 'utf8')) as { version: string }
  const file = join(kept, `${name}-${version}.mjs`)
  if (existsSync(file)) return file
  mkdirSync(kept, { recursive: true })
  // Rename makes the file appear as a whole: another run may look for it at the same moment.
  const made = join(kept, `${name}-${process.pid}.mjs`)
  buildSync({ ...COMMON, entryPoints: [join(packages, name)], outfile: made })
  renameSync(made, file)
  return file
}

/**
 * Packages that tests patch for a moment (sent.ts): test and service must load the same copy. All other packages of the service are
 * bundled, as in a release: finding and reading them took a third of the load time.
 */
const REACHED_INTO = ['pg', 'pg-*']

type Release = { OUTSIDE: readonly string[]; REQUIRE: string }

/** Loading main.ts runs the command, which no test may do. */
const isProgram = (path: string) => path === 'main.ts'

/**
 * Returns a folder with a small re-exporting file for each file of src. All of them import one bundle of src, so each module exists once,
 * whoever imports it.
 */
export async function sourceInOneFile(): Promise<string> {
  const files = readdirSync(source, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => relative(source, join(entry.parentPath, entry.name)))
    .filter((path) => !isProgram(path))
    .sort()
  const folder = join(kept, `src-${hashOf(files)}`)
  if (existsSync(folder)) return folder
  forgetFormer()
  const made = join(kept, `src-making-${process.pid}`)
  mkdirSync(made, { recursive: true })
  const names = await exportsOf(files)
  const whole = files.map(
    (path, place) =>
      `export { ${names[place]?.map((name) => `${name} as ${numbered(name, place)}`).join(', ')} } from ${JSON.stringify(`./${path}`)}`,
  )
  const { OUTSIDE, REQUIRE }: Release = await import(pathToFileURL(join(root, 'scripts', 'build.js')).href)
  await buildWithPlugins({
    ...COMMON,
    stdin: { contents: whole.join('\n'), resolveDir: source },
    outfile: join(made, 'whole.mjs'),
    alias: { typebox: packageInOneFile('typebox') },
    external: [...OUTSIDE, ...REACHED_INTO],
    banner: { js: REQUIRE },
    sourcemap: 'inline',
    sourcesContent: false,
    plugins: [withOwnAddress],
  })
  for (const [place, path] of files.entries()) {
    const file = join(made, nameOf(path))
    mkdirSync(dirname(file), { recursive: true })
    const from = relative(dirname(file), join(made, 'whole.mjs'))
    const list = names[place]?.map((name) => `${numbered(name, place)} as ${name}`).join(', ')
    writeFileSync(file, `export { ${list} } from ${JSON.stringify(from.startsWith('.') ? from : `./${from}`)}\n`)
  }
  try {
    renameSync(made, folder)
  } catch (error) {
    // Another run has built the same bundle meanwhile.
    rmSync(made, { recursive: true })
    if (!existsSync(folder)) throw error
  }
  return folder
}

const numbered = (name: string, place: number) => `${name}_${place}`
const nameOf = (path: string) => path.replace(/\.ts$/, '.mjs')

/** Hashes the checkout's path too, because the bundle contains absolute paths. */
function hashOf(files: readonly string[]): string {
  const hash = createHash('sha256').update(root)
  const read = [
    import.meta.filename,
    join(root, 'scripts', 'build.js'),
    join(root, 'package-lock.json'),
    join(packages, 'typebox', 'package.json'),
    ...files.map((path) => join(source, path)),
  ]
  for (const path of read) hash.update(`${path}\0`).update(readFileSync(path)).update('\0')
  return hash.digest('hex').slice(0, 16)
}

/** Deletes bundles of former sources, unless a run may still be using them. */
function forgetFormer(): void {
  const DAY_MS = 86_400_000
  for (const name of existsSync(kept) ? readdirSync(kept) : [])
    if (name.startsWith('src-') && statSync(join(kept, name)).mtimeMs < Date.now() - DAY_MS)
      rmSync(join(kept, name), { recursive: true, force: true })
}

async function exportsOf(files: readonly string[]): Promise<string[][]> {
  const { metafile } = await buildWithPlugins({
    ...COMMON,
    // Mark all imports as external, to read each file's own exports only.
    plugins: [
      {
        name: 'alone',
        setup: ({ onResolve }) =>
          onResolve({ filter: /^\./ }, ({ kind }) => (kind === 'entry-point' ? null : { external: true })),
      },
    ],
    packages: 'external',
    entryPoints: files.map((path) => join(source, path)),
    outdir: join(kept, 'nowhere'),
    outbase: source,
    write: false,
    metafile: true,
  })
  const found = new Map(
    Object.values(metafile.outputs).map(({ entryPoint, exports }) => [resolve(entryPoint ?? ''), exports]),
  )
  return files.map((path) => found.get(join(source, path)) ?? [])
}

/** A file that looks up others through import.meta.url finds them relative to its source, not to the bundle. */
export const withOwnAddress: Plugin = {
  name: 'own address',
  setup({ onLoad, esbuild }) {
    onLoad({ filter: /\/src\/.*\.ts$/ }, async ({ path }) => {
      const contents = readFileSync(path, 'utf8')
      if (!contents.includes('import.meta.url')) return null
      // Not a text replacement, which would also change strings that contain these letters.
      const { code } = await esbuild.transform(contents, {
        loader: 'ts',
        sourcefile: path,
        sourcemap: 'inline',
        define: { 'import.meta.url': JSON.stringify(pathToFileURL(path).href) },
      })
      return { contents: code, loader: 'js' }
    })
  },
}

/** Vite plugin: resolves imports of src to that folder. */
export function fromOneFile(folder: string) {
  return {
    name: 'source in one file',
    enforce: 'pre' as const,
    resolveId(asked: string, importer: string | undefined) {
      if (!asked.startsWith('.') || importer === undefined) return null
      const path = relative(source, resolve(dirname(importer), asked))
      if (path.startsWith('..') || isProgram(path)) return null
      const file = join(folder, nameOf(path))
      return existsSync(file) ? file : null
    },
  }
}
