// Serves the public SDK's browser file, `/v2/commerce.js`, which storefronts load by a script element. It is the file of the package,
// except that it calls the service that it was loaded from.

import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'

/** Paths in old pages; both serve the same file. */
export const SDK_PATHS = ['/v1/commerce.js', '/v2/commerce.js'] as const

const DEFAULT_ADDRESS = 'url:"https://api.chec.io/"'

/**
 * The browser reads the URL from the running script element. So the file is the same for every name and proxy of the service, and
 * can be cached and named by its hash. Folders before /v2/ stay, because proxies have them. Without a script element, for example in a
 * worker, the SDK's own URL applies. The code uses only syntax that the oldest browsers understand, like the SDK itself.
 * The SDK sets `regeneratorRuntime`. If it is not declared, the SDK evaluates text to create it, which a strict content security policy
 * refuses. The declaration here keeps a value that the page has set before.
 */
const BEFORE = `var regeneratorRuntime;var Commerce=function(cartwrightUrl){`
const AFTER = `return Commerce}(function(){var script=typeof document==="undefined"?null:document.currentScript;var found=/^([^?#]*\\/)v[12]\\/commerce\\.js\\/?(?:[?#]|$)/.exec(script&&script.src||"");return found?found[1]:"https://api.chec.io/"}());
`

/** Refuses a file without exactly one default URL, because nobody knows where it would send its calls. */
export function injectScriptOrigin(sdk: string): string {
  const [before = '', after, ...others] = sdk.split(DEFAULT_ADDRESS)
  if (after === undefined || others.length > 0 || !sdk.startsWith('var Commerce='))
    throw new Error('The browser file of @chec/commerce.js differs from the one that this release can serve.')
  return `${BEFORE}${before}url:cartwrightUrl${after.trimEnd()}\n${AFTER}`
}

export async function readSdkFile(): Promise<string> {
  const path = createRequire(import.meta.url).resolve('@chec/commerce.js/lib/commerce.js')
  return injectScriptOrigin(await readFile(path, 'utf8'))
}
