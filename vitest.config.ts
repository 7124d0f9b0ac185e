// Three projects: the tests that share their processes, which are those of the API and others that leave nothing behind; all others, each
// file in a process of its own; and the check of the statements that both have sent, which scripts/test.js runs after them.

import { defineConfig } from 'vitest/config'

/** The servers of a cluster share the cores of one machine with the tests. */
const isOnCitus = process.env.CARTWRIGHT_TEST_CITUS !== undefined

const common = {
  globalSetup: ['test/support/global-setup.ts'],
  setupFiles: ['test/support/cheap-passwords.ts'],
  testTimeout: isOnCitus ? 240_000 : 20_000,
  hookTimeout: isOnCitus ? 180_000 : 60_000,
  ...(isOnCitus ? { expect: { poll: { timeout: 20_000 } } } : {}),
}

/** Folders whose tests share processes. */
const SHARING = [
  ...['api', 'versions', 'access', 'events', 'gateways', 'http', 'lib', 'pricing', 'tenancy'],
  ...['compat', 'keys', 'limits'],
].join('|')

/** Of those, what is not to be beside others in one process: it counts what the process sends, stops it, or tries out connections and time. */
const ALONE = [
  'test/api/carts/round-trips.test.ts',
  'test/api/products/plans.test.ts',
  'test/api/checkouts/capture-engine-*.test.ts',
  ...['client-meter', 'connection-limits', 'errors-on-the-wire', 'given-up', 'graceful-stop', 'health'],
  ...['idempotency-failures', 'logging', 'metering', 'slow-requests'],
].map((name) => (name.includes('/') ? name : `test/http/${name}.test.ts`))

const SHARED = [`test/@(${SHARING})/**/*.test.ts`]
const OTHERS = ['test/*.test.ts', `test/!(${SHARING})/**/*.test.ts`]

export default defineConfig({
  test: {
    // Two cores: one file each; a file's own tests run in order.
    maxWorkers: 2,
    projects: [
      // Loading the service costs more than most files take: anew for each of them it was a third of the whole run.
      { test: { ...common, name: 'api', include: SHARED, exclude: ALONE, isolate: false } },
      { test: { ...common, name: 'suite', include: [...OTHERS, ...ALONE] } },
      { test: { ...common, name: 'tenancy', include: ['test/tenancy/*.check.ts'] } },
    ],
  },
})
