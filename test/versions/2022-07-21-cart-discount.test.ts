import { describe, expect, it } from 'vitest'
import { type OldCart, openCarts } from './carts.ts'

const { app, shop, ask, fill } = await openCarts()

describe('the applied discount of a cart', () => {
  it('is `discount_code` in the place of `discount` at 2021-10-06', async () => {
    const { discount, ...rest } = await fill()
    const aged = await ask<OldCart>('GET', `/${rest.id}`, '2021-10-06')
    expect(aged).toEqual({ ...rest, discount_code: discount })
    const newest = await ask<OldCart>('GET', `/${rest.id}`)
    expect(Object.keys(aged)).toEqual(
      Object.keys(newest).map((field) => (field === 'discount' ? 'discount_code' : field)),
    )
  })

  it('is the same discount under either name when a code is applied', async () => {
    const created = await app.call('POST', '/v1/discounts', {
      key: shop.keys.sandbox.secret,
      body: { type: 'percentage', value: 50, code: 'HALF' },
    })
    expect([created.status, created.text]).toEqual([201, created.text])
    const { id } = await fill()
    const put = await ask<OldCart>('PUT', `/${id}`, '2021-10-06', { discount_code: 'HALF' })
    const { discount } = await ask<OldCart>('GET', `/${id}`, '2022-07-21')
    expect([put.discount_code]).toEqual(discount)
    expect(put.discount_code).toMatchObject({ code: 'HALF', type: 'percentage' })
  })
})
