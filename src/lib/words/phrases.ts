// Small English: the right article before a name that a merchant chose, its letters inside a sentence, and how long to wait. No I/O.

import { oneLine, withoutEnd } from '../text.ts'

/** Longer names than this would push the sentence out of a button or a line of a form. */
const LONGEST_NAME = 40

/** A name of the merchant's as a sentence shows it: one line, and not too long. */
export const shortName = (name: string): string => oneLine(name, LONGEST_NAME)

/** The same where the sentence's own full stop follows. */
export const openEnded = (name: string): string => withoutEnd(shortName(name), ' \u00a0\t:?.!')

/** `Size` → `a size`, `Ink colour` → `an ink colour`, `Your size` → `your size`, `Extras` → `extras`. */
export function withArticle(name: string): string {
  const inside = insideSentence(name)
  if (OWN_ARTICLE.test(inside) || isPlural(inside)) return inside
  return `${articleFor(inside)} ${inside}`
}

/** `Size` → `the size`. */
export function withThe(name: string): string {
  const inside = insideSentence(name)
  return OWN_ARTICLE.test(inside) ? inside : `the ${inside}`
}

/** Only of plain English letters can be said how they begin and end. */
export const isPlainEnglish = (name: string): boolean => /^[A-Za-z][A-Za-z0-9 /&'’-]*[:?.]?$/.test(name.trim())

/** Whether a name shows anything: one may be made of blanks, signs and characters that nobody sees. */
export const isVisible = (name: string): boolean =>
  /[\p{L}\p{N}\p{S}]/u.test(name.replace(/[\p{Default_Ignorable_Code_Point}\u2800]/gu, ''))

const OWN_ARTICLE = /^(?:your|the|a|an|my|our|one|which|what)\b/i

const isPlural = (name: string): boolean => /[^sui]s$/.test(name)

/** Words as they are written within a sentence: `Shoe Size` → `shoe size`; `RAM`, `iPhone` and `T-Shirt` keep their capitals. */
const insideSentence = (name: string): string =>
  openEnded(name)
    .split(' ')
    .map((word) => (/^[A-Z][a-z]+(?:['’/&-][a-z]+)*$/.test(word) ? word.toLowerCase() : word))
    .join(' ')

// Vowels that are not heard as such at the beginning, and consonants that are.
const LIKE_CONSONANT = /^(?:uni|use|usu|ut[ie]|eu|one|once)/i
const LIKE_VOWEL = /^(?:hour|honest|heir|honou?r)/i
/** A word of capitals is spelled where its first two letters do not make a syllable: an SSD, an HDMI cable, a UK size, a RAM size. */
const SPELLED = /^(?:[AEIOU][A-Z0-9]|[B-DF-HJ-NP-TV-Z](?![AEIOU])[A-Z0-9]?)(?![a-z])/
const SPELLED_LIKE_VOWEL = /^[AEFHILMNORSX]/

function articleFor(name: string): 'a' | 'an' {
  if (SPELLED.test(name)) return SPELLED_LIKE_VOWEL.test(name) ? 'an' : 'a'
  if (LIKE_VOWEL.test(name)) return 'an'
  return /^[aeiou]/i.test(name) && !LIKE_CONSONANT.test(name) ? 'an' : 'a'
}

const MINUTE = 60
const HOUR = 3_600

/** How long to wait, never too short: `40 seconds`, `20 minutes`, `an hour`. */
export function waitOf(seconds: number): string {
  if (seconds <= 1) return 'a second'
  if (seconds < 2 * MINUTE && seconds !== MINUTE) return `${seconds} seconds`
  const minutes = Math.ceil(seconds / MINUTE)
  if (minutes === 1) return 'a minute'
  if (minutes < 60) return `${minutes} minutes`
  const hours = Math.ceil(seconds / HOUR)
  return hours === 1 ? 'an hour' : `${hours} hours`
}
