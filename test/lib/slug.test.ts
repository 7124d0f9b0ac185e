// @unit
import { expect, it } from 'vitest'
import { isSlug } from '../../src/lib/text.ts'

it.each(['a', '7', 'mens-shoes', 'A.b_c~d-e', 'a..'])('%j can stand in an address as it is', (text) => {
  expect(isSlug(text)).toBe(true)
})

it.each(['', '.', '..', '-a', '_a', '~a', 'a b', 'a/b', 'a%20b', 'a?b', 'a#b', 'café', 'a\n', 'a+b'])(
  '%j cannot',
  (text) => {
    expect(isSlug(text)).toBe(false)
  },
)
