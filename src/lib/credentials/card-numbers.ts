// Finds payment card numbers in fields for other data. Shops and storefronts put them into notes and meta, and every backup and export
// would contain them.
// A card number has a known prefix, a matching length, and passes the Luhn check.

import type { FieldErrors } from '../errors.ts'

type Network = { readonly prefixes: RegExp; readonly lengths: readonly number[] }

const SIXTEEN_TO_NINETEEN = [16, 17, 18, 19]

const NETWORKS: readonly Network[] = [
  // Visa; 13 digits until the nineties.
  { prefixes: /^4/, lengths: [13, 16, 19] },
  // Mastercard.
  { prefixes: /^(?:5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720)/, lengths: [16] },
  // American Express.
  { prefixes: /^3[47]/, lengths: [15] },
  // Discover.
  { prefixes: /^(?:6011|64[4-9]|65)/, lengths: SIXTEEN_TO_NINETEEN },
  // Diners Club.
  { prefixes: /^(?:36|38|39|30[0-5])/, lengths: [14, ...SIXTEEN_TO_NINETEEN] },
  // JCB.
  { prefixes: /^35(?:2[89]|[3-8])/, lengths: SIXTEEN_TO_NINETEEN },
  // UnionPay, Mir, RuPay.
  { prefixes: /^(?:62|220[0-4]|60|8[12]|508)/, lengths: SIXTEEN_TO_NINETEEN },
  // Maestro.
  { prefixes: /^(?:5018|5020|5038|5893|6304|6759|676[1-3])/, lengths: [13, 14, 15, ...SIXTEEN_TO_NINETEEN] },
]

const MIN_DIGITS = 13
const MAX_DIGITS = 19

/** Expects digits without separators. */
function isCardNumber(digits: string): boolean {
  const isKnown = NETWORKS.some(({ prefixes, lengths }) => lengths.includes(digits.length) && prefixes.test(digits))
  // Barcodes of goods have 13 digits too, and their own check digit.
  return isKnown && passesLuhn(digits) && !(digits.length === 13 && isBarcode(digits))
}

/** Sums the weighted digits from right to left. */
const sumFromRight = (digits: string, weigh: (digit: number, place: number) => number): number =>
  [...digits].reverse().reduce((sum, digit, place) => sum + weigh(Number(digit), place), 0)

const passesLuhn = (digits: string): boolean =>
  sumFromRight(digits, (digit, place) => (place % 2 === 0 ? digit : digit > 4 ? digit * 2 - 9 : digit * 2)) % 10 === 0

const isBarcode = (digits: string): boolean =>
  sumFromRight(digits, (digit, place) => (place % 2 === 0 ? digit : digit * 3)) % 10 === 0

/** Digits with blanks and dashes between them. */
const RUN = /\d[\d\s\p{Pd}]*/gu
const SEPARATORS = /[\s\p{Pd}]/gu
const ONLY_DIGITS = /^[\d\s\p{Pd}]+$/u

/** Text before the digits that shows an id, the decimals of a number, or a phone number. */
const BELONGS_TO_WORD = /(?:[\p{L}_+]|\d\.)$/u
const WORD_GOES_ON = /^[\p{L}_]/u

/** `card4242…` is no id, and no phone has 16 digits. Our own ids have a `_` before the random part. */
const IS_ID = /(?:_|\d\.)$/u
const MAX_PHONE_DIGITS = 15

/** Card numbers are written in groups of four to six digits; the last group may be shorter. Groups of two are sizes, days and the like. */
const MIN_GROUP_DIGITS = 3

/** True if `text` is or contains a card number. */
export function hasCardNumber(text: string): boolean {
  if (ONLY_DIGITS.test(text) && isCardNumber(text.replace(SEPARATORS, ''))) return true
  for (const { 0: digitRun, index } of text.matchAll(RUN)) {
    if (digitRun.length < MIN_DIGITS) continue
    const groups = digitRun.split(/\D+/u).filter((group) => group !== '')
    const before = text.slice(Math.max(0, index - 2), index)
    const [head = ''] = groups
    if (!IS_ID.test(before) && head.length > MAX_PHONE_DIGITS && isCardNumber(head)) return true
    const first = BELONGS_TO_WORD.test(before) ? 1 : 0
    const isCutOff = /\d$/u.test(digitRun) && WORD_GOES_ON.test(text.slice(index + digitRun.length))
    if (hasCardInGroups(groups.slice(first, isCutOff ? -1 : undefined))) return true
  }
  return false
}

/** Tries each stretch of whole groups. A stretch ends at 19 digits, so the work is proportional to the number of groups. */
const hasCardInGroups = (groups: readonly string[]): boolean =>
  groups.some((_, start) => {
    let digits = ''
    for (const group of groups.slice(start, start + MAX_DIGITS)) {
      digits += group
      if (digits.length > MAX_DIGITS) return false
      if (digits.length >= MIN_DIGITS && isCardNumber(digits)) return true
      if (group.length < MIN_GROUP_DIGITS) return false
    }
    return false
  })

/**
 * Errors for a JSON value, by the paths of fields with a card number; null if there is none.
 * Messages never repeat the number. If a field name is a card number, the error names the enclosing field.
 */
export function cardNumberErrors(value: unknown, path: string): FieldErrors | null {
  const paths = new Set(collectCardPaths(value, path))
  return paths.size === 0 ? null : Object.fromEntries([...paths].map((each) => [each, [`${each} ${CARD_RULE}`]]))
}

const CARD_RULE = 'must not hold the number of a payment card. Send cards to the payment provider only.'

/** A body with thousands of them needs no more than the first ones. */
const MAX_PATHS = 20

function collectCardPaths(value: unknown, path: string, foundPaths: string[] = []): string[] {
  if (foundPaths.length >= MAX_PATHS) return foundPaths
  if (typeof value === 'string' || typeof value === 'number') {
    if (hasCardNumber(String(value))) foundPaths.push(path)
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, member] of Object.entries(value)) {
      const isCard = hasCardNumber(name)
      if (isCard) foundPaths.push(path)
      collectCardPaths(member, isCard ? path : `${path}.${name}`, foundPaths)
    }
  }
  return foundPaths
}
