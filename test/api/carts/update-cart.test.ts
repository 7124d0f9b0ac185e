// PUT /v1/carts/{cart_id}: the meta of a cart, and its discount code.

import { describe, expect, it } from 'vitest'
import { sharedApp } from '../../support/app.ts'
import { sql } from '../../support/rows.ts'
import { malformedField, notValid, price } from '../../support/shop.ts'
import { openCartShop } from './support.ts'

const app = await sharedApp()
const carts = await openCartShop(app)
const { shop, call, newCart, add, get, update, refused } = carts
const mug = await shop.create({ name: 'Mug', price: 12.5 })
const tea = await shop.create({ name: 'Tea', price: 4 })

const addDiscount = async (body: Record<string, unknown>) => {
  const answer = await app.call('POST', '/v1/discounts', { key: shop.keys.sandbox.secret, body })
  expect([answer.status, answer.text]).toEqual([201, answer.text])
  return answer.body as { id: string; code: string }
}

const filled = async () => {
  const cart = await newCart()
  await add(cart, mug, { quantity: 2 })
  return add(cart, tea)
}

await addDiscount({ type: 'percentage', value: 12.5, code: 'Tenth' })
await addDiscount({ type: 'fixed', value: 5, code: 'FIVE-TEA', product_ids: [tea.id] })

const tenth = (amountSaved: ReturnType<typeof price>) => ({
  type: 'percentage',
  code: 'Tenth',
  value: 12.5,
  amount_saved: amountSaved,
  product_ids: [],
})

const REFUSED = notValid(
  { discount_code: ['This code cannot be used: it does not exist, has expired or is used up.'] },
  'This code cannot be used: it is wrong, has expired or is used up.',
)

describe('the meta of a cart', () => {
  // `{"é":""}` is nine bytes.
  const large = (bytes: number) => ({ é: 'x'.repeat(bytes - 9) })

  it('is kept as it was sent, in its order, replaced as a whole and taken away by null', async () => {
    const cart = await filled()
    app.clock.advance(3)
    const answer = await call('PUT', `/${cart.id}`, { meta: { z: 1, a: { b: [null, 'é'] } } })
    expect([answer.status, answer.headers['cache-control']]).toEqual([200, 'no-store'])
    expect(answer.body).toEqual({ ...cart, updated: cart.updated + 3, meta: { z: 1, a: { b: [null, 'é'] } } })
    expect(answer.text).toContain('"meta":{"z":1,"a":{"b":[null,"é"]}}')
    expect((await update(cart, { meta: { c: true } })).meta).toEqual({ c: true })
    expect((await update(cart, { meta: null })).meta).toBeNull()
  })

  it('is at most 16 KB as JSON text: one byte more is refused with the limit, also beside a code', async () => {
    const cart = await filled()
    expect(Buffer.byteLength(JSON.stringify(large(16_384)))).toBe(16_384)
    expect((await update(cart, { meta: large(16_384) })).meta).toEqual(large(16_384))
    for (const discount_code of ['Tenth', 'NEVER', undefined])
      expect(await refused(cart, 'PUT', '', { meta: large(16_385), discount_code })).toEqual(
        malformedField('meta', 'must be at most 16 KB (16384 bytes) as JSON text.'),
      )
  })
})

describe('a discount code', () => {
  it('applies to the cart, in any case and between blanks, and leaves the subtotal alone', async () => {
    const cart = await filled()
    app.clock.advance(1)
    const discounted = await update(cart, { discount_code: ' tENTH ' })
    expect(discounted).toEqual({
      ...cart,
      updated: cart.updated + 1,
      discount: [tenth(price(3.63, '3.63'))],
    })
    expect(await get(cart)).toEqual(discounted)
    expect((await add(cart, mug, { quantity: 2 })).discount).toEqual([tenth(price(6.75, '6.75'))])
  })

  it('replaces the one before; null and an empty text take it away; meta alone leaves it', async () => {
    const cart = await filled()
    await update(cart, { discount_code: 'five-tea' })
    expect((await update(cart, { discount_code: 'tenth', meta: { a: 1 } })).discount).toHaveLength(1)
    const kept = await update(cart, { meta: { a: 2 } })
    expect(kept.discount).toEqual([tenth(price(3.63, '3.63'))])
    expect(await update(cart, { discount_code: null })).toEqual({ ...kept, discount: [] })
    await update(cart, { discount_code: 'tenth' })
    expect(await update(cart, { discount_code: '' })).toEqual({ ...kept, discount: [] })
  })

  it('stays in an emptied cart, where it saves nothing', async () => {
    const cart = await filled()
    await update(cart, { discount_code: 'tenth' })
    const { body } = await call('DELETE', `/${cart.id}/items`)
    expect((body as typeof cart).discount).toEqual([tenth(price(0, '0.00'))])
    expect(body).toEqual(await get(cart))
  })

  const use = sql`
    insert into discount_uses (merchant_id, discount_id, is_sandbox, used) values (:merchant_id, :discount_id,
    :is_sandbox, 1)`

  it('that is unknown, expired or used up is refused in the same words, and the cart stays as it is', async () => {
    const expires = Math.floor(app.clock.now().getTime() / 1_000) + 60
    await addDiscount({ type: 'fixed', value: 1, code: 'OLD', expires })
    const once = await addDiscount({ type: 'fixed', value: 1, code: 'ONCE', limit: 1 })
    await app.db.run(use, { merchant_id: shop.id, discount_id: once.id, is_sandbox: true })
    const other = await openCartShop(app)
    const foreign = { type: 'fixed', value: 1, code: 'FOREIGN' }
    await app.call('POST', '/v1/discounts', { key: other.shop.keys.sandbox.secret, body: foreign })
    app.clock.advance(60)
    const cart = await filled()
    await update(cart, { discount_code: 'tenth' })
    for (const discount_code of ['NEVER', 'old', 'ONCE', 'FOREIGN', 'x'.repeat(255)])
      expect(await refused(cart, 'PUT', '', { discount_code, meta: { a: 1 } })).toEqual([422, REFUSED])
    // What the sandbox used up is there in live.
    const { live } = shop.keys
    const made = await newCart(live.public)
    const applied = await call('PUT', `/${made.id}`, { discount_code: 'ONCE' }, live.public)
    expect([applied.status, (applied.body as typeof cart).discount[0]?.code]).toEqual([200, 'ONCE'])
  })

  it('disappears from the cart when it is used up, expired or deleted, and comes back when it can be used again', async () => {
    app.clock.advance(120)
    const { id } = await addDiscount({ type: 'fixed', value: 2, code: 'BRIEF', limit: 1 })
    const cart = await filled()
    const { discount } = await update(cart, { discount_code: 'BRIEF' })
    const change = (body: unknown) => app.call('PUT', `/v1/discounts/${id}`, { key: shop.keys.sandbox.secret, body })
    await app.db.run(use, { merchant_id: shop.id, discount_id: id, is_sandbox: true })
    expect((await get(cart)).discount).toEqual([])
    const expires = Math.floor(app.clock.now().getTime() / 1_000) + 60
    await change({ limit: 2, expires })
    app.clock.advance(59)
    expect((await get(cart)).discount).toEqual(discount)
    app.clock.advance(1)
    expect((await get(cart)).discount).toEqual([])
    await change({ expires: null })
    expect((await get(cart)).discount).toEqual(discount)
    await app.call('DELETE', `/v1/discounts/${id}`, { key: shop.keys.sandbox.secret })
    expect(await get(cart)).toMatchObject({ discount: [], subtotal: price(29, '29.00') })
  })
})
