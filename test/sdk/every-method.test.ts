// @sampled: `npm test` calls every method in Node, at the newest version.
// `@chec/commerce.js`, unmodified, against a real server: every method, in Chromium and in Node, at the versions that storefronts name.

import { beforeAll, describe, expect, it } from 'vitest'
import { HEAD } from '../../src/versions/index.ts'
import { listen } from '../http/harness.ts'
import { testApp } from '../support/app.ts'
import { isBrowserSkipped, openBrowser } from '../support/browser.ts'
import { isProof } from '../support/proof.ts'
import { cart } from './cart.ts'
import { catalogue } from './catalogue.ts'
import { checkout } from './checkout.ts'
import { customer } from './customer.ts'
import { paying } from './paying.ts'
import { geoDatabase, openSdkShop, type Pass, passOf, VERSIONS } from './shop.ts'
import { type Client, sdkInBrowser, sdkInNode, servePage } from './surroundings.ts'

// The same addresses in answers, whether they come through the port or not.
const app = await testApp({ geoDatabase: await geoDatabase(['127.0.0.0/8']), publicUrl: 'https://api.shop.example' })
const url = `http://127.0.0.1:${await listen(app)}`
// Mails are sent by jobs.
app.startJobs()
// After the app: what is opened last is closed first, and a browser would hold connections open.
const browser = isProof ? await openBrowser() : null
const pageUrl = await servePage()

const inBrowser = (client: Client) => {
  if (browser === null) throw new Error('There is no browser.')
  return sdkInBrowser(browser, pageUrl, client)
}

const SURROUNDINGS = [
  { surrounding: 'Chromium', open: inBrowser, isSkipped: !isProof || isBrowserSkipped },
  { surrounding: 'Node', open: sdkInNode, isSkipped: false },
]
const versions = isProof ? VERSIONS : [HEAD]

describe.each(SURROUNDINGS)('in $surrounding', ({ open, isSkipped }) => {
  describe.skipIf(isSkipped).each(versions)('at the version %s', (version) => {
    let opened: Pass | null = null
    const pass = (): Pass => {
      if (opened === null) throw new Error('The shop is not open yet.')
      return opened
    }
    beforeAll(async () => {
      const shop = await openSdkShop(app)
      opened = passOf(app, shop, await open({ key: shop.keys.sandbox.public, url, version }), version)
    })

    catalogue(pass)
    cart(pass)
    checkout(pass)
    paying(pass)
    customer(pass)

    it('no method of the package is left untried', async () => {
      const { sdk } = pass()
      const methods = await sdk.methods()
      expect(methods.length).toBeGreaterThan(50)
      expect(methods.filter((method) => !sdk.called.has(method))).toEqual([])
    })
  })

  it.skipIf(isSkipped)('a storefront that names no version gets the one that its merchant has set', async () => {
    const shop = await openSdkShop(app, { apiVersion: '2021-03-10' })
    const sdk = await open({ key: shop.keys.sandbox.public, url, version: undefined })
    const cart = await sdk.call<{ id: string }>('cart.retrieve')
    const added = await sdk.call('cart.add', shop.mug.id)
    const { body } = await app.call('GET', `/v1/carts/${cart.id}`, { key: shop.keys.sandbox.public })
    expect(body).toMatchObject({ line_items: [{ media: { source: shop.asset.url } }] })
    expect(added).toMatchObject({ success: true, event: 'Cart.Item.Added', quantity: 1, cart: body })
    expect(added).not.toHaveProperty('line_items')
    expect(await sdk.events()).toEqual(sdk.isBrowser ? ['Commercejs.Cart.Item.Added'] : null)
  })
})

describe('the server, after all of it', () => {
  type Line = { method?: string; status?: number; msg?: string }
  const requests = () => app.logged.map((line) => JSON.parse(line) as Line).filter(({ msg }) => msg === 'request')

  it.skipIf(!isProof || isBrowserSkipped)('has answered the preflights of a page from another origin', () => {
    const preflights = requests().filter(({ method }) => method === 'OPTIONS')
    expect(preflights.length).toBeGreaterThan(0)
    expect(preflights.filter(({ status }) => status !== 204)).toEqual([])
  })

  it('has not failed once', () => {
    expect(requests().filter(({ status = 500 }) => status >= 500)).toEqual([])
  })
})
