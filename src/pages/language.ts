// In which language a page speaks: as its address or its form says, else as the browser asks, within what the shop has.

import { LANGUAGES, type Language } from './checkout/model.ts'

type Wish = {
  /** `?lang=`, or the hidden input of a form; null where there is none. */
  readonly named: string | null
  /** The header `Accept-Language`. */
  readonly accepted: string | null
}

/** `allowed`: never empty; its first is for who asks for none of them. */
export function languageOf({ named, accepted }: Wish, allowed: readonly Language[]): Language {
  const own = languageIn(named ?? '', allowed)
  if (own !== null) return own
  for (const tag of tagsIn(accepted ?? '')) {
    const found = languageIn(tag, allowed)
    if (found !== null) return found
  }
  return allowed[0] ?? LANGUAGES[0]
}

/** `de` of `de-AT`. */
function languageIn(tag: string, allowed: readonly Language[]): Language | null {
  const [language = ''] = tag.trim().toLowerCase().split(/[-_]/)
  return allowed.find((each) => each === language) ?? null
}

/** More than a browser sends; a header of a thousand would be sorted for nobody. */
const MOST_TAGS = 30

/** The best first. Those with the same weight stay in the order in which they stand. */
function tagsIn(header: string): string[] {
  return header
    .split(',', MOST_TAGS)
    .map((entry) => {
      const [tag = '', ...parameters] = entry.split(';').map((part) => part.trim())
      const weight = parameters.find((parameter) => parameter.startsWith('q='))
      return { tag, weight: weight === undefined ? 1 : Number(weight.slice(2)) || 0 }
    })
    .filter(({ weight }) => weight > 0)
    .sort((one, other) => other.weight - one.weight)
    .map(({ tag }) => tag)
}
