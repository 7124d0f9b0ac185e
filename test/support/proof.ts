// The difference between `npm test` and `npm run proof` inside a file that runs in both (`@sampled`).

/** True in `npm run proof`, which tries everything; `npm test` tries a sample. */
export const isProof = process.env.CARTWRIGHT_TEST_PART === 'proof'

/** A size: of the sample in `npm test`, and of the whole in `npm run proof`. */
export const size = (sample: number, whole: number): number => (isProof ? whole : sample)
