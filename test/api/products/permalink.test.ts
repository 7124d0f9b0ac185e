// Permalinks and SKUs. A permalink is unique among a merchant's products, given or made from the name, also when requests come at once.
// Each can be found again as it was kept, at every length that is accepted.

import { describe, expect, it } from 'vitest'
import type { Product } from '../../../src/api/products/schema.ts'
import { sharedApp } from '../../support/app.ts'
import { atOnce, malformedField, notValidField } from '../../support/shop.ts'
import { openShop } from './support.ts'
import { addVariant, choose, clothing } from './variants/support.ts'

const app = await sharedApp()
const shop = await openShop(app)

const find = async (value: string, type: string) =>
  (await shop.call('GET', `/${encodeURIComponent(value)}?type=${type}`)).body

const TAKEN = notValidField('permalink', 'is taken by another product; it must be unique among your products.')

describe('a permalink', () => {
  it.each([
    ['Crème brûlée, 2 pcs', 'creme-brulee-2-pcs'],
    ['  --Hello,   World!-- ', 'hello-world'],
    ['ﬁne Ⅳ', 'fine-iv'],
    ['x'.repeat(255), 'x'.repeat(100)],
  ])('is made from the name %s', async (name, permalink) => {
    expect((await shop.create({ name })).permalink).toBe(permalink)
  })

  it('is made up where nothing of the name can be part of an address', async () => {
    const [one, other] = [await shop.create({ name: '靴下' }), await shop.create({ name: '靴下' })]
    expect(one.permalink).toMatch(/^[0-9a-z]{8}$/)
    expect(other.permalink).not.toBe(one.permalink)
  })

  it('gets a number when the name is taken, and random characters after a few', async () => {
    const permalinks = []
    for (let count = 0; count < 7; count++) permalinks.push((await shop.create({ name: 'Sock' })).permalink)
    expect(permalinks.slice(0, 5)).toEqual(['sock', 'sock-2', 'sock-3', 'sock-4', 'sock-5'])
    expect(permalinks[5]).toMatch(/^sock-[0-9a-z]{8}$/)
    expect(new Set(permalinks).size).toBe(7)
  })

  it('that is given and taken is refused, on creation and on update', async () => {
    const [taken, other] = [await shop.create({ permalink: 'taken' }), await shop.create({ permalink: 'other' })]
    expect(await shop.ask('POST', '', { name: 'Thing', price: 1, permalink: 'taken' })).toEqual(TAKEN)
    expect(await shop.ask('PUT', `/${other.id}`, { permalink: 'taken', name: 'Changed' })).toEqual(TAKEN)
    expect(await shop.get(other.id)).toEqual(other)
    expect((await shop.update(taken.id, { permalink: 'taken' })).permalink).toBe('taken')
  })

  it('may be the same in two shops, stays when the name changes, and is free again once its product is deleted', async () => {
    const other = await openShop(app)
    const { id } = await shop.create({ name: 'Shared' })
    expect((await other.create({ permalink: 'shared' })).permalink).toBe('shared')
    expect((await shop.update(id, { name: 'After' })).permalink).toBe('shared')
    await shop.call('DELETE', `/${id}`)
    expect((await shop.create({ permalink: 'shared' })).permalink).toBe('shared')
  })

  it('is given to one of twelve requests that ask for it at once', async () => {
    const answers = await atOnce(12, () => shop.call('POST', '', { name: 'Race', price: 1, permalink: 'race' }))
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(11).fill(422)])
    for (const { status, body } of answers) if (status === 422) expect([status, body]).toEqual(TAKEN)
  })

  it('differs for twelve products of one name that are created at once', async () => {
    const answers = await atOnce(12, () => shop.call('POST', '', { name: 'Twelve', price: 1 }))
    expect(answers.map(({ status }) => status)).toEqual(Array(12).fill(201))
    const permalinks = answers.map(({ body }) => (body as Product).permalink)
    expect(new Set(permalinks).size).toBe(12)
    expect(permalinks).toContain('twelve')
  })
})

describe('a SKU', () => {
  it('is kept without the blanks around it, and found with them and without', async () => {
    const product = await shop.create({ sku: ' \tA 1\n' })
    expect([product.sku, await find('A 1', 'sku'), await find(' A 1 ', 'sku')]).toEqual(['A 1', product, product])
    const updated = await shop.update(product.id, { sku: 'B 2  ' })
    expect([updated.sku, await find('B 2', 'sku')]).toEqual(['B 2', updated])
  })

  it('is refused when it is nothing but blanks', async () => {
    const product = await clothing(shop, { sku: 'KEPT' })
    const variant = await addVariant(app, shop, product.id, { options: choose(product, 'Red', 'L'), sku: 'KEPT' })
    const answers = [
      await shop.ask('POST', '', { name: 'Thing', price: 1, sku: ' ' }),
      await shop.ask('PUT', `/${product.id}`, { sku: '\t' }),
      await shop.ask('POST', `/${product.id}/variants`, { options: choose(product, 'Blue', 'L'), sku: '  ' }),
      await shop.ask('PUT', `/${product.id}/variants/${variant.id}`, { sku: '  ' }),
    ]
    for (const answer of answers) expect(answer).toEqual(malformedField('sku', 'must not be empty.'))
    expect((await shop.get(product.id)).sku).toBe('KEPT')
  })

  it.each(['x', 'é', '🧦', '/'])('of 255 times %s is found', async (character) => {
    const sku = character.repeat(255)
    const product = await shop.create({ sku })
    expect(await find(sku, 'sku')).toEqual(product)
  })
})
