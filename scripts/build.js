// Compiles src/ into dist/, and only when src/ is not what dist/ was made from.
// Into a folder of its own that then takes dist's place, so that a build that dies or runs twice at once leaves no half of one.

import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../', import.meta.url))
const dist = join(root, 'dist')
const stamp = join(dist, 'source-hash')

export function buildIfStale() {
  const wanted = sourceHash()
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return
  build(wanted)
}

function build(hash) {
  const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc')
  if (!existsSync(compiler)) {
    console.error('Cartwright must be built first and the compiler is not installed: run npm ci (without --omit=dev).')
    process.exit(1)
  }
  const fresh = mkdtempSync(join(root, 'dist-'))
  try {
    const { status } = spawnSync(process.execPath, [compiler, '-p', 'tsconfig.build.json', '--outDir', fresh], {
      cwd: root,
      stdio: ['ignore', 2, 2],
    })
    if (status !== 0) {
      console.error('The build failed; the messages above say why.')
      process.exit(1)
    }
    writeFileSync(join(fresh, 'source-hash'), hash)
    rmSync(dist, { recursive: true, force: true })
    renameSync(fresh, dist)
  } catch (error) {
    // Another build finished in the same moment and its folder stands in the place of ours.
    if (!['ENOTEMPTY', 'EEXIST'].includes(error.code)) throw error
  } finally {
    rmSync(fresh, { recursive: true, force: true })
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
