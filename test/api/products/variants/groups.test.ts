// GET, POST, PUT and DELETE /v1/products/{id}/variant_groups.

import { describe, expect, it } from 'vitest'
import type { VariantGroup } from '../../../../src/api/products/schema.ts'
import { testApp } from '../../../support/app.ts'
import { FORBIDDEN, malformed, matching, notValid, ORIGIN, price, unixNow } from '../../../support/shop.ts'
import { addAsset, countsOf, NOT_FOUND, openShop, UNKNOWN_ID } from '../support.ts'
import {
  addVariant,
  choose,
  clothing,
  expectProductUpdate,
  groupOf,
  NO_GROUP,
  reasonsOf,
  UNKNOWN_GROUP,
  variantsOf,
} from './support.ts'

const app = await testApp({ trustProxy: () => true, pool: { size: 8, waitMs: 90_000 } })
const shop = await openShop(app)
const [a, b] = [await addAsset(app, shop), await addAsset(app, shop)]

const shownOption = (name: string, more: Record<string, unknown> = {}) => ({
  id: matching('optn_'),
  name,
  price: price(0, '0.00'),
  assets: null,
  meta: null,
  created: unixNow(app),
  updated: unixNow(app),
  ...more,
})

describe('GET /v1/products/{id}/variant_groups', () => {
  it('lists the groups as the product shows them, to every key', async () => {
    const { id, variant_groups } = await clothing(shop)
    const pagination = { total: 2, count: 2, per_page: 100, current_page: 1, total_pages: 1, links: {} }
    for (const key of Object.values(shop.keys).flatMap((mode) => Object.values(mode))) {
      const answer = await shop.call('GET', `/${id}/variant_groups`, undefined, key)
      expect([answer.status, answer.body]).toEqual([200, { data: variant_groups, meta: { pagination } }])
    }
  })

  it('is paged', async () => {
    const { id, variant_groups } = await clothing(shop, {}, { A: ['1'], B: ['2'], C: ['3'] })
    const answer = await shop.call('GET', `/${id}/variant_groups?limit=1&page=2`)
    const address = `${ORIGIN}/v1/products/${id}/variant_groups?limit=1`
    const links = { previous: `${address}&page=1`, next: `${address}&page=3` }
    expect(answer.body).toEqual({
      data: [variant_groups[1]],
      meta: { pagination: { total: 3, count: 1, per_page: 1, current_page: 2, total_pages: 3, links } },
    })
    expect((await shop.call('GET', `/${id}/variant_groups?page=0`)).body).toEqual(
      malformed({ page: ['page must be 1 or more.'] }),
    )
  })
})

describe('GET /v1/products/{id}/variant_groups/{group_id}', () => {
  it('gives one group', async () => {
    const product = await clothing(shop)
    const size = groupOf(product, 'Size')
    const answer = await shop.call('GET', `/${product.id}/variant_groups/${size.id}`, undefined, shop.keys.live.public)
    expect([answer.status, answer.body]).toEqual([200, size])
  })
})

describe('POST /v1/products/{id}/variant_groups', () => {
  it('adds a group behind the others', async () => {
    const product = await clothing(shop, {}, { A: ['1'], B: ['2'], C: ['3'] })
    // With a gap before it, the place of the last is not the number of groups.
    await shop.call('DELETE', `/${product.id}/variant_groups/${groupOf(product, 'A').id}`)
    app.clock.advance(2)
    const answer = await shop.call('POST', `/${product.id}/variant_groups`, {
      name: 'D',
      meta: { x: 1 },
      options: [{ name: 'Plain' }, { name: 'Fancy', price: '-1.50', assets: [{ id: b.id }, a.id], meta: { y: 2 } }],
    })
    const added = {
      id: matching('vgrp_'),
      name: 'D',
      meta: { x: 1 },
      created: unixNow(app),
      updated: unixNow(app),
      options: [
        shownOption('Plain'),
        shownOption('Fancy', { price: price(-1.5, '-1.50'), assets: [b.id, a.id], meta: { y: 2 } }),
      ],
    }
    expect([answer.status, answer.body]).toEqual([201, added])
    const others = [groupOf(product, 'B'), groupOf(product, 'C')]
    expect((await shop.get(product.id)).variant_groups).toEqual([...others, answer.body])
  })

  it('adds a group without options', async () => {
    const { id } = await shop.create()
    const answer = await shop.call('POST', `/${id}/variant_groups`, { name: 'A' })
    expect([answer.status, (answer.body as VariantGroup).options]).toEqual([201, []])
  })

  it('leaves existing variants without an option of it', async () => {
    const product = await clothing(shop)
    await addVariant(app, shop, product.id, { options: choose(product, 'Red', 'L') })
    await shop.call('POST', `/${product.id}/variant_groups`, { name: 'Fit', options: [{ name: 'Slim' }] })
    expect(await reasonsOf(shop, product.id)).toEqual(['missing_options'])
  })

  it('refuses names that stand there already, and a fifty-first group', async () => {
    const product = await clothing(shop)
    const options = [{ name: 'A' }, { name: 'A' }]
    const taken = await shop.call('POST', `/${product.id}/variant_groups`, { name: 'Size', options })
    expect([taken.status, taken.body]).toEqual([
      422,
      notValid({
        name: ['name must differ from the other names.'],
        'options.1.name': ['options.1.name must differ from the other names.'],
      }),
    ])
    const many = await clothing(
      shop,
      {},
      Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`G${index}`, []])),
    )
    const before = await countsOf(app, shop)
    const full = await shop.call('POST', `/${many.id}/variant_groups`, { name: 'A' })
    expect([full.status, full.body]).toEqual([
      422,
      notValid({ variant_groups: ['variant_groups must have at most 50 entries, which it has already.'] }),
    ])
    expect(await countsOf(app, shop)).toEqual(before)
  })

  it.each([
    ['nothing', {}, { name: ['name is required.'] }],
    ['an empty name', { name: '' }, { name: ['name must not be empty.'] }],
    ['an option without a name', { name: 'A', options: [{}] }, { 'options.0.name': ['options.0.name is required.'] }],
    [
      'a price with too many decimals',
      { name: 'A', options: [{ name: 'B', price: 0.001 }] },
      { 'options.0.price': ['options.0.price must have at most 2 decimals, as USD has.'] },
    ],
  ])('refuses %s', async (_what, body, errors) => {
    const { id } = await clothing(shop)
    const answer = await shop.call('POST', `/${id}/variant_groups`, body)
    expect([answer.status, answer.body]).toEqual([422, malformed(errors as unknown as Record<string, string[]>)])
  })

  it('refuses unknown assets, and ids of options of other groups', async () => {
    const product = await clothing(shop)
    const [red] = groupOf(product, 'Colour').options
    const answer = await shop.call('POST', `/${product.id}/variant_groups`, {
      name: 'A',
      options: [
        { name: 'B', assets: [a.id, 'ast_none'] },
        { id: red?.id, name: 'C' },
      ],
    })
    expect([answer.status, answer.body]).toEqual([
      422,
      notValid({
        'options.1.id': ['options.1.id is not the id of one of its entries.'],
        'options.0.assets.1': ['options.0.assets.1 is not the id of a finished asset.'],
      }),
    ])
  })

  it('takes no more than fifty groups when several are added at once', async () => {
    const { id } = await clothing(
      shop,
      {},
      Object.fromEntries(Array.from({ length: 46 }, (_, index) => [`G${index}`, []])),
    )
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        shop.call('POST', `/${id}/variant_groups`, { name: `New ${index % 8}` }),
      ),
    )
    const { variant_groups } = await shop.get(id)
    expect(answers.map(({ status }) => status).sort()).toEqual([
      ...Array.from({ length: 4 }, () => 201),
      ...Array.from({ length: 8 }, () => 422),
    ])
    expect(new Set(variant_groups.map(({ name }) => name)).size).toBe(50)
  })
})

describe('PUT /v1/products/{id}/variant_groups/{group_id}', () => {
  it('changes the fields that are sent, and no other group', async () => {
    const product = await clothing(shop)
    const [colour, size] = [groupOf(product, 'Colour'), groupOf(product, 'Size')]
    app.clock.advance(2)
    const answer = await shop.call('PUT', `/${product.id}/variant_groups/${colour.id}`, { name: 'Shade' })
    const renamed = { ...colour, name: 'Shade', updated: unixNow(app) }
    expect([answer.status, answer.body]).toEqual([200, renamed])
    const meta = await shop.call('PUT', `/${product.id}/variant_groups/${colour.id}`, { name: 'Shade', meta: { a: 1 } })
    expect(meta.body).toEqual({ ...renamed, meta: { a: 1 } })
    expect((await shop.get(product.id)).variant_groups).toEqual([meta.body, size])
    const emptied = await shop.call('PUT', `/${product.id}/variant_groups/${colour.id}`, { meta: null })
    expect(emptied.body).toEqual(renamed)
  })

  it('replaces the options, and keeps those that are sent with id or name', async () => {
    const product = await clothing(shop, {}, { Colour: ['Red', 'Blue', 'Grey'], Size: ['L'] })
    const [colour, size] = [groupOf(product, 'Colour'), groupOf(product, 'Size')]
    const [red, blue] = colour.options
    for (const name of ['Red', 'Blue', 'Grey'])
      await addVariant(app, shop, product.id, { options: choose(product, name, 'L') })
    app.clock.advance(2)
    const updated = unixNow(app)
    const answer = await shop.call('PUT', `/${product.id}/variant_groups/${colour.id}`, {
      options: [
        { name: 'Green', assets: [a.id] },
        { name: 'Blue', price: 2 },
        { id: red?.id, name: 'Crimson' },
      ],
    })
    const expected = {
      ...colour,
      updated,
      options: [
        shownOption('Green', { assets: [a.id] }),
        { ...blue, price: price(2, '2.00'), updated },
        { ...red, name: 'Crimson', updated },
      ],
    }
    expect([answer.status, answer.body]).toEqual([200, expected])
    expect((await shop.get(product.id)).variant_groups).toEqual([answer.body, size])
    expect(await reasonsOf(shop, product.id)).toEqual([null, null, 'option_deleted'])
    const none = await shop.call('PUT', `/${product.id}/variant_groups/${colour.id}`, { options: [] })
    expect((none.body as VariantGroup).options).toEqual([])
    expect(await reasonsOf(shop, product.id)).toEqual(['option_deleted', 'option_deleted', 'option_deleted'])
  })

  it('refuses the name of another group and what is not well formed', async () => {
    const product = await clothing(shop)
    const path = `/${product.id}/variant_groups/${groupOf(product, 'Colour').id}`
    const taken = await shop.call('PUT', path, { name: 'Size' })
    expect([taken.status, taken.body]).toEqual([422, notValid({ name: ['name must differ from the other names.'] })])
    const wrong = await shop.call('PUT', path, { name: null, options: {} })
    expect([wrong.status, wrong.body]).toEqual([
      422,
      malformed({ name: ['name must be a string.'], options: ['options must be a list.'] }),
    ])
    expect((await shop.get(product.id)).variant_groups).toEqual(product.variant_groups)
  })
})

describe('DELETE /v1/products/{id}/variant_groups/{group_id}', () => {
  it('deletes the group; variants that name it stay and are not valid', async () => {
    const product = await clothing(shop)
    const made = await addVariant(app, shop, product.id, { options: choose(product, 'Red', 'L') })
    const answer = await shop.call('DELETE', `/${product.id}/variant_groups/${groupOf(product, 'Size').id}`)
    expect([answer.status, answer.text]).toEqual([204, ''])
    expect((await shop.get(product.id)).variant_groups).toEqual([groupOf(product, 'Colour')])
    expect(await variantsOf(shop, product.id)).toEqual([
      { ...made, is_valid: false, invalid_reason_code: 'option_deleted' },
    ])
  })
})

describe('changes of groups', () => {
  it('are told as changes of the product', async () => {
    const own = await openShop(app)
    const product = await clothing(own)
    const path = `/${product.id}/variant_groups`
    await expectProductUpdate(app, own, product.id, () => own.call('POST', path, { name: 'Fit' }))
    const size = `${path}/${groupOf(product, 'Size').id}`
    await expectProductUpdate(app, own, product.id, () => own.call('PUT', size, { name: 'Length' }))
    await expectProductUpdate(app, own, product.id, () => own.call('DELETE', size))
  })

  it.each(['GET', 'PUT', 'DELETE'] as const)('by %s do not reach those of others', async (method) => {
    const other = await openShop(app)
    const [product, sibling, foreign] = [await clothing(shop), await clothing(shop), await clothing(other)]
    const body = method === 'PUT' ? { name: 'X' } : undefined
    for (const [path, expected] of [
      [`${product.id}/variant_groups/${UNKNOWN_GROUP}`, NO_GROUP],
      [`${product.id}/variant_groups/${groupOf(sibling, 'Size').id}`, NO_GROUP],
      [`${product.id}/variant_groups/${groupOf(foreign, 'Size').id}`, NO_GROUP],
      [`${foreign.id}/variant_groups/${groupOf(foreign, 'Size').id}`, NOT_FOUND],
      [`${UNKNOWN_ID}/variant_groups/${groupOf(product, 'Size').id}`, NOT_FOUND],
    ] as const) {
      const answer = await shop.call(method, `/${path}`, body)
      expect([answer.status, answer.body]).toEqual([404, expected])
    }
    expect((await other.get(foreign.id)).variant_groups).toEqual(foreign.variant_groups)
  })

  it.each(['GET', 'POST'] as const)('by %s do not reach products of others', async (method) => {
    const foreign = await clothing(await openShop(app))
    for (const id of [UNKNOWN_ID, foreign.id]) {
      const answer = await shop.call(method, `/${id}/variant_groups`, method === 'POST' ? { name: 'X' } : undefined)
      expect([answer.status, answer.body]).toEqual([404, NOT_FOUND])
    }
  })

  it('need the secret key, and groups of inactive products too', async () => {
    const product = await clothing(shop, { active: false })
    const path = `/${product.id}/variant_groups`
    const size = `${path}/${groupOf(product, 'Size').id}`
    const key = shop.keys.sandbox.public
    for (const [method, address] of [
      ['POST', path],
      ['PUT', size],
      ['DELETE', size],
    ] as const) {
      const answer = await shop.call(method, address, method === 'DELETE' ? undefined : { name: 'X' }, key)
      expect([answer.status, answer.body]).toEqual([403, FORBIDDEN])
    }
    for (const address of [path, size]) {
      const answer = await shop.call('GET', address, undefined, key)
      expect([answer.status, answer.body]).toEqual([404, NOT_FOUND])
      expect((await shop.call('GET', address)).status).toBe(200)
    }
  })
})
