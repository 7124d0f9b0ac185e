// The discount of a cart, a token and live totals is a list from 2022-07-21 on. Before, it was one object or an empty list. The SDK
// receives the object in every version.

import { describe, expect, it } from 'vitest'
import { digital, digitalBody, openCaptureShop } from '../api/checkouts/capture-support.ts'
import { sharedApp } from '../support/app.ts'
import { price } from '../support/shop.ts'

const app = await sharedApp()
const shop = await openCaptureShop(app)
const key = shop.keys.sandbox.public
const file = await shop.product({ ...digital, price: 10 })
const { code } = await shop.discount({ type: 'percentage', value: 50, code: 'HALF', product_ids: [file.id] })

const SDK = { 'x-chec-agent': 'commerce.js/v2' }
const half = { type: 'percentage', code: 'HALF', value: 50, amount_saved: price(5, '5.00') }
const [now, then] = [
  { ...half, product_ids: [file.id] },
  { ...half, product_id: file.id },
]
const both = { ...now, product_id: file.id }

type Shown = { id: string; discount?: unknown; discount_code?: unknown; live: Shown }
type Told = { version?: string; headers?: Record<string, string> }

/** Returns the discount from every response that contains it, for a cart with or without a code. */
async function discountsAt(told: Told, withCode: boolean) {
  const send = async (method: 'GET' | 'POST' | 'PUT', path: string, body?: unknown) =>
    (await app.call(method, `/v1/${path}`, { key, ...told, ...(body === undefined ? {} : { body }) })).body as Shown
  const { id } = await send('GET', 'carts')
  await send('POST', `carts/${id}`, { id: file.id })
  const put = await send('PUT', `carts/${id}`, { discount_code: withCode ? code : null })
  const cart = await send('GET', `carts/${id}`)
  const token = await send('GET', `checkouts/${id}?type=cart`)
  if (withCode) await send('GET', `checkouts/${token.id}/check/discount?code=${code}`)
  const read = await send('GET', `checkouts/tokens/${token.id}`)
  const live = await send('GET', `checkouts/${token.id}/live`)
  const zone = await send('GET', `checkouts/${token.id}/helper/set_tax_zone?country=DE`)
  const refused = await send('POST', `checkouts/${token.id}`, digitalBody({ expected_total: 999 }))
  const ofCart = new Set([put, cart].map(({ discount, discount_code }) => JSON.stringify({ discount, discount_code })))
  const ofToken = [read.discount, read.live.discount, live.discount, zone.live.discount, refused.live.discount]
  expect(ofCart.size).toBe(1)
  return { cart: JSON.parse([...ofCart][0] ?? ''), token: ofToken }
}

const five = (discount: unknown) => [discount, discount, discount, discount, discount]

describe('the discount of carts, tokens and live totals, also those of helpers and of a 409', () => {
  it.each<[string, Told, object, unknown]>([
    ['a list at 2022-07-21', { version: '2022-07-21' }, { discount: [now] }, [now]],
    ['one object before', { version: '2021-10-06' }, { discount_code: now }, now],
    ['one object of one product before 2020-07-29', { version: '2020-07-01' }, { discount_code: then }, then],
    ['one object to the SDK at 2022-07-21', { version: '2022-07-21', headers: SDK }, { discount: now }, now],
    ['one object to the SDK before', { version: '2021-10-06', headers: SDK }, { discount_code: now }, now],
  ])('is %s', async (_, told, cart, token) => {
    expect(await discountsAt(told, true)).toEqual({ cart, token: five(token) })
  })

  it('is one object to the SDK without one, with what each name ever held, but in a 409, which is not merged', async () => {
    const merged = { cart: { discount: now, discount_code: both }, token: [both, both, both, both, now] }
    expect(await discountsAt({ headers: SDK }, true)).toEqual(merged)
  })

  it.each<[Told, string[]]>([
    [{}, ['discount']],
    [{ version: '2021-10-06' }, ['discount_code']],
    [{ version: '2022-07-21', headers: SDK }, ['discount']],
    [{ headers: SDK }, ['discount', 'discount_code']],
  ])('is an empty list where there is none: %j', async (told, names) => {
    const cart = Object.fromEntries(names.map((name) => [name, []]))
    expect(await discountsAt(told, false)).toEqual({ cart, token: five([]) })
  })

  it('is in the envelope of a change too: to the SDK at 2022-07-21 the cart stands there twice, with one object', async () => {
    const told = { key, version: '2022-07-21', headers: SDK }
    const { id } = (await app.call('GET', '/v1/carts', told)).body as Shown
    await app.call('POST', `/v1/carts/${id}`, { ...told, body: { id: file.id } })
    await app.call('PUT', `/v1/carts/${id}`, { ...told, body: { discount_code: code } })
    const { body } = await app.call('POST', `/v1/carts/${id}`, { ...told, body: { id: file.id } })
    const two = { ...now, amount_saved: price(10, '10.00') }
    expect(body).toMatchObject({ success: true, event: 'Cart.Item.Added', discount: two, cart: { id, discount: two } })
  })
})
