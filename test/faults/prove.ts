// Says what each proof has found. In `npm test` the proofs run at a size that fits; `npm run proof` runs them in full, and makes
// docs/proof.md of what is written here.

import { appendFileSync } from 'node:fs'

/** Where results go, one JSON per line; set by scripts/proof.js. */
const file = process.env.CARTWRIGHT_PROOF

export const isFull = file !== undefined

/** A size: in `npm test`, and in full. */
export const size = (small: number, full: number): number => (isFull ? full : small)

export type Proof = {
  /** As in the reliability design: F1, L4. */
  id: string
  /** What was done, in one sentence. */
  done: string
  size: string
}

/** Runs a proof and writes down what it has found, also when it fails. `work` gives the figures. */
export async function prove(proof: Proof, work: () => Promise<string>): Promise<void> {
  try {
    const result = await work()
    write({ ...proof, result, hasPassed: true })
  } catch (error) {
    const [sentence = ''] = String(error instanceof Error ? error.message : error).split('\n')
    write({ ...proof, result: sentence, hasPassed: false })
    throw error
  }
}

function write(result: object) {
  if (file !== undefined) appendFileSync(file, `${JSON.stringify(result)}\n`)
}

export const seconds = (value: number): string => `${value.toFixed(1)} s`

/** The value that so much of the others stay below: 0.99. */
export function quantile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((one, other) => one - other)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0
}
