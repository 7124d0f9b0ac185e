// GET /v1/categories and …/{id}: by id and by slug, depth, breadcrumbs, the filter by parent, counts of products, the assets that each key
// sees, and what a list costs in statements. random-tree.test.ts proves the lists of a tree.

import { describe, expect, it } from 'vitest'
import type { Category } from '../../../src/api/categories/schema.ts'
import { newId } from '../../../src/lib/ids.ts'
import { sharedApp } from '../../support/app.ts'
import { changeRows, sql } from '../../support/rows.ts'
import { malformedField, missing, replyOf } from '../../support/shop.ts'
import { addAsset } from '../products/support.ts'
import { statementsOf } from '../statements.ts'
import { eventsOf, linkTo, openShop, UNKNOWN_ID } from './support.ts'

const app = await sharedApp()
const shop = await openShop(app)
const levels: Category[] = []
for (const slug of ['level-0', 'level-1', 'level-2', 'level-3', 'level-4'])
  levels.push(await shop.create(slug, levels.length === 0 ? {} : { parent_id: levels.at(-1)?.id }))
const [root, one, two, three, four] = levels as [Category, Category, Category, Category, Category]
const sibling = await shop.create('sibling', { parent_id: root.id })

const ask = (path: string, key = shop.keys.sandbox.public) => replyOf(app.call('GET', `/v1/categories${path}`, { key }))

describe('GET /v1/categories/{id}', () => {
  it('finds it by slug with type=slug, whatever blanks stand around the word', async () => {
    const byId = await ask(`/${two.id}`)
    for (const query of ['type=slug', 'type=slug%20', 'type=+slug'])
      expect(await ask(`/level-2?${query}`)).toEqual(byId)
    expect(await ask(`/${two.id}?type=id`)).toEqual(byId)
  })

  it('takes a slug for no id, an id for no slug, and no slug of another shop', async () => {
    await (await openShop(app)).create('theirs')
    for (const path of ['level-2', `${two.id}?type=slug`, 'LEVEL-2?type=slug', 'theirs?type=slug'])
      expect(await ask(`/${path}`)).toEqual([404, missing('category')])
  })

  it('shows children to the depth that is asked for, unless told otherwise three levels deep', async () => {
    const last = linkTo(sibling)
    const childrenAt = async (query: string) => (await shop.get(root.id, query)).children
    expect(await childrenAt('?depth=0')).toEqual([])
    expect(await childrenAt('?depth=1')).toEqual([linkTo(one), last])
    expect(await childrenAt('?depth=2')).toEqual([
      { ...linkTo(one), children: [linkTo(two)] },
      { ...last, children: [] },
    ])
    const children = [
      { ...linkTo(one), children: [{ ...linkTo(two), children: [linkTo(three)] }] },
      { ...last, children: [] },
    ]
    for (const query of ['?depth=3', '']) expect(await childrenAt(query)).toEqual(children)
    expect((await shop.get('level-0', '?type=slug')).children).toEqual(children)
  })

  it('shows breadcrumbs from the top down to itself, only when they are asked for', async () => {
    for (const query of ['', '?include=']) expect(await shop.get(four.id, query)).not.toHaveProperty('breadcrumbs')
    for (const query of ['include=breadcrumbs', 'include[]=breadcrumbs', 'include=%20breadcrumbs%20,&depth=0'])
      expect((await shop.get(four.id, `?${query}`)).breadcrumbs).toEqual(levels.map(linkTo))
    const found = await shop.get('level-1', '?type=slug&include=breadcrumbs')
    expect(found.breadcrumbs).toEqual([linkTo(root), linkTo(one)])
  })

  it('counts the active products in the category itself, each once', async () => {
    const upper = await shop.create('upper')
    const lower = await shop.create('lower', { parent_id: upper.id })
    await shop.addProduct([upper.id, lower.id])
    await shop.addProduct([lower.id])
    await shop.addProduct([lower.id], false)
    expect([(await shop.get(upper.id)).products, (await shop.get(lower.id)).products]).toEqual([1, 2])
  })

  it.each(['', `/${root.id}`])('refuses an unknown part to the secret key: /v1/categories%s', async (path) => {
    for (const include of ['children', 'breadcrumbs,children'])
      expect(await ask(`${path}?include=${include}`, shop.keys.sandbox.secret)).toEqual(
        malformedField('include', 'must be breadcrumbs, or be left out.'),
      )
  })
})

describe('the assets that a category lists', async () => {
  const own = await openShop(app)
  const [seen, hidden, pending] = [
    await addAsset(app, own),
    await addAsset(app, own, { isPrivate: true }),
    await addAsset(app, own),
  ]
  const parent = await own.create('house')
  const { id } = await own.create('plans', { parent_id: parent.id, assets: [hidden.id, pending.id, seen.id] })

  // No request leads here: whoever attaches one is refused.
  await changeRows(app.db, 'update assets set is_pending = true', { merchant_id: own.id, id: pending.id })

  /** What every way to read the category lists. */
  async function listed(key: string) {
    const read = async <T>(path: string) => (await ask(path, key))[1] as T
    const pages = ['', `?parent_id=${parent.id}`].map((query) => read<{ data: Category[] }>(query))
    const found = (await Promise.all(pages)).map(({ data }) => data.find((category) => category.id === id))
    return [...found, await read<Category>(`/${id}`), await read<Category>('/plans?type=slug')].map(
      (each) => each?.assets,
    )
  }

  it('are the public ones for a public key; a secret key can open the private ones too, without a signature in events', async () => {
    expect(await listed(own.keys.sandbox.public)).toEqual(Array.from({ length: 4 }, () => [seen]))
    const signed = { ...hidden, url: expect.stringMatching(/\?expires=\d+&signature=/) }
    expect(await listed(own.keys.sandbox.secret)).toEqual(Array.from({ length: 4 }, () => [signed, seen]))
    expect((await own.put(id, { name: 'Plans' })).body).toMatchObject({ assets: [signed, seen] })
    expect((await eventsOf(app, own)).at(-1)?.payload.assets).toEqual([hidden, seen])
  })
})

describe('GET /v1/categories', () => {
  it('holds with parent_id only the direct children of that category, and left empty only those at the top', async () => {
    const theirs = await openShop(app)
    const parent = await theirs.create('theirs')
    const child = await theirs.create('child', { parent_id: parent.id })
    const pagination = { total: 1, count: 1, per_page: 20, current_page: 1, total_pages: 1, links: {} }
    const of = (id: string) => ask(`?parent_id=${id}`, theirs.keys.sandbox.public)
    expect(await of(parent.id)).toEqual([200, { data: [child], meta: { pagination } }])
    expect(await of('')).toEqual([200, { data: [await theirs.get(parent.id)], meta: { pagination } }])
    for (const id of [child.id, UNKNOWN_ID, root.id, 'x']) expect(await of(id)).toMatchObject([200, { data: [] }])
    const [found] = await theirs.list(`?parent_id=${parent.id}&depth=0&include=breadcrumbs&limit=1`)
    expect(found?.breadcrumbs).toEqual([linkTo(parent), linkTo(child)])
  })

  const insertMany = sql`
    insert into categories (merchant_id, id, parent_id, slug, name, description, meta, created_at, updated_at)
    select :merchant_id, id, parent_id, id, id, '', '{}', now(), now()
    from unnest(:ids::text[], :parent_ids::text[]) as listed (id, parent_id)`

  it('of 2,000 categories in a tree six deep is one statement, whatever the page holds', async () => {
    const big = await openShop(app)
    const ids: string[] = []
    const parents: (string | null)[] = []
    for (let index = 0; index < 2_000; index++) {
      ids.push(newId('category', new Date(Date.UTC(2026, 0, 1) + index)))
      // Four at the top, and four below each: the sixth level begins at 1,364.
      parents.push(index < 4 ? null : (ids[Math.floor(index / 4) - 1] ?? null))
    }
    await app.db.run(insertMany, { merchant_id: big.id, ids, parent_ids: parents })
    for (const index of [0, 50, 1_999]) await big.addProduct([ids[index] ?? ''])
    const asset = await addAsset(app, big)
    await big.put(ids[3] ?? '', { assets: [asset.id] })

    const found: Category[] = []
    const read = async (path: string) => (await ask(path, big.keys.sandbox.public))[1] as { data: Category[] }
    for (let page = 1; page <= 10; page++) {
      const sent = await statementsOf(async () =>
        found.push(...(await read(`?limit=200&page=${page}&include=breadcrumbs`)).data),
      )
      expect(sent).toEqual(['categories.list'])
    }
    expect(await statementsOf(() => read(`?limit=200&parent_id=${ids[0]}`))).toEqual(['categories.list_children'])
    expect(await statementsOf(() => read(`/${ids[0]}?include=breadcrumbs`))).toEqual(['categories.read'])

    expect(found.map(({ id }) => id)).toEqual(ids)
    expect(Math.max(...found.map(({ breadcrumbs = [] }) => breadcrumbs.length))).toBe(6)
    const inFirst = ids.filter((_, index) => parents[index] === ids[0])
    expect(found[0]?.children.map(({ id }) => id)).toEqual(inFirst)
    expect(found.flatMap(({ products }, index) => (products === 0 ? [] : [[index, products]]))).toEqual([
      [0, 1],
      [50, 1],
      [1_999, 1],
    ])
    expect(found.flatMap(({ assets }, index) => assets.map(({ id }) => [index, id]))).toEqual([[3, asset.id]])
  })
})
