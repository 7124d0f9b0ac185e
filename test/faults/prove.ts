// Records the result of each proof. `npm run proof` makes docs/proof.md of the records.

import { appendFileSync } from 'node:fs'
import { onTestFinished } from 'vitest'
import { patient } from '../support/database.ts'

/** The file for the results, one JSON per line. scripts/proof.js sets it. */
const file = process.env.CARTWRIGHT_PROOF

/** For a single proof: an upper limit that a slow machine does not reach. */
export const timeout = patient(300_000)

export type Proof = {
  /** As in the reliability design: F1, L4. */
  id: string
  /** The experiment, in one sentence. */
  done: string
  size: string
}

/** Records the result of a proof when its test ends, also when that fails. The function that it gives takes the figures. */
export function beginProof(proof: Proof): (figures: string) => void {
  let result: string | null = null
  onTestFinished(({ task }) => {
    const [sentence = ''] = String(task.result?.errors?.[0]?.message).split('\n')
    write({ ...proof, result: result ?? sentence, hasPassed: result !== null })
  })
  return (figures) => {
    result = figures
  }
}

/** Records why a proof cannot run on this machine. The page then says so, and the run does not miss it. */
export const cannotProve = (id: string, reason: string): void =>
  write({ id, done: '', size: '', result: reason, hasPassed: null })

function write(result: object) {
  if (file !== undefined) appendFileSync(file, `${JSON.stringify(result)}\n`)
}

export const seconds = (value: number): string => `${value.toFixed(1)} s`

/** The value that a part of all values, such as 0.99, stays below. */
export function quantile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((one, other) => one - other)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0
}
