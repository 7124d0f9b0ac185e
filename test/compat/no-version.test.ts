// When the SDK sends no version header, replies have the fields of every version, and a request may use the names of any of them.

import { describe, expect, it } from 'vitest'
import type { JsonData } from '../../src/versions/change.ts'
import { HEAD } from '../../src/versions/index.ts'
import { base64, png, upload } from '../api/assets/support.ts'
import { digital, digitalBody, openCaptureShop } from '../api/checkouts/capture-support.ts'
import { sharedApp } from '../support/app.ts'

const app = await sharedApp()
const shop = await openCaptureShop(app)
const key = shop.keys.sandbox.public
const SDK = { 'x-chec-agent': 'commerce.js/v2' }

const picture = await upload(app, shop.keys.sandbox.secret, { filename: 'a.png', contents: base64(png(4, 5)) })
const red = { slug: 'red', name: 'Red', assets: [picture.id] }
const category = await shop.succeed<{ id: string }>(201, 'POST', 'categories', red, shop.keys.sandbox.secret)
const file = await shop.product({
  ...digital,
  price: 10,
  assets: [picture.id],
  categories: [category.id],
  variant_groups: [{ name: 'Size', options: [{ name: 'S' }, { name: 'L', price: 2 }] }],
})
const [group] = file.variant_groups
const [small] = group?.options ?? []
const choice = { [group?.id ?? '']: small?.id ?? '' }
const { code } = await shop.discount({ type: 'percentage', value: 50, product_ids: [file.id] })

type Body = { id: string; line_items: { id: string }[] } & Record<string, JsonData>
type Told = { version?: string; headers?: Record<string, string>; body?: unknown; key?: string }
const send = (method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, told: Told = {}) =>
  app.call(method, `/v1/${path}`, { key, headers: SDK, ...told })
const ask = async (method: 'GET' | 'POST' | 'PUT', path: string, told: Told = {}) => {
  const answer = await send(method, path, told)
  expect([answer.status < 300, answer.text]).toEqual([true, answer.text])
  return answer.body as Body
}

async function bought() {
  const { id } = await ask('GET', 'carts')
  await ask('POST', `carts/${id}`, { body: { id: file.id, quantity: 1, options: choice } })
  await ask('PUT', `carts/${id}`, { body: { discount_code: code } })
  const token = await ask('GET', `checkouts/${id}?type=cart`)
  await ask('GET', `checkouts/${token.id}/check/discount?code=${code}`)
  return { cart: id, token: token.id }
}

describe('a read', () => {
  it('holds what published storefronts read', async () => {
    const { cart } = await bought()
    const source = { type: 'image', asset_id: picture.id, source: expect.stringContaining('/files/') }
    expect(await ask('GET', `products/${file.id}`)).toMatchObject({
      media: source,
      image: { id: picture.id },
      variants: [{ id: group?.id }],
      variant_groups: [{ id: group?.id }],
      last_updated: expect.any(Number),
      updated: expect.any(Number),
      assets: [{ id: picture.id, filename: expect.any(String), data: { ext: 'png' }, merchant_id: shop.id }],
    })
    expect((await ask('GET', `carts/${cart}`)).line_items).toMatchObject([
      {
        media: source,
        image: { id: picture.id },
        variants: [{ variant_id: group?.id, option_id: small?.id }],
        selected_options: [{ group_id: group?.id, option_id: small?.id }],
      },
    ])
  })

  it('is the newest version to everybody else, and to the SDK that names it', async () => {
    const { cart } = await bought()
    for (const path of [`products/${file.id}`, `carts/${cart}`])
      for (const told of [{ headers: {} }, { version: HEAD }])
        expect(JSON.stringify(await ask('GET', path, told))).not.toMatch(/"(media|last_updated|discount_code)"/)
  })
})

describe('a request', () => {
  it('chooses by `variant`, as SDK 2.0 and 2.2 send it with every line, and the newer name counts where both are', async () => {
    const { id } = await ask('GET', 'carts')
    const add = (body: object) => ask('POST', `carts/${id}`, { body: { id: file.id, quantity: 1, ...body } })
    const chosen = { selected_options: [{ group_id: group?.id, option_id: small?.id }] }
    expect((await add({ variant: choice })).line_items).toMatchObject([chosen])
    expect((await add({ variant: { [group?.id ?? '']: 'optn_none' }, options: choice })).line_items).toMatchObject([
      { ...chosen, quantity: 2 },
    ])
    expect((await add({ variant: null })).line_items).toHaveLength(2)
  })

  it('makes a token by `identifier_type`, as SDK 2.0 sends it', async () => {
    const { cart } = await bought()
    expect(await ask('GET', `checkouts/${cart}?identifier_type=cart`)).toMatchObject({ cart_id: cart })
    expect(await ask('GET', `checkouts/${file.id}?identifier_type=product_id`)).toMatchObject({ cart_id: null })
    expect(await ask('GET', `checkouts/${cart}?type=&identifier_type=cart`)).toMatchObject({ cart_id: cart })
    expect((await send('GET', `checkouts/${cart}?identifier_type=cart&type=permalink`)).status).toBe(404)
    expect((await send('GET', `checkouts/${cart}?identifier_type=basket`)).status).toBe(422)
  })

  it('gets a product by `type=product_id`, and gives an order `metadata`', async () => {
    expect(await ask('GET', `products/${file.id}?type=product_id`)).toMatchObject({ id: file.id })
    const { token } = await bought()
    expect(await ask('POST', `checkouts/${token}`, { body: digitalBody({ metadata: { gift: true } }) })).toMatchObject({
      meta: { gift: true },
      metadata: { gift: true },
    })
  })

  it('is read by the newest names alone where the SDK names the newest version, and where it is not the SDK', async () => {
    for (const told of [{ version: HEAD }, { headers: {} }]) {
      const { id } = await ask('GET', 'carts', told)
      const { line_items: lines } = await ask('POST', `carts/${id}`, {
        ...told,
        body: { id: file.id, quantity: 1, variant: choice },
      })
      expect(lines).toMatchObject([{ selected_options: [] }])
    }
  })
})

describe('what is not merged', () => {
  it('are errors: their type and message are those of the newest version', async () => {
    const { token } = await bought()
    for (const [method, path, body] of [
      ['GET', `products/prod_${'0'.repeat(26)}`, undefined],
      ['POST', `checkouts/${token}`, {}],
    ] as const) {
      const [plain, named] = [await send(method, path, { body, headers: {} }), await send(method, path, { body })]
      expect([named.status, named.body]).toEqual([plain.status, plain.body])
    }
  })

  it('is a deletion: it stays 204 without a body', async () => {
    const { id } = await ask('GET', 'carts')
    const answer = await send('DELETE', `carts/${id}`)
    expect([answer.status, answer.text]).toEqual([204, ''])
  })

  it("is anything where the merchant's own setting is an older version: that one is shown", async () => {
    const older = await app.merchant()
    const { secret, public: open } = older.keys.sandbox
    const body = { name: 'Mug', price: 1 }
    const { id } = (await app.call('POST', '/v1/products', { key: secret, body })).body as { id: string }
    const put = await app.call('PUT', '/v1/merchants', { key: secret, body: { version: '2021-09-22' } })
    expect([put.status, put.text]).toEqual([200, put.text])
    const shown = await send('GET', `products/${id}`, { key: open })
    expect(shown.headers['service-version']).toBe('2021-09-22')
    expect(shown.body).toHaveProperty('media')
    expect(shown.body).not.toHaveProperty('image')
  })
})
