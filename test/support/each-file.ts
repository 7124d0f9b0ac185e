// Runs before every test file. It makes passwords cheap, and ends what the file opened by atFileEnd of database.ts.
// Opening a shop hashes the password of its dashboard, by design for as long as forty requests take; the tests open more than a thousand
// shops. In their own processes scrypt runs at the least cost there is. What is stored still names the real one (test/api/merchants), and
// the processes that tests start, as test/cli does, know nothing of this.

import crypto, { type BinaryLike, type ScryptOptions } from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import { afterAll } from 'vitest'

type Done = (error: Error | null, key: Buffer) => void
type Scrypt = (password: BinaryLike, salt: BinaryLike, length: number, options: ScryptOptions, done: Done) => void

const MARK = Symbol.for('cartwright.cheap-passwords')
const costly = crypto.scrypt as Scrypt & { [MARK]?: true }

// Once in each process, also where files share one.
if (!costly[MARK]) {
  const cheap: Scrypt = (password, salt, length, options, done) =>
    costly(password, salt, length, { ...options, N: 2 }, done)
  crypto.scrypt = Object.assign(cheap, { [MARK]: true }) as unknown as typeof crypto.scrypt
  syncBuiltinESMExports()
}

// Hooks run in reverse order, so that this one runs after those of the file. The last thing opened is closed first.
afterAll(async () => {
  const { cartwrightEndings: endings = [] } = globalThis as { cartwrightEndings?: (() => unknown)[] }
  const errors: unknown[] = []
  // All of them run, whichever fails: an app left open would disturb the next file.
  while (endings.length > 0) {
    try {
      await endings.pop()?.()
    } catch (error) {
      errors.push(error)
    }
  }
  if (errors.length > 0) throw errors[0]
})
