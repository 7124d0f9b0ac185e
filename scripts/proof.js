// `npm run proof`: everything that `npm test` skips or samples. It writes docs/proof.md and ends with "N passed, N failed". Arguments name
// test files (npm run proof -- test/faults/races); the table is then printed and not written.

import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { missingResults, pageOf, readResults, writePage } from './proof-page.js'
import { finish, step, temporary, vitest } from './steps.js'

const filters = process.argv.slice(2)
const isWhole = filters.length === 0
const found = join(temporary, 'found.jsonl')
const statements = mkdtempSync(join(temporary, 'statements-'))

const suite = await step('Proofs', () =>
  vitest(['unit', 'shared', 'alone', 'source'], filters, {
    CARTWRIGHT_TEST_PART: 'proof',
    CARTWRIGHT_PROOF: found,
    CARTWRIGHT_TEST_STATEMENTS: statements,
  }),
)
const tenancy = await step('Tenancy of every statement the proofs sent', () =>
  vitest(['tenancy'], [], {
    CARTWRIGHT_TEST_SENT: statements,
    // `npm test` and the proofs together must have sent every statement of the source.
    ...(isWhole && suite.failed === 0 ? { CARTWRIGHT_TEST_WHOLE: 'proof' } : {}),
  }),
)
const results = readResults(found)
if (isWhole && suite.report !== null) results.push(scanResult(suite.report))
const missing = isWhole ? missingResults(results) : []
const all = [...results, ...missing]
console.log(`\n${pageOf(all)}`)
// An aborted run has no report, so its results must not overwrite the page.
if (isWhole && suite.report !== null) writePage(all)
finish([suite, tenancy, { passed: 0, failed: missing.length, skipped: 0 }])

/** Each file searches its database, logs and responses for card numbers when it ends. A match fails the file but no single test. */
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
