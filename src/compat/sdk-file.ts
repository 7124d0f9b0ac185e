// The public SDK's file for pages, `/v2/commerce.js` as storefronts load it by a script element: as its package has it, but that it calls
// the service that it was loaded from.

import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'

/** Where old pages have it from; both are the same file. */
export const SDK_PATHS = ['/v1/commerce.js', '/v2/commerce.js'] as const

const DEFAULT_ADDRESS = 'url:"https://api.chec.io/"'

/**
 * The address is read in the browser, of the script element that runs: the file is then the same for everybody, however many names and
 * proxies the service has, and may be cached and named by its hash. A folder before /v2/ stays, as proxies have them. Without such an
 * element, in a worker say, the SDK's own address stands. In words that the oldest browsers understand, as the SDK's own are.
 *
 * The SDK sets `regeneratorRuntime`, and where there is none makes one by evaluating text, which a strict content security policy refuses:
 * so it is declared, and keeps the value that a page may have given it.
 */
const BEFORE = `var regeneratorRuntime;var Commerce=function(cartwrightUrl){`
const AFTER = `return Commerce}(function(){var script=typeof document==="undefined"?null:document.currentScript;var found=/^([^?#]*\\/)v[12]\\/commerce\\.js\\/?(?:[?#]|$)/.exec(script&&script.src||"");return found?found[1]:"https://api.chec.io/"}());
`

/** Refuses a file that does not name its default address in exactly one place: what it then called would be anybody's guess. */
export function pointToItsOrigin(sdk: string): string {
  const [before = '', after, ...others] = sdk.split(DEFAULT_ADDRESS)
  if (after === undefined || others.length > 0 || !sdk.startsWith('var Commerce='))
    throw new Error('The file of @chec/commerce.js for pages is not the one that this program knows how to serve.')
  return `${BEFORE}${before}url:cartwrightUrl${after.trimEnd()}\n${AFTER}`
}

export async function readSdkFile(): Promise<string> {
  const path = createRequire(import.meta.url).resolve('@chec/commerce.js/lib/commerce.js')
  return pointToItsOrigin(await readFile(path, 'utf8'))
}
