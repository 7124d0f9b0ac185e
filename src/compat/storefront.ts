// The example storefront at /storefront/: the files of examples/storefront as they are, selling for the demo shop. Of that shop's keys it is
// told the public one of the sandbox alone, and serves no other.

import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { FastifyInstance, FastifyReply } from 'fastify'
import type { Authenticate } from '../http/endpoint/serve.ts'
import { ApiError } from '../lib/errors.ts'

export type Storefront = {
  /** The demo shop's public sandbox key, as far as this process knows of one. Asked each time: the shop may be made after the server. */
  findKey(): Promise<string | null>
  /** A key that was revoked, or is of another database, opens no shop. */
  authenticate: Authenticate
  /** The version of the API that the page is written for. */
  version: string
  /** Where pictures come from, where that is not the page's own origin. */
  publicUrl?: string | undefined
}

const FOLDER = fileURLToPath(new URL('../../examples/storefront/', import.meta.url))

/** Every file there is. Nothing of what a request says becomes a path. */
const FILES: Readonly<Record<string, string>> = {
  'style.css': 'text/css; charset=utf-8',
  'icon.svg': 'image/svg+xml',
  ...Object.fromEntries(
    [
      'before-sdk',
      'main',
      'shop',
      'dom',
      'catalogue',
      'product',
      'cart',
      'checkout',
      'address',
      'summary',
      'receipt',
    ].map((name) => [`${name}.js`, 'text/javascript; charset=utf-8']),
  ),
}

/** For those who have not installed the package. The page names the hash of the file, and a browser runs no other. */
const SDK_ELSEWHERE = 'https://cdn.jsdelivr.net/npm/@chec/commerce.js@2.8.0/lib/commerce.js'

const PUBLIC_SANDBOX_KEY = /^pk_test_\w+$/

export function serveStorefront(server: FastifyInstance, storefront: Storefront, sdk = installedSdk()) {
  const policy = policyOf(storefront.publicUrl, sdk === null)

  server.get('/storefront/', async (request, reply) => {
    await getKey(storefront)
    // The router takes both; what the page names beside itself is found from the second alone.
    if (!/^\/storefront\/(?:\?|$)/.test(request.url)) return reply.redirect('storefront/', 308)
    return send(reply, policy, 'text/html; charset=utf-8', await readFile(join(FOLDER, 'index.html')))
  })
  server.get('/storefront/config.js', async (_request, reply) =>
    send(reply, policy, 'text/javascript; charset=utf-8', configOf(await getKey(storefront), storefront.version)),
  )
  server.get('/storefront/commerce.js', async (_request, reply) =>
    sdk === null
      ? reply.redirect(SDK_ELSEWHERE, 302)
      : send(reply, policy, 'text/javascript; charset=utf-8', await readFile(sdk)),
  )
  for (const [name, type] of Object.entries(FILES))
    server.get(`/storefront/${name}`, async (_request, reply) =>
      send(reply, policy, type, await readFile(join(FOLDER, name))),
    )
}

function send(reply: FastifyReply, policy: string, type: string, bytes: Buffer | string) {
  reply.header('content-security-policy', policy)
  reply.header('referrer-policy', 'no-referrer')
  return reply.type(type).send(bytes)
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

/** The page is served by the very server whose API it calls, under whatever name and behind whatever proxy: so it is found from here. */
const configOf = (publicKey: string, version: string) => `// Filled in by the server for its demo shop.
export const config = {
  url: new URL('..', import.meta.url).href,
  publicKey: ${JSON.stringify(publicKey)},
  version: ${JSON.stringify(version)},
}
`

const policyOf = (publicUrl: string | undefined, isSdkElsewhere: boolean) =>
  [
    "default-src 'none'",
    `script-src 'self'${isSdkElsewhere ? ` ${SDK_ELSEWHERE}` : ''}`,
    "style-src 'self'",
    `img-src 'self'${publicUrl === undefined ? '' : ` ${new URL(publicUrl).origin}`}`,
    "connect-src 'self'",
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ')

/** The build for pages of the package, where it is installed: it is not among what this program needs to run. */
function installedSdk(): string | null {
  try {
    return createRequire(import.meta.url).resolve('@chec/commerce.js/lib/commerce.js')
  } catch {
    return null
  }
}
