import { describe, expect, it } from 'vitest'
import { openShop } from '../api/products/support.ts'
import { testApp } from '../support/app.ts'
import { malformed } from '../support/shop.ts'

const app = await testApp()
const shop = await openShop(app)
const product = await shop.create({ sku: 'A1' })

const read = (path: string, version: string) =>
  app.call('GET', `/v1/products/${path}`, { key: shop.keys.sandbox.public, version })

describe('type=product_id', () => {
  it('means type=id at 2020-07-29', async () => {
    const [older, newer] = [
      await read(`${product.id}?type=product_id`, '2020-07-29'),
      await read(`${product.id}?type=id`, '2020-07-29'),
    ]
    expect([older.status, older.body]).toEqual([200, newer.body])
    expect((older.body as { id: string }).id).toBe(product.id)
  })

  it('leaves the other types as they are at 2020-07-29', async () => {
    expect((await read('A1?type=sku', '2020-07-29')).status).toBe(200)
    const answer = await read('A1?type=barcode', '2020-07-29')
    expect([answer.status, answer.body]).toEqual([
      422,
      malformed({ type: ['type must be one of id, sku, permalink.'] }),
    ])
  })

  it('is refused at 2020-08-12', async () => {
    const answer = await read(`${product.id}?type=product_id`, '2020-08-12')
    expect([answer.status, answer.body]).toEqual([
      422,
      malformed({ type: ['type must be one of id, sku, permalink.'] }),
    ])
  })
})
