// Paying with the SDK: capture with the test cards, what each of them answers, and the receipt.

import { describe, expect, it } from 'vitest'
import type { CheckoutToken } from '../../src/api/checkouts/schema.ts'
import type { Order } from '../../src/api/orders/schema.ts'
import { PATIENT, type Pass } from './shop.ts'

const ADDRESS = {
  name: 'Ada Lovelace',
  street: '1 Main Street',
  street_2: '',
  town_city: 'San Francisco',
  county_state: 'US-CA',
  postal_zip_code: '94107',
  country: 'US',
}

/** As the forms of demo stores send one: with blanks, and long expired. */
export const card = (number: string) => ({
  gateway: 'test_gateway',
  card: { number, expiry_month: '11', expiry_year: '22', cvc: '123', postal_zip_code: '94107' },
})

export const CAPTURE = {
  customer: { firstname: 'Ada', lastname: 'Lovelace', email: 'ada@example.com' },
  shipping: ADDRESS,
  extrafields: { extr_j0YnEoqOPle7P6: '' },
}

export function paying(pass: () => Pass) {
  describe('paying', () => {
    /** A token of the cart that the SDK holds, and a body as the Next.js demo store sends it: the whole live line beside what is chosen. */
    const begin = async () => {
      const { sdk, shop } = pass()
      const { id: cart } = await sdk.call<{ id: string }>('cart.refresh')
      await sdk.call('cart.add', shop.shirt.id, 2, shop.variant.id)
      const token = await sdk.call<CheckoutToken>('checkout.generateToken', cart, { type: 'cart' })
      const [line] = token.live.line_items
      const body = {
        ...CAPTURE,
        line_items: { [line?.id ?? '']: { ...line, variantGroups: { [shop.size]: shop.large } } },
        fulfillment: { shipping_method: shop.method },
      }
      return { cart, token, body }
    }

    it('with a card succeeds, gives the order and a receipt, and the SDK goes on with a new cart', async () => {
      const { sdk, raw, shop } = pass()
      const { cart, token, body } = await begin()
      const order = await sdk.call<Order>('checkout.capture', token.id, {
        ...body,
        payment: card('4242 4242 4242 4242'),
      })
      expect(order).toMatchObject({
        status_payment: 'paid',
        order: { line_items: [{ quantity: 2, product_id: shop.shirt.id, selected_options: [{ option_name: 'L' }] }] },
      })
      const receipt = await sdk.call('checkout.receipt', token.id)
      expect(receipt).toEqual(await raw(`checkouts/${token.id}/receipt`))
      expect(receipt).toEqual(order)
      // The SDK asks for it without waiting. In Node a failure would end the process.
      await expect.poll(() => sdk.call('cart.id'), PATIENT).not.toBe(cart)
      expect(await sdk.call('cart.contents')).toEqual([])
    })

    it('with a card that is declined fails with 402, and the cart and the token stay', async () => {
      const { sdk } = pass()
      const { cart, token, body } = await begin()
      const failure = await sdk.failure('checkout.capture', token.id, { ...body, payment: card('4000000000000002') })
      expect(failure).toMatchObject({
        statusCode: 402,
        data: { error: { type: 'gateway_error', message: expect.any(String) }, status_code: 402 },
      })
      expect(await sdk.call('cart.id')).toBe(cart)
      expect(
        await sdk.call('checkout.capture', token.id, { ...body, payment: card('4242424242424242') }),
      ).toMatchObject({ status_payment: 'paid' })
      await expect.poll(() => sdk.call('cart.id'), PATIENT).not.toBe(cart)
    })
  })
}
