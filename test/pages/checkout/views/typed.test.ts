// @unit
// The form shows again what a shopper typed, except anything of a card.

import { expect, it } from 'vitest'
import { readPayForm } from '../../../../src/pages/checkout/form/pay-form.ts'

it('shows nothing again of a card, of a provider or of the page itself', () => {
  const typed = { 'customer[email]': 'a@example.com', 'payment[gateway]': 'stripe' }
  const inputs = new Map(
    Object.entries({
      ...typed,
      'payment[card][number]': '4242424242424242',
      'payment[stripe][payment_method_id]': 'pm_1',
      refused_discount_code: 'TEA',
      do: 'pay',
      lang: 'de',
      expected_total: '10.00',
    }),
  )
  expect(Object.fromEntries(readPayForm({ inputs }).typed)).toEqual(typed)
})
