// Writes docs/proof.md: the table of results of the proofs in test/faults.

import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { join } from 'node:path'
import { root } from './steps.js'

const PROVIDERS = ['stripe', 'square', 'razorpay', 'paypal']
const withEach = (id) => PROVIDERS.map((code) => `${id}-${code}`)

/** All proofs, in the order of the table. A proof missing from a complete run counts as failed. */
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

/** Table cells by `hasPassed`, which is null if this machine cannot run the proof. */
const STATES = new Map([
  [true, 'pass'],
  [false, '**fail**'],
  [null, 'skipped'],
])

const page = join(root, 'docs', 'proof.md')

/** Results for proofs that a complete run should have, but lacks. */
export const missingResults = (results) =>
  PROOFS.filter((id) => !results.some((result) => result.id === id)).map((id) => ({
    id,
    done: '',
    size: '',
    result: 'It did not run.',
    hasPassed: false,
  }))

export const writePage = (results) => writeFileSync(page, pageOf(results) + keptByHand())

export function pageOf(results) {
  const rows = results.toSorted((one, other) => PROOFS.indexOf(one.id) - PROOFS.indexOf(other.id))
  const cells = rows.map(({ id, done, size, result, hasPassed }) =>
    [id, done, size, result, STATES.get(hasPassed)].map((cell) => cell.replaceAll('|', '\\|')).join(' | '),
  )
  return `# Proof

What a capture, a cancel and a login survive. Written by \`npm run proof\`, which runs the tests of \`test/faults\` at full size; \`npm test\` runs
a sample of them. Servers are processes of their own on a real PostgreSQL, reached over HTTP. After each proof the oracles are asked of the rows themselves
(\`test/faults/oracles.ts\`): O1 stock adds up, O2 money adds up, O3 one order and one charge for a token, O4 one event for an order, O5 codes and
gift cards within their limits, O6 nothing left behind. The ids that end in a provider's name were run with that provider's double
(\`test/gateways/doubles\`), whose own books are held against the orders.

${cpus().length} cores, Node.js ${process.versions.node}. Times depend on the machine; counts do not.

| id | what was done | size | result | |
|---|---|---|---|---|
${cells.map((row) => `| ${row} |`).join('\n')}
`
}

/** Returns the section from this heading on. It was measured on a cluster, which a usual run does not have. */
function keptByHand() {
  const [, kept] = readFileSync(page, 'utf8').split('\n## On Citus\n')
  return kept === undefined ? '' : `\n## On Citus\n${kept}`
}

/** Reads the results from the file that test/faults/prove.ts writes, one JSON per line. */
export function readResults(file) {
  if (!existsSync(file)) return []
  const lines = readFileSync(file, 'utf8').split('\n')
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line))
}
