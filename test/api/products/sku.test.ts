// SKUs and permalinks as people type them: what is kept can be found again, at every length that is accepted.

import { describe, expect, it } from 'vitest'
import { testApp } from '../../support/app.ts'
import { malformed } from '../../support/shop.ts'
import { openShop } from './support.ts'
import { addVariant, choose, clothing } from './variants/support.ts'

const app = await testApp()
const shop = await openShop(app)

const find = async (value: string, type: string) =>
  (await shop.call('GET', `/${encodeURIComponent(value)}?type=${type}`)).body

describe('a SKU', () => {
  it('is kept without the blanks around it, and found with them and without', async () => {
    const product = await shop.create({ sku: ' \tA 1\n' })
    expect([product.sku, await find('A 1', 'sku'), await find(' A 1 ', 'sku')]).toEqual(['A 1', product, product])
    const updated = await shop.update(product.id, { sku: 'B 2  ' })
    expect([updated.sku, await find('B 2', 'sku')]).toEqual(['B 2', updated])
  })

  it('of a variant is kept without them too', async () => {
    const product = await clothing(shop)
    const variant = await addVariant(app, shop, product.id, { options: choose(product, 'Red', 'L'), sku: ' V 1 ' })
    const updated = await shop.call('PUT', `/${product.id}/variants/${variant.id}`, { sku: '\u00a0V 2' })
    expect([variant.sku, (updated.body as { sku: string }).sku]).toEqual(['V 1', 'V 2'])
  })

  it('is refused when it is nothing but blanks', async () => {
    const product = await clothing(shop, { sku: 'KEPT' })
    const variant = await addVariant(app, shop, product.id, { options: choose(product, 'Red', 'L'), sku: 'KEPT' })
    const answers = [
      await shop.call('POST', '', { name: 'Thing', price: 1, sku: ' ' }),
      await shop.call('PUT', `/${product.id}`, { sku: '\t' }),
      await shop.call('POST', `/${product.id}/variants`, { options: choose(product, 'Blue', 'L'), sku: '  ' }),
      await shop.call('PUT', `/${product.id}/variants/${variant.id}`, { sku: '  ' }),
    ]
    const refusal = malformed({ sku: ['sku must not be empty.'] })
    expect(answers.map(({ status, body }) => [status, body])).toEqual(answers.map(() => [422, refusal]))
    expect((await shop.get(product.id)).sku).toBe('KEPT')
  })

  it.each(['x', 'é', '🧦', '/'])('of 255 times %s is found, and one more is refused', async (character) => {
    const sku = character.repeat(255)
    const product = await shop.create({ sku })
    expect(await find(sku, 'sku')).toEqual(product)
    const longer = await shop.call('POST', '', { name: 'Thing', price: 1, sku: `${sku}x` })
    expect([longer.status, longer.body]).toEqual([
      422,
      malformed({ sku: ['sku must be at most 255 characters long.'] }),
    ])
  })
})

describe('a permalink', () => {
  it('of 255 characters is found, and one more is refused', async () => {
    const permalink = 'x'.repeat(255)
    const product = await shop.create({ permalink })
    expect(await find(permalink, 'permalink')).toEqual(product)
    const longer = await shop.call('POST', '', { name: 'Thing', price: 1, permalink: `${permalink}x` })
    expect([longer.status, longer.body]).toEqual([
      422,
      malformed({ permalink: ['permalink must be at most 255 characters long.'] }),
    ])
  })

  it.each([' thing', 'thing ', '\tthing'])('is refused as %j, which could not be found', async (permalink) => {
    const answer = await shop.call('POST', '', { name: 'Thing', price: 1, permalink })
    expect([answer.status, Object.keys((answer.body as { error: { errors: object } }).error.errors)]).toEqual([
      422,
      ['permalink'],
    ])
  })
})
