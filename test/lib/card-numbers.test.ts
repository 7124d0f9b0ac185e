// @unit
// Which texts hold the number of a payment card, and which only look like it.

import { describe, expect, it } from 'vitest'
import { cardNumberErrors, hasCardNumber } from '../../src/lib/credentials/card-numbers.ts'
import { expectProportional } from './proportional.ts'

/** With the last digit that makes Luhn's sum come out. */
function withCheck(digits: string): string {
  for (let last = 0; last < 10; last++) {
    const sum = [...`${digits}${last}`].reverse().reduce((total, digit, place) => {
      const value = Number(digit) * (place % 2 === 0 ? 1 : 2)
      return total + (value > 9 ? value - 9 : value)
    }, 0)
    if (sum % 10 === 0) return `${digits}${last}`
  }
  throw new Error('There is no such digit.')
}

describe('the number of a card', () => {
  it.each([
    '4242424242424242',
    '4222222222222',
    withCheck('412345678901234567'),
    '5555555555554444',
    '2223003122003222',
    withCheck('272099123456789'),
    '378282246310005',
    '6011111111111117',
    withCheck('644123456789012'),
    '30569309025904',
    '36227206271667',
    '3530111333300000',
    '6200000000000005',
    withCheck('81712345678901234'),
    withCheck('220012345678901'),
    withCheck('675912345678'),
  ])('%s is known as it is, in groups, in a sentence and as part of more', (digits) => {
    const groups = digits.replace(/(\d{4})(?=\d)/g, '$1 ')
    for (const text of [
      digits,
      ` ${digits} `,
      groups,
      groups.replaceAll(' ', '-'),
      groups.replaceAll(' ', ' - '),
      `My card is ${groups}, valid 05/30.`,
      `pan=${digits};cvc=123`,
      `${digits} 05 30 123`,
      ...(digits.length > 15 ? [`card${digits}`, `+${digits}`] : []),
    ])
      expect([text, hasCardNumber(text)]).toEqual([text, true])
  })

  it.each([
    ['a wrong check digit', '4242424242424241'],
    ['an unknown prefix', withCheck('912345678901234')],
    ['a length that no card of the prefix has', withCheck('41234567890123')],
    ['twelve digits', withCheck('42424242424')],
    ['twenty digits', withCheck('4242424242424242424')],
    ['an id', `prod_${'4242424242424242'}`],
    ['the middle of a word', 'x424242424242420y'],
    ['a number with decimals', '1.4242424242424242'],
    ['a time in milliseconds', '1767323045000'],
    ['a date and a time', '2026-11-18 06:45:00'],
    ['a phone number', '+49 151 12345678'],
    ['empty text', ''],
  ])('%s is none: %s', (_, text) => {
    expect(hasCardNumber(text)).toBe(false)
  })

  it('the barcodes of goods are none, though one in ten passes the check of cards', () => {
    let passing = 0
    for (let item = 0; item < 2_000; item++) {
      const digits = `4006381${String(item).padStart(5, '0')}`
      const sum = [...digits].reduce((total, digit, place) => total + Number(digit) * (place % 2 === 0 ? 1 : 3), 0)
      const barcode = `${digits}${(10 - (sum % 10)) % 10}`
      if (withCheck(digits) === barcode) passing += 1
      expect([barcode, hasCardNumber(barcode)]).toEqual([barcode, false])
    }
    expect(passing).toBeGreaterThan(100)
  })
})

it('is found at any depth, in numbers and in names, and no sentence repeats it', () => {
  const card = '4242 4242 4242 4242'
  const errors = cardNumberErrors(
    { a: 'x', note: card, list: [1, { deep: 4242424242424242 }], [card]: { inside: 'x' }, empty: null, yes: true },
    'meta',
  )
  expect(Object.keys(errors ?? {})).toEqual(['meta.note', 'meta.list.1.deep', 'meta'])
  expect(errors?.['meta.note']).toEqual([
    'meta.note must not hold the number of a payment card. Send cards to the payment provider only.',
  ])
  expect(JSON.stringify(errors)).not.toContain('4242')
  expect(cardNumberErrors({ a: ['1', 2, null] }, 'meta')).toBeNull()
})

it.each([
  ['digits', (size: number) => '4'.repeat(size)],
  ['groups', (size: number) => '4242 '.repeat(size / 5)],
  ['single digits', (size: number) => '4 '.repeat(size / 2)],
  ['blanks', (size: number) => `4${' '.repeat(size)}`],
])('takes time in proportion to %s', (what, make) => {
  expectProportional(what, 400_000, (size) => hasCardNumber(make(size)))
})
