// POST, PUT and DELETE /v1/categories: what is stored, what is told, and what is refused. random-tree.test.ts proves where a change puts
// each category.

import { describe, expect, it } from 'vitest'
import type { Category } from '../../../src/api/categories/schema.ts'
import { sharedApp } from '../../support/app.ts'
import {
  expectUnchanged,
  malformed,
  matching,
  missing,
  notValid,
  notValidField,
  notValidFields,
  replyOf,
  unixNow,
} from '../../support/shop.ts'
import { addAsset } from '../products/support.ts'
import {
  CIRCLE_BY_PARENT,
  eventsOf,
  forgetEvents,
  linkTo,
  openShop,
  type Shop,
  stateOf,
  UNKNOWN_ID,
} from './support.ts'

const app = await sharedApp()
const shop = await openShop(app)

describe('a category', () => {
  it('stores every field that is sent, and takes back what can be taken back', async () => {
    const assets = [await addAsset(app, shop), await addAsset(app, shop)].reverse()
    const [parent, older, younger] = [
      await shop.create('parent'),
      await shop.create('older'),
      await shop.create('younger'),
    ]
    const sent = {
      slug: 'Every_field.v2~x',
      name: 'Everything – “ü” 🧦',
      description: '<p>All of it.</p>',
      parent_id: parent.id,
      meta: { image: 'a.png', nested: { deep: [1, null] } },
    }
    const lists = { assets: assets.map(({ id }) => id), children: [younger.id, older.id] }
    const made = await shop.create(sent.slug, { ...sent, ...lists })
    const now = unixNow(app)
    expect(made).toEqual({
      ...sent,
      id: matching('cat_'),
      products: 0,
      created: now,
      updated: now,
      assets,
      children: [older, younger].map((child) => ({ ...linkTo(child), children: [] })),
    })
    expect(await shop.get(made.id)).toEqual(made)
    app.clock.advance(60)
    const changed = await shop.put(made.id, { slug: made.slug, meta: null, assets: lists.assets.toReversed() })
    expect(changed.body).toEqual({ ...made, meta: {}, assets: assets.toReversed(), updated: now + 60 })
    expect(await shop.get(made.id)).toEqual(changed.body)
  })

  const told = (verb: 'create' | 'update' | 'delete', payload: Category) => ({
    kind: 'category',
    name: `categories.${verb}`,
    sandbox: null,
    response_code: { create: 201, update: 200, delete: 204 }[verb],
    payload,
  })

  it('writes its event, and one for each category that it moved, none for children that stay', async () => {
    const own = await openShop(app)
    const moved = (category: Category, parent_id: string | null) =>
      told('update', { ...category, parent_id, updated: unixNow(app) })
    const [stays, leaves] = [await own.create('stays'), await own.create('leaves')]
    await forgetEvents(app, own)
    const made = await own.create('made', { children: [stays.id, leaves.id] })
    expect(await eventsOf(app, own)).toEqual([moved(stays, made.id), moved(leaves, made.id), told('create', made)])
    const comes = await own.create('comes')
    await forgetEvents(app, own)
    app.clock.advance(60)
    const { body: changed } = await own.put(made.id, { children: [stays.id, comes.id] })
    expect(await eventsOf(app, own)).toEqual([
      moved(leaves, null),
      told('update', changed as Category),
      moved(comes, made.id),
    ])
    await forgetEvents(app, own)
    app.clock.advance(60)
    await own.delete(made.id)
    expect(await eventsOf(app, own)).toEqual([
      moved(stays, null),
      told('delete', changed as Category),
      moved(comes, null),
    ])
  })

  it('that is deleted unlinks its products and assets, which stay, and gives the slug free', async () => {
    const own = await openShop(app)
    const asset = await addAsset(app, own)
    const [gone, stays] = [await own.create('gone', { assets: [asset.id] }), await own.create('stays')]
    const product = await own.addProduct([gone.id, stays.id])
    await own.addProduct([gone.id])
    await own.delete(gone.id)
    const read = async (path: string) => (await app.call('GET', `/v1/${path}`, { key: own.keys.sandbox.secret })).body
    expect(await read(`products/${product.id}`)).toMatchObject({ categories: [{ id: stays.id }] })
    expect(await read(`assets/${asset.id}/uses`)).toEqual({ data: [], total: 0 })
    expect((await own.get(stays.id)).products).toBe(1)
    await own.create('gone')
  })
})

/** Sends what must be refused, and checks that nothing was stored and no event written. */
const refused = (id: string | null, body: object, by: Shop = shop) =>
  expectUnchanged(
    () => stateOf(app, by),
    () => replyOf(id === null ? by.post({ slug: 'x', name: 'X', ...body }) : by.put(id, body)),
  )

describe('a category is refused', () => {
  const SLUG_RULE =
    'slug must consist of the letters a to z, digits, hyphens, underscores, dots and tildes, and begin with a letter or a digit, as in mens-shoes.'

  it('with a slug that a URL could not carry as it is', async () => {
    const { id } = await shop.create('carried')
    for (const which of [null, id])
      expect(await refused(which, { slug: 'a/b' })).toEqual([422, malformed({ slug: [SLUG_RULE] })])
  })

  it('with a slug that is taken', async () => {
    const [own, other] = [await openShop(app), await openShop(app)]
    await own.create('taken')
    const { id } = await own.create('free')
    const sentence = 'slug is taken by another category; it must be unique among your categories.'
    for (const which of [null, id])
      expect(await refused(which, { slug: 'taken', name: 'X' }, own)).toEqual([422, notValid({ slug: [sentence] })])
    await other.create('taken')
    await own.create('Taken')
  })

  it("with parents, children and assets that are unknown, another merchant's or unfinished, or named twice", async () => {
    const other = await openShop(app)
    const foreign = [(await other.create('foreign')).id, (await addAsset(app, other)).id]
    const [known, own, asset] = [await shop.create('known'), await shop.create('own'), await addAsset(app, shop)]
    const pending = await addAsset(app, shop, { isPending: true })
    for (const which of [null, own.id]) {
      for (const id of [UNKNOWN_ID, ...foreign, ''])
        expect(await refused(which, { parent_id: id, children: [known.id, id] })).toEqual(
          notValidFields({ parent_id: 'is not the id of a category.', 'children.1': 'is not the id of a category.' }),
        )
      for (const id of [...foreign, pending.id, ''])
        expect(await refused(which, { assets: [asset.id, id] })).toEqual(
          notValidField('assets.1', 'is not the id of a finished asset.'),
        )
      for (const [list, { id }] of [
        ['assets', asset],
        ['children', known],
      ] as const)
        expect(await refused(which, { [list]: [id, id] })).toEqual(notValidField(`${list}.1`, 'is listed twice.'))
    }
  })

  it('where it would stand below itself, by the field that makes the circle', async () => {
    const top = await shop.create('top')
    const own = await shop.create('middle', { parent_id: top.id })
    const child = await shop.create('child', { parent_id: own.id })
    const byChild = (index: number) =>
      notValid({
        [`children.${index}`]: [`children.${index} must not be the category itself or one of its ancestors.`],
      })
    for (const { id } of [own, child])
      expect(await refused(own.id, { parent_id: id, name: 'X' })).toEqual([422, CIRCLE_BY_PARENT])
    for (const { id } of [top, own]) expect(await refused(own.id, { children: [id] })).toEqual([422, byChild(0)])
    expect(await refused(own.id, { parent_id: child.id, children: [child.id] })).toEqual([422, byChild(0)])
    expect(await refused(null, { parent_id: own.id, children: [child.id, top.id] })).toEqual([422, byChild(1)])
  })

  it('by its slug, which finds no category to change', async () => {
    const { slug } = await shop.create('by-slug')
    expect(await refused(`${slug}?type=slug`, { name: 'X' })).toEqual([404, missing('category')])
  })
})
