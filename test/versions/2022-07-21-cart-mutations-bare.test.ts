import { describe, expect, it } from 'vitest'
import type { Cart } from '../../src/api/carts/schema.ts'
import { type OldCart, openCarts } from './carts.ts'

const { app, shirt, mug, group, red, blue, call, ask, fill } = await openCarts()

/** The newest version before the change, the one that renamed most of what stands inside, and the oldest. */
const VERSIONS = ['2021-10-06', '2021-03-03', '2020-02-01'] as const

const now = (id: string, version: string) => ask<OldCart>('GET', `/${id}`, version)

describe.each(VERSIONS)('changes of a cart at %s', (version) => {
  it('answer an add with an envelope that names the line, and the cart in the shape of that version', async () => {
    const { id } = await ask<Cart>('GET', '')
    const answer = await ask<Record<string, unknown>>('POST', `/${id}`, version, { id: mug.id, quantity: 2 })
    const cart = await now(id, version)
    expect(answer).toEqual({
      success: true,
      event: 'Cart.Item.Added',
      line_item_id: cart.line_items[0]?.id,
      product_id: mug.id,
      product_name: 'Mug',
      quantity: 2,
      line_total: { raw: 8, formatted: '8.00', formatted_with_symbol: '$8.00', formatted_with_code: '8.00 USD' },
      cart,
    })
    expect(Object.keys(answer)).toEqual(
      'success event line_item_id product_id product_name quantity line_total cart'.split(' '),
    )
  })

  it('tell the whole of a line that an add made larger', async () => {
    const { id, line_items } = await fill()
    const answer = await ask('POST', `/${id}`, version, { id: shirt.id, quantity: 3, options: { [group.id]: red.id } })
    expect(answer).toMatchObject({ line_item_id: line_items[0]?.id, quantity: 4, line_total: { raw: 44 } })
  })

  it('answer the change of a line with the line as it has become', async () => {
    const { id, line_items } = await fill()
    const path = `/${id}/items/${line_items[0]?.id}`
    const answer = await ask('PUT', path, version, { quantity: 2, options: { [group.id]: blue.id } })
    expect(answer).toEqual({
      success: true,
      event: 'Cart.Item.Updated',
      line_item_id: line_items[0]?.id,
      product_id: shirt.id,
      product_name: 'Shirt',
      quantity: 2,
      line_total: { raw: 20, formatted: '20.00', formatted_with_symbol: '$20.00', formatted_with_code: '20.00 USD' },
      cart: await now(id, version),
    })
  })

  it('name the line that is left when two lines become one', async () => {
    const { id, line_items } = await fill()
    await ask('POST', `/${id}`, undefined, { id: shirt.id, quantity: 5, options: { [group.id]: blue.id } })
    const path = `/${id}/items/${line_items[0]?.id}`
    const answer = await ask<{ line_item_id: string }>('PUT', path, version, { options: { [group.id]: blue.id } })
    const cart = await now(id, version)
    const left = cart.line_items.filter((line) => line.product_id === shirt.id)
    expect(left.map((line) => [line.id, line.quantity])).toEqual([[answer.line_item_id, 6]])
    expect(answer).toMatchObject({ event: 'Cart.Item.Updated', quantity: 6, line_total: { raw: 60 }, cart })
  })

  it('answer a quantity of 0 as the removal that it is', async () => {
    const { id, line_items } = await fill()
    const line = line_items[1]?.id
    const answer = await ask('PUT', `/${id}/items/${line}`, version, { quantity: 0 })
    const cart = await now(id, version)
    expect(cart.line_items).toHaveLength(1)
    expect(answer).toEqual({ success: true, event: 'Cart.Item.Removed', line_item_id: line, cart })
  })

  it('answer a removal with the line and the cart', async () => {
    const { id, line_items } = await fill()
    const line = line_items[0]?.id
    const answer = await ask('DELETE', `/${id}/items/${line}`, version)
    const cart = await now(id, version)
    expect(cart.line_items).toHaveLength(1)
    expect(answer).toEqual({ success: true, event: 'Cart.Item.Removed', line_item_id: line, cart })
  })

  it('answer an emptying with the cart', async () => {
    const { id } = await fill()
    const answer = await ask('DELETE', `/${id}/items`, version)
    const cart = await now(id, version)
    expect(cart.line_items).toEqual([])
    expect(answer).toEqual({ success: true, event: 'Cart.Emptied', cart })
  })

  it('answer a deletion with 200 and the id', async () => {
    const { id } = await fill()
    const answer = await call('DELETE', `/${id}`, version)
    expect([answer.status, answer.body]).toEqual([200, { success: true, event: 'Cart.Deleted', cart_id: id }])
    expect((await call('GET', `/${id}`, version)).status).toBe(404)
  })

  it('answer a change of the cart itself with the bare cart', async () => {
    const { id } = await fill()
    const answer = await ask('PUT', `/${id}`, version, { meta: { note: 'x' } })
    expect(answer).toEqual(await now(id, version))
    expect(answer).toMatchObject({ id, meta: { note: 'x' } })
  })

  it('are refused as in any other version', async () => {
    const { id } = await fill()
    const missing = `/${id}/items/item_${'0'.repeat(26)}`
    const refusals = await Promise.all([
      call('POST', `/${id}`, version, { id: mug.id, quantity: 0 }),
      call('POST', `/cart_${'0'.repeat(26)}`, version, { id: mug.id }),
      call('PUT', missing, version, { quantity: 0 }),
      call('DELETE', missing, version),
    ])
    expect(refusals.map(({ status }) => status)).toEqual([422, 404, 404, 404])
    for (const { body } of refusals) expect(Object.keys(body as object)).toEqual(['error', 'status_code'])
  })
})

it('changes of a cart answer the bare cart, and a deletion 204 without a body, at 2022-07-21', async () => {
  const { id, line_items } = await fill()
  const [shirts, mugs] = line_items.map((line) => `/${id}/items/${line.id}`)
  for (const [method, path, body] of [
    ['POST', `/${id}`, { id: mug.id }],
    ['PUT', mugs ?? '', { quantity: 7 }],
    ['DELETE', shirts ?? '', undefined],
    ['DELETE', `/${id}/items`, undefined],
  ] as const) {
    app.clock.advance(1)
    expect(await ask(method, path, '2022-07-21', body)).toEqual(await now(id, '2022-07-21'))
  }
  const deleted = await call('DELETE', `/${id}`, '2022-07-21')
  expect([deleted.status, deleted.text]).toEqual([204, ''])
})
