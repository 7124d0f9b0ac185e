// Everything CI runs: lint, the tests, the tenancy check over every statement that the tests sent, and types.
// All of it runs whatever fails, and the last line is "N passed, N failed". Arguments go to vitest: npm test -- test/api

import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { constants, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { addUp, countReport, summary } from './test-counts.js'

const root = fileURLToPath(new URL('../', import.meta.url))
const packages = join(root, 'node_modules')
const temporary = mkdtempSync(join(tmpdir(), 'cartwright-npm-test-'))
process.once('exit', () => rmSync(temporary, { recursive: true, force: true }))

const filters = process.argv.slice(2)
const statements = mkdtempSync(join(temporary, 'statements-'))

// Side by side: while the first tests are loaded, a core has nothing to do.
const [lint, suite] = await Promise.all([
  step('Lint and format', () => check('@biomejs/biome/bin/biome', ['check', '.'])),
  step('Tests', () => vitest(['api', 'suite', 'source'], filters, { CARTWRIGHT_TEST_STATEMENTS: statements })),
])
// What a partial or failed run left out was not necessarily forgotten.
const isComplete = filters.length === 0 && suite.failed === 0
// Side by side: the tests are one file, which leaves a core to the types.
const [tenancy, types] = await Promise.all([
  step('Tenancy of every statement the tests sent', () =>
    vitest(['tenancy'], [], {
      CARTWRIGHT_TEST_SENT: statements,
      ...(isComplete ? { CARTWRIGHT_TEST_IS_COMPLETE: '1' } : {}),
    }),
  ),
  step('Types', async () =>
    // Browsers know other things than Node does.
    addUp([
      await check('typescript/bin/tsc', ['--noEmit']),
      await check('typescript/bin/tsc', ['--noEmit', '-p', 'web']),
    ]),
  ),
])

const total = addUp([lint, types, suite, tenancy])
const hasTested = suite.passed + suite.failed > 0
if (!hasTested) console.log('\nNo tests ran.')
process.exitCode = total.failed > 0 || !hasTested ? 1 : 0
console.log(`\n${summary(total)}`)

async function step(heading, work) {
  console.log(`\n== ${heading}`)
  const started = performance.now()
  const counts = await work()
  console.log(`== ${heading}: ${summary(counts)} in ${((performance.now() - started) / 1_000).toFixed(1)} s`)
  return counts
}

/** A program that is right or wrong as a whole, counted as one test. */
async function check(program, args) {
  const hasPassed = (await run(program, args)) === 0
  return { passed: hasPassed ? 1 : 0, failed: hasPassed ? 0 : 1, skipped: 0 }
}

async function vitest(projects, args, environment) {
  const report = join(temporary, `${projects.join('-')}.json`)
  const options = [
    'run',
    ...projects.flatMap((project) => ['--project', project]),
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${report}`,
  ]
  const status = await run('vitest/vitest.mjs', [...options, ...args], environment)
  return countReport(readReport(report), status)
}

/** null where vitest did not get as far as writing one. */
function readReport(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return null
  }
}

/** The exit status. Started as a script of Node itself: links in .bin are not there after every kind of install. */
function run(program, args, environment = {}) {
  const child = spawn(process.execPath, [join(packages, program), ...args], {
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
