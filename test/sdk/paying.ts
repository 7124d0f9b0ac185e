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
      const { sdk, raw, shop, version } = pass()
      const { cart, token, body } = await begin()
      const order = await sdk.call<Order>('checkout.capture', token.id, {
        ...body,
        payment: card('4242 4242 4242 4242'),
      })
      expect(order).toMatchObject({
        customer_reference: expect.stringMatching(/^SHP-\d+$/),
        status_payment: 'paid',
        order_value: { formatted_with_symbol: '$55.00' },
        customer: { email: 'ada@example.com' },
        shipping: { street: '1 Main Street', street_2: null, town_city: 'San Francisco', country: 'US' },
        order: {
          line_items: [
            {
              quantity: 2,
              product_name: 'Shirt',
              line_total: { formatted_with_code: '50.00 USD' },
              selected_options: [{ group_name: 'Size', option_name: 'L' }],
              ...(version === '2021-03-10' ? { media: expect.anything() } : { image: null }),
            },
          ],
          subtotal: { raw: 50 },
          shipping: { price: { raw: 5 } },
          tax: { amount: { raw: 0 } },
          total: { raw: 55 },
        },
        tax: { amount: { raw: 0 } },
      })
      const receipt = await sdk.call('checkout.receipt', token.id)
      expect(receipt).toEqual(await raw(`checkouts/${token.id}/receipt`))
      expect(receipt).toEqual(order)
      expect(order.order.line_items[0]?.product_id).toBe(shop.shirt.id)
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
      ).toMatchObject({
        status_payment: 'paid',
      })
      await expect.poll(() => sdk.call('cart.id'), PATIENT).not.toBe(cart)
    })

    it('with a card that has to be confirmed fails with 402 and is captured again with what it was told', async () => {
      const { sdk } = pass()
      const { cart, token, body } = await begin()
      const failure = await sdk.failure('checkout.capture', token.id, { ...body, payment: card('4000 0000 0000 3220') })
      expect(failure).toMatchObject({
        statusCode: 402,
        data: { error: { type: 'requires_verification', param: expect.any(String) }, status_code: 402 },
      })
      const { param } = (failure.data as { error: { param: string } }).error
      const payment = { gateway: 'test_gateway', test_gateway: { payment_intent_id: param } }
      const order = await sdk.call('checkout.capture', token.id, { ...body, payment })
      expect(order).toMatchObject({ status_payment: 'paid', order: { total: { raw: 55 } } })
      await expect.poll(() => sdk.call('cart.id'), PATIENT).not.toBe(cart)
    })

    it('without what is needed fails with 422, the fields by name', async () => {
      const { sdk } = pass()
      const { token, body } = await begin()
      const failure = await sdk.failure('checkout.capture', token.id, {
        ...body,
        shipping: { ...ADDRESS, street: '' },
        customer: {},
        payment: card('4242424242424242'),
      })
      expect(failure).toMatchObject({
        statusCode: 422,
        data: {
          error: { errors: { 'customer.email': [expect.any(String)], 'shipping.street': [expect.any(String)] } },
        },
      })
    })
  })
}
