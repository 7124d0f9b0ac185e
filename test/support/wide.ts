/** Whether each matrix is run whole, as by `npm run proof:wide`, and not by what stands for it, as in `npm test`. */
export const isWide = process.env.CARTWRIGHT_TEST_WIDE === '1'
