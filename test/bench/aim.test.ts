// @unit
// The bench fails where the oldest version, or the SDK without one, costs more than it may; the bench itself is not run here.

import { expect, it } from 'vitest'

type Result = { name: string; ratios: readonly number[] }
const address = new URL('../../bench/aim.js', import.meta.url).href
const { missedAim } = (await import(address)) as {
  missedAim: (results: readonly Result[], whose?: string) => string | null
}

const cart = (...ratios: number[]) => [
  { name: 'read a cart', ratios },
  { name: 'get a product', ratios: [0.1] },
]

it('the bench is content where the median of reading a cart is 0.85 or more, and where no versions were measured', () => {
  expect(missedAim(cart(0.2, 0.3, 0.85, 0.86, 0.9))).toBeNull()
  expect(missedAim([])).toBeNull()
})

it('the bench fails where the median of reading a cart is below 0.85, or the cart is not among what was measured', () => {
  expect(missedAim(cart(0.2, 0.3, 0.849, 1.1, 1.2))).toBe(
    '"read a cart" in the oldest version does 0.849 of what it does in the newest; the aim is 0.85.',
  )
  expect(missedAim(cart(0.8), 'by the SDK without a version')).toBe(
    '"read a cart" by the SDK without a version does 0.800 of what it does in the newest; the aim is 0.85.',
  )
  expect(missedAim([{ name: 'get a product', ratios: [1] }])).toContain('was not measured')
})
