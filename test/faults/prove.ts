// Records the result of each proof. `npm run proof` builds docs/proof.md from the records.

import { appendFileSync } from 'node:fs'
import { onTestFinished } from 'vitest'
import { patient } from '../support/database.ts'

/** The results file, one JSON per line. scripts/proof.js sets it. */
const file = process.env.CARTWRIGHT_PROOF

/** Time limit of a single proof, which a slow machine does not reach. */
export const timeout = patient(300_000)

/**
 * Records the result of a proof when its test ends, even if it fails. `id`: that of the reliability design, such as F1 or L4. `done`: the
 * experiment, in one sentence. Call the returned function with the figures.
 */
export function beginProof(id: string, done: string, size: string): (figures: string) => void {
  let result: string | null = null
  onTestFinished(({ task }) => {
    const [sentence = ''] = String(task.result?.errors?.[0]?.message).split('\n')
    write({ id, done, size, result: result ?? sentence, hasPassed: result !== null })
  })
  return (figures) => {
    result = figures
  }
}

/** Records why a proof cannot run on this machine. The page then says so, and the run does not count it as missing. */
export const cannotProve = (id: string, reason: string): void =>
  write({ id, done: '', size: '', result: reason, hasPassed: null })

function write(result: object) {
  if (file !== undefined) appendFileSync(file, `${JSON.stringify(result)}\n`)
}

export const seconds = (value: number): string => `${value.toFixed(1)} s`

/** Returns the quantile of the values at `part`, such as 0.99. */
export function quantile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((one, other) => one - other)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0
}
