// Web origins as merchants write them → as browsers write them, so that comparing two is comparing text.

import { parseUrl } from '../../lib/url.ts'

// Without a path, a query, a user or a wildcard: those would look like a narrower or a wider promise than an origin is.
const ORIGIN = /^https?:\/\/[^\s/?#@\\*]+\/?$/i
const HOST = /^(?:[a-z\d._-]+|\[[\da-f:.]+\])$/

/** `https://shop.example` of `HTTPS://Shop.Example:443/`; null when the text is not one exact http or https origin. */
export function readOrigin(text: string): string | null {
  const url = ORIGIN.test(text) ? parseUrl(text) : null
  return url !== null && HOST.test(url.hostname) ? url.origin : null
}
