// @unit
// Golden bodies are kept as diffs: each leads to one text only, and one that does not fit is refused by name.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { JsonData } from '../../../src/versions/change.ts'
import { applyDiff, makeDiff } from './diff.ts'
import { goldenText } from './files.ts'
import { print } from './print.ts'

const line = (id: string, more: object = {}) => ({
  id,
  name: 'A line that is long enough to be printed apart',
  ...more,
})
const cart = (...lines: object[]) =>
  print({
    request: 'GET /v1/carts/cart_1',
    status: 200,
    body: { id: 'cart_1', line_items: lines as JsonData[], total: 3 },
  })

describe('a diff', () => {
  it('leads exactly to the other text, whatever the two are', () => {
    const value = fc.jsonValue()
    const text = fc.tuple(value, fc.array(value)).map(([one, more]) => print({ body: one, more } as JsonData))
    fc.assert(
      fc.property(text, text, (newer, older) => {
        expect(applyDiff(newer, makeDiff(newer, older))).toBe(older)
      }),
      { numRuns: 25, examples: [[print({ body: null, more: [] }), print({ body: null, more: [] })]] },
    )
  })

  const long = { note: 'n'.repeat(60) }
  it.each([
    ['lines that are not there', '@@ body @@\n-    "gone": 1\n', 'These lines are not at "body":\n"gone": 1'],
    ['a place that is not there', '@@ body.cart @@\n-    "total": 3\n', 'These lines are not at "body.cart"'],
    ['more than one place', '@@ body @@\n-    }\n', 'These lines are more than once at "body"'],
    ['something else', 'total: 3\n', 'This line is no part of a diff: total: 3'],
  ])('is refused with %s', (_, diff, message) => {
    expect(() => applyDiff(cart(line('item_1', long), line('item_2', long)), diff)).toThrow(message)
  })
})

describe('the files', () => {
  const bodies = (status: number) => print({ status, body: 'b'.repeat(120) })
  const whole = new Map([
    ['carts/get.json', bodies(1)],
    ['carts/get@sdk.diff', bodies(9)],
    ['carts/get@2021-01-01.diff', bodies(2)],
    ['carts/get@2020-01-01.diff', bodies(3)],
  ])

  it('give the body of any version', () => {
    const dates = ['2022-01-01', '2021-06-01', '2021-01-01', '2020-06-01', '2020-01-01']
    const at = (version: string) => goldenText(whole, 'carts.get', version, dates)
    expect([...dates, 'sdk'].map(at)).toEqual([1, 1, 2, 2, 3, 9].map(bodies))
    expect(() => at('2021-02-02')).toThrow(`There is no version "2021-02-02". There are: ${dates.join(', ')}, sdk.`)
    expect(() => goldenText(whole, 'carts.gone', 'sdk', dates)).toThrow(
      'There is no golden body of "carts.gone". There are: carts.get.',
    )
    expect(() => goldenText(whole, 'things.get', 'sdk', dates)).toThrow('There are: carts.….')
  })
})
