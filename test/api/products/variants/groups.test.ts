// GET, POST, PUT and DELETE /v1/products/{id}/variant_groups and …/{group_id}/options, and the rule that no choice sells below zero.

import { describe, expect, it } from 'vitest'
import { sharedApp } from '../../../support/app.ts'
import { changeRows } from '../../../support/rows.ts'
import { notValidField, notValidFields, price } from '../../../support/shop.ts'
import { untilLockIsAwaited } from '../../waiting-locks.ts'
import { addAsset, countsOf, NOT_FOUND, openShop, shownOption } from '../support.ts'
import { addVariant, choose, clothing, expectProductUpdate, groupOf, reasonsOf, variantsOf } from './support.ts'

const app = await sharedApp()
const shop = await openShop(app)
const [a, b] = [await addAsset(app, shop), await addAsset(app, shop)]

/** So many groups without options. */
const numbered = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`G${index}`, []]))

describe('GET /v1/products/{id}/variant_groups', () => {
  it('lists the groups as the product shows them, and gives one, to every key', async () => {
    const { id, variant_groups } = await clothing(shop)
    const pagination = { total: 2, count: 2, per_page: 100, current_page: 1, total_pages: 1, links: {} }
    const [, size] = variant_groups
    const list = { data: variant_groups, meta: { pagination } }
    for (const key of [shop.keys.sandbox.public, shop.keys.live.secret]) {
      expect(await shop.ask('GET', `/${id}/variant_groups`, undefined, key)).toEqual([200, list])
      expect(await shop.ask('GET', `/${id}/variant_groups/${size?.id}`, undefined, key)).toEqual([200, size])
    }
  })

  it('is for secret keys alone where the product is inactive', async () => {
    const product = await clothing(shop, { active: false })
    const path = `/${product.id}/variant_groups`
    for (const address of [path, `${path}/${groupOf(product, 'Size').id}`]) {
      expect(await shop.ask('GET', address, undefined, shop.keys.sandbox.public)).toEqual([404, NOT_FOUND])
      expect((await shop.call('GET', address)).status).toBe(200)
    }
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
    const fancy = { price: price(-1.5, '-1.50'), assets: [b.id, a.id], meta: { y: 2 } }
    const options = [shownOption(app, 'Plain'), shownOption(app, 'Fancy', fancy)]
    expect([answer.status, answer.body]).toMatchObject([201, { name: 'D', meta: { x: 1 }, options }])
    const others = [groupOf(product, 'B'), groupOf(product, 'C')]
    expect((await shop.get(product.id)).variant_groups).toEqual([...others, answer.body])
  })

  it('refuses names that stand there already, and a fifty-first group', async () => {
    const product = await clothing(shop)
    const options = [{ name: 'A' }, { name: 'A' }]
    expect(await shop.ask('POST', `/${product.id}/variant_groups`, { name: 'Size', options })).toEqual(
      notValidFields({
        name: 'must differ from the other names.',
        'options.1.name': 'must differ from the other names.',
      }),
    )
    const many = await clothing(shop, {}, numbered(50))
    const before = await countsOf(app, shop)
    expect(await shop.ask('POST', `/${many.id}/variant_groups`, { name: 'A' })).toEqual(
      notValidField('variant_groups', 'must have at most 50 entries. Delete one first.'),
    )
    expect(await countsOf(app, shop)).toEqual(before)
  })
})

describe('PUT /v1/products/{id}/variant_groups/{group_id}', () => {
  it('replaces the options, and keeps those that are sent with id or name', async () => {
    const product = await clothing(shop, {}, { Colour: ['Red', 'Blue', 'Grey'], Size: ['L'] })
    const colour = groupOf(product, 'Colour')
    const [red, blue] = colour.options
    for (const name of ['Red', 'Blue', 'Grey'])
      await addVariant(app, shop, product.id, { options: choose(product, name, 'L') })
    const put = (options: object[]) => shop.call('PUT', `/${product.id}/variant_groups/${colour.id}`, { options })
    const answer = await put([
      { name: 'Green', assets: [a.id] },
      { name: 'Blue', price: 2 },
      { id: red?.id, name: 'Crimson' },
    ])
    expect(answer.body).toMatchObject({
      id: colour.id,
      options: [
        { name: 'Green', assets: [a.id] },
        { id: blue?.id, price: price(2, '2.00') },
        { id: red?.id, name: 'Crimson' },
      ],
    })
    expect((await shop.get(product.id)).variant_groups).toEqual([answer.body, groupOf(product, 'Size')])
    expect(await reasonsOf(shop, product.id)).toEqual([null, null, 'option_deleted'])
    await put([])
    expect(await reasonsOf(shop, product.id)).toEqual(['option_deleted', 'option_deleted', 'option_deleted'])
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

async function colourful(owner = shop) {
  const product = await clothing(owner)
  const colour = groupOf(product, 'Colour')
  const [red, blue] = colour.options
  const options = `/${product.id}/variant_groups/${colour.id}/options`
  return { product, colour, red, blue, options }
}

describe('POST …/variant_groups/{group_id}/options', () => {
  it('adds an option behind the others, and changes nothing else', async () => {
    const { product, colour, red, blue, options } = await colourful()
    const asset = await addAsset(app, shop)
    await shop.call('DELETE', `${options}/${red?.id}`)
    app.clock.advance(2)
    const body = { id: red?.id, name: 'Red', price: '1.25', assets: [{ id: asset.id }], meta: { a: 1 } }
    const answer = await shop.call('POST', options, body)
    const more = { price: price(1.25, '1.25'), assets: [asset.id], meta: { a: 1 } }
    expect([answer.status, answer.body]).toEqual([201, shownOption(app, 'Red', more)])
    expect((answer.body as { id: string }).id).not.toBe(red?.id)
    expect((await shop.get(product.id)).variant_groups).toEqual([
      { ...colour, options: [blue, answer.body] },
      groupOf(product, 'Size'),
    ])
  })

  it('refuses a five hundred and first option', async () => {
    const names = Array.from({ length: 500 }, (_, index) => `O${index}`)
    const product = await clothing(shop, {}, { A: names })
    expect(
      await shop.ask('POST', `/${product.id}/variant_groups/${groupOf(product, 'A').id}/options`, { name: 'X' }),
    ).toEqual(notValidField('options', 'must have at most 500 entries. Delete one first.'))
  })
})

describe('DELETE …/options/{option_id}', () => {
  it('deletes the option; variants that name it stay and are not valid', async () => {
    const { product, red, blue, colour, options } = await colourful()
    await addVariant(app, shop, product.id, { options: choose(product, 'Red', 'L') })
    await addVariant(app, shop, product.id, { options: choose(product, 'Blue', 'L') })
    await shop.succeed(204, 'DELETE', `${options}/${red?.id}`)
    expect(groupOf(await shop.get(product.id), 'Colour')).toEqual({ ...colour, options: [blue] })
    expect(await reasonsOf(shop, product.id)).toEqual(['option_deleted', null])
    // A deleted option is told before a missing one.
    await shop.call('POST', `/${product.id}/variant_groups`, { name: 'Fit' })
    expect(await reasonsOf(shop, product.id)).toEqual(['option_deleted', 'missing_options'])
    expect((await shop.call('DELETE', `${options}/${blue?.id}`)).status).toBe(204)
    expect(await reasonsOf(shop, product.id)).toEqual(['option_deleted', 'option_deleted'])
  })
})

describe('changes of groups and options', () => {
  it('are told as changes of the product', async () => {
    const own = await openShop(app)
    const { product, red, options } = await colourful(own)
    const groups = `/${product.id}/variant_groups`
    const size = `${groups}/${groupOf(product, 'Size').id}`
    for (const [method, path, body] of [
      ['POST', groups, { name: 'Fit' }],
      ['PUT', size, { name: 'Length' }],
      ['DELETE', size, undefined],
      ['POST', options, { name: 'Green' }],
      ['PUT', `${options}/${red?.id}`, { price: 1 }],
      ['DELETE', `${options}/${red?.id}`, undefined],
    ] as const)
      await expectProductUpdate(app, own, product.id, () => own.call(method, path, body))
  })

  it('refuse the name of another, and keep their own', async () => {
    const { product, colour, red, options } = await colourful()
    const groups = `/${product.id}/variant_groups`
    for (const [method, path, name] of [
      ['PUT', `${groups}/${colour.id}`, 'Size'],
      ['POST', options, 'Red'],
      ['PUT', `${options}/${red?.id}`, 'Blue'],
    ] as const)
      expect(await shop.ask(method, path, { name })).toEqual(notValidField('name', 'must differ from the other names.'))
    expect((await shop.get(product.id)).variant_groups).toEqual(product.variant_groups)
    expect((await shop.call('PUT', `${options}/${red?.id}`, { name: 'Red' })).status).toBe(200)
  })
})

describe('options together never take off more than the product costs', () => {
  const tooMuch = (field: string, cost: string, off: string) =>
    notValidField(
      field,
      `must not let the price fall below zero: the product costs ${cost} USD, and its options can take ${off} USD off.`,
    )
  const groups = (...deltas: number[][]) =>
    deltas.map((options, index) => ({
      name: `G${index}`,
      options: options.map((delta, place) => ({ name: `O${place}`, price: delta })),
    }))

  it('when a product is created or changed', async () => {
    const body = { name: 'Thing', price: 10, variant_groups: groups([-6, 1, -4], [-4.01, 0]) }
    expect(await shop.ask('POST', '', body)).toEqual(tooMuch('variant_groups', '10.00', '10.01'))
    const product = await shop.create({ ...body, price: 10.01 })
    const change = (sent: object) => shop.ask('PUT', `/${product.id}`, sent)
    expect(await change({ price: 10 })).toEqual(tooMuch('price', '10.00', '10.01'))
    expect(await change({ price: 1, variant_groups: groups([-1.01]) })).toEqual(
      tooMuch('variant_groups', '1.00', '1.01'),
    )
    expect(await shop.get(product.id)).toEqual(product)
    await shop.update(product.id, { price: 1, variant_groups: groups([-1]) })
  })

  it('when a group or an option is added or changed', async () => {
    const product = await shop.create({ price: 5, variant_groups: groups([-3, 2], [1]) })
    const [first, second] = product.variant_groups
    const path = `/${product.id}/variant_groups`
    const cases = [
      ['POST', '', { name: 'New', options: [{ name: 'A', price: -2.01 }] }, 'options', '5.01'],
      ['PUT', `/${second?.id}`, { options: [{ name: 'A', price: -3 }] }, 'options', '6.00'],
      ['POST', `/${second?.id}/options`, { name: 'B', price: '-2.50' }, 'price', '5.50'],
      ['PUT', `/${first?.id}/options/${first?.options[0]?.id}`, { price: -5.01 }, 'price', '5.01'],
    ] as const
    for (const [method, rest, body, field, off] of cases)
      expect(await shop.ask(method, `${path}${rest}`, body)).toEqual(tooMuch(field, '5.00', off))
    expect(await shop.get(product.id)).toEqual(product)
    // An option added elsewhere does not count: a line may not name it yet.
    expect((await shop.call('POST', `${path}/${second?.id}/options`, { name: 'B', price: -2 })).status).toBe(201)
  })

  it('also when two requests lower the price together', async () => {
    const product = await shop.create({ price: 10, variant_groups: groups([0], [0]) })
    const answers = await Promise.all(
      product.variant_groups.map(({ id, options }) =>
        shop.call('PUT', `/${product.id}/variant_groups/${id}/options/${options[0]?.id}`, { price: -6 }),
      ),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 422])
  })
})

describe('a picture that is deleted while its option is being changed', () => {
  it.each(['option', 'product'] as const)('is dropped, and the change of the %s succeeds', async (what) => {
    const asset = await addAsset(app, shop)
    const product = await shop.create({ variant_groups: [{ name: 'A', options: [{ name: 'B', assets: [asset.id] }] }] })
    const [group] = product.variant_groups
    const option = `/${product.id}/variant_groups/${group?.id}/options/${group?.options[0]?.id}`
    const change = await app.db.transaction(async (tx) => {
      await changeRows(tx, 'delete from assets', { merchant_id: shop.id, id: asset.id })
      const sent =
        what === 'option'
          ? shop.call('PUT', option, { name: 'C' })
          : shop.call('PUT', `/${product.id}`, { variant_groups: [{ name: 'A' }] })
      await untilLockIsAwaited(app.db)
      return { sent }
    })
    expect((await change.sent).status).toBe(200)
    expect((await shop.get(product.id)).variant_groups[0]?.options[0]?.assets).toBeNull()
  })
})
