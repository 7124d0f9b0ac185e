// The checkpoints of what moves money after an order was made, read off the source: a step without one, or one that no test stops at, fails
// the tests of cancels and of refunds.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const FOLDER = join(import.meta.dirname, '../../src/api/payments')

export const paymentCheckpoints = (): string[] =>
  readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .flatMap((name) => [...readFileSync(join(FOLDER, name), 'utf8').matchAll(/\bcheckpoint\(\s*'([^']+)'/g)])
    .map(([, name = '']) => name)
