// The SDK's checkout tokens and every helper of a checkout. Paying is in paying.ts.

import { describe, expect, it } from 'vitest'
import type { CheckoutToken, Live } from '../../src/api/checkouts/schema.ts'
import { type Pass, VICTORIA_IP } from './shop.ts'

export function checkout(pass: () => Pass) {
  const live = async (token: { id: string }) => (await pass().raw(`checkouts/${token.id}/live`)) as Live
  const call = (method: string, ...args: unknown[]) => pass().sdk.call(`checkout.${method}`, ...args)

  describe('a checkout token', () => {
    it('is generated from a cart, a product or its permalink, and read again', async () => {
      const { sdk, raw, shop, version } = pass()
      const { id: cart } = await sdk.call<{ id: string }>('cart.refresh')
      await sdk.call('cart.add', shop.mug.id)
      for (const [method, ...args] of [
        ['generateToken', cart, { type: 'cart' }],
        ['generateToken', shop.mug.id, { type: 'product_id' }],
        ['generateToken', 'mug', { type: 'permalink' }],
        ['generateToken', 'mug'],
        ['generateTokenFrom', 'cart', cart],
        ['generateTokenFrom', 'product_id', shop.mug.id],
        ['generateTokenFrom', 'permalink', 'mug'],
      ] as const) {
        const token = await sdk.call<CheckoutToken>(`checkout.${method}`, ...args)
        const shown = await raw(`checkouts/tokens/${token.id}`)
        expect([method, token]).toEqual([method, shown])
        expect(token).toMatchObject({
          gateways: { available: { test_gateway: true, stripe: false } },
          collects: { shipping_address: true, billing_address: false },
          extra_fields: [],
          extrafields: [],
          live: {
            line_items: [
              {
                product_name: 'Mug',
                selected_options: [],
                ...(version === '2021-03-10'
                  ? { media: { source: shop.asset.url } }
                  : { image: { url: shop.asset.url } }),
              },
            ],
            shipping: { price: { raw: 0 } },
            tax: { amount: { raw: 0 } },
            total: { formatted_with_code: '12.00 USD' },
          },
        })
      }
      const { id } = await sdk.call<CheckoutToken>('checkout.generateToken', 'mug')
      expect(await call('getToken', id)).toEqual(await raw(`checkouts/tokens/${id}`))
      expect(await sdk.failure('checkout.generateTokenFrom', 'order', cart)).toEqual({
        message: 'Cannot generate a token with unknown "order" type',
      })
    })
  })

  describe('a helper', () => {
    it('checkout.getLive gives the totals as they are', async () => {
      const { shop } = pass()
      const token = await shop.token({ id: shop.mug.id })
      expect(await call('getLive', token.id)).toEqual(await live(token))
    })

    it('checkout.checkVariant and checkout.checkQuantity change a line, by every form of the choice', async () => {
      const { shop } = pass()
      const token = await shop.token({ id: shop.shirt.id, options: { [shop.size]: shop.small } })
      const line = token.line_items[0]?.id
      for (const choice of [
        { variant_id: shop.variant.id },
        { group_id: shop.size, option_id: shop.large },
        { variant_id: shop.size, option_id: shop.large },
        { options: [shop.large] },
        { options: { [shop.size]: shop.large } },
      ])
        expect([choice, await call('checkVariant', token.id, line, choice)]).toEqual([
          choice,
          {
            available: true,
            name: 'L',
            price: { raw: 25, formatted: '25.00', formatted_with_symbol: '$25.00', formatted_with_code: '25.00 USD' },
            option_id: 'option_id' in choice ? shop.large : null,
            variant_id: 'option_id' in choice && 'variant_id' in choice ? shop.size : shop.variant.id,
            line_item_id: line,
            requested_quantity: 1,
            live: await live(token),
          },
        ])
      for (const choice of [
        { amount: 2 },
        { amount: 3, variant_id: shop.variant.id },
        { amount: 4, variants: { [shop.size]: shop.small } },
      ]) {
        const answer = await call('checkQuantity', token.id, line, choice)
        const now = await live(token)
        expect(now.line_items[0]?.quantity).toBe(choice.amount)
        expect(answer).toEqual({
          available: true,
          line_item_id: line,
          requested_quantity: choice.amount,
          live: now,
        })
      }
      const mugs = await shop.token({ id: shop.mug.id })
      expect(await call('checkQuantity', mugs.id, mugs.line_items[0]?.id, { amount: 51 })).toMatchObject({
        available: false,
        live: await live(mugs),
      })
    })

    it('checkout.checkDiscount and checkout.checkGiftcard apply a code, and refuse one with the totals beside', async () => {
      const { shop } = pass()
      const token = await shop.token({ id: shop.mug.id })
      expect(await call('checkDiscount', token.id, { code: 'HALF' })).toEqual({
        valid: true,
        type: 'percentage',
        code: 'HALF',
        value: 50,
        amount_saved: { raw: 6, formatted: '6.00', formatted_with_symbol: '$6.00', formatted_with_code: '6.00 USD' },
        live: await live(token),
      })
      expect(await call('checkGiftcard', token.id, { code: 'THREE' })).toEqual({
        valid: true,
        code: 'THREE',
        credit: 3,
        live: await live(token),
      })
      expect((await live(token)).total_due.raw).toBe(3)
      for (const method of ['checkDiscount', 'checkGiftcard'])
        expect(await call(method, token.id, { code: 'NONE' })).toMatchObject({ valid: false, live: await live(token) })
    })

    it('checkout.getShippingOptions lists the methods, and checkout.checkShippingOption chooses one', async () => {
      const { shop, raw } = pass()
      const token = await shop.token({ id: shop.mug.id })
      const options = await call('getShippingOptions', token.id, { country: 'CA', region: 'BC' })
      expect(options).toEqual(await raw(`checkouts/${token.id}/helper/shipping_options?country=CA&region=BC`))
      expect(options).toMatchObject([
        { id: shop.method, description: 'Post', price: { formatted_with_symbol: '$5.00' } },
      ])
      expect(await call('getShippingOptions', token.id, { country: 'US' })).toHaveLength(1)
      expect(await call('getShippingOptions', token.id, { country: 'DE' })).toEqual([])
      const choice = { shipping_option_id: shop.method, country: 'CA', region: 'BC' }
      expect(await call('checkShippingOption', token.id, choice)).toEqual({
        valid: true,
        id: shop.method,
        description: 'Post',
        price: { raw: 5, formatted: '5.00', formatted_with_symbol: '$5.00', formatted_with_code: '5.00 USD' },
        live: await live(token),
      })
      expect((await live(token)).shipping.price.raw).toBe(5)
      const elsewhere = { ...choice, country: 'DE', region: undefined }
      expect(await call('checkShippingOption', token.id, elsewhere)).toMatchObject({
        valid: false,
        live: await live(token),
      })
    })

    it('checkout.setTaxZone sets where it is taxed, and checkout.getLocationFromIP tells where an address is', async () => {
      const { shop } = pass()
      const token = await shop.token({ id: shop.mug.id })
      for (const [place, tax_region] of [
        [
          { country: 'CA', region: 'BC', postal_zip_code: 'V8V 1A1' },
          { country: 'CA', region: 'BC', postal_zip_code: 'V8V 1A1', ip_address: null },
        ],
        [{ ip_address: VICTORIA_IP }, { country: 'CA', region: 'BC', postal_zip_code: 'V8V', ip_address: VICTORIA_IP }],
      ]) {
        const answer = await call('setTaxZone', token.id, place)
        const now = await live(token)
        expect(answer).toEqual({ valid: true, tax_region, live: now })
        expect(now.tax.amount.raw).toBe(1.2)
      }
      const location = {
        country_code: 'CA',
        country_name: 'Canada',
        region_code: 'BC',
        region_name: 'British Columbia',
        city: 'Victoria',
        postal_zip_code: 'V8V',
      }
      expect(await call('getLocationFromIP', token.id, VICTORIA_IP)).toEqual({ ip_address: VICTORIA_IP, ...location })
      expect(await call('getLocationFromIP', token.id)).toEqual({ ip_address: '127.0.0.1', ...location })
    })

    it('checkout.checkPayWhatYouWant sets an amount, and checkout.isFree tells whether there is anything to pay', async () => {
      const { shop } = pass()
      const donation = await shop.token({ id: shop.donation.id })
      expect(await call('checkPayWhatYouWant', donation.id, { customer_set_price: '100.00' })).toEqual({
        valid: true,
        customer_set_price: {
          raw: 100,
          formatted: '100.00',
          formatted_with_symbol: '$100.00',
          formatted_with_code: '100.00 USD',
        },
        live: await live(donation),
      })
      expect(await call('checkPayWhatYouWant', donation.id, { customer_set_price: '1.00' })).toMatchObject({
        valid: false,
        minimum: { raw: 5 },
        live: await live(donation),
      })
      expect(await call('isFree', donation.id)).toEqual({ is_free: false, live: await live(donation) })
      const leaflet = await shop.token({ id: shop.free.id })
      expect(await call('isFree', leaflet.id)).toEqual({ is_free: true, live: await live(leaflet) })
    })

    it('checkout.fields and checkout.helperValidation tell what a form must ask', async () => {
      const { shop, raw } = pass()
      const token = await shop.token({ id: shop.mug.id })
      expect(await call('fields', token.id)).toEqual(await raw(`checkouts/${token.id}/fields`))
      const rules = await call('helperValidation', token.id)
      expect(rules).toEqual(await raw(`checkouts/${token.id}/helper/validation`))
      expect(rules).toMatchObject({
        rules: { 'customer[email]': { required: true, email: true }, 'shipping[street]': { required: true } },
      })
    })

    it('checkout.protect runs an empty script', async () => {
      const { shop, raw } = pass()
      const token = await shop.token({ id: shop.mug.id })
      expect(await call('protect', token.id)).toBeUndefined()
      expect(await raw(`checkouts/${token.id}/protect`)).toEqual({ sift_js: '' })
    })
  })
}
