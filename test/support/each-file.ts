// Runs before every test file. It makes password hashing cheap, and runs the file's atFileEnd callbacks (database.ts).
// Opening a shop hashes the dashboard password, which by design takes as long as forty requests. The tests open more than a thousand shops.
// So scrypt runs at its lowest cost in the test processes. The stored hash still names the real cost (test/api/merchants). Processes that
// tests start, as in test/cli, use the real cost.

import crypto, { type BinaryLike, type ScryptOptions } from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import { afterAll } from 'vitest'

type Done = (error: Error | null, key: Buffer) => void
type Scrypt = (password: BinaryLike, salt: BinaryLike, length: number, options: ScryptOptions, done: Done) => void

const MARK = Symbol.for('cartwright.cheap-passwords')
const costly = crypto.scrypt as Scrypt & { [MARK]?: true }

// Once per process, even if several files share it.
if (!costly[MARK]) {
  const cheap: Scrypt = (password, salt, length, options, done) =>
    costly(password, salt, length, { ...options, N: 2 }, done)
  crypto.scrypt = Object.assign(cheap, { [MARK]: true }) as unknown as typeof crypto.scrypt
  syncBuiltinESMExports()
}

// Hooks run in reverse order, so this runs after the file's own hooks. The last thing opened is closed first.
afterAll(async () => {
  const { cartwrightEndings: endings = [] } = globalThis as { cartwrightEndings?: (() => unknown)[] }
  const errors: unknown[] = []
  // Run all callbacks even if one fails: an app left open would disturb the next file.
  while (endings.length > 0) {
    try {
      await endings.pop()?.()
    } catch (error) {
      errors.push(error)
    }
  }
  if (errors.length > 0) throw errors[0]
})
