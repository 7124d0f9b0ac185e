// Reading the text of an address.

/**
 * Null when the text is no absolute address, or none from `base` on. Not by `URL.canParse`: once Node 20 has compiled a function that calls
 * it often, it says false of every text with a letter such as ö.
 */
export function parseUrl(text: string, base?: string): URL | null {
  try {
    return new URL(text, base)
  } catch {
    return null
  }
}
