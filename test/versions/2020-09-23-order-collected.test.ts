// What an order says of what was collected: in the past tense from 2020-09-23 on.

import { expect, it } from 'vitest'
import { registered } from './registered.ts'
import { frozen, told } from './support.ts'

const order = frozen({
  id: 'ord_1',
  conditionals: { collected_fullname: true, collected_tax: false, has_discounts: true, is_free: false },
  collected: { fullname: true, tax: false },
  has: { discounts: true },
  is: { free: false },
})
const shownAt = (version: string) => registered.ageKind(version, 'order', order, told)

it('an order says what is collected, in its flags and their family, at 2020-08-26', () => {
  // As text, so that the order of fields counts.
  expect(JSON.stringify(shownAt('2020-08-26'))).toBe(
    JSON.stringify({
      id: 'ord_1',
      conditionals: { collects_fullname: true, collects_tax: false, has_discounts: true, is_free: false },
      collects: { fullname: true, tax: false },
      has: { discounts: true },
      is: { free: false },
    }),
  )
})

it('an order says what was collected at 2020-09-23', () => {
  expect(shownAt('2020-09-23')).toEqual(order)
})
