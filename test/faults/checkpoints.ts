// Reads the checkpoints of payments after an order from the source. The tests of cancels and refunds fail for a step without a checkpoint,
// and for a checkpoint that no test stops at.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const FOLDER = join(import.meta.dirname, '../../src/api/payments')

export const paymentCheckpoints = (): string[] =>
  readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .flatMap((name) => [...readFileSync(join(FOLDER, name), 'utf8').matchAll(/\bcheckpoint\(\s*'([^']+)'/g)])
    .map(([, name = '']) => name)
