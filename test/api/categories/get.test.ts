// GET /v1/categories/{id}: by id and by slug, depth, breadcrumbs, and how products are counted.

import { describe, expect, it } from 'vitest'
import type { Category } from '../../../src/api/categories/schema.ts'
import { sharedApp } from '../../support/app.ts'
import { malformed } from '../../support/shop.ts'
import { addAsset, addProduct, linkTo, NOT_FOUND, openShop } from './support.ts'

const app = await sharedApp()
const shop = await openShop(app)
const levels: Category[] = []
for (const slug of ['level-0', 'level-1', 'level-2', 'level-3', 'level-4'])
  levels.push(await shop.create(slug, levels.length === 0 ? {} : { parent_id: levels.at(-1)?.id }))
const [root, one, two, three, four] = levels as [Category, Category, Category, Category, Category]
const sibling = await shop.create('sibling', { parent_id: root.id })

const ask = async (path: string, key = shop.keys.sandbox.public) => {
  const { status, body } = await app.call('GET', `/v1/categories/${path}`, { key })
  return [status, body]
}

describe('GET /v1/categories/{id}', () => {
  it('finds it by slug with type=slug, whatever blanks stand around the word', async () => {
    const byId = await ask(two.id)
    for (const query of ['type=slug', 'type=slug%20', 'type=+slug']) expect(await ask(`level-2?${query}`)).toEqual(byId)
    expect(await ask(`${two.id}?type=id`)).toEqual(byId)
  })

  it('does not take a slug for an id, nor an id for a slug', async () => {
    expect(await ask('level-2')).toEqual([404, NOT_FOUND])
    expect(await ask(`${two.id}?type=slug`)).toEqual([404, NOT_FOUND])
    expect(await ask('LEVEL-2?type=slug')).toEqual([404, NOT_FOUND])
  })

  it("does not find another merchant's by slug", async () => {
    await (await openShop(app)).create('theirs')
    expect(await ask('theirs?type=slug')).toEqual([404, NOT_FOUND])
  })

  describe('shows children', () => {
    const last = linkTo(sibling)

    it('to no depth with depth=0', async () => {
      expect((await shop.get(root.id, '?depth=0')).children).toEqual([])
    })

    it('its own with depth=1', async () => {
      expect((await shop.get(root.id, '?depth=1')).children).toEqual([linkTo(one), last])
    })

    it('with theirs inside them with depth=2', async () => {
      expect((await shop.get(root.id, '?depth=2')).children).toEqual([
        { ...linkTo(one), children: [linkTo(two)] },
        { ...last, children: [] },
      ])
    })

    it('three levels deep with depth=3, and unless told otherwise', async () => {
      const children = [
        { ...linkTo(one), children: [{ ...linkTo(two), children: [linkTo(three)] }] },
        { ...last, children: [] },
      ]
      expect((await shop.get(root.id, '?depth=3')).children).toEqual(children)
      expect((await shop.get(root.id)).children).toEqual(children)
      expect((await shop.get('level-0', '?type=slug')).children).toEqual(children)
    })
  })

  describe('shows breadcrumbs', () => {
    it('only when they are asked for', async () => {
      expect(await shop.get(four.id)).not.toHaveProperty('breadcrumbs')
      expect(await shop.get(four.id, '?include=')).not.toHaveProperty('breadcrumbs')
    })

    it.each([
      'include=breadcrumbs',
      'include[]=breadcrumbs',
      'include=%20breadcrumbs%20,',
      'depth=0&include=breadcrumbs',
    ])('from the top down to the category itself with %s', async (query) => {
      expect((await shop.get(four.id, `?${query}`)).breadcrumbs).toEqual(levels.map(linkTo))
    })

    it('of itself alone for one at the top', async () => {
      expect((await shop.get(root.id, '?include=breadcrumbs')).breadcrumbs).toEqual([linkTo(root)])
    })

    it('for one found by slug', async () => {
      const found = await shop.get('level-1', '?type=slug&include=breadcrumbs')
      expect(found.breadcrumbs).toEqual([linkTo(root), linkTo(one)])
    })
  })

  it('counts the active products in the category itself, each once', async () => {
    const [upper, lower] = [await shop.create('upper'), await shop.create('lower')]
    await shop.put(lower.id, { parent_id: upper.id })
    await addProduct(app, shop, [upper.id, lower.id])
    await addProduct(app, shop, [lower.id])
    await addProduct(app, shop, [lower.id], false)
    expect([(await shop.get(upper.id)).products, (await shop.get(lower.id)).products]).toEqual([1, 2])
  })

  it('shows its assets in full and in order', async () => {
    const assets = [await addAsset(app, shop), await addAsset(app, shop), await addAsset(app, shop)].reverse()
    const { id } = await shop.create('with-assets', { assets: assets.map((asset) => asset.id) })
    expect((await shop.get(id)).assets).toEqual(assets)
  })

  it.each(['2020-02-01', '2020-08-26'])('shows its assets as %s shows them elsewhere', async (version) => {
    const asset = await addAsset(app, shop)
    const { id } = await shop.create(`aged-${version}`, { assets: [asset.id] })
    const key = shop.keys.sandbox.secret
    const alone = await app.call('GET', `/v1/assets/${asset.id}`, { key, version })
    const inside = await app.call('GET', `/v1/categories/${id}`, { key, version })
    expect(inside.body).toEqual({ ...(await shop.get(id)), assets: [alone.body] })
    expect(alone.body).not.toEqual(asset)
  })

  it.each([
    ['depth=4', { depth: ['depth must be 3 or less.'] }],
    ['depth=-1', { depth: ['depth must be 0 or more.'] }],
    ['depth=1.5', { depth: ['depth must be an integer.'] }],
    ['depth=', { depth: ['depth must be an integer.'] }],
    ['depth=1&depth=2', { depth: ['depth must be an integer.'] }],
    ['depth=99999999999999999999', { depth: ['depth must be 3 or less.'] }],
    ['type=name', { type: ['type must be one of id, slug.'] }],
    ['type=', { type: ['type must be one of id, slug.'] }],
    ['include=children', { include: ['include must be breadcrumbs, or be left out.'] }],
    ['include=breadcrumbs,children', { include: ['include must be breadcrumbs, or be left out.'] }],
  ])('refuses %s to the secret key', async (query, errors) => {
    expect(await ask(`${root.id}?${query}`, shop.keys.sandbox.secret)).toEqual([422, malformed(errors)])
  })
})
