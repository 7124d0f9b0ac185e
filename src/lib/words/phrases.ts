// Small English phrases: the article before a merchant's name, its letters inside a sentence, and waiting times. No I/O.

import { toOneLine, trimEndCharacters } from '../text.ts'

/** Longer names would not fit into a button or a line of a form. */
const MAX_NAME_LENGTH = 40

/** A merchant's name for a sentence: one line, and not too long. */
export const shortName = (name: string): string => toOneLine(name, MAX_NAME_LENGTH)

/** The same without punctuation at the end, for sentences that add their own full stop. */
export const withoutEndPunctuation = (name: string): string => trimEndCharacters(shortName(name), ' \u00a0\t:?.!')

/** `Size` → `a size`, `Ink colour` → `an ink colour`, `Your size` → `your size`, `Extras` → `extras`. */
export function withArticle(name: string): string {
  const phrase = toSentenceCase(name)
  if (OWN_ARTICLE.test(phrase) || isPlural(phrase)) return phrase
  return `${articleFor(phrase)} ${phrase}`
}

/** `Size` → `the size`. */
export function withThe(name: string): string {
  const phrase = toSentenceCase(name)
  return OWN_ARTICLE.test(phrase) ? phrase : `the ${phrase}`
}

/** True for plain English letters. We know articles and endings only for these. */
export const isPlainEnglish = (name: string): boolean => /^[A-Za-z][A-Za-z0-9 /&'’-]*[:?.]?$/.test(name.trim())

/** True if a name shows anything. It may consist of blanks, punctuation and invisible characters. */
export const isVisible = (name: string): boolean =>
  /[\p{L}\p{N}\p{S}]/u.test(name.replace(/[\p{Default_Ignorable_Code_Point}\u2800]/gu, ''))

const OWN_ARTICLE = /^(?:your|the|a|an|my|our|one|which|what)\b/i

const isPlural = (name: string): boolean => /[^sui]s$/.test(name)

/** Converts words for the middle of a sentence: `Shoe Size` → `shoe size`; `RAM`, `iPhone` and `T-Shirt` keep their capitals. */
const toSentenceCase = (name: string): string =>
  withoutEndPunctuation(name)
    .split(' ')
    .map((word) => (/^[A-Z][a-z]+(?:['’/&-][a-z]+)*$/.test(word) ? word.toLowerCase() : word))
    .join(' ')

// Vowels that are pronounced as consonants at the beginning, and the reverse.
const LIKE_CONSONANT = /^(?:uni|use|usu|ut[ie]|eu|one|once)/i
const LIKE_VOWEL = /^(?:hour|honest|heir|honou?r)/i
/** A word of capitals is spelled out if its first two letters make no syllable: an SSD, an HDMI cable, a UK size, a RAM size. */
const SPELLED = /^(?:[AEIOU][A-Z0-9]|[B-DF-HJ-NP-TV-Z](?![AEIOU])[A-Z0-9]?)(?![a-z])/
const SPELLED_LIKE_VOWEL = /^[AEFHILMNORSX]/

function articleFor(name: string): 'a' | 'an' {
  if (SPELLED.test(name)) return SPELLED_LIKE_VOWEL.test(name) ? 'an' : 'a'
  if (LIKE_VOWEL.test(name)) return 'an'
  return /^[aeiou]/i.test(name) && !LIKE_CONSONANT.test(name) ? 'an' : 'a'
}

const MINUTE = 60
const HOUR = 3_600

/** Waiting time, never too short: `40 seconds`, `20 minutes`, `an hour`. */
export function describeWait(seconds: number): string {
  if (seconds <= 1) return 'a second'
  if (seconds < 2 * MINUTE && seconds !== MINUTE) return `${seconds} seconds`
  const minutes = Math.ceil(seconds / MINUTE)
  if (minutes === 1) return 'a minute'
  if (minutes < 60) return `${minutes} minutes`
  const hours = Math.ceil(seconds / HOUR)
  return hours === 1 ? 'an hour' : `${hours} hours`
}
