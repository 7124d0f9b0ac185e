import { describe, expect, it } from 'vitest'
import { type OldCart, openCarts } from './carts.ts'

const { ask, app } = await openCarts()

describe('the moment at which a cart was changed', () => {
  it('is `last_updated` at 2020-09-23, wherever the cart stands', async () => {
    const cart = await ask<OldCart>('GET', '', '2020-09-23')
    app.clock.advance(60)
    const emptied = await ask<{ cart: OldCart }>('DELETE', `/${cart.id}/items`, '2020-09-23')
    const put = await ask<OldCart>('PUT', `/${cart.id}`, '2020-09-23', { meta: {} })
    const { updated } = await ask<OldCart>('GET', `/${cart.id}`)
    for (const aged of [cart, emptied.cart, put]) expect(aged).not.toHaveProperty('updated')
    expect([cart.last_updated, put.last_updated]).toEqual([cart.created, updated])
  })

  it('is `updated` at 2020-11-18', async () => {
    const cart = await ask<OldCart>('GET', '', '2020-11-18')
    expect(cart).not.toHaveProperty('last_updated')
    expect(cart.updated).toBe(cart.created)
  })
})
