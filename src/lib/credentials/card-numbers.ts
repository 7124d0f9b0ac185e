// Numbers of payment cards in fields that are for something else. Shops and their storefronts put them into notes and meta, where every backup and
// export would hold them. A number counts as a card's when it has a known prefix, a length that goes with it, and passes Luhn's check.

import type { FieldErrors } from '../errors.ts'

type Network = { readonly prefixes: RegExp; readonly lengths: readonly number[] }

const SIXTEEN_TO_NINETEEN = [16, 17, 18, 19]

const NETWORKS: readonly Network[] = [
  // Visa; of 13 digits until the nineties.
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

const SHORTEST = 13
const LONGEST = 19

/** Expects digits without anything between them. */
function isCardNumber(digits: string): boolean {
  const isKnown = NETWORKS.some(({ prefixes, lengths }) => lengths.includes(digits.length) && prefixes.test(digits))
  // The barcodes of goods have 13 digits, too, and a check of their own.
  return isKnown && passesLuhn(digits) && !(digits.length === 13 && isBarcode(digits))
}

/** Adds each digit, from the right, by the weight of its place. */
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

/** In front of an id, of the decimals of a number, or of the number of a phone. */
const BELONGS_TO_WORD = /(?:[\p{L}_+]|\d\.)$/u
const WORD_GOES_ON = /^[\p{L}_]/u

/** `card4242…` is no id, and no phone has 16 digits. An id of ours has a `_` in front of it. */
const IS_ID = /(?:_|\d\.)$/u
const LONGEST_PHONE = 15

/** Cards are written in groups of four to six digits, the last of which may be shorter. Two by two are sizes, days and the like. */
const SHORTEST_GROUP = 3

/** True if `text` is the number of a card, or has one in it. */
export function hasCardNumber(text: string): boolean {
  if (ONLY_DIGITS.test(text) && isCardNumber(text.replace(SEPARATORS, ''))) return true
  for (const { 0: run, index } of text.matchAll(RUN)) {
    if (run.length < SHORTEST) continue
    const groups = run.split(/\D+/u).filter((group) => group !== '')
    const before = text.slice(Math.max(0, index - 2), index)
    const [head = ''] = groups
    if (!IS_ID.test(before) && head.length > LONGEST_PHONE && isCardNumber(head)) return true
    const first = BELONGS_TO_WORD.test(before) ? 1 : 0
    const isCutOff = /\d$/u.test(run) && WORD_GOES_ON.test(text.slice(index + run.length))
    if (hasCardAmong(groups.slice(first, isCutOff ? -1 : undefined))) return true
  }
  return false
}

/** Each stretch of whole groups is tried. A stretch ends with 19 digits, so the work is in proportion to the groups. */
const hasCardAmong = (groups: readonly string[]): boolean =>
  groups.some((_, start) => {
    let digits = ''
    for (const group of groups.slice(start, start + LONGEST)) {
      digits += group
      if (digits.length > LONGEST) return false
      if (digits.length >= SHORTEST && isCardNumber(digits)) return true
      if (group.length < SHORTEST_GROUP) return false
    }
    return false
  })

/**
 * What is wrong with a value that was read from JSON, by the paths of the fields that hold the number of a card; null when nothing is. No
 * sentence repeats the number. A field that is named by one is told by what it is in.
 */
export function cardNumberErrors(value: unknown, path: string): FieldErrors | null {
  const paths = new Set(pathsIn(value, path))
  return paths.size === 0 ? null : Object.fromEntries([...paths].map((each) => [each, [`${each} ${CARD_RULE}`]]))
}

const CARD_RULE = 'must not hold the number of a payment card. Send cards to the payment provider only.'

/** The first ones are enough in a body with thousands of them. */
const MOST_PATHS = 20

function pathsIn(value: unknown, path: string, found: string[] = []): string[] {
  if (found.length >= MOST_PATHS) return found
  if (typeof value === 'string' || typeof value === 'number') {
    if (hasCardNumber(String(value))) found.push(path)
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, member] of Object.entries(value)) {
      const isCard = hasCardNumber(name)
      if (isCard) found.push(path)
      pathsIn(member, isCard ? path : `${path}.${name}`, found)
    }
  }
  return found
}
