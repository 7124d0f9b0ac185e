// A shop with long pages, and a clock that stands still.

import { beforeAll, vi } from 'vitest'
import { statement } from '../../src/db/db.ts'
import type { TestApp } from '../support/app.ts'
import { openShop } from '../support/shop.ts'

/** Stops the clock, so that no share comes back while a slow machine asks. */
export function stopTime() {
  beforeAll(() => {
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => 0)
    return () => clock.mockRestore()
  })
}

export const fillProducts = statement(
  'test.fill_products',
  `update products set description = repeat('x', :length), version = version + 1 where merchant_id = :merchant_id`,
)
export const numbers = (count: number) => Array.from({ length: count }, (_, number) => number)

/** A shop with 200 products, whose descriptions have so many characters. */
export async function shopWithProducts(app: TestApp, length: number) {
  const shop = await openShop(app)
  const key = shop.keys.sandbox.secret
  await Promise.all(
    numbers(200).map((n) => app.call('POST', '/v1/products', { key, body: { name: `Mug ${n}`, price: 1 } })),
  )
  await app.db.run(fillProducts, { merchant_id: shop.id, length })
  return shop
}
