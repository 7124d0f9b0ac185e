// Writes docs/conformance.md: each promise and the tests that prove it, from test/conformance/promises and the tests themselves.

import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../', import.meta.url))
const vitest = fileURLToPath(new URL('../node_modules/vitest/vitest.mjs', import.meta.url))
const { status } = spawnSync(process.execPath, [vitest, 'run', '--project', 'suite', 'test/conformance.test.ts'], {
  cwd: root,
  env: { ...process.env, UPDATE_CONFORMANCE: '1' },
  stdio: 'inherit',
})
process.exitCode = status ?? 1
