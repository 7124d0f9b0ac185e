// The example storefront at /storefront/: the files of examples/storefront, with the demo shop's catalogue written into the page. It uses
// only the demo shop's public sandbox key and serves no other shop.

import { existsSync, readdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Authenticate } from '../http/endpoint/caller.ts'
import type { PageAnswer, PageRoute } from '../http/files/pages.ts'
import { ApiError } from '../lib/errors.ts'
import { ROOT } from '../root.ts'
import { createStorefrontWriter } from './storefront-shelves.ts'
import { demoDiscounts, demoGiftCard } from './terms.ts'

type Storefront = {
  /** The demo shop's public sandbox key, if known. Called each time, because the shop may be created after the server. */
  findKey(): Promise<string | null>
  /** Checks the key: a revoked one, or one of another database, opens no shop. */
  authenticate: Authenticate
  /** Sends a GET to the API, under the same rules for key and address as any request. */
  ask(path: string, key: string, from: string): Promise<{ status: number; body: unknown }>
  /** API version that the page is written for. */
  version: string
  /** Origin of pictures, if it differs from the page's. */
  publicUrl?: string | undefined
  /** True if mails are stored on this machine because there is no mail server. The page then says how to read them. */
  mailIsKept?: boolean
}

const FOLDER = fileURLToPath(new URL('examples/storefront/', ROOT))

const SCRIPT = 'text/javascript; charset=utf-8'

const TYPES: Readonly<Record<string, string>> = {
  '.js': SCRIPT,
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
}

/** Lists all files when the server starts, except config.js, which is generated here. No part of a request ever becomes a path. */
const listFiles = () =>
  // A copy of the program without its examples has no storefront but works otherwise.
  (existsSync(FOLDER) ? readdirSync(FOLDER) : []).flatMap((name) => {
    const type = name === 'config.js' ? undefined : TYPES[extname(name)]
    return type === undefined ? [] : [{ name, type }]
  })

/** The page contains the hash of this file, and browsers run no other. */
const SDK = createRequire(import.meta.url).resolve('@chec/commerce.js/lib/commerce.js')

const PUBLIC_SANDBOX_KEY = /^pk_test_\w+$/

export function storefrontPages(storefront: Storefront): readonly PageRoute[] {
  const policy = createPolicy(storefront.publicUrl)
  const write = createStorefrontWriter(storefront.ask)
  const page = (name: string, answer: PageRoute['answer']): PageRoute => ({
    method: 'GET',
    path: `/storefront/${name}`,
    answer,
  })
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
      // The router accepts both paths, but relative links work only from the second.
      if (!/^\/storefront\/(?:\?|$)/.test(url)) return { location: 'storefront/', status: 308 }
      const { html, status } = await write(new URL(url, 'http://page').searchParams, key, clientAddress)
      return content('text/html; charset=utf-8', html, status)
    }),
    page('config.js', async () => content(SCRIPT, createConfig(await getKey(storefront), storefront))),
    page('commerce.js', () => file(SCRIPT, SDK)),
    ...listFiles().map(({ name, type }) => page(name, () => file(type, join(FOLDER, name)))),
  ]
}

async function getKey({ findKey, authenticate }: Storefront): Promise<string> {
  const key = await findKey()
  if (key === null || !PUBLIC_SANDBOX_KEY.test(key) || !(await isValidKey(key, authenticate)))
    throw new ApiError(
      404,
      'not_found',
      'There is no storefront here: it works only for the demo shop, and this service has none.',
    )
  return key
}

async function isValidKey(key: string, authenticate: Authenticate): Promise<boolean> {
  try {
    await authenticate(key)
    return true
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) return false
    throw error
  }
}

/** For people who try the demo and have no code of their own. */
const TRY_CODES = `To try it out: ${demoDiscounts[0]?.code} is a discount, and ${demoGiftCard.code} a gift card with $${demoGiftCard.value} on it, until it is spent.`

/** Creates config.js. It finds the API relative to itself: the server may have any name and be behind any proxy. */
const createConfig = (
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

const createPolicy = (publicUrl: string | undefined) =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    `img-src 'self'${publicUrl === undefined ? '' : ` ${new URL(publicUrl).origin}`}`,
    "connect-src 'self'",
    // Without JavaScript, search is a form.
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
