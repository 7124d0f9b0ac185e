// Three projects: the tests of the API, which share their processes; all others, each file in a process of its own; and the check of
// the statements that both have sent, which scripts/test.js runs after them.

import { defineConfig } from 'vitest/config'

const common = {
  globalSetup: ['test/support/global-setup.ts'],
  testTimeout: 20_000,
  hookTimeout: 60_000,
}

const OF_THE_API = ['test/api/**/*.test.ts', 'test/versions/**/*.test.ts']
const OTHERS = ['test/*.test.ts', 'test/!(api|versions)/**/*.test.ts']
/** Of the API, but not to be beside others in one process: they count what the process sends, or stop it in the middle of things. */
const APART = [
  'test/api/carts/round-trips.test.ts',
  'test/api/products/plans.test.ts',
  'test/api/checkouts/capture-engine-*.test.ts',
]

export default defineConfig({
  test: {
    // Two cores: one file each; a file's own tests run in order.
    maxWorkers: 2,
    projects: [
      // Loading the service anew for each of two hundred files took a quarter of the whole run.
      { test: { ...common, name: 'api', include: OF_THE_API, exclude: APART, isolate: false } },
      { test: { ...common, name: 'suite', include: [...OTHERS, ...APART] } },
      { test: { ...common, name: 'tenancy', include: ['test/tenancy/*.check.ts'] } },
    ],
  },
})
