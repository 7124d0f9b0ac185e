// @unit
import { expect, it } from 'vitest'
import { readMerchantNumber } from '../../src/lib/ids.ts'

it.each([
  ['1', 1],
  ['10', 10],
  ['1000000000', 1_000_000_000],
  ['2147483647', 2_147_483_647],
])('the number of a merchant is read from %j', (text, number) => {
  expect(readMerchantNumber(text)).toBe(number)
})

it.each(['', '0', '01', '-1', '+1', '1.0', '1e3', ' 1', '1\n', '１', '2147483648', '9999999999', '10000000000', 'x'])(
  '%j cannot be the number of a merchant',
  (text) => {
    expect(readMerchantNumber(text)).toBeNull()
  },
)
