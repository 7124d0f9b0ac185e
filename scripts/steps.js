// The steps of `npm run check`, `npm test` and `npm run proof`. Each step runs to its end even if another fails, and counts its results.

import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { constants, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { addUp, countReport, summary } from './test-counts.js'

export const root = fileURLToPath(new URL('../', import.meta.url))
const packages = join(root, 'node_modules')

/** Removed when the process ends. */
export const temporary = mkdtempSync(join(tmpdir(), 'cartwright-npm-test-'))
process.once('exit', () => rmSync(temporary, { recursive: true, force: true }))

export async function step(heading, work) {
  console.log(`\n== ${heading}`)
  const started = performance.now()
  const counts = await work()
  console.log(`== ${heading}: ${summary(counts)} in ${((performance.now() - started) / 1_000).toFixed(1)} s`)
  return counts
}

export const lint = () => step('Lint and format', () => program('@biomejs/biome/bin/biome', ['check', '.']))

/**
 * Browser and Node code have different global types, so there are two projects. Several checkers on two cores would repeat each other's
 * work.
 */
export const types = () =>
  step('Types', async () =>
    addUp([
      await program('typescript/bin/tsc', ['--noEmit', '--checkers', '1']),
      await program('typescript/bin/tsc', ['--noEmit', '-p', 'web']),
    ]),
  )

/** Runs a program that passes or fails as a whole, counted as one test. */
async function program(path, args) {
  const hasPassed = (await run(path, args)) === 0
  return { passed: hasPassed ? 1 : 0, failed: hasPassed ? 0 : 1, skipped: 0 }
}

/** Runs vitest and returns its counts, with its JSON report as `report`: null if vitest stopped before writing one. */
export async function vitest(projects, args, environment) {
  const file = join(temporary, `${projects.join('-')}.json`)
  const options = [
    'run',
    ...projects.flatMap((project) => ['--project', project]),
    '--passWithNoTests',
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${file}`,
  ]
  const status = await run('vitest/vitest.mjs', [...options, ...args], environment)
  const report = readReport(file)
  return { ...countReport(report, status), report }
}

function readReport(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return null
  }
}

/** Prints the closing line "N passed, N failed" and sets the exit code. */
export function finish(all) {
  const total = addUp(all)
  const hasTested = total.passed + total.failed > 0
  if (!hasTested) console.log('\nNo tests ran.')
  process.exitCode = total.failed > 0 || !hasTested ? 1 : 0
  console.log(`\n${summary(total)}`)
}

/** Returns the exit status. Scripts run through Node itself: not every kind of install creates links in .bin. */
function run(path, args, environment = {}) {
  const child = spawn(process.execPath, [join(packages, path), ...args], {
    cwd: root,
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  const stop = (signal) => {
    child.kill(signal)
    child.once('close', () => process.exit(128 + constants.signals[signal]))
  }
  process.on('SIGINT', stop).on('SIGTERM', stop)
  return new Promise((resolve, reject) => child.once('error', reject).once('close', resolve)).finally(() =>
    process.off('SIGINT', stop).off('SIGTERM', stop),
  )
}
