// The SDK's checkout tokens and every helper of a checkout. Paying is in paying.ts. The fields of the answers are in the golden bodies.

import { describe, expect, it } from 'vitest'
import type { CheckoutToken, Live } from '../../src/api/checkouts/schema.ts'
import { type Pass, type SdkShop, VICTORIA_IP } from './shop.ts'

/** A helper, the arguments after the token, and the path below the token that answers the same. */
type Row = readonly [method: string, args: unknown[], path: string]

const helpersOfMug = ({ method }: SdkShop): Row[] => {
  const place = { country: 'CA', region: 'BC' }
  const inCanada = 'country=CA&region=BC'
  return [
    ['getLive', [], 'live'],
    ['checkDiscount', [{ code: 'HALF' }], 'check/discount?code=HALF'],
    ['checkDiscount', [{ code: 'NONE' }], 'check/discount?code=NONE'],
    ['checkGiftcard', [{ code: 'THREE' }], 'check/giftcard?code=THREE'],
    ['getShippingOptions', [place], `helper/shipping_options?${inCanada}`],
    [
      'checkShippingOption',
      [{ shipping_option_id: method, ...place }],
      `check/shipping?shipping_option_id=${method}&${inCanada}`,
    ],
    [
      'setTaxZone',
      [{ ...place, postal_zip_code: 'V8V 1A1' }],
      `helper/set_tax_zone?${inCanada}&postal_zip_code=V8V+1A1`,
    ],
    ['setTaxZone', [{ ip_address: VICTORIA_IP }], `helper/set_tax_zone?ip_address=${VICTORIA_IP}`],
    ['getLocationFromIP', [VICTORIA_IP], `helper/location_from_ip?ip_address=${VICTORIA_IP}`],
    ['getLocationFromIP', [], 'helper/location_from_ip'],
    ['isFree', [], 'check/is_free'],
    ['fields', [], 'fields'],
    ['helperValidation', [], 'helper/validation'],
  ]
}

export function checkout(pass: () => Pass) {
  const live = async (token: { id: string }) => (await pass().raw(`checkouts/${token.id}/live`)) as Live
  const call = (method: string, ...args: unknown[]) => pass().sdk.call(`checkout.${method}`, ...args)

  describe('a checkout token', () => {
    it('is generated from a cart, a product or its permalink, and read again', async () => {
      const { sdk, raw, shop, version } = pass()
      const { id: cart } = await sdk.call<{ id: string }>('cart.refresh')
      await sdk.call('cart.add', shop.mug.id)
      const picture =
        version === '2021-03-10' ? { media: { source: shop.asset.url } } : { image: { url: shop.asset.url } }
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
        expect([method, token]).toEqual([method, await raw(`checkouts/tokens/${token.id}`)])
        expect(token.live.line_items).toMatchObject([{ product_name: 'Mug', ...picture }])
        expect(await call('getToken', token.id)).toEqual(token)
      }
      expect(await sdk.failure('checkout.generateTokenFrom', 'order', cart)).toEqual({
        message: 'Cannot generate a token with unknown "order" type',
      })
    })
  })

  describe('a helper', () => {
    it('of a checkout answers to the SDK what its address answers', async () => {
      const { shop, raw } = pass()
      const { id } = await shop.token({ id: shop.mug.id })
      for (const [method, args, path] of helpersOfMug(shop)) {
        const answer = await call(method, id, ...args)
        expect([method, answer]).toEqual([method, await raw(`checkouts/${id}/${path}`)])
      }
      // The code, the card, the method and the place have all arrived.
      expect(await live({ id })).toMatchObject({
        discount: { code: 'HALF' },
        giftcard: { code: 'THREE' },
        shipping: { price: { raw: 5 } },
        tax: { amount: { raw: 0.6 } },
      })
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
        expect(await call('checkVariant', token.id, line, choice)).toMatchObject({ available: true, name: 'L' })
      for (const choice of [
        { amount: 2 },
        { amount: 3, variant_id: shop.variant.id },
        { amount: 4, variants: { [shop.size]: shop.small } },
      ]) {
        const answer = await call('checkQuantity', token.id, line, choice)
        expect(answer).toMatchObject({ available: true, requested_quantity: choice.amount, live: await live(token) })
        expect((await live(token)).line_items[0]?.quantity).toBe(choice.amount)
      }
    })

    it('checkout.checkPayWhatYouWant sets an amount', async () => {
      const { shop } = pass()
      const donation = await shop.token({ id: shop.donation.id })
      const amount = { customer_set_price: '100.00' }
      expect(await call('checkPayWhatYouWant', donation.id, amount)).toMatchObject({
        customer_set_price: { raw: 100 },
        live: await live(donation),
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
