// What the languages but English share: forms of words by a number, how long to wait, and names that merchants chose within a sentence.

import { isVisible, openEnded, shortName } from '../../../lib/words/phrases.ts'

const MINUTE = 60
const HOUR = 3_600

/** `in 5 Minuten`, `za 5 minut`: never too short, and never in more seconds than one counts. */
export function waitIn(language: string, seconds: number): string {
  const { wait } = formatsIn(language)
  if (seconds < 2 * MINUTE && seconds !== MINUTE) return wait.format(Math.max(1, seconds), 'second')
  const minutes = Math.ceil(seconds / MINUTE)
  return minutes < 60 ? wait.format(minutes, 'minute') : wait.format(Math.ceil(seconds / HOUR), 'hour')
}

type Forms = { readonly other: string } & Readonly<Partial<Record<Intl.LDMLPluralRule, string>>>

/** Which of the forms the language has for so many; the number is put into its place, `#`. */
export function formOf(language: string, count: number, forms: Forms): string {
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

/** Made once: as many as there are languages. Making one takes longer than using it a hundred times. */
function formatsIn(language: string): Formats {
  const known = formats.get(language)
  if (known !== undefined) return known
  const made = {
    wait: new Intl.RelativeTimeFormat(language, { numeric: 'always' }),
    plurals: new Intl.PluralRules(language),
    numbers: new Intl.NumberFormat(language),
  }
  formats.set(language, made)
  return made
}

/** A name within the language's own quotation marks. */
export const quotedBy =
  (opening: string, closing: string) =>
  (name: string): string =>
    `${opening}${shortName(name)}${closing}`

/** The name of what is to be chosen, at the end of a sentence; `something` where nobody would see it. */
export const nameOr = (name: string, something: string): string => (isVisible(name) ? openEnded(name) : something)
