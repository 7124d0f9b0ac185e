// POST /v1/categories: what is stored, where the category comes to stand, and what is refused.

import { describe, expect, it } from 'vitest'
import { sharedApp } from '../../support/app.ts'
import { malformed, notValid } from '../../support/shop.ts'
import {
  addAsset,
  circleByChild,
  eventsOf,
  forgetEvents,
  linkTo,
  openShop,
  type Shop,
  shown,
  stateOf,
  UNKNOWN_ID,
} from './support.ts'

const app = await sharedApp()
const shop = await openShop(app)

/** Sends what must be refused, and checks that nothing was stored and no event written. */
async function refused(body: unknown, by: Shop = shop) {
  const before = await stateOf(app, by)
  const answer = await by.post(body)
  expect(await stateOf(app, by)).toEqual(before)
  return [answer.status, answer.body]
}

const SLUG_RULE =
  'slug must consist of the letters a to z, digits, hyphens, underscores, dots and tildes, and begin with a letter or a digit, as in mens-shoes.'

describe('POST /v1/categories', () => {
  it('creates a category from slug and name, with every default', async () => {
    const answer = await shop.post({ slug: 'least', name: 'LEAST' })
    expect([answer.status, answer.body]).toEqual([201, shown(app, 'least')])
  })

  it('takes what the seeder of the public service posts, with a doubled slash in the address', async () => {
    const body = { slug: 'seeded', name: 'SEEDED', meta: { image: 'https://example.com/a.png' } }
    const answer = await app.call('POST', '//v1/categories', { key: shop.keys.sandbox.secret, body })
    expect([answer.status, answer.body]).toEqual([201, shown(app, 'seeded', { meta: body.meta })])
  })

  it('stores every field that is sent', async () => {
    const [second, first] = [await addAsset(app, shop), await addAsset(app, shop)]
    const [parent, older, younger] = [
      await shop.create('parent'),
      await shop.create('older'),
      await shop.create('younger'),
    ]
    const answer = await shop.post({
      slug: 'Every_field.v2~x',
      name: 'Everything – “ü” 🧦',
      description: '<p>All of it.</p>',
      assets: [first.id, second.id],
      children: [younger.id, older.id],
      parent_id: parent.id,
      meta: { image: 'a.png', nested: { deep: [1, null] } },
    })
    const stored = shown(app, 'Every_field.v2~x', {
      name: 'Everything – “ü” 🧦',
      description: '<p>All of it.</p>',
      assets: [first, second],
      children: [older, younger].map((child) => ({ ...linkTo(child), children: [] })),
      parent_id: parent.id,
      meta: { image: 'a.png', nested: { deep: [1, null] } },
    })
    expect([answer.status, answer.body]).toEqual([201, stored])
    const { id } = answer.body as { id: string }
    expect(await shop.get(id)).toEqual(answer.body)
    expect([(await shop.get(older.id)).parent_id, (await shop.get(younger.id)).parent_id]).toEqual([id, id])
  })

  it('moves the children here from wherever they stood', async () => {
    const [from, top] = [await shop.create('from'), await shop.create('top')]
    const below = await shop.create('below', { parent_id: from.id })
    const made = await shop.create('adopting', { children: [below.id, top.id] })
    expect(made.children.map(({ id }) => id)).toEqual([top.id, below.id])
    expect((await shop.get(from.id)).children).toEqual([])
    expect(await shop.get(below.id)).toMatchObject({ parent_id: made.id, updated: made.created })
  })

  it('writes its event, and one for each category that it moved', async () => {
    const own = await openShop(app)
    const [one, other] = [await own.create('one'), await own.create('other')]
    await forgetEvents(app.db, own.id)
    const made = await own.create('made', { children: [one.id, other.id] })
    const updated = { kind: 'category', name: 'categories.update', sandbox: null, response_code: 200 }
    expect(await eventsOf(app.db, own.id)).toEqual([
      { ...updated, payload: { ...one, parent_id: made.id, updated: made.updated } },
      { ...updated, payload: { ...other, parent_id: made.id, updated: made.updated } },
      { kind: 'category', name: 'categories.create', sandbox: null, response_code: 201, payload: made },
    ])
  })

  it('shows a private asset with a signed address, and writes none into the event', async () => {
    const own = await openShop(app)
    const hidden = await addAsset(app, own, { isPrivate: true })
    const made = await own.create('secretive', { assets: [hidden.id] })
    expect(made.assets).toEqual([{ ...hidden, url: expect.stringMatching(`^${hidden.url}\\?.`) }])
    const [event] = await eventsOf(app.db, own.id)
    expect(event?.payload.assets).toEqual([hidden])
    const [listed] = await own.list('', own.keys.sandbox.public)
    expect(listed?.assets).toEqual([])
  })

  describe('refuses', () => {
    it.each(['a b', 'a/b', 'ümlaut', '.', '..', '-a', '_a', ' a', 'a\n', 'a%20', 'a?', 'a#', 'a&b', '🧦'])(
      'the slug %j, which a URL could not carry as it is',
      async (slug) => {
        expect(await refused({ slug, name: 'X' })).toEqual([422, malformed({ slug: [SLUG_RULE] })])
      },
    )

    it('a slug that is taken', async () => {
      const own = await openShop(app)
      await own.create('taken')
      const sentence = 'slug is taken by another category; it must be unique among your categories.'
      expect(await refused({ slug: 'taken', name: 'X' }, own)).toEqual([422, notValid({ slug: [sentence] })])
      const other = await openShop(app)
      expect((await other.post({ slug: 'taken', name: 'X' })).status).toBe(201)
      expect((await own.post({ slug: 'Taken', name: 'X' })).status).toBe(201)
    })

    it("parents and children that are unknown, or another merchant's", async () => {
      const foreign = await (await openShop(app)).create('foreign')
      const known = await shop.create('known')
      for (const id of [UNKNOWN_ID, foreign.id, ''])
        expect(await refused({ slug: 'x', name: 'X', parent_id: id, children: [known.id, id] })).toEqual([
          422,
          notValid({
            parent_id: ['parent_id is not the id of a category.'],
            'children.1': ['children.1 is not the id of a category.'],
          }),
        ])
    })

    it('a child that would stand above the new category', async () => {
      const top = await shop.create('top-1')
      const middle = await shop.create('middle-1', { parent_id: top.id })
      const parent = await shop.create('parent-1', { parent_id: middle.id })
      const outside = await shop.create('outside-1')
      const body = { slug: 'x', name: 'X', parent_id: parent.id }
      for (const child of [top, middle, parent])
        expect(await refused({ ...body, children: [outside.id, child.id] })).toEqual([422, circleByChild(1)])
    })

    it("assets that are unknown, another merchant's or still waiting for their upload", async () => {
      const good = await addAsset(app, shop)
      const foreign = await addAsset(app, await openShop(app))
      const pending = await addAsset(app, shop, { isPending: true })
      for (const id of [`ast_${'0'.repeat(26)}`, foreign.id, pending.id, ''])
        expect(await refused({ slug: 'x', name: 'X', assets: [good.id, id] })).toEqual([
          422,
          notValid({ 'assets.1': ['assets.1 is not the id of a finished asset.'] }),
        ])
    })

    it('lists that name something twice, or hold too much', async () => {
      const [asset, child] = [await addAsset(app, shop), await shop.create('twice')]
      expect(await refused({ slug: 'x', name: 'X', assets: [asset.id, asset.id] })).toEqual([
        422,
        notValid({ 'assets.1': ['assets.1 stands in the list twice.'] }),
      ])
      expect(await refused({ slug: 'x', name: 'X', children: [child.id, child.id] })).toEqual([
        422,
        notValid({ 'children.1': ['children.1 stands in the list twice.'] }),
      ])
      const many = { assets: Array(201).fill(asset.id), children: Array(501).fill(child.id) }
      expect(await refused({ slug: 'x', name: 'X', ...many })).toEqual([
        422,
        malformed({
          assets: ['assets must have at most 200 entries.'],
          children: ['children must have at most 500 entries.'],
        }),
      ])
    })
  })
})
