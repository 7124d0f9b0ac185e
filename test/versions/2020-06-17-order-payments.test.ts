// The receipt before 2020-06-17: one payment, one shipping, a list of downloads.

import { describe, expect, it } from 'vitest'
import type { Json } from '../../src/versions/change.ts'
import { real } from './real.ts'
import { frozen, told } from './support.ts'

const price = (raw: number) => ({
  raw,
  formatted: `${raw}`,
  formatted_with_symbol: `$${raw}`,
  formatted_with_code: `${raw} USD`,
})
const item = (id: string) => ({
  id: `ful_${id}`,
  shipping_method_id: 'ship_1',
  line_item_id: `item_${id}`,
  shipping_description: 'Post',
  provider: 'chec',
  provider_type: 'native_shipping',
  quantity: 2,
})
const shipment = { id: 'shpmnt_1', tracking_number: '1' }
const download = { line_item_id: 'item_3', packages: [{ id: 'dwnld_1', name: 'Book' }] }
const physical = { items: [item('1'), item('2')], shipments: [shipment] }
const SHIPPING = {
  id: 'ful_1',
  shipping_method_id: 'ship_1',
  description: 'Post',
  provider: 'chec',
  provider_type: 'native_shipping',
  items: [item('1'), item('2')],
  shipments: [shipment],
}
const DIGITAL = [{ ...download, packages: [{ id: 'ful_1', name: 'Book' }] }]

const aged = (kind: string, value: Json, version = '2020-02-01') => real.ageKind(version, kind, frozen(value), told)
const orderOf = (more: Record<string, Json>) => ({
  payments: [],
  order: { shipping: { price: price(4.5) } },
  fulfillment: { physical, digital: { downloads: [download] } },
  ...more,
})

describe('delivery', () => {
  it('is one shipping with all items and shipments, and a list of downloads, at 2020-02-01', () => {
    expect(aged('fulfillment', { physical, digital: { downloads: [download] } })).toEqual({
      shipping: SHIPPING,
      digital: DIGITAL,
    })
  })

  it('has no shipping where nothing is shipped, and an empty list where nothing is downloaded', () => {
    const nothing = { physical: { items: [], shipments: [] }, digital: { downloads: [] } }
    expect(aged('fulfillment', nothing)).toEqual({ shipping: null, digital: [] })
    expect(aged('order', orderOf({ fulfillment: nothing }))).toMatchObject({
      fulfillment: { shipping: null, digital: [] },
    })
  })

  it('is told item by item and download by download at 2020-06-17', () => {
    expect(aged('fulfillment', { physical, digital: { downloads: [] } }, '2020-06-17')).toEqual({
      physical,
      digital: { downloads: [] },
    })
  })
})

describe('an order', () => {
  const [first, second] = [
    { id: 'pymnt_1', amount: price(1.5) },
    { id: 'pymnt_2', amount: price(3) },
  ]

  it('has its first payment as `payment` at 2020-02-01, beside all of them, and the price of its shipping as a number', () => {
    const shown = aged('order', orderOf({ payments: [first, second] }))
    expect(shown).toMatchObject({
      payment: { id: 'pymnt_1', amount: 1.5 },
      payments: [
        { id: 'pymnt_1', amount: 1.5 },
        { id: 'pymnt_2', amount: 3 },
      ],
    })
    expect(shown).toHaveProperty('fulfillment', { shipping: { ...SHIPPING, price: 4.5 }, digital: DIGITAL })
  })

  it('has no payment while nothing is paid', () => {
    expect(aged('order', orderOf({}))).toMatchObject({ payment: null, payments: [] })
  })

  it('has `payments` alone at 2020-06-17', () => {
    expect(aged('order', orderOf({ payments: [first] }), '2020-06-17')).not.toHaveProperty('payment')
  })
})
