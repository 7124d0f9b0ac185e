// Writes docs/payments/cases.md: what can happen to a payment at each provider and the tests that prove it, from test/gateways/cases.

import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../', import.meta.url))
const vitest = fileURLToPath(new URL('../node_modules/vitest/vitest.mjs', import.meta.url))
const { status } = spawnSync(process.execPath, [vitest, 'run', '--project', 'api', 'test/gateways/cases'], {
  cwd: root,
  env: { ...process.env, UPDATE_CASES: '1' },
  stdio: 'inherit',
})
process.exitCode = status ?? 1
