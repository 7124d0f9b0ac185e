// DELETE /v1/categories/{id}: what becomes of children, products and assets, and the event.

import { describe, expect, it } from 'vitest'
import { statement } from '../../../src/db/db.ts'
import { testApp } from '../../support/app.ts'
import { addAsset, addProduct, eventsOf, forgetEvents, linkTo, openShop } from './support.ts'

const app = await testApp()

const remaining = statement<{ products: number; links: number; assets: number; attached: number }>(
  'test.category_remaining',
  `select
     (select count(*) from products where merchant_id = :merchant_id) as products,
     (select count(*) from product_categories where merchant_id = :merchant_id) as links,
     (select count(*) from assets where merchant_id = :merchant_id) as assets,
     (select count(*) from category_assets where merchant_id = :merchant_id) as attached`,
)

describe('DELETE /v1/categories/{id}', () => {
  it('gives the slug free', async () => {
    const shop = await openShop(app)
    const { id } = await shop.create('again')
    await shop.delete(id)
    expect((await shop.post({ slug: 'again', name: 'Again' })).status).toBe(201)
  })

  it('moves the children to where it stood, with all that is below them', async () => {
    const shop = await openShop(app)
    const top = await shop.create('top')
    const middle = await shop.create('middle', { parent_id: top.id })
    const low = await shop.create('low', { parent_id: middle.id })
    const lowest = await shop.create('lowest', { parent_id: low.id })
    const lower = { ...linkTo(low), children: [{ ...linkTo(lowest), children: [] }] }
    await shop.delete(middle.id)
    expect((await shop.get(top.id)).children).toEqual([lower])
    await shop.delete(top.id)
    expect((await shop.list()).map(({ slug, parent_id }) => [slug, parent_id])).toEqual([
      ['low', null],
      ['lowest', low.id],
    ])
  })

  it('unlinks its products and assets, which stay', async () => {
    const shop = await openShop(app)
    const asset = await addAsset(app, shop)
    const [gone, stays] = [await shop.create('gone', { assets: [asset.id] }), await shop.create('stays')]
    await addProduct(app, shop, [gone.id, stays.id])
    await addProduct(app, shop, [gone.id])
    await shop.delete(gone.id)
    expect(await app.db.one(remaining, { merchant_id: shop.id })).toEqual({
      products: 2,
      links: 1,
      assets: 1,
      attached: 0,
    })
    expect((await shop.get(stays.id)).products).toBe(1)
  })

  it('writes its event with the body as it was, and one for each child that moved', async () => {
    const shop = await openShop(app)
    const top = await shop.create('top')
    const gone = await shop.create('gone', { parent_id: top.id, meta: { a: 1 } })
    const child = await shop.create('child', { parent_id: gone.id })
    await forgetEvents(app.db, shop.id)
    const before = await shop.get(gone.id)
    app.clock.advance(60)
    await shop.delete(gone.id)
    const now = child.updated + 60
    expect(await eventsOf(app.db, shop.id)).toEqual([
      { kind: 'category', name: 'categories.delete', sandbox: null, response_code: 204, payload: before },
      {
        kind: 'category',
        name: 'categories.update',
        sandbox: null,
        response_code: 200,
        payload: { ...child, parent_id: top.id, updated: now },
      },
    ])
    expect(before).toMatchObject({ children: [linkTo(child)], meta: { a: 1 } })
  })
})
