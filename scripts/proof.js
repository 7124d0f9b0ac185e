// `npm run proof`: the proofs of test/faults at full size, which takes some minutes, and the table of what they found in docs/proof.md.
// Arguments go to vitest (npm run proof -- races); then only the table is printed.

import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { constants, cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const PROVIDERS = ['stripe', 'square', 'razorpay', 'paypal']
const withEach = (id) => PROVIDERS.map((code) => `${id}-${code}`)

/** All there are, in the order of the table. One that is missing from a whole run has not been proven. */
const PROOFS = [
  ...['F1', ...withEach('F1'), 'F1b', 'F1c', 'F1d', 'F1e', ...withEach('F1e'), 'F1f'],
  ...['F2', 'F3', 'F4', 'F5', 'F6', ...withEach('F6'), 'F6-declines', 'F6-completer', 'F7', 'F7-providers', 'F8'],
  ...[
    'F9',
    'F10',
    'F11',
    'F13',
    'F13b',
    'F15',
    'L1',
    ...withEach('L1'),
    'L2',
    'L3',
    'L3b',
    'L4',
    'L5',
    'L6',
    'L7',
    'L8',
    'L9',
  ],
  ...['L10', 'L11', 'L12', 'L17', 'L18', 'X10', 'X17', 'X17-providers'],
]

const root = fileURLToPath(new URL('../', import.meta.url))
const page = join(root, 'docs', 'proof.md')
const temporary = mkdtempSync(join(tmpdir(), 'cartwright-proof-'))
process.once('exit', () => rmSync(temporary, { recursive: true, force: true }))
const [found, report] = [join(temporary, 'found.jsonl'), join(temporary, 'report.json')]
const filters = process.argv.slice(2)

const status = await run(filters.length === 0 ? ['test/faults'] : filters.map((filter) => `test/faults/${filter}`))
const results = readLines(found)
const scan = scanResult(filters.length === 0)
if (scan !== null) results.push(scan)
if (filters.length === 0)
  for (const id of PROOFS.filter((id) => !results.some((result) => result.id === id)))
    results.push({ id, done: '', size: '', result: 'It did not run.', hasPassed: false })
results.sort((one, other) => PROOFS.indexOf(one.id) - PROOFS.indexOf(other.id))
const text = pageOf(results)
console.log(`\n${text}`)
// A run that was broken off, and has no report, has found nothing.
if (filters.length === 0 && existsSync(report)) writeFileSync(page, text + keptByHand())
process.exitCode = status !== 0 || results.some(({ hasPassed }) => !hasPassed) ? 1 : 0

/** Each file looks through its database, its logs and its answers when it ends; what that finds fails the file and no single test. */
function scanResult(isWhole) {
  if (!isWhole || !existsSync(report)) return null
  const { testResults } = JSON.parse(readFileSync(report, 'utf8'))
  const failed = testResults.filter(
    ({ status, assertionResults }) => status === 'failed' && assertionResults.every((test) => test.status !== 'failed'),
  )
  return {
    id: 'X17',
    done: 'every row of every table, every log and every answer looked through for the numbers and CVCs of the cards that were sent',
    size: `${testResults.length} test files`,
    result: failed.length === 0 ? '0 found' : `${failed.length} files failed at their end`,
    hasPassed: failed.length === 0,
  }
}

function pageOf(rows) {
  const cells = rows.map(({ id, done, size, result, hasPassed }) =>
    [id, done, size, result, hasPassed ? 'pass' : '**fail**'].map((cell) => cell.replaceAll('|', '\\|')).join(' | '),
  )
  return `# Proof

What a capture, a cancel and a login survive. Written by \`npm run proof\`, which runs the tests of \`test/faults\` at full size; \`npm test\` runs the same at a size that
fits. Servers are processes of their own on a real PostgreSQL, reached over HTTP. After each proof the oracles are asked of the rows themselves
(\`test/support/oracles.ts\`): O1 stock adds up, O2 money adds up, O3 one order and one charge for a token, O4 one event for an order, O5 codes and
gift cards within their limits, O6 nothing left behind. The ids that end in a provider's name were run with that provider's double
(\`test/gateways/doubles\`), whose own books are held against the orders.

${cpus().length} cores, Node.js ${process.versions.node}. Times depend on the machine; counts do not.

| id | what was done | size | result | |
|---|---|---|---|---|
${cells.map((row) => `| ${row} |`).join('\n')}
`
}

/** What stands in the page from this heading on: found on a cluster, which is not there in a usual run. */
function keptByHand() {
  const [, kept] = readFileSync(page, 'utf8').split('\n## On Citus\n')
  return kept === undefined ? '' : `\n## On Citus\n${kept}`
}

function readLines(file) {
  if (!existsSync(file)) return []
  const lines = readFileSync(file, 'utf8').split('\n')
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line))
}

function run(files) {
  const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs')
  const options = ['run', '--project', 'suite', '--reporter=default', '--reporter=json', `--outputFile.json=${report}`]
  const child = spawn(process.execPath, [vitest, ...options, ...files], {
    cwd: root,
    env: { ...process.env, CARTWRIGHT_PROOF: found },
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
