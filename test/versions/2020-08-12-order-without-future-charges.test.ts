// Charges to come: an order lists none from 2020-08-12 on, and before that empty lists.

import { expect, it } from 'vitest'
import { orderWithoutFutureCharges as change } from '../../src/versions/changes/2020-08-12.ts'
import { frozen, told } from './support.ts'

it('an order has empty lists of payments and charges to come before 2020-08-12', () => {
  const order = frozen({ id: 'ord_1', order: { subtotal: 1 }, payments: [] })
  expect(change.kinds.order(order, told)).toEqual({
    id: 'ord_1',
    order: { subtotal: 1, future_charges: [] },
    payments: [],
    future_payments: [],
  })
})
