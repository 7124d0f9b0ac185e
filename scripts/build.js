// Turns src/ into dist/, file by file, and only when src/ is not what dist/ was made from. It removes the types and checks none: that is
// the tests' part, and takes ten times as long.
// Into a folder of its own that then takes dist's place, so that a build that dies leaves no half of one, and of two at once
// only the first takes the place: by then a process may be loading from it.

import { createHash, randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../', import.meta.url))
const source = join(root, 'src')
const dist = join(root, 'dist')

/** Comes as seven hundred files, and loading them one by one was a third of a start: in dist/ it is one. */
const GATHERED = 'typebox'

export async function buildIfStale() {
  const wanted = sourceHash()
  if (isBuiltFrom(wanted)) return
  const line = 'Building …'
  const show = (text) => process.stderr.isTTY && process.stderr.write(`\r${text}\r`)
  // As the commands say what they are doing, at a terminal alone (src/cli/progress.ts).
  show(line)
  const problem = await build(wanted)
  show(' '.repeat(line.length))
  if (problem === null) return
  console.error(problem)
  process.exit(1)
}

function isBuiltFrom(hash) {
  try {
    return readFileSync(join(dist, 'source-hash'), 'utf8') === hash
  } catch {
    return false
  }
}

/** Returns null, or a sentence that says why there is no build. */
async function build(hash) {
  const fresh = join(root, `dist-${randomBytes(6).toString('hex')}`)
  const former = `${fresh}-former`
  try {
    // Not mkdtemp, which makes a folder that only its owner can read: who can read src can run what is made of it.
    mkdirSync(fresh)
    if (!(await compileInto(fresh))) return 'The build failed; the messages above say why.'
    writeFileSync(join(fresh, 'source-hash'), hash)
    if (isBuiltFrom(hash)) return null
    if (existsSync(dist)) renameSync(dist, former)
    renameSync(fresh, dist)
    return null
  } catch (error) {
    // Another build may have finished in the same moment; its folder then stands in the place of ours.
    return isBuiltFrom(hash) ? null : `Cartwright must be built first and that failed: ${error.message}.`
  } finally {
    for (const folder of [fresh, former]) rmSync(folder, { recursive: true, force: true })
  }
}

/** False where the source is wrong, which esbuild has told by then. Everything else that goes wrong is thrown. */
async function compileInto(folder) {
  // Loaded here: where nothing is to be built it need not be there.
  const esbuild = await import('esbuild')
  const common = { bundle: true, format: 'esm', platform: 'node', target: 'node20', absWorkingDir: root }
  const files = {
    ...common,
    entryPoints: filesBelow('src').filter((file) => file.endsWith('.ts')),
    outbase: source,
    outdir: folder,
    packages: 'external',
    plugins: [{ name: 'file by file', setup: keepImports }],
  }
  const gathered = { ...common, entryPoints: [GATHERED], outfile: join(folder, `${GATHERED}.js`) }
  try {
    await Promise.all([esbuild.build(files), esbuild.build(gathered)])
    return true
  } catch (error) {
    if (Array.isArray(error.errors)) return false
    throw error
  } finally {
    await esbuild.stop()
  }
}

/** What a file imports stays a file of its own, under the name that it has in dist/. */
function keepImports({ onResolve }) {
  onResolve({ filter: /^\.\.?\/.*\.ts$/ }, ({ kind, path }) =>
    kind === 'entry-point' ? undefined : { path: path.replace(/\.ts$/, '.js'), external: true },
  )
  onResolve({ filter: new RegExp(`^${GATHERED}$`) }, ({ importer }) => {
    const path = relative(dirname(importer), join(source, `${GATHERED}.js`))
    return { path: path.startsWith('.') ? path : `./${path}`, external: true }
  })
}

function sourceHash() {
  const hash = createHash('sha256')
  for (const file of ['tsconfig.json', 'package.json', 'scripts/build.js', ...filesBelow('src')])
    hash
      .update(`${file}\0`)
      .update(readFileSync(join(root, file)))
      .update('\0')
  return hash.digest('hex')
}

const filesBelow = (folder) =>
  readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length))
    .sort()

if (process.argv[1] === fileURLToPath(import.meta.url)) await buildIfStale()
