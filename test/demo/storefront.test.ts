// @sampled: `npm test` buys once.
// The example storefront: what the server serves, with and without JavaScript, and a shopper who buys in it.

import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { storefrontPages } from '../../src/demo/storefront.ts'
import type { Caller } from '../../src/http/endpoint/endpoint.ts'
import { isBrowserSkipped } from '../support/browser.ts'
import { isProof } from '../support/proof.ts'
import { faultsOf, fillInAddress, fillInCard, fillInContact, openStorefront } from './storefront-support.ts'

const { app, keys, setKey, visit, ask } = await openStorefront()
const { live, sandbox } = keys

const files = readdirSync(new URL('../../examples/storefront/', import.meta.url))
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

const CALLER = { isSecret: false, is_sandbox: true } as Caller

/** The pages of a service that does not answer. */
const pagesOf = (more: { publicUrl?: string } = {}) =>
  storefrontPages({
    findKey: async () => sandbox.public,
    authenticate: () => CALLER,
    ask: async () => ({ status: 503, body: null }),
    version: '2022-07-21',
    ...more,
  })

describe('what is served', () => {
  it('is every file of the example, under a policy that lets nothing else run or load', async () => {
    const names = ['', 'commerce.js', ...files.filter((name) => name !== 'index.html')]
    expect(names.length).toBeGreaterThan(12)
    for (const name of names) {
      const { status, headers } = await app.call('GET', `/storefront/${name}`)
      expect([name, status, headers]).toEqual([
        name,
        200,
        expect.objectContaining({
          'content-type': typeOf(name),
          'content-security-policy': POLICY,
          'x-content-type-options': 'nosniff',
          'cache-control': 'no-store',
        }),
      ])
    }
    expect(await app.call('GET', '/storefront/../package.json')).toMatchObject({ status: 404 })
    expect(await app.call('GET', '/storefront')).toMatchObject({ status: 308, headers: { location: 'storefront/' } })
  })

  it('holds the public sandbox key of the demo shop and none of its other keys', async () => {
    const texts = await Promise.all(
      ['', ...files].map(async (name) => (await app.call('GET', `/storefront/${name}`)).text),
    )
    const served = texts.join('\n')
    expect(served).toContain(`publicKey: "${sandbox.public}"`)
    expect([live.public, live.secret, sandbox.secret].filter((key) => served.includes(key))).toEqual([])
  })

  it('is the SDK as npm delivers it, and the page names its hash', async () => {
    const sdk = readFileSync(createRequire(import.meta.url).resolve('@chec/commerce.js/lib/commerce.js'))
    expect((await app.call('GET', '/storefront/commerce.js')).text).toBe(sdk.toString())
    const hash = createHash('sha384').update(sdk).digest('base64')
    expect((await app.call('GET', '/storefront/')).text).toContain(`integrity="sha384-${hash}"`)
  })

  it('lets pictures come from PUBLIC_URL', async () => {
    const pages = pagesOf({ publicUrl: 'https://api.shop.example' })
    const page = await pages.find(({ path }) => path === '/storefront/')?.answer({ url: '/storefront/' } as never)
    expect(page).toMatchObject({ policy: POLICY.replace("img-src 'self'", "img-src 'self' https://api.shop.example") })
  })

  it('is nothing without a demo shop, and for a key that opens nothing or is not public and of the sandbox', async () => {
    for (const key of [null, 'pk_test_000000000000000000000000000000', live.public, sandbox.secret, live.secret]) {
      setKey(key)
      for (const name of ['', 'config.js'])
        expect(await app.call('GET', `/storefront/${name}`)).toMatchObject({
          status: 404,
          body: {
            error: {
              type: 'not_found',
              message: 'There is no storefront here: it works only for the demo shop, and this service has none.',
            },
          },
        })
    }
    setKey(sandbox.public)
  })

  it('says whether mails are kept, and which codes the demo shop has', async () => {
    expect((await app.call('GET', '/storefront/config.js')).text).toMatch(
      /mailIsKept: true,\n {2}tryCodes: "[^"]*WELCOME10[^"]*DEMO-GIFT-CARD a gift card with \$25 on it, until it is spent\./,
    )
    const pages = pagesOf()
    const config = await pages.find(({ path }) => path === '/storefront/config.js')?.answer({} as never)
    expect(config).toMatchObject({ body: expect.stringContaining('mailIsKept: false') })
  })

  it('is at most 60 KB of script beside the SDK, zipped', () => {
    const folder = new URL('../../examples/storefront/', import.meta.url)
    const scripts = readdirSync(folder).filter((name) => name.endsWith('.js'))
    const bytes = scripts.reduce((sum, name) => sum + gzipSync(readFileSync(new URL(name, folder))).length, 0)
    expect(scripts.length).toBeGreaterThan(12)
    expect(bytes).toBeLessThanOrEqual(60 * 1_024)
  })
})

const typeOf = (name: string) => {
  if (name.endsWith('.css')) return 'text/css; charset=utf-8'
  if (name.endsWith('.svg')) return 'image/svg+xml'
  return name.endsWith('.js') ? 'text/javascript; charset=utf-8' : 'text/html; charset=utf-8'
}

describe('without JavaScript', () => {
  it('what is missing is a 404, and what a shop has written is text', async () => {
    const missing = await app.call('GET', '/storefront/?product=gone')
    expect(missing.status).toBe(404)
    expect(missing.text).toContain('It may have been sold or removed.')
    expect(missing.text).not.toContain('You can look at everything here.')
    expect(missing.text).toContain('<title>Product not found · Cartwright Demo</title>')
    expect((await app.call('GET', '/storefront/?category=gone')).status).toBe(404)

    await ask('POST', 'products', {
      name: '<img src=x onerror=alert(1)>"\'$& Pot',
      permalink: 'odd-pot',
      price: 5,
      description: '<p>Tall &amp; <b>blue</b></p><script>alert(2)</script>&lt;i&gt; <svg onload=alert(3)',
    })
    for (const address of ['?product=odd-pot', '?query=Pot', '?query=<script>alert(4)</script>']) {
      const { text } = await app.call('GET', `/storefront/${address}`)
      const body = text.slice(text.indexOf('<main'))
      expect(body).not.toMatch(/<script|<svg onload|<img src=x|alert\(2\)/)
    }
    const { text } = await app.call('GET', '/storefront/?product=odd-pot')
    expect(text).toContain('<h1>&lt;img src=x onerror=alert(1)&gt;&quot;&#39;$&amp; Pot</h1>')
    expect(text).toContain('>Tall &amp; blue\n&lt;i&gt;</p>')
  })

  it('shows no more than the public key may see', async () => {
    await ask('POST', 'products', { name: 'Not Yet For Sale', permalink: 'not-yet', price: 5, active: false })
    expect((await app.call('GET', '/storefront/?product=not-yet')).status).toBe(404)
    expect((await app.call('GET', '/storefront/?query=Not+Yet')).text).not.toContain('Not Yet For Sale')
  })

  it.each([
    ['?page=0', 24],
    ['?page=nonsense', 24],
    ['?page=99999999999', 24],
    ['?page=2&utm=x', 5],
    ['?query=%00', 24],
    [`?query=${'x'.repeat(300)}`, 0],
  ])('%s is an address like any other', async (address, cards) => {
    const { status, text } = await app.call('GET', `/storefront/${address}`)
    expect(status).toBe(200)
    // The shops that this file made come on top.
    expect(text.match(/class="card[ "]/g)?.length ?? 0).toBeGreaterThanOrEqual(cards)
  })
})

describe.skipIf(isBrowserSkipped)('a shopper', () => {
  it('finds a product, chooses, changes the quantity, saves with a code, pays and is told the order', async () => {
    const { page, refused } = await visit()
    expect(await faultsOf(page)).toEqual([])
    await page.getByRole('link', { name: 'Kitchen' }).click()
    await page.getByRole('heading', { level: 1, name: 'Kitchen' }).waitFor()
    await page.getByRole('link', { name: 'Tableware' }).click()
    await page.getByRole('heading', { level: 1, name: 'Tableware' }).waitFor()
    await page.getByLabel('Search products').fill('mug')
    await page.getByLabel('Search products').press('Enter')
    await page.getByRole('link', { name: 'Stoneware Mug' }).click()
    await page.getByRole('heading', { level: 1, name: 'Stoneware Mug' }).waitFor()
    // What a new view is called is read out first.
    expect(await page.evaluate('document.activeElement.tagName')).toBe('H1')
    expect(await faultsOf(page)).toEqual([])

    await page.getByLabel('Clay').check()
    await page.locator('.stock').filter({ hasText: 'Sold out' }).waitFor()
    expect(await page.getByRole('button', { name: 'Sold out' }).isDisabled()).toBe(true)
    expect(await page.getByLabel('Quantity of Stoneware Mug').isVisible()).toBe(false)
    await page.getByLabel('Sage').check()
    await page.getByRole('button', { name: 'Add to cart' }).click()
    await page.getByRole('link', { name: 'Cart 1 items' }).click()

    // The page of the product has a field of that name, too.
    await page.getByRole('heading', { level: 1, name: 'Your cart' }).waitFor()
    const quantity = page.getByLabel('Quantity of Stoneware Mug')
    await quantity.fill('2')
    await quantity.press('Enter')
    await expect.poll(() => page.locator('#subtotal').textContent()).toBe('$36.00')
    expect(await page.locator('#cart-count').textContent()).toBe('2')
    expect(await faultsOf(page)).toEqual([])
    // More than there are: refused, said, and the cart is as it was.
    await quantity.fill('90')
    await quantity.press('Enter')
    await page
      .getByRole('alert')
      .filter({ hasText: /^Only \d+ are left\.$/ })
      .waitFor()
    await expect.poll(() => quantity.inputValue()).toBe('2')

    await page.getByRole('link', { name: 'Go to checkout' }).click()
    await page.getByLabel('Discount code').fill('NONE')
    await page.getByRole('button', { name: 'Apply' }).click()
    await expect.poll(() => page.getByLabel('Discount code').getAttribute('aria-invalid')).toBe('true')
    await page.getByLabel('Discount code').fill('welcome10')
    await page.getByRole('button', { name: 'Apply' }).click()
    await page.getByText('Discount WELCOME10').waitFor()
    await fillInContact(page)
    await fillInAddress(page)
    expect(await faultsOf(page)).toEqual([])

    await fillInCard(page, '4000 0000 0000 0002')
    await page.getByRole('button', { name: 'Pay $46.79' }).click()
    await page.getByRole('alert').filter({ hasText: 'The card was declined.' }).waitFor()
    expect(await page.locator('#cart-count').textContent()).toBe('2')

    await fillInCard(page, '4242 4242 4242 4242')
    await page.getByRole('button', { name: 'Pay $46.79' }).click()
    await page.getByRole('heading', { level: 1, name: 'Thank you' }).waitFor()
    const reference = await page.locator('#reference').textContent()
    const orders = await app.call('GET', '/v1/orders', { key: sandbox.secret })
    expect(orders.body).toMatchObject({
      data: [
        {
          customer_reference: reference,
          status_payment: 'paid',
          order_value: { raw: 46.79 },
          order: { line_items: [{ quantity: 2, selected_options: [{ option_name: 'Sage' }] }] },
          customer: { email: 'ada@example.com', firstname: 'Ada', lastname: 'Byron' },
          shipping: { name: 'Ada Byron', county_state: 'BC', country: 'CA' },
        },
      ],
    })
    expect(await page.locator('#cart-count').textContent()).toBe('0')
    expect(await faultsOf(page)).toEqual([])

    expect(refused()).toEqual(['402'])
  })

  it.runIf(isProof)('reads descriptions as text, whatever stands in them', async () => {
    await ask('POST', 'products', {
      name: '<img src=x onerror=alert(1)>Vase',
      permalink: 'odd-vase',
      price: 5,
      description:
        '<p>Tall &amp; <b>blue</b></p><script>document.title = "taken"</script><img src="//example.com/x.png">',
    })
    const { page, refused } = await visit('products/odd-vase')
    await page.getByRole('heading', { level: 1, name: '<img src=x onerror=alert(1)>Vase' }).waitFor()
    expect(await page.locator('.description').textContent()).toMatch(/^Tall & blue/)
    expect(await page.title()).toBe('<img src=x onerror=alert(1)>Vase · Cartwright Demo')
    expect(await page.locator('main img').count()).toBe(0)
    expect(refused()).toEqual([])
  })

  it.runIf(isProof)('is told when the shop does not answer', async () => {
    const { page, refused } = await visit('products/stoneware-mug')
    await page.route('**/v1/**', (route) => route.abort())
    await page.getByRole('button', { name: 'Add to cart' }).click()
    await page.getByRole('alert').filter({ hasText: 'The shop does not answer.' }).waitFor()
    expect(refused()).toEqual(['failed'])
  })
})
