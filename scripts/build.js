// Compiles src/ into dist/, and only when src/ is not what dist/ was made from.
// Into a folder of its own that then takes dist's place, so that a build that dies leaves no half of one, and of two at once
// only the first takes the place: by then a process may be loading from it.

import { spawnSync } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../', import.meta.url))
const dist = join(root, 'dist')
const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc')

export function buildIfStale() {
  const wanted = sourceHash()
  if (isBuiltFrom(wanted)) return
  const problem = build(wanted)
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
function build(hash) {
  if (!existsSync(compiler))
    return 'Cartwright must be built first and the compiler is not installed: run npm ci (without --omit=dev).'
  const fresh = join(root, `dist-${randomBytes(6).toString('hex')}`)
  const former = `${fresh}-former`
  try {
    // Not mkdtemp, which makes a folder that only its owner can read: who can read src can run what is made of it.
    mkdirSync(fresh)
    const { status } = spawnSync(process.execPath, [compiler, '-p', 'tsconfig.build.json', '--outDir', fresh], {
      cwd: root,
      stdio: ['ignore', 2, 2],
    })
    if (status !== 0) return 'The build failed; the messages above say why.'
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

function sourceHash() {
  const hash = createHash('sha256')
  const files = ['tsconfig.json', 'tsconfig.build.json', 'package.json', ...filesBelow('src')]
  for (const file of files)
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

if (process.argv[1] === fileURLToPath(import.meta.url)) buildIfStale()
