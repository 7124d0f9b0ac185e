// Two projects: the suite, and the check of the statements that the suite has sent, which scripts/test.js runs after it.

import { defineConfig } from 'vitest/config'

const common = {
  globalSetup: ['test/support/global-setup.ts'],
  testTimeout: 20_000,
  hookTimeout: 60_000,
}

export default defineConfig({
  test: {
    // Two cores: one file each; a file's own tests run in order.
    maxWorkers: 2,
    projects: [
      { test: { ...common, name: 'suite', include: ['test/**/*.test.ts'] } },
      { test: { ...common, name: 'tenancy', include: ['test/tenancy/*.check.ts'] } },
    ],
  },
})
