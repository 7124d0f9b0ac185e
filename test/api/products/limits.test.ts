// How much may belong to one product, in whatever steps it is added.

import { describe, expect, it } from 'vitest'
import type { Variant } from '../../../src/api/products/variants/schema.ts'
import { sharedApp } from '../../support/app.ts'
import { patient } from '../../support/database.ts'
import { atOnce, notValidField } from '../../support/shop.ts'
import { addAsset, openShop } from './support.ts'
import { addVariant, choose, clothing, groupOf } from './variants/support.ts'

const app = await sharedApp()
const shop = await openShop(app)

describe('a product', () => {
  it('has at most 500 assets, also when they are added one by one', async () => {
    const assets = await atOnce(501, () => addAsset(app, shop))
    const ids = assets.map(({ id }) => id)
    const { id } = await shop.create({ assets: ids.slice(0, 499) })
    const add = async (...added: unknown[]) => {
      const [status, body] = await shop.ask('POST', `/${id}/assets`, { assets: added })
      return status === 200 ? 200 : [status, body]
    }
    const refusal = (has: number) =>
      notValidField('assets', `must have at most 500 entries; the product already has ${has}.`)
    expect(await add(ids[499], ids[500])).toEqual(refusal(499))
    expect(await add(ids[499])).toBe(200)
    expect(await add(ids[500])).toEqual(refusal(500))
    // Moving one that is there adds none.
    expect(await add({ id: ids[0], sort_order: 9 })).toBe(200)
    expect((await shop.get(id)).assets.length).toBe(500)
  })

  it('has at most 1,000 options in all its groups, whichever way they come', { timeout: patient(60_000) }, async () => {
    const named = (letter: string, count: number) =>
      Array.from({ length: count }, (_, index) => ({ name: `${letter}${index}` }))
    const groups = (...counts: number[]) =>
      counts.map((count, index) => ({ name: `G${index}`, options: named(`o${index}-`, count) }))
    const refusal = (field: string, count: number) =>
      notValidField(
        field,
        `must leave the product with at most 1000 options in all its variant groups; it would have ${count}.`,
      )
    const { ask } = shop
    const tooMany = groups(500, 500, 1)
    expect(await ask('POST', '', { name: 'A', price: 1, variant_groups: tooMany })).toEqual(
      refusal('variant_groups', 1_001),
    )
    const nested = { product: { name: 'A', price: 1 }, variant: tooMany }
    expect(await ask('POST', '', nested)).toEqual(refusal('variant_groups', 1_001))
    const { id } = await shop.create({ variant_groups: groups(500, 499, 0) })
    const [first, , last] = (await shop.get(id)).variant_groups
    const at = `/${id}/variant_groups`
    expect(await ask('PUT', `/${id}`, { variant_groups: tooMany })).toEqual(refusal('variant_groups', 1_001))
    expect(await ask('POST', at, { name: 'H', options: named('h', 2) })).toEqual(refusal('options', 1_001))
    expect(await ask('PUT', `${at}/${last?.id}`, { options: named('l', 2) })).toEqual(refusal('options', 1_001))
    // Of many at once one finds room.
    const added = await Promise.all(
      named('one', 4).map((option) => shop.call('POST', `${at}/${last?.id}/options`, option)),
    )
    expect(added.map(({ status }) => status).sort()).toEqual([201, 422, 422, 422])
    expect(await ask('POST', `${at}/${last?.id}/options`, { name: 'more' })).toEqual(refusal('options', 1_001))
    const option = first?.options[0]?.id
    expect((await shop.call('PUT', `${at}/${first?.id}/options/${option}`, { name: 'other' })).status).toBe(200)
    expect((await shop.call('PUT', `/${id}`, { name: 'B' })).status).toBe(200)
  })

  it('has at most 1,000 variants, made one by one or generated, valid or not', {
    timeout: patient(60_000),
  }, async () => {
    const ten = (letter: string) => Array.from({ length: 10 }, (_, index) => `${letter}${index}`)
    const product = await clothing(shop, {}, { A: ten('a'), B: ten('b'), C: ten('c') })
    const generated = await shop.call('POST', `/${product.id}/variants/generate`)
    const variants = (generated.body as { data: Variant[] }).data
    expect([generated.status, variants.length]).toEqual([201, 1_000])
    expect(new Set(variants.map(({ options }) => JSON.stringify(options))).size).toBe(1_000)
    await shop.call('POST', `/${product.id}/variant_groups/${groupOf(product, 'A').id}/options`, { name: 'a10' })

    const options = choose(await shop.get(product.id), 'a10', 'b0', 'c0')
    const rule = 'must be at most 1000 for each product, including invalid ones. Delete some first.'
    const refusal = notValidField('variants', rule)
    expect(await shop.ask('POST', `/${product.id}/variants`, { options })).toEqual(refusal)
    await shop.call('DELETE', `/${product.id}/variants/${variants[0]?.id}`)
    await addVariant(app, shop, product.id, { options })

    await shop.update(product.id, { variant_groups: [{ name: 'D', options: [{ name: 'd0' }] }] })
    expect(await shop.ask('POST', `/${product.id}/variants/generate`)).toEqual(refusal)
    const { body } = await shop.call('GET', `/${product.id}/variants?limit=1`)
    expect((body as { meta: { pagination: { total: number } } }).meta.pagination.total).toBe(1_000)
  })
})
