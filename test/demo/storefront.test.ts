// The example storefront, as the server serves it and as a shopper uses it, in a browser that reaches nothing but this machine.

import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { storefrontPages } from '../../src/demo/storefront.ts'
import type { Caller } from '../../src/http/endpoint/endpoint.ts'
import { isBrowserSkipped } from '../support/browser.ts'
import { fillInAddress, fillInCard, fillInContact, openStorefront, PATIENT } from './storefront-support.ts'

const { app, origin, browser, keys, setKey } = await openStorefront()
const { live, sandbox } = keys

const files = readdirSync(new URL('../../examples/storefront/', import.meta.url))
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

const CALLER: Caller = {
  merchantId: 1,
  keyId: 'key_1',
  session: null,
  isSecret: false,
  isSandbox: true,
  currency: 'USD',
  apiVersion: '2022-07-21',
  isDisabled: false,
}

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
    const found = {
      findKey: async () => sandbox.public,
      authenticate: () => CALLER,
      ask: async () => ({ status: 503, body: null }),
      version: '2022-07-21',
    }
    const pages = storefrontPages({ ...found, publicUrl: 'https://api.shop.example' })
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
              message: 'There is no demo shop here, and so no storefront: it sells for that shop alone.',
            },
          },
        })
    }
    setKey(sandbox.public)
  })
})

const typeOf = (name: string) => {
  if (name.endsWith('.css')) return 'text/css; charset=utf-8'
  if (name.endsWith('.svg')) return 'image/svg+xml'
  return name.endsWith('.js') ? 'text/javascript; charset=utf-8' : 'text/html; charset=utf-8'
}

describe.skipIf(isBrowserSkipped)('a shopper', () => {
  it('finds a product, chooses, changes the quantity, saves with a code, pays and is told the order', async () => {
    const { page, requested, close } = await visit()
    expect(await accessibilityProblems(page)).toEqual([])
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
    expect(await accessibilityProblems(page)).toEqual([])

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
    await expect.poll(() => page.locator('#subtotal').textContent(), PATIENT).toBe('$36.00')
    expect(await page.locator('#cart-count').textContent()).toBe('2')
    expect(await accessibilityProblems(page)).toEqual([])
    // More than there are: refused, said, and the cart is as it was.
    await quantity.fill('90')
    await quantity.press('Enter')
    await page
      .getByRole('alert')
      .filter({ hasText: /^Only \d+ are left\.$/ })
      .waitFor()
    await expect.poll(() => quantity.inputValue(), PATIENT).toBe('2')

    await page.getByRole('link', { name: 'Go to checkout' }).click()
    await page.getByLabel('Discount code').fill('NONE')
    await page.getByRole('button', { name: 'Apply' }).click()
    await expect.poll(() => page.getByLabel('Discount code').getAttribute('aria-invalid'), PATIENT).toBe('true')
    await page.getByLabel('Discount code').fill('welcome10')
    await page.getByRole('button', { name: 'Apply' }).click()
    await page.getByText('Discount WELCOME10').waitFor()
    await fillIn(page)
    expect(await accessibilityProblems(page)).toEqual([])

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
    expect(await accessibilityProblems(page)).toEqual([])

    expect([...new Set(requested.map((url) => new URL(url).origin))]).toEqual([origin])
    expect(await close()).toEqual(['402'])
  })

  it('whose card is declined keeps the cart, also when the page is loaded again', async () => {
    const { page, close } = await visit('products/one-pot-suppers')
    await page.getByRole('button', { name: 'Add to cart' }).click()
    await page.getByRole('link', { name: 'Cart 1 items' }).click()
    await page.getByRole('link', { name: 'Go to checkout' }).click()
    // A file is sent nowhere.
    await page.getByRole('heading', { level: 1, name: 'Checkout' }).waitFor()
    expect(await page.getByLabel('Street').count()).toBe(0)
    await fillInContact(page)
    await fillInCard(page, '4000 0000 0000 9995')
    await page.getByRole('button', { name: 'Pay $12.00' }).click()
    await page.getByRole('alert').filter({ hasText: 'insufficient' }).waitFor()
    await page.reload()
    await page.getByRole('link', { name: 'Cart 1 items' }).click()
    await page.getByRole('link', { name: 'Twelve One-Pot Suppers' }).waitFor()
    expect(await close()).toEqual(['402'])
  })

  it('reads descriptions as text, whatever stands in them', async () => {
    const { status } = await app.call('POST', '/v1/products', {
      key: sandbox.secret,
      body: {
        name: '<img src=x onerror=alert(1)>Vase',
        permalink: 'odd-vase',
        price: 5,
        description:
          '<p>Tall &amp; <b>blue</b></p><script>document.title = "taken"</script><img src="//example.com/x.png">',
      },
    })
    expect(status).toBe(201)
    const { page, requested, close } = await visit('products/odd-vase')
    await page.getByRole('heading', { level: 1, name: '<img src=x onerror=alert(1)>Vase' }).waitFor()
    expect(await page.locator('.description').textContent()).toMatch(/^Tall & blue/)
    expect(await page.title()).toBe('<img src=x onerror=alert(1)>Vase · Cartwright Demo')
    expect(await page.locator('main img').count()).toBe(0)
    expect(requested.filter((url) => url.includes('x.png'))).toEqual([])
    expect(await close()).toEqual([])
  })

  it('whose link was cut off is told so, and goes on from there', async () => {
    const { page, close } = await visit('products/%C3')
    await page.getByRole('heading', { level: 1, name: 'Not found' }).waitFor()
    await page.getByText('There is nothing at this address.').waitFor()
    expect(await page.locator('main').getAttribute('aria-busy')).toBeNull()
    await page.getByRole('link', { name: 'Cart 0 items' }).click()
    await page.getByRole('heading', { level: 1, name: 'Your cart' }).waitFor()
    expect(await close()).toEqual([])
  })

  it('is told when the shop does not answer', async () => {
    const { page, close } = await visit('products/stoneware-mug')
    await page.route('**/v1/**', (route) => route.abort())
    await page.getByRole('button', { name: 'Add to cart' }).click()
    await page.getByRole('alert').filter({ hasText: 'The shop does not answer.' }).waitFor()
    expect(await close()).toEqual(['failed'])
  })
})

/** A shopper who was never here. `close` gives what the browser has complained about meanwhile: nothing that a shopper has not caused. */
async function visit(path = '') {
  if (browser === null) throw new Error('There is no browser.')
  const context = await browser.newContext({ viewport: { width: 375, height: 760 } })
  const page = await context.newPage()
  page.setDefaultTimeout(60_000)
  const requested: string[] = []
  const complaints = new Set<string>()
  page.on('request', (request) => void requested.push(request.url()))
  page.on('requestfailed', () => void complaints.add('failed'))
  page.on('pageerror', ({ message }) => void complaints.add(message))
  page.on('console', (message) => {
    const text = message.text()
    const [, status] = /status of (\d+)/.exec(text) ?? []
    if (message.type() === 'error' && !text.includes('ERR_FAILED')) complaints.add(status ?? text)
  })
  await page.goto(`${origin}/storefront/${path && `#/${path}`}`)
  await page.locator('body[data-view] h1').waitFor()
  return {
    page,
    requested,
    close: async () => {
      await context.close()
      return [...complaints].sort()
    },
  }
}

async function fillIn(page: Page) {
  await fillInContact(page)
  await fillInAddress(page)
}

/** What keeps people out, as far as a program can see it. Runs in the page. */
async function accessibilityProblems(page: Page): Promise<string[]> {
  await page.keyboard.press('Tab')
  return page.evaluate(`(() => {
    const problems = []
    const all = (selector) => [...document.querySelectorAll(selector)]
    if (document.documentElement.lang === '') problems.push('the page names no language')
    if (document.title === '') problems.push('the page has no title')
    if (all('h1').length !== 1) problems.push('there are ' + all('h1').length + ' h1')
    if (all('main').length !== 1) problems.push('there is no main')
    for (const control of all('input, select, textarea'))
      if (![...control.labels].some((label) => label.textContent.trim() !== ''))
        problems.push('without a label: ' + control.outerHTML)
    for (const control of all('a, button'))
      if ((control.getAttribute('aria-label') ?? control.textContent).trim() === '')
        problems.push('without a name: ' + control.outerHTML)
    for (const image of all('img')) if (!image.hasAttribute('alt')) problems.push('without alt: ' + image.outerHTML)
    for (const group of all('fieldset'))
      if (group.querySelector('legend') === null) problems.push('without a legend: ' + group.id)
    for (const { id } of all('[id]'))
      if (all('#' + CSS.escape(id)).length > 1) problems.push('twice: #' + id)
    if (document.documentElement.scrollWidth > document.documentElement.clientWidth)
      problems.push('it is wider than the screen')
    const focused = document.activeElement
    const outline = (pseudo) => getComputedStyle(focused, pseudo).outlineStyle
    if (focused === document.body || (outline(null) === 'none' && outline('::after') === 'none'))
      problems.push('focus cannot be seen: ' + focused.outerHTML)
    return problems
  })()`)
}
