// Chooses the language of a page: from the URL or the form, else from the browser's preference, among the shop's languages.

import { LANGUAGES, type Language } from './checkout/model.ts'

type LanguageRequest = {
  /** `?lang=`, or the hidden input of a form; null if neither is set. */
  readonly named: string | null
  /** The header `Accept-Language`. */
  readonly accepted: string | null
}

/** `allowed`: never empty; its first language is the default. */
export function languageOf({ named, accepted }: LanguageRequest, allowed: readonly Language[]): Language {
  const requestedLanguage = languageIn(named ?? '', allowed)
  if (requestedLanguage !== null) return requestedLanguage
  for (const tag of sortedTags(accepted ?? '')) {
    const match = languageIn(tag, allowed)
    if (match !== null) return match
  }
  return allowed[0] ?? LANGUAGES[0]
}

/** Reads `de` from `de-AT`. */
function languageIn(tag: string, allowed: readonly Language[]): Language | null {
  const [language = ''] = tag.trim().toLowerCase().split(/[-_]/)
  return allowed.find((each) => each === language) ?? null
}

/** More than a browser sends. Sorting a header of a thousand tags would be wasted. */
const MAX_TAGS = 30

/** Sorted by weight; equal weights keep their order. */
function sortedTags(header: string): string[] {
  return header
    .split(',', MAX_TAGS)
    .map((entry) => {
      const [tag = '', ...parameters] = entry.split(';').map((part) => part.trim())
      const weight = parameters.find((parameter) => parameter.startsWith('q='))
      return { tag, weight: weight === undefined ? 1 : Number(weight.slice(2)) || 0 }
    })
    .filter(({ weight }) => weight > 0)
    .sort((one, other) => other.weight - one.weight)
    .map(({ tag }) => tag)
}
