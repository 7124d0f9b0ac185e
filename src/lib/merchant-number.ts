// The number of a merchant as it stands in paths and in the keys of files. One rule for all of them: what one part of the code
// takes for a number and another does not would be a file that is stored and can never be read, or swept.

const DIGITS = /^[1-9][0-9]{0,9}$/

/** The last number of a PostgreSQL integer; a statement that is given a larger one fails. */
const LAST = 2_147_483_647

/** Null for what cannot be the number of a merchant. */
export function readMerchantNumber(text: string): number | null {
  const number = DIGITS.test(text) ? Number(text) : LAST + 1
  return number <= LAST ? number : null
}
