// `npm run proof`: all that `npm test` leaves out or tries a sample of. It writes docs/proof.md and ends with "N passed, N failed".
// Arguments name test files (npm run proof -- test/faults/races); the table is then printed and not written.

import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { missingResults, pageOf, readResults, writePage } from './proof-page.js'
import { finish, step, temporary, vitest } from './steps.js'

const filters = process.argv.slice(2)
const isWhole = filters.length === 0
const found = join(temporary, 'found.jsonl')
const statements = mkdtempSync(join(temporary, 'statements-'))

const suite = await step('Proofs', () =>
  vitest(['shared', 'alone', 'source'], filters, {
    CARTWRIGHT_TEST_PART: 'proof',
    CARTWRIGHT_PROOF: found,
    CARTWRIGHT_TEST_STATEMENTS: statements,
  }),
)
const tenancy = await step('Tenancy of every statement the proofs sent', () =>
  vitest(['tenancy'], [], { CARTWRIGHT_TEST_SENT: statements }),
)
const results = readResults(found)
if (isWhole && suite.report !== null) results.push(scanResult(suite.report))
const missing = isWhole ? missingResults(results) : []
const all = [...results, ...missing]
console.log(`\n${pageOf(all)}`)
// A run that was broken off, and has no report, has found nothing.
if (isWhole && suite.report !== null) writePage(all)
finish([suite, tenancy, { passed: 0, failed: missing.length, skipped: 0 }])

/** Each file looks through its database, its logs and its answers when it ends. A finding fails the file and no single test. */
function scanResult({ testResults }) {
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
