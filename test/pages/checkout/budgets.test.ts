// What the page of the checkout may cost: bytes that a phone on a bad line has to load, and statements that its server sends for it.

import { gzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { assetFiles, assetPath } from '../../../src/pages/assets.ts'
import { openCaptureShop } from '../../api/checkouts/capture-support.ts'
import { statementsOf } from '../../api/checkouts/support.ts'
import { testApp } from '../../support/app.ts'

const KB = 1_024
const SCRIPTS = 10 * KB
const STYLES = 8 * KB
const HTML = 25 * KB
const STATEMENTS = 4

const app = await testApp()

const sizeOf = (name: string): number => {
  const file = assetFiles().get(assetPath(name)?.split('/').at(-1) ?? '')
  if (file === undefined) throw new Error(`${name} was not built.`)
  // As it is sent to those who take nothing smaller.
  return file.gzip.length
}

it('has scripts of at most 10 KB, with that of the largest provider', () => {
  const providers = ['stripe.js', 'square.js', 'razorpay.js'].map(sizeOf)
  expect(sizeOf('enhance.js') + Math.max(...providers)).toBeLessThanOrEqual(SCRIPTS)
})

it('has styles of at most 8 KB, with the colours of the shop', async () => {
  const shop = await openCaptureShop(app)
  const page = await app.server.inject({
    url: `/checkout/${shop.id}/pay/${(await shop.token({ id: (await shop.product()).id })).id}`,
  })
  const [, theme = ''] = /href="(\/checkout\/\d+\/theme\/\w+\.css)"/.exec(page.body) ?? []
  const sheet = await app.server.inject({ url: theme })
  expect(sheet.statusCode).toBe(200)
  expect(sizeOf('checkout.css') + gzipSync(sheet.rawPayload).length).toBeLessThanOrEqual(STYLES)
})

it('is a page of at most 25 KB, with twenty lines, all its questions and every country there is', async () => {
  const shop = await openCaptureShop(app)
  const products = await Promise.all(
    Array.from({ length: 20 }, (_, at) =>
      shop.product({
        name: `A thing with quite a long name, number ${at}`,
        collect: { fullname: true, shipping_address: true, billing_address: true, extrafields: true },
        extra_fields: [{ name: `What shall be engraved on number ${at}?`, type: 'text', required: true }],
      }),
    ),
  )
  await shop.zone({
    name: 'World',
    countries: ['DE', 'FR', 'JP', 'GB', 'CA', 'AU', 'BR', 'IN', 'IT', 'ES', 'NL', 'PL'],
  })
  const token = await shop.token(...products.map(({ id }) => ({ id })))
  const { statusCode, body, headers } = await app.server.inject({ url: `/checkout/${shop.id}/pay/${token.id}?lang=ja` })
  expect([statusCode, headers['cache-control']]).toEqual([200, 'no-store'])
  expect(body.match(/class="line"/g)?.length).toBe(20)
  expect(gzipSync(body).length).toBeLessThanOrEqual(HTML)
})

it('asks the database at most four times for a page, whether it is loaded or sent', async () => {
  const shop = await openCaptureShop(app)
  const address = `/checkout/${shop.id}/pay/${(await shop.token({ id: (await shop.product()).id })).id}`
  const form = 'do=update&lang=en&customer%5Bemail%5D=ada%40example.com&shipping%5Bcountry%5D=US'
  const requests = {
    loaded: () => app.server.inject({ url: address }),
    sent: () =>
      app.server.inject({
        method: 'POST',
        url: address,
        headers: { 'content-type': 'application/x-www-form-urlencoded', 'x-fragment': '1' },
        payload: form,
      }),
  }
  for (const [name, request] of Object.entries(requests)) {
    // What is kept in memory is kept after the first.
    expect([name, (await request()).statusCode]).toEqual([name, 200])
    const statements = await statementsOf(app, request)
    expect([name, statements.length > 0, statements.slice(STATEMENTS)]).toEqual([name, true, []])
  }
})
