// Tells `npm test` and `npm run proof` apart inside a file that runs in both (`@sampled`).

/** True in `npm run proof`, which tries everything; `npm test` tries a sample. */
export const isProof = process.env.CARTWRIGHT_TEST_PART === 'proof'

/** Returns the sample size in `npm test` and the full size in `npm run proof`. */
export const size = (sample: number, whole: number): number => (isProof ? whole : sample)
