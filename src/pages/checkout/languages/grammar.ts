// Grammar helpers for all languages except English: plural forms, waiting times, and merchants' names within a sentence.

import { isVisible, shortName, withoutEndPunctuation } from '../../../lib/words/phrases.ts'

const MINUTE = 60
const HOUR = 3_600

/** `in 5 Minuten`, `za 5 minut`: rounded up, and in seconds only for short times. */
export function waitPhrase(language: string, seconds: number): string {
  const { wait } = formatsIn(language)
  if (seconds < 2 * MINUTE && seconds !== MINUTE) return wait.format(Math.max(1, seconds), 'second')
  const minutes = Math.ceil(seconds / MINUTE)
  return minutes < 60 ? wait.format(minutes, 'minute') : wait.format(Math.ceil(seconds / HOUR), 'hour')
}

type Forms = { readonly other: string } & Readonly<Partial<Record<Intl.LDMLPluralRule, string>>>

/** Selects the language's plural form for a count, and puts the number in the place of `#`. */
export function pluralForm(language: string, count: number, forms: Forms): string {
  const { plurals, numbers } = formatsIn(language)
  const form = forms[plurals.select(count)] ?? forms.other
  return form.replace('#', numbers.format(count))
}

type Formats = {
  readonly wait: Intl.RelativeTimeFormat
  readonly plurals: Intl.PluralRules
  readonly numbers: Intl.NumberFormat
}

const formats = new Map<string, Formats>()

/** Created once per language: creating formatters takes longer than using them a hundred times. */
function formatsIn(language: string): Formats {
  const cachedFormats = formats.get(language)
  if (cachedFormats !== undefined) return cachedFormats
  const newFormats = {
    wait: new Intl.RelativeTimeFormat(language, { numeric: 'always' }),
    plurals: new Intl.PluralRules(language),
    numbers: new Intl.NumberFormat(language),
  }
  formats.set(language, newFormats)
  return newFormats
}

/** Puts a name in the language's own quotation marks. */
export const quotedBy =
  (opening: string, closing: string) =>
  (name: string): string =>
    `${opening}${shortName(name)}${closing}`

/** The name of a choice at the end of a sentence, or `something` if the name is invisible. */
export const nameOr = (name: string, something: string): string =>
  isVisible(name) ? withoutEndPunctuation(name) : something
