// @unit
// Orders in older versions that the golden bodies do not contain, such as pending payments and several items.

import { describe, expect, it } from 'vitest'
import type { JsonData, JsonObject } from '../../src/versions/change.ts'
import { real } from './real.ts'
import { frozen, told } from './support.ts'

const price = (raw: number) => ({
  raw,
  formatted: `${raw}`,
  formatted_with_symbol: `$${raw}`,
  formatted_with_code: `${raw} USD`,
})
const aged = (version: string, kind: string, value: JsonData) => real.ageKind(version, kind, frozen(value), told)

describe('an order', () => {
  const currency = { code: 'USD', symbol: '$' }
  /** With these values, changes between the tested versions alter nothing. */
  const plain = { conditionals: {}, order: {}, payments: [], transactions: [], fulfillment: null }

  it('lists every transaction at 2020-08-12, and before that what is still to come, with numbers', () => {
    const source = { brand: null }
    const transaction = (id: number, more: JsonObject) => ({
      ...{ id: `trns_${id}`, payment_id: `pymnt_${id}`, type: 'charge', status: 'pending', gateway: 'manual' },
      ...{ gateway_transaction_id: null, gateway_reference: null, amount: price(3.75), payment_source_type: null },
      ...{ payment_source: source, created: 7, ...more },
    })
    const card = { payment_source_type: 'card', gateway: 'test_gateway', gateway_reference: '4242', amount: price(1.5) }
    const payment = { id: 'pymnt_1', gateway: 'manual', amount: price(1.5), currency }
    const refunds = [{ payment_id: 'pymnt_0', type: 'full', amount: price(2.25), currency }]
    const order = {
      ...{ id: 'ord_1', conditionals: {}, order: { subtotal: 1 }, currency, payments: [payment], refunds },
      transactions: [
        transaction(1, { status: 'complete' }),
        transaction(2, {}),
        transaction(3, card),
        transaction(4, { status: 'cancelled' }),
        transaction(5, { type: 'refund' }),
      ],
    }
    const pending = {
      ...{ gateway_transaction_id: null, created: 7, type: 'manual', gateway: 'manual', reference: null, currency },
      ...{ is_refunded: false, refund_date: null, payment_source: source },
    }
    const ofCard = { type: 'card', gateway: 'test_gateway', reference: '4242', amount: 1.5 }
    expect(aged('2020-08-12', 'order', order)).toEqual(order)
    expect(aged('2020-07-29', 'order', order)).toEqual({
      ...{ id: 'ord_1', conditionals: {}, order: { subtotal: 1, future_charges: [] }, currency, refunds },
      payments: [{ ...payment, amount: 1.5 }],
      pending_payments: [
        { ...pending, id: 'pymnt_2', transaction_id: 'trns_2', amount: 3.75 },
        { ...pending, id: 'pymnt_3', transaction_id: 'trns_3', ...ofCard },
      ],
      future_payments: [],
    })
  })

  it('has `payments` only at 2020-06-17, and before that also the first of them, or null, as `payment`', () => {
    const payments = [
      { id: 'pymnt_1', amount: price(1.5) },
      { id: 'pymnt_2', amount: price(3) },
    ]
    const [first, second] = payments.map(({ id, amount }) => ({ id, amount: amount.raw }))
    const at = (version: string, paid: JsonData) => aged(version, 'order', { ...plain, payments: paid })
    expect(at('2020-06-17', payments)).not.toHaveProperty('payment')
    expect(at('2020-02-01', payments)).toMatchObject({ payment: first, payments: [first, second] })
    expect(at('2020-02-01', [])).toMatchObject({ payment: null, payments: [] })
  })
})

describe('delivery', () => {
  const item = (id: string) => ({
    ...{ id: `ful_${id}`, shipping_method_id: 'ship_1', shipping_description: 'Post' },
    ...{ provider: 'chec', provider_type: 'native_shipping', quantity: 2 },
  })
  const [items, shipments] = [[item('1'), item('2')], [{ id: 'shpmnt_1', tracking_number: '1' }]]
  const link = 'http://localhost/fulfill/1/ord_1/dwnld_1'
  const full = {
    physical: { items, shipments },
    digital: { downloads: [{ line_item_id: 'item_3', packages: [{ id: 'dwnld_1', access_link: link }] }] },
  }
  const older = {
    shipping: {
      ...{ id: 'ful_1', shipping_method_id: 'ship_1', description: 'Post' },
      ...{ provider: 'chec', provider_type: 'native_shipping', items, shipments },
    },
    digital: [{ line_item_id: 'item_3', packages: [{ id: 'ful_1', access_link: link }] }],
  }

  it('lists items and downloads at 2020-06-17, and before that is one shipping and a list of downloads', () => {
    expect(aged('2020-02-01', 'fulfillment', full)).toEqual(older)
  })

  it('has its price as a number at 2020-02-01, inside an order that was shipped', () => {
    const order = (fulfillment: JsonData) => ({ payments: [], order: { shipping: { price: price(4.5) } }, fulfillment })
    expect(aged('2020-02-01', 'order', order(full))).toHaveProperty('fulfillment', {
      ...older,
      shipping: { ...older.shipping, price: 4.5 },
    })
  })
})
