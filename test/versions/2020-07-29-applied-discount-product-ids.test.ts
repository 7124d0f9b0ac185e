// The discount of a cart and its products: a list from 2020-07-29 on, before that one or none.

import { describe, expect, it } from 'vitest'
import { testApp } from '../support/app.ts'

const app = await testApp()
const { keys } = await app.merchant()
const key = keys.sandbox.secret

const make = async (path: string, body: unknown) => (await app.call('POST', `/v1/${path}`, { key, body })).body
const product = async (name: string) => (await make('products', { name, price: 10 })) as { id: string }
const [mug, bowl] = [(await product('Mug')).id, (await product('Bowl')).id]

/** A cart with one mug and a code for these products, as `version` shows its discount. */
async function discountAt(version: string, productIds: string[]): Promise<unknown> {
  const { code } = (await make('discounts', { type: 'percentage', value: 50, product_ids: productIds })) as {
    code: string
  }
  const { id } = (await app.call('GET', '/v1/carts', { key: keys.sandbox.public })).body as { id: string }
  await make(`carts/${id}`, { id: mug, quantity: 1 })
  const applied = await app.call('PUT', `/v1/carts/${id}`, { key: keys.sandbox.public, body: { discount_code: code } })
  expect([applied.status, applied.text]).toEqual([200, applied.text])
  const { body } = await app.call('GET', `/v1/carts/${id}`, { key: keys.sandbox.public, version })
  const { code: shown, ...rest } = (body as { discount_code: Record<string, unknown> }).discount_code
  return { ...rest, isShown: shown === code }
}

const APPLIED = {
  isShown: true,
  type: 'percentage',
  value: 50,
  amount_saved: { raw: 5, formatted: '5.00', formatted_with_symbol: '$5.00', formatted_with_code: '5.00 USD' },
}

describe('the discount of a cart', () => {
  it.each([
    [[], null],
    [[mug], mug],
    [[mug, bowl], mug],
  ])('for the products %j names %j before 2020-07-29', async (list, one) => {
    expect(await discountAt('2020-07-29', list)).toEqual({ ...APPLIED, product_ids: list })
    expect(await discountAt('2020-07-01', list)).toEqual({ ...APPLIED, product_id: one })
  })
})
