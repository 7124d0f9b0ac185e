// @unit
// The one table of what shoppers are told: its sentences, the small English in them, and how several refusals become one.

import { describe, expect, it } from 'vitest'
import { describeWait, withArticle } from '../../../src/lib/words/phrases.ts'
import { combineRefusals, fieldRefusal, refusal, shopperSentence } from '../../../src/lib/words/refusals.ts'

const choose = (name: string) => shopperSentence(refusal('choose_option', { name }))

describe('what is left to choose', () => {
  it.each([
    ['Size', 'Choose a size.'],
    ['size', 'Choose a size.'],
    ['Colour', 'Choose a colour.'],
    ['Ink colour', 'Choose an ink colour.'],
    ['Shoe Size', 'Choose a shoe size.'],
    ['UK size', 'Choose a UK size.'],
    ['RAM', 'Choose a RAM.'],
    ['SSD', 'Choose an SSD.'],
    ['T-Shirt size', 'Choose a T-Shirt size.'],
    ['Unit', 'Choose a unit.'],
    ['Hour', 'Choose an hour.'],
    ['Extras', 'Choose extras.'],
    ['Glass', 'Choose a glass.'],
    ['Your size:', 'Choose your size.'],
    ['Choose a size', 'Choose a size.'],
    ['select Colour?', 'Select Colour.'],
    ['Größe', 'Please choose: Größe.'],
    ['サイズ', 'Please choose: サイズ.'],
    ['size_id', 'Please choose: size_id.'],
    ['Größe?', 'Please choose: Größe.'],
    ['Size\u202eUE', 'Please choose: Size UE.'],
    ['\u200b\u2060', 'Please choose: an option.'],
    ['\u3164', 'Please choose: an option.'],
    ['   ', 'Please choose: an option.'],
  ])('%s is asked for: %s', (name, sentence) => {
    expect(choose(name)).toBe(sentence)
  })

  it('is cut where a name is too long for a sentence', () => {
    expect(choose('y'.repeat(300)).length).toBeLessThan(60)
    expect(withArticle('Engraving on the inner side of the ring, please')).toMatch(/^an engraving.*…$/)
  })
})

describe('stock', () => {
  it.each([
    [{ left: 3 }, 'Only 3 are left.'],
    [{ left: 1 }, 'Only 1 is left.'],
    [{ left: 0 }, 'This is sold out.'],
    [{ left: -2 }, 'This is sold out.'],
    [{ left: 2, product: 'Mug' }, 'Only 2 of “Mug” are left.'],
    [{ left: 0, product: 'Mug' }, '“Mug” is sold out.'],
  ])('of %j is told: %s', (params, sentence) => {
    expect(shopperSentence(refusal('not_enough', params))).toBe(sentence)
  })
})

it.each([
  [1, 'a second'],
  [40, '40 seconds'],
  [60, 'a minute'],
  [61, '61 seconds'],
  [120, '2 minutes'],
  [1_141, '20 minutes'],
  [3_540, '59 minutes'],
  [3_541, 'an hour'],
  [3_600, 'an hour'],
  [3_601, '2 hours'],
])('%i seconds are a wait of %s', (seconds, wait) => {
  expect(describeWait(seconds)).toBe(wait)
})

describe('several refusals at once', () => {
  const email = fieldRefusal('customer.email', true)
  const city = fieldRefusal('shipping.town_city', true)
  const stock = refusal('not_enough', { left: 3 })
  const programmer = fieldRefusal('meta')

  it('are told as one: a sentence of its own first, else the fields together, and programmers’ mistakes last', () => {
    const said = (...refusals: Parameters<typeof combineRefusals>[0]) => shopperSentence(combineRefusals(refusals))
    expect(said(email)).toBe('Enter your e-mail address.')
    expect(said(email, email)).toBe('Enter your e-mail address.')
    expect(said(email, city)).toBe('Please check: your e-mail address, the city.')
    expect(said(email, stock, city)).toBe('Only 3 are left.')
    expect(said(programmer, email)).toBe('Enter your e-mail address.')
    expect(said(programmer)).toBe('Something in this request is not right. Please try again.')
    expect(said()).toBe('Something in this request is not right. Please try again.')
    expect(
      said(email, city, refusal('choose_option', { name: 'Size' }), refusal('missing_answer', { name: 'Note' })),
    ).toBe('Please check: your e-mail address, the city, the size and 1 more.')
  })

  it('never grow longer than a sentence may be', () => {
    const many = Array.from({ length: 90 }, (_, index) => refusal('missing_answer', { name: `${index}`.repeat(60) }))
    expect(shopperSentence(combineRefusals(many)).length).toBeLessThan(120)
  })
})
