// The SDK's file for pages at /v2/commerce.js: which service it calls, however the page has it, and how it is served.

import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { runInNewContext } from 'node:vm'
import { afterAll, describe, expect, it } from 'vitest'
import { injectScriptOrigin } from '../../src/compat/sdk-file.ts'
import { listen } from '../http/harness.ts'
import { testApp } from '../support/app.ts'
import { isBrowserSkipped, openBrowser } from '../support/browser.ts'

const app = await testApp()
const origin = `http://127.0.0.1:${await listen(app)}`
const { keys } = await app.merchant()
await app.call('POST', '/v1/products', { key: keys.sandbox.secret, body: { name: 'Kettle', price: 30 } })
const packaged = readFileSync(createRequire(import.meta.url).resolve('@chec/commerce.js/lib/commerce.js'), 'utf8')
const get = (path = '/v2/commerce.js', headers: Record<string, string> = {}) => app.call('GET', path, { headers })
const browser = await openBrowser()

describe('the file', () => {
  it.each(['/v1/commerce.js', '/v2/commerce.js'])('is served at %s to everybody, without a key', async (path) => {
    const { status, headers, text } = await get(path)
    expect(status).toBe(200)
    expect(headers).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'public, max-age=3600',
      'access-control-allow-origin': '*',
      'cross-origin-resource-policy': 'cross-origin',
      'x-content-type-options': 'nosniff',
      etag: expect.stringMatching(/^"[\w-]{43}"$/),
    })
    expect(Object.keys(headers).filter((name) => /version/.test(name))).toEqual([])
    expect(text).toBe(injectScriptOrigin(packaged))
    // Whatever name the request came by, proxies and browsers may keep one copy for all.
    expect((await get(path, { host: 'shop.example' })).text).toBe(text)
    expect(await get(path, { 'if-none-match': String(headers.etag) })).toMatchObject({ status: 304, text: '' })
    const head = await app.call('HEAD', path)
    expect(head).toMatchObject({ status: 200, text: '', headers: { etag: headers.etag } })
    expect(await app.call('POST', path, { body: {} })).toMatchObject({ status: 405, headers: { allow: 'GET, HEAD' } })
  })

  it('is the package’s, but for the address and what makes it run under a strict policy', async () => {
    const { text } = await get()
    const own = packaged.trimEnd().replace('url:"https://api.chec.io/"', 'url:cartwrightUrl')
    expect(own).not.toBe(packaged.trimEnd())
    expect(text.split(own)).toHaveLength(2)
    expect(text.length).toBeLessThan(packaged.length + 500)
  })

  it('is refused when the package’s file does not name its address in exactly one place', () => {
    expect(() => injectScriptOrigin(packaged)).not.toThrow()
    const address = 'url:"https://api.chec.io/"'
    for (const other of [
      packaged.replace(address, 'url:"https://api.example/"'),
      `${packaged}({${address}})`,
      packaged.replace('var Commerce=', 'let Commerce='),
    ])
      expect(() => injectScriptOrigin(other)).toThrow('The browser file of @chec/commerce.js differs')
  })
})

/** The address that a new client calls, by a script element with this source. */
async function addressBy(document: unknown, config = ''): Promise<string> {
  const globals = document === undefined ? {} : { document }
  const run = `${(await get()).text}; new Commerce('pk_test_1', false${config}).options.url`
  return runInNewContext(run, globals)
}

describe('new Commerce(key)', () => {
  it.each([
    ['https://api.shop.example/v2/commerce.js', 'https://api.shop.example/'],
    ['http://127.0.0.1:4000/v1/commerce.js?x=/v2/commerce.js', 'http://127.0.0.1:4000/'],
    ['https://shop.example/api/v2/commerce.js#top', 'https://shop.example/api/'],
    ['https://shop.example/v2/commerce.js/', 'https://shop.example/'],
  ])('calls the service that %s was loaded from', async (src, address) => {
    expect(await addressBy({ currentScript: { src } })).toBe(address)
  })

  it('takes another url where the page names one', async () => {
    const loaded = { currentScript: { src: 'https://api.shop.example/v2/commerce.js' } }
    expect(await addressBy(loaded, ", { url: 'https://other.example/' }")).toBe('https://other.example/')
  })

  it.each([
    [undefined],
    [{ currentScript: null }],
    [{ currentScript: {} }],
    [{ currentScript: { src: 'https://shop.example/js/commerce.js' } }],
  ])('keeps the SDK’s own address where it was loaded otherwise: %j', async (document) => {
    expect(await addressBy(document)).toBe('https://api.chec.io/')
  })
})

describe.skipIf(isBrowserSkipped)('a page of another origin', () => {
  const files: Record<string, [type: string, body: string]> = {
    '/': [
      'text/html',
      `<!doctype html><title>…</title><script src="${origin}/v2/commerce.js" crossorigin></script><script src="/page.js"></script>`,
    ],
    '/later': ['text/html', '<!doctype html><title>…</title><script src="/later.js"></script>'],
    '/page.js': [
      'text/javascript',
      `new Commerce('${keys.sandbox.public}').products.list().then(function (list) { document.title = list.data[0].name })`,
    ],
    '/later.js': [
      'text/javascript',
      `var script = document.createElement('script'); script.src = '${origin}/v1/commerce.js'
       script.onload = function () { var next = document.createElement('script'); next.src = '/page.js'; document.head.append(next) }
       document.head.append(script)`,
    ],
  }
  const shop = createServer((request, response) => {
    const [type, body] = files[request.url ?? ''] ?? ['text/plain', '']
    response.writeHead(200, {
      'content-type': type,
      'content-security-policy': `default-src 'none'; script-src 'self' ${origin}; connect-src ${origin}`,
    })
    response.end(body)
  })
  afterAll(() => {
    shop.closeAllConnections()
    shop.close()
  })

  it.each(['/', '/later'])('calls the other origin under a strict policy: %s', async (path) => {
    if (!shop.listening) await new Promise<void>((resolve) => shop.listen(0, '127.0.0.1', resolve))
    const page = await (browser as NonNullable<typeof browser>).newPage()
    const complaints: string[] = []
    page.on('pageerror', ({ message }) => void complaints.push(message))
    await page.goto(`http://127.0.0.1:${(shop.address() as AddressInfo).port}${path}`)
    await expect.poll(() => page.title()).toBe('Kettle')
    expect(complaints).toEqual([])
    await page.close()
  })
})
