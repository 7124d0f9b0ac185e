// POST, PUT and DELETE /v1/products/{id}/variant_groups/{group_id}/options, and the rule that no choice sells below zero.

import { describe, expect, it } from 'vitest'
import { statement } from '../../../../src/db/db.ts'
import { testApp } from '../../../support/app.ts'
import { FORBIDDEN, malformed, matching, notValid, price, unixNow } from '../../../support/shop.ts'
import { untilLockIsAwaited } from '../../waiting-locks.ts'
import { addAsset, NOT_FOUND, openShop, UNKNOWN_ID } from '../support.ts'
import {
  addVariant,
  choose,
  clothing,
  expectProductUpdate,
  groupOf,
  NO_GROUP,
  NO_OPTION,
  reasonsOf,
  UNKNOWN_GROUP,
  UNKNOWN_OPTION,
} from './support.ts'

const app = await testApp({ pool: { size: 8, waitMs: 90_000 } })
const shop = await openShop(app)

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
    const added = {
      id: matching('optn_'),
      name: 'Red',
      price: price(1.25, '1.25'),
      assets: [asset.id],
      meta: { a: 1 },
      created: unixNow(app),
      updated: unixNow(app),
    }
    expect([answer.status, answer.body]).toEqual([201, added])
    expect((answer.body as { id: string }).id).not.toBe(red?.id)
    expect((await shop.get(product.id)).variant_groups).toEqual([
      { ...colour, options: [blue, answer.body] },
      groupOf(product, 'Size'),
    ])
  })

  it('leaves existing variants valid', async () => {
    const { product, options } = await colourful()
    await addVariant(app, shop, product.id, { options: choose(product, 'Red', 'L') })
    await shop.call('POST', options, { name: 'Green' })
    expect(await reasonsOf(shop, product.id)).toEqual([null])
  })

  it.each([
    ['nothing', {}, { name: ['name is required.'] }],
    [
      'fields of the wrong type',
      { name: 1, price: null, assets: 'x', meta: 'x' },
      {
        name: ['name must be a string.'],
        price: ['price must be a number or a string.'],
        assets: ['assets must be a list or null.'],
        meta: ['meta must be a JSON object or null.'],
      },
    ],
    [
      'a price that is none',
      { name: 'A', price: 'cheap' },
      { price: ['price must be a number or a decimal string such as 12.00, in USD.'] },
    ],
  ])('refuses %s', async (_what, body, errors) => {
    const { options } = await colourful()
    const answer = await shop.call('POST', options, body)
    expect([answer.status, answer.body]).toEqual([422, malformed(errors as unknown as Record<string, string[]>)])
  })

  it('refuses a name that stands there already and unknown assets', async () => {
    const { options } = await colourful()
    const answer = await shop.call('POST', options, { name: 'Red', assets: ['ast_none'] })
    expect([answer.status, answer.body]).toEqual([
      422,
      notValid({
        name: ['name must differ from the other names.'],
        'assets.0': ['assets.0 is not the id of a finished asset.'],
      }),
    ])
  })

  it('refuses a five hundred and first option', async () => {
    const names = Array.from({ length: 500 }, (_, index) => `O${index}`)
    const product = await clothing(shop, {}, { A: names })
    const answer = await shop.call('POST', `/${product.id}/variant_groups/${groupOf(product, 'A').id}/options`, {
      name: 'X',
    })
    expect([answer.status, answer.body]).toEqual([
      422,
      notValid({ options: ['options must have at most 500 entries, which it has already.'] }),
    ])
  })

  it('adds a name once when asked ten times at once', async () => {
    const { product, options } = await colourful()
    const answers = await Promise.all(Array.from({ length: 10 }, () => shop.call('POST', options, { name: 'Green' })))
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array.from({ length: 9 }, () => 422)])
    expect(groupOf(await shop.get(product.id), 'Colour').options).toHaveLength(3)
  })
})

describe('PUT …/options/{option_id}', () => {
  it('changes the fields that are sent, and no other option', async () => {
    const { product, red, blue, options } = await colourful()
    const asset = await addAsset(app, shop)
    app.clock.advance(2)
    const updated = unixNow(app)
    const path = `${options}/${red?.id}`
    const priced = await shop.call('PUT', path, { price: -2, assets: [asset.id], meta: { a: 1 } })
    const expected = { ...red, price: price(-2, '-2.00'), assets: [asset.id], meta: { a: 1 }, updated }
    expect([priced.status, priced.body]).toEqual([200, expected])
    const renamed = await shop.call('PUT', path, { name: 'Crimson' })
    expect(renamed.body).toEqual({ ...expected, name: 'Crimson' })
    expect(groupOf(await shop.get(product.id), 'Colour').options).toEqual([renamed.body, blue])
    const emptied = await shop.call('PUT', path, { assets: null, meta: null, price: 0 })
    expect(emptied.body).toEqual({ ...red, name: 'Crimson', updated })
  })

  it('leaves variants that name it valid', async () => {
    const { product, red, options } = await colourful()
    await addVariant(app, shop, product.id, { options: choose(product, 'Red', 'L') })
    await shop.call('PUT', `${options}/${red?.id}`, { name: 'Crimson' })
    expect(await reasonsOf(shop, product.id)).toEqual([null])
  })

  it('refuses the name of another option, and keeps its own', async () => {
    const { red, options } = await colourful()
    const taken = await shop.call('PUT', `${options}/${red?.id}`, { name: 'Blue' })
    expect([taken.status, taken.body]).toEqual([422, notValid({ name: ['name must differ from the other names.'] })])
    expect((await shop.call('PUT', `${options}/${red?.id}`, { name: 'Red' })).status).toBe(200)
  })
})

describe('DELETE …/options/{option_id}', () => {
  it('deletes the option; variants that name it stay and are not valid', async () => {
    const { product, red, blue, colour, options } = await colourful()
    await addVariant(app, shop, product.id, { options: choose(product, 'Red', 'L') })
    await addVariant(app, shop, product.id, { options: choose(product, 'Blue', 'L') })
    const answer = await shop.call('DELETE', `${options}/${red?.id}`)
    expect([answer.status, answer.text]).toEqual([204, ''])
    expect(groupOf(await shop.get(product.id), 'Colour')).toEqual({ ...colour, options: [blue] })
    expect(await reasonsOf(shop, product.id)).toEqual(['option_deleted', null])
    const again = await shop.call('DELETE', `${options}/${red?.id}`)
    expect([again.status, again.body]).toEqual([404, NO_OPTION])
    expect((await shop.call('DELETE', `${options}/${blue?.id}`)).status).toBe(204)
    expect(await reasonsOf(shop, product.id)).toEqual(['option_deleted', 'option_deleted'])
  })

  it('tells the deleted option also where a group is missing', async () => {
    const { product, red, options } = await colourful()
    await addVariant(app, shop, product.id, { options: choose(product, 'Red', 'L') })
    await shop.call('POST', `/${product.id}/variant_groups`, { name: 'Fit' })
    expect(await reasonsOf(shop, product.id)).toEqual(['missing_options'])
    await shop.call('DELETE', `${options}/${red?.id}`)
    expect(await reasonsOf(shop, product.id)).toEqual(['option_deleted'])
  })
})

describe('changes of options', () => {
  it('are told as changes of the product', async () => {
    const own = await openShop(app)
    const { product, red, options } = await colourful(own)
    await expectProductUpdate(app, own, product.id, () => own.call('POST', options, { name: 'Green' }))
    await expectProductUpdate(app, own, product.id, () => own.call('PUT', `${options}/${red?.id}`, { price: 1 }))
    await expectProductUpdate(app, own, product.id, () => own.call('DELETE', `${options}/${red?.id}`))
  })

  it('do not reach those of others', async () => {
    const other = await openShop(app)
    const [mine, theirs] = [await colourful(), await colourful(other)]
    const size = groupOf(mine.product, 'Size').id
    const paths = [
      [`${mine.options}/${UNKNOWN_OPTION}`, NO_OPTION],
      [`${mine.options}/${theirs.red?.id}`, NO_OPTION],
      [`/${mine.product.id}/variant_groups/${size}/options/${mine.red?.id}`, NO_OPTION],
      [`/${mine.product.id}/variant_groups/${UNKNOWN_GROUP}/options/${mine.red?.id}`, NO_GROUP],
      [`${theirs.options}/${theirs.red?.id}`, NOT_FOUND],
      [`/${UNKNOWN_ID}/variant_groups/${mine.colour.id}/options/${mine.red?.id}`, NOT_FOUND],
    ] as const
    for (const [path, expected] of paths) {
      for (const answer of [await shop.call('PUT', path, { name: 'X' }), await shop.call('DELETE', path)])
        expect([answer.status, answer.body]).toEqual([404, expected])
    }
    for (const [path, expected] of [
      [theirs.options, NOT_FOUND],
      [`/${mine.product.id}/variant_groups/${theirs.colour.id}/options`, NO_GROUP],
    ] as const) {
      const answer = await shop.call('POST', path, { name: 'X' })
      expect([answer.status, answer.body]).toEqual([404, expected])
    }
    expect((await other.get(theirs.product.id)).variant_groups).toEqual(theirs.product.variant_groups)
  })

  it('need the secret key', async () => {
    const { red, options } = await colourful()
    for (const [method, path, body] of [
      ['POST', options, { name: 'X' }],
      ['PUT', `${options}/${red?.id}`, { name: 'X' }],
      ['DELETE', `${options}/${red?.id}`, undefined],
    ] as const) {
      const answer = await shop.call(method, path, body, shop.keys.sandbox.public)
      expect([answer.status, answer.body]).toEqual([403, FORBIDDEN])
    }
  })
})

describe('options together never take off more than the product costs', () => {
  const tooMuch = (field: string, cost: string, off: string) =>
    notValid({
      [field]: [
        `${field} must leave every choice of options at zero or more: the product costs ${cost} USD, and its options can take ${off} USD off.`,
      ],
    })
  const groups = (...deltas: number[][]) =>
    deltas.map((options, index) => ({
      name: `G${index}`,
      options: options.map((delta, place) => ({ name: `O${place}`, price: delta })),
    }))

  it('when a product is created or changed', async () => {
    const body = { name: 'Thing', price: 10, variant_groups: groups([-6, 1, -4], [-4.01, 0]) }
    const created = await shop.call('POST', '', body)
    expect([created.status, created.body]).toEqual([422, tooMuch('variant_groups', '10.00', '10.01')])
    const product = await shop.create({ ...body, price: 10.01 })
    const cheaper = await shop.call('PUT', `/${product.id}`, { price: 10 })
    expect([cheaper.status, cheaper.body]).toEqual([422, tooMuch('price', '10.00', '10.01')])
    const both = await shop.call('PUT', `/${product.id}`, { price: 1, variant_groups: groups([-1.01]) })
    expect([both.status, both.body]).toEqual([422, tooMuch('variant_groups', '1.00', '1.01')])
    expect(await shop.get(product.id)).toEqual(product)
    await shop.update(product.id, { price: 1, variant_groups: groups([-1]) })
  })

  it('when a group or an option is added or changed', async () => {
    const product = await shop.create({ price: 5, variant_groups: groups([-3, 2], [1]) })
    const [first, second] = product.variant_groups
    const path = `/${product.id}/variant_groups`
    const added = await shop.call('POST', path, { name: 'New', options: [{ name: 'A', price: -2.01 }] })
    expect([added.status, added.body]).toEqual([422, tooMuch('options', '5.00', '5.01')])
    const replaced = await shop.call('PUT', `${path}/${second?.id}`, { options: [{ name: 'A', price: -3 }] })
    expect([replaced.status, replaced.body]).toEqual([422, tooMuch('options', '5.00', '6.00')])
    const option = await shop.call('POST', `${path}/${second?.id}/options`, { name: 'B', price: '-2.50' })
    expect([option.status, option.body]).toEqual([422, tooMuch('price', '5.00', '5.50')])
    const changed = await shop.call('PUT', `${path}/${first?.id}/options/${first?.options[0]?.id}`, { price: -5.01 })
    expect([changed.status, changed.body]).toEqual([422, tooMuch('price', '5.00', '5.01')])
    expect(await shop.get(product.id)).toEqual(product)
    // What an option added elsewhere does not count: a line may not name it yet.
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

const deleteAsset = statement('test.delete_asset', 'delete from assets where merchant_id = :merchant_id and id = :id')

describe('a picture that is deleted while its option is being changed', () => {
  it.each(['option', 'product'] as const)('is dropped, and the change of the %s succeeds', async (what) => {
    const asset = await addAsset(app, shop)
    const product = await shop.create({ variant_groups: [{ name: 'A', options: [{ name: 'B', assets: [asset.id] }] }] })
    const [group] = product.variant_groups
    const option = `/${product.id}/variant_groups/${group?.id}/options/${group?.options[0]?.id}`
    const change = await app.db.transaction(async (tx) => {
      await tx.run(deleteAsset, { merchant_id: shop.id, id: asset.id })
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
