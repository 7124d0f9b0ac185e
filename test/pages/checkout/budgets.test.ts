// The bytes of the checkout that a phone on a bad line has to load. edges.test.ts counts the statements of a page.

import { gzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { assetFiles, assetPath } from '../../../src/pages/assets.ts'
import { openCaptureShop } from '../../api/checkouts/capture-support.ts'
import { sharedApp } from '../../support/app.ts'
import { STATES } from './views/states.ts'

const KB = 1_024
const SCRIPTS = 10 * KB
const STYLES = 8 * KB
const HTML = 25 * KB

const app = await sharedApp()

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
  const countries = ['DE', 'FR', 'JP', 'GB', 'CA', 'AU', 'BR', 'IN', 'IT', 'ES', 'NL', 'PL']
  await shop.zone({ name: 'World', countries })
  const token = await shop.token(...products.map(({ id }) => ({ id })))
  const { statusCode, body, headers } = await app.server.inject({ url: `/checkout/${shop.id}/pay/${token.id}?lang=ja` })
  expect([statusCode, headers['cache-control']]).toEqual([200, 'no-store'])
  expect(body.match(/class="line"/g)?.length).toBe(20)
  expect(gzipSync(body).length).toBeLessThanOrEqual(HTML)
})

it.each(Object.keys(STATES))('is a page of at most 25 KB in the state %s', (state) => {
  expect(gzipSync(STATES[state]?.().text ?? '').length).toBeLessThanOrEqual(HTML)
})
