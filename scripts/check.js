// `npm run check`: lint, types and the tests that need neither a database nor a browser.

import { finish, lint, step, types, vitest } from './steps.js'

// In parallel: each of them leaves a core idle for part of its time.
finish(
  await Promise.all([
    lint(),
    types(),
    step('Tests without a database', () => vitest(['unit'], process.argv.slice(2), { CARTWRIGHT_TEST_PART: 'unit' })),
  ]),
)
