// The example storefront at /storefront/: the files of examples/storefront, selling for the demo shop, and its catalogue written into the
// page. Of that shop's keys it is told the public one of the sandbox alone, and serves no other.

import { existsSync, readdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Authenticate } from '../http/endpoint/caller.ts'
import type { Page, PageAnswer } from '../http/files/pages.ts'
import { ApiError } from '../lib/errors.ts'
import { ROOT } from '../root.ts'
import { shelvesWriter } from './storefront-shelves.ts'
import { demoDiscounts, demoGiftCard } from './terms.ts'

type Storefront = {
  /** The demo shop's public sandbox key, as far as this process knows of one. Asked each time: the shop may be made after the server. */
  findKey(): Promise<string | null>
  /** A key that was revoked, or is of another database, opens no shop. */
  authenticate: Authenticate
  /** The API's answer to GET, under the rules of the key and of the address like anybody's request. */
  ask(path: string, key: string, from: string): Promise<{ status: number; body: unknown }>
  /** The version of the API that the page is written for. */
  version: string
  /** Where pictures come from, where that is not the page's own origin. */
  publicUrl?: string | undefined
  /** Whether mails wait on this machine, as there is no mail server: the page then says how to read them. */
  mailIsKept?: boolean
}

const FOLDER = fileURLToPath(new URL('examples/storefront/', ROOT))

const SCRIPT = 'text/javascript; charset=utf-8'

const TYPES: Readonly<Record<string, string>> = {
  '.js': SCRIPT,
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
}

/** Every file there is when the server starts, but the settings: those are made here. Nothing of what a request says becomes a path. */
const listFiles = () =>
  // A copy of the program without its examples has no storefront, and sells all the same.
  (existsSync(FOLDER) ? readdirSync(FOLDER) : []).flatMap((name) => {
    const type = name === 'config.js' ? undefined : TYPES[extname(name)]
    return type === undefined ? [] : [{ name, type }]
  })

/** The page names the hash of the file, and a browser runs no other. */
const SDK = createRequire(import.meta.url).resolve('@chec/commerce.js/lib/commerce.js')

const PUBLIC_SANDBOX_KEY = /^pk_test_\w+$/

export function storefrontPages(storefront: Storefront): readonly Page[] {
  const policy = policyOf(storefront.publicUrl)
  const write = shelvesWriter(storefront.ask)
  const page = (name: string, answer: Page['answer']): Page => ({ method: 'GET', path: `/storefront/${name}`, answer })
  const content = (type: string, body: string | Buffer, status: 200 | 404 = 200): PageAnswer => ({
    type,
    body,
    policy,
    status,
  })
  const file = async (type: string, path: string) => content(type, await readFile(path))
  return [
    page('', async ({ url, clientAddress }) => {
      const key = await getKey(storefront)
      // The router takes both; what the page names beside itself is found from the second alone.
      if (!/^\/storefront\/(?:\?|$)/.test(url)) return { location: 'storefront/', status: 308 }
      const { html, status } = await write(new URL(url, 'http://page').searchParams, key, clientAddress)
      return content('text/html; charset=utf-8', html, status)
    }),
    page('config.js', async () => content(SCRIPT, configOf(await getKey(storefront), storefront))),
    page('commerce.js', () => file(SCRIPT, SDK)),
    ...listFiles().map(({ name, type }) => page(name, () => file(type, join(FOLDER, name)))),
  ]
}

async function getKey({ findKey, authenticate }: Storefront): Promise<string> {
  const key = await findKey()
  if (key === null || !PUBLIC_SANDBOX_KEY.test(key) || !(await isValid(key, authenticate)))
    throw new ApiError(
      404,
      'not_found',
      'There is no demo shop here, and so no storefront: it sells for that shop alone.',
    )
  return key
}

async function isValid(key: string, authenticate: Authenticate): Promise<boolean> {
  try {
    await authenticate(key)
    return true
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) return false
    throw error
  }
}

/** For whoever looks at the demo and has no code of their own. */
const TRY_CODES = `To try it out: ${demoDiscounts[0]?.code} is a discount, and ${demoGiftCard.code} a gift card with $${demoGiftCard.value} on it, until it is spent.`

/** The page is served by the very server whose API it calls, under whatever name and behind whatever proxy: so it is found from here. */
const configOf = (
  publicKey: string,
  { version, mailIsKept = false }: Storefront,
) => `// Filled in by the server for its demo shop.
export const config = {
  url: new URL('..', import.meta.url).href,
  publicKey: ${JSON.stringify(publicKey)},
  version: ${JSON.stringify(version)},
  mailIsKept: ${mailIsKept},
  tryCodes: ${JSON.stringify(TRY_CODES)},
}
`

const policyOf = (publicUrl: string | undefined) =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    `img-src 'self'${publicUrl === undefined ? '' : ` ${new URL(publicUrl).origin}`}`,
    "connect-src 'self'",
    // Without JavaScript the search is a form.
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
