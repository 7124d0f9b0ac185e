// Reads the checkpoints of payments after an order from the source: each step has one, and a test stops at each.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const FOLDER = join(import.meta.dirname, '../../src/api/payments')

export const paymentCheckpoints = (): string[] =>
  readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .flatMap((name) => [...readFileSync(join(FOLDER, name), 'utf8').matchAll(/\bcheckpoint\(\s*'([^']+)'/g)])
    .map(([, name = '']) => name)
