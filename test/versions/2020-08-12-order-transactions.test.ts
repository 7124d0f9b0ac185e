// How an order tells of money: `transactions` and prices from 2020-08-12 on; before, `pending_payments`, and numbers for payments.

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
const currency = { code: 'USD', symbol: '$' }
const source = { brand: null, country: null, billing_zip_postal_code: null }

const transaction = (id: string, more: Record<string, Json>): Record<string, Json> => ({
  id: `trns_${id}`,
  payment_id: `pymnt_${id}`,
  type: 'charge',
  status: 'complete',
  gateway: 'manual',
  gateway_transaction_id: null,
  gateway_reference: null,
  amount: price(1.5),
  payment_source_type: null,
  payment_source: source,
  created: 7,
  ...more,
})

const payment = { id: 'pymnt_1', gateway: 'manual', amount: price(1.5), currency }
const refund = { payment_id: 'pymnt_0', type: 'full', amount: price(2.25), currency }
const order = frozen({
  id: 'ord_1',
  conditionals: {},
  order: {},
  currency,
  payments: [payment],
  refunds: [refund],
  transactions: [
    transaction('1', {}),
    transaction('2', { status: 'pending', amount: price(3.75) }),
    transaction('3', {
      status: 'pending',
      payment_source_type: 'card',
      gateway: 'test_gateway',
      gateway_reference: '4242',
    }),
    transaction('4', { status: 'cancelled' }),
    transaction('5', { type: 'refund', status: 'pending' }),
  ],
})
const shownAt = (version: string, shown: Json = order) => real.ageKind(version, 'order', shown, told)

describe('an order', () => {
  it('lists at 2020-07-29 what was paid, with numbers, what was given back, and what is still to come', () => {
    const pending = {
      gateway_transaction_id: null,
      created: 7,
      type: 'manual',
      gateway: 'manual',
      reference: null,
      currency,
      is_refunded: false,
      refund_date: null,
      payment_source: source,
    }
    expect(shownAt('2020-07-29')).toEqual({
      id: 'ord_1',
      conditionals: {},
      order: { future_charges: [] },
      currency,
      payments: [{ ...payment, amount: 1.5 }],
      refunds: [refund],
      pending_payments: [
        { ...pending, id: 'pymnt_2', transaction_id: 'trns_2', amount: 3.75 },
        {
          ...pending,
          id: 'pymnt_3',
          transaction_id: 'trns_3',
          type: 'card',
          gateway: 'test_gateway',
          reference: '4242',
          amount: 1.5,
        },
      ],
      future_payments: [],
    })
  })

  it('lists every transaction at 2020-08-12', () => {
    expect(shownAt('2020-08-12')).toEqual(order)
  })
})
