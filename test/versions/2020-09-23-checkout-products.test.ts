import { expect, it } from 'vitest'
import { registered } from './registered.ts'
import { frozen, told } from './support.ts'

const lines = [{ id: 'item_1' }, { id: 'item_2' }]
const token = frozen({ id: 'chkt_1', products: lines, line_items: lines, meta: null })

it('a token lists what is bought as `line_items` alone before 2020-09-23', () => {
  expect(registered.ageKind('2020-08-26', 'checkout_token', token, told)).toEqual({
    id: 'chkt_1',
    line_items: lines,
    meta: null,
  })
})

it('a token lists what is bought as `products` and as `line_items` from 2020-09-23 on', () => {
  expect(registered.ageKind('2020-09-23', 'checkout_token', token, told)).toEqual(token)
})
