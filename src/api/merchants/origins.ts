// Web origins as merchants write them → as browsers write them, so that comparing two is comparing text.

// Without a path, a query, a user or a wildcard: those would look like a narrower or a wider promise than an origin is.
const ORIGIN = /^https?:\/\/[^\s/?#@\\*]+\/?$/i
const HOST = /^(?:[a-z\d._-]+|\[[\da-f:.]+\])$/

/** `https://shop.example` of `HTTPS://Shop.Example:443/`; null when the text is not one exact http or https origin. */
export function readOrigin(text: string): string | null {
  if (!ORIGIN.test(text) || !URL.canParse(text)) return null
  const { hostname, origin } = new URL(text)
  return HOST.test(hostname) ? origin : null
}
