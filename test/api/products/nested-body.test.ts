// The older form of a product's body, under `product`: accepted in every version, and the same product as the flat form makes.

import { describe, expect, it } from 'vitest'
import type { Product } from '../../../src/api/products/schema.ts'
import { versions } from '../../../src/versions/index.ts'
import { testApp } from '../../support/app.ts'
import { patient } from '../../support/database.ts'
import { malformed, matching, price, unixNow } from '../../support/shop.ts'
import { addCategory, addZone, counted, flags, openShop, shown } from './support.ts'

const app = await testApp()
const shop = await openShop(app)
const key = shop.keys.sandbox.secret
const category = await addCategory(app, shop, 'socks')

describe('a flat body', () => {
  it('takes extrafields for extra_fields, on creation and on update', async () => {
    const named = ({ extra_fields, extrafields }: Product) => {
      expect(extrafields).toEqual(extra_fields)
      return extra_fields.map(({ name, required }) => [name, required])
    }
    const product = await shop.create({ extrafields: [{ name: 'Engraving', required: true }, { name: 'Note' }] })
    expect(named(product)).toEqual([
      ['Engraving', true],
      ['Note', false],
    ])
    expect(product.collects.extrafields).toBe(true)
    const updated = await shop.update(product.id, { extrafields: [{ name: 'Note', required: true }] })
    expect(named(updated)).toEqual([['Note', true]])
    expect(updated.extra_fields[0]?.id).toBe(product.extra_fields[1]?.id)
    expect(await shop.get(product.id)).toEqual(updated)
    const both = { extra_fields: [{ name: 'Newer' }], extrafields: [{ name: 'Older' }] }
    expect(named(await shop.update(product.id, both))).toEqual([['Newer', false]])
  })
})

const SEEDED = {
  product: {
    name: 'Kettle',
    description: '<p>Boils.</p>',
    price: '18.00',
    active: true,
    quantity: '12',
    sort_order: '-2',
  },
  variant: [{ name: 'Colour', options: [{ description: 'Red', price: '0.00', quantity: '0' }] }],
  categories: [{ id: category.id }],
  collect: { fullname: true, shipping: false, billing: true },
  extra_field: [{ name: 'Engraving', required: false }],
  seo: { title: 'A kettle', description: null },
  delivery: { enabled: { digital: false, shipping_native_v1: false }, weight: '900' },
}

const expected = () => {
  const moments = { created: unixNow(app), updated: unixNow(app) }
  const fields = [
    { id: matching('extr_'), name: 'Engraving', type: 'text', required: false, options: null, meta: null, ...moments },
  ]
  return {
    name: 'Kettle',
    permalink: 'kettle',
    description: '<p>Boils.</p>',
    price: price(18, '18.00'),
    quantity: 12,
    inventory: counted(true, 12),
    sort_order: -2,
    seo: { title: 'A kettle', description: null },
    ...flags({
      is: { inventory_managed: true, quantity_limited: true },
      has: { physical_delivery: false },
      collects: {
        fullname: true,
        shipping_address: false,
        billing_address: true,
        extra_fields: true,
        extrafields: true,
      },
    }),
    variant_groups: [
      {
        id: matching('vgrp_'),
        name: 'Colour',
        meta: null,
        ...moments,
        options: [
          { id: matching('optn_'), name: 'Red', price: price(0, '0.00'), assets: null, meta: null, ...moments },
        ],
      },
    ],
    extra_fields: fields,
    extrafields: fields,
    categories: [category],
    delivery: { physical: false, weight: 900, digital: { packages: [], lifespan: null }, shipping_zones: null },
  }
}

/** Parts of a body. */
type Said = Readonly<Record<string, unknown>>

describe('a body under `product`', () => {
  it('creates the product that the seeder means, at a doubled slash', async () => {
    const answer = await app.call('POST', '//v1/products', { key, body: SEEDED })
    expect([answer.status, answer.body]).toEqual([201, shown(app, shop, expected())])
    await app.call('DELETE', `/v1/products/${(answer.body as { id: string }).id}`, { key })
  })

  it('is accepted in every version', { timeout: patient(60_000) }, async () => {
    for (const { date } of versions) {
      const created = await app.call('POST', '/v1/products', { key, version: date, body: SEEDED })
      const { id } = created.body as { id: string }
      const updated = await app.call('PUT', `/v1/products/${id}`, {
        key,
        version: date,
        body: { product: { price: 2 } },
      })
      const read = await shop.get(id)
      expect([date, created.status, updated.status, read]).toEqual([
        date,
        201,
        200,
        shown(app, shop, { ...expected(), price: price(2, '2.00') }),
      ])
      await app.call('DELETE', `/v1/products/${id}`, { key })
    }
  })

  it('takes numbers as text in the older form alone', async () => {
    const flat = await shop.call('POST', '', { name: 'Flat', price: '1', quantity: '12' })
    expect([flat.status, flat.body]).toEqual([422, malformed({ quantity: ['quantity must be an integer or null.'] })])
    const nested = await shop.call('POST', '', { product: { name: 'Nested', price: '1', quantity: '1.5' } })
    expect([nested.status, nested.body]).toEqual([
      422,
      malformed({ quantity: ['quantity must be an integer or null.'] }),
    ])
  })

  it('gives way to the newer names beside it', async () => {
    const product = await shop.create({
      product: { name: 'Old', price: 1, inventory: { managed: true, available: '3' } },
      name: 'New',
      price: 2,
      collect: { fullname: true },
      collects: { billing_address: true },
      extra_field: [{ name: 'Old' }],
      extrafields: [{ name: 'New' }],
      variant: [{ name: 'Old' }],
      variant_groups: [{ name: 'New', options: [{ description: 'Described' }] }],
      delivery: { physical: true, enabled: { shipping_native_v1: false } },
    })
    expect([
      product.name,
      product.price.raw,
      product.quantity,
      product.collects.fullname,
      product.collects.billing_address,
      product.extra_fields.map(({ name }) => name),
      product.variant_groups.map(({ name, options }) => [name, options.map((option) => option.name)]),
      product.delivery?.physical,
    ]).toEqual(['New', 2, 3, false, true, ['New'], [['New', ['Described']]], true])
  })

  it('accepts a group beside it alone, on update', async () => {
    const { id } = await shop.create({ name: 'Groups' })
    const product = await shop.update(id, {
      extra_field: [{ name: 'Note', required: true }],
      collect: { shipping: false },
    })
    expect([product.extra_fields.map(({ name }) => name), product.collects.shipping_address]).toEqual([['Note'], false])
  })

  it.each<[string, Said | undefined, Said | undefined, boolean]>([
    ['that collects a shipping address is sent', { shipping: true }, undefined, true],
    ['that collects none is not', { fullname: true, shipping: false }, undefined, false],
    ['that does not speak of it is not', { fullname: true }, undefined, false],
    ['that says nothing at all is, where there is a zone', undefined, undefined, true],
    ['that says so in the newer way is', { fullname: true }, { physical: true }, true],
    ['that leaves it open in the newer way is, where there is a zone', { fullname: true }, { physical: null }, true],
    ['that enables shipping is', { fullname: true }, { enabled: { shipping_native_v1: true } }, true],
    ['that is weighed only is not', { fullname: true }, { weight: 100 }, false],
  ])('of a product %s', async (_what, collect, delivery, isSent) => {
    const own = await openShop(app)
    const zone = await addZone(app, own)
    const { id, has, collects } = await own.create({ product: { name: 'Old', price: 1 }, collect, delivery })
    expect([has.physical_delivery, collects.shipping_address]).toEqual([isSent, isSent])
    // A change in the older form says nothing of what it leaves out.
    await own.update(id, { product: { name: 'Older' }, collect: { fullname: false } })
    expect((await own.get(id)).has.physical_delivery).toBe(isSent)
    // What was said is kept; what was left open goes by the zones.
    await app.call('DELETE', `/v1/shipping_zones/${zone}`, { key: own.keys.sandbox.secret })
    const isSaid = collect?.shipping !== undefined || delivery?.physical === true || delivery?.enabled !== undefined
    expect((await own.get(id)).has.physical_delivery).toBe(isSent && isSaid)
  })

  it.each<[string, Said]>([
    ['says so in the newer way', { physical: false }],
    ['enables no shipping', { enabled: { shipping_native_v1: false } }],
  ])('still collects the address of a product that is not sent: it %s', async (_how, delivery) => {
    const { has, collects } = await shop.create({
      product: { name: 'Visit', price: 1 },
      collect: { shipping: true },
      delivery,
    })
    expect([has.physical_delivery, collects.shipping_address]).toEqual([false, true])
  })

  it.each([
    ['a list', { product: [] }, { name: ['name is required.'], price: ['price is required.'] }],
    ['text', { product: 'Kettle' }, { name: ['name is required.'], price: ['price is required.'] }],
    [
      'wrong groups',
      { product: { name: 'A', price: 1 }, variant: 'x', collect: 'x', extra_field: {}, delivery: [] },
      {
        collects: ['collects must be a JSON object.'],
        delivery: ['delivery must be a JSON object.'],
        extra_fields: ['extra_fields must be a list.'],
        variant_groups: ['variant_groups must be a list.'],
      },
    ],
    [
      'an option without a name',
      { product: { name: 'A', price: 1 }, variant: [{ name: 'B', options: [{ price: '1.00' }, null] }] },
      {
        'variant_groups.0.options.0.name': ['variant_groups.0.options.0.name is required.'],
        'variant_groups.0.options.1': ['variant_groups.0.options.1 must be a JSON object.'],
      },
    ],
  ])('is refused as %s', async (_what, body, errors) => {
    const answer = await shop.call('POST', '', body)
    expect([answer.status, answer.body]).toEqual([422, malformed(errors as unknown as Record<string, string[]>)])
  })
})
