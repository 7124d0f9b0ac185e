// `npm test`: lint, the tests of every day, the tenancy check over every statement that they sent, and types.
// All of it runs whatever fails, and the last line is "N passed, N failed". Arguments name test files, proofs included: npm test -- test/api

import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { finish, lint, step, temporary, types, vitest } from './steps.js'

const filters = process.argv.slice(2)
const statements = mkdtempSync(join(temporary, 'statements-'))

// Side by side: while the first tests are loaded, a core has nothing to do.
const [linted, suite] = await Promise.all([
  lint(),
  step('Tests', () =>
    vitest(['unit', 'shared', 'alone', 'source'], filters, {
      CARTWRIGHT_TEST_STATEMENTS: statements,
      ...(filters.length === 0 ? { CARTWRIGHT_TEST_PART: 'test' } : {}),
    }),
  ),
])
// Side by side: the tests are one file, which leaves a core to the types.
const [tenancy, typed] = await Promise.all([
  step('Tenancy of every statement the tests sent', () =>
    vitest(['tenancy'], [], {
      CARTWRIGHT_TEST_SENT: statements,
      // A partial or failed run may miss statements that the tests do send.
      ...(filters.length === 0 && suite.failed === 0 ? { CARTWRIGHT_TEST_WHOLE: 'test' } : {}),
    }),
  ),
  types(),
])
finish([linted, suite, tenancy, typed])
