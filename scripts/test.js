// `npm test`: lint, the everyday tests, the tenancy check over every statement that they sent, and types.
// Every step runs even if one fails, and the last line is "N passed, N failed". Arguments name test files, including proofs: npm test --
// test/api

import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { finish, lint, step, temporary, types, vitest } from './steps.js'

const filters = process.argv.slice(2)
const statements = mkdtempSync(join(temporary, 'statements-'))

// In parallel: while the first tests load, a core is idle.
const [linted, suite] = await Promise.all([
  lint(),
  step('Tests', () =>
    vitest(['unit', 'shared', 'alone', 'source'], filters, {
      CARTWRIGHT_TEST_STATEMENTS: statements,
      ...(filters.length === 0 ? { CARTWRIGHT_TEST_PART: 'test' } : {}),
    }),
  ),
])
// In parallel: the tenancy check is one file, which leaves a core to the types.
const [tenancy, typed] = await Promise.all([
  step('Tenancy of every statement the tests sent', () =>
    vitest(['tenancy'], [], {
      CARTWRIGHT_TEST_SENT: statements,
      // A partial or failed run may lack statements that the tests do send.
      ...(filters.length === 0 && suite.failed === 0 ? { CARTWRIGHT_TEST_WHOLE: 'test' } : {}),
    }),
  ),
  types(),
])
finish([linted, suite, tenancy, typed])
