// POST and PUT /v1/products/{id}/assets: adding assets to a product, and replacing them.

import { describe, expect, it } from 'vitest'
import type { Product } from '../../../src/api/products/schema.ts'
import { testApp } from '../../support/app.ts'
import { FORBIDDEN, malformed, notValid, unixNow } from '../../support/shop.ts'
import { addAsset, eventsOf, flags, NOT_FOUND, openShop, told, UNKNOWN_ID, UNSENT } from './support.ts'

const app = await testApp()
const shop = await openShop(app)
const [a, b, c, d] = [
  await addAsset(app, shop),
  await addAsset(app, shop),
  await addAsset(app, shop),
  await addAsset(app, shop),
]

const idsOf = (body: unknown) => (body as Product).assets.map(({ id }) => id)

describe.each(['POST', 'PUT'] as const)('%s /v1/products/{id}/assets', (method) => {
  it('answers the product with its assets', async () => {
    const before = await shop.create()
    app.clock.advance(3)
    const answer = await shop.call(method, `/${before.id}/assets`, { assets: [{ id: b.id }, { id: a.id }] })
    const expected = {
      ...before,
      ...flags({ ...UNSENT, has: { ...UNSENT.has, images: true } }),
      updated: unixNow(app),
      image: b,
      assets: [b, a],
    }
    expect([answer.status, answer.body]).toEqual([200, expected])
    expect(await shop.get(before.id)).toEqual(expected)
  })

  it('writes the event products.update', async () => {
    const own = await openShop(app)
    const [{ id }, asset] = [await own.create(), await addAsset(app, own)]
    app.clock.advance(1)
    const answer = await own.call(method, `/${id}/assets`, { assets: [asset.id] })
    expect((await eventsOf(app, own)).slice(1)).toEqual([
      {
        name: 'products.update',
        kind: 'product',
        sandbox: null,
        payload: told(answer.body as Product),
        response_code: 200,
      },
    ])
  })

  it.each([
    ['without the list', {}, { assets: ['assets is required.'] }],
    ['with something else than a list', { assets: { id: 'x' } }, { assets: ['assets must be a list.'] }],
    ['with an entry without an id', { assets: [{}] }, { 'assets.0.id': ['assets.0.id is required.'] }],
    [
      'with a place before the first',
      { assets: [{ id: 'x', sort_order: -1 }] },
      { 'assets.0.sort_order': ['assets.0.sort_order must be 0 or more.'] },
    ],
  ])('refuses a body %s', async (_what, body, errors) => {
    const { id } = await shop.create()
    const answer = await shop.call(method, `/${id}/assets`, body)
    expect([answer.status, answer.body]).toEqual([422, malformed(errors as unknown as Record<string, string[]>)])
  })

  it('refuses an unknown asset and one of another merchant, and changes nothing', async () => {
    const foreign = await addAsset(app, await openShop(app))
    const before = await shop.create({ assets: [a.id] })
    const answer = await shop.call(method, `/${before.id}/assets`, { assets: [b.id, { id: foreign.id }, 'ast_none'] })
    expect([answer.status, answer.body]).toEqual([
      422,
      notValid({
        'assets.1.id': ['assets.1.id is not the id of a finished asset.'],
        'assets.2': ['assets.2 is not the id of a finished asset.'],
      }),
    ])
    expect(await shop.get(before.id)).toEqual(before)
  })

  it('knows neither an unknown product nor that of another merchant', async () => {
    const product = await (await openShop(app)).create()
    for (const id of [UNKNOWN_ID, product.id]) {
      const answer = await shop.call(method, `/${id}/assets`, { assets: [] })
      expect([answer.status, answer.body]).toEqual([404, NOT_FOUND])
    }
  })

  it('refuses a public key', async () => {
    const { id } = await shop.create()
    const answer = await shop.call(method, `/${id}/assets`, { assets: [] }, shop.keys.sandbox.public)
    expect([answer.status, answer.body]).toEqual([403, FORBIDDEN])
  })
})

describe('assets', () => {
  it('are added behind those that are there, or at their place, and moved only with one', async () => {
    const { id } = await shop.create({ assets: [a.id, b.id] })
    const add = async (assets: unknown) => idsOf((await shop.call('POST', `/${id}/assets`, { assets })).body)
    expect(await add([{ id: c.id }])).toEqual([a.id, b.id, c.id])
    expect(await add([{ id: d.id, sort_order: 1 }, a.id])).toEqual([a.id, d.id, b.id, c.id])
    expect(await add([{ id: a.id, sort_order: 99 }])).toEqual([d.id, b.id, c.id, a.id])
    expect(await add([])).toEqual([d.id, b.id, c.id, a.id])
  })

  it('are replaced', async () => {
    const { id } = await shop.create({ assets: [a.id, b.id] })
    const put = async (assets: unknown) => idsOf((await shop.call('PUT', `/${id}/assets`, { assets })).body)
    expect(await put([b.id, c.id, { id: d.id, sort_order: 0 }])).toEqual([d.id, b.id, c.id])
    expect(await put([])).toEqual([])
  })

  it('that are added at once are all there', async () => {
    const { id } = await shop.create()
    await Promise.all([a, b, c, d].map((asset) => shop.call('POST', `/${id}/assets`, { assets: [asset.id] })))
    expect(idsOf(await shop.get(id)).sort()).toEqual([a.id, b.id, c.id, d.id].sort())
  })

  it('that are deleted while they are being attached are refused or detached, and never break the request', async () => {
    const key = shop.keys.sandbox.secret
    const statuses = new Set<string>()
    for (let round = 0; round < 10; round++) {
      const { id } = await shop.create({ assets: [a.id] })
      const asset = await addAsset(app, shop)
      const body = { assets: [asset.id], delivery: { digital: { packages: [{ asset: asset.id }] } } }
      const [put, post, deleted] = await Promise.all([
        shop.call('PUT', `/${id}`, body),
        shop.call('POST', `/${id}/assets`, { assets: [asset.id] }),
        app.call('DELETE', `/v1/assets/${asset.id}`, { key }),
      ])
      for (const { status } of [put, post]) statuses.add(`attach ${status}`)
      statuses.add(`delete ${deleted.status}`)
      // What was attached first is sold by then, and is not deleted.
      const isKept = (await shop.get(id)).assets.some((each) => each.id === asset.id)
      expect([deleted.status, isKept]).toEqual(put.status === 200 && isKept ? [422, true] : [204, false])
    }
    const expected = ['attach 200', 'attach 422', 'delete 204', 'delete 422']
    expect([...statuses].filter((status) => !expected.includes(status))).toEqual([])
  })
})
