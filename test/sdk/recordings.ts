// One shop and one purchase, and what the API answers to every method of the SDK on the way, as a storefront of a given version gets it.

import { expect } from 'vitest'
import type { Cart } from '../../src/api/carts/schema.ts'
import type { CheckoutToken } from '../../src/api/checkouts/schema.ts'
import type { Order } from '../../src/api/orders/schema.ts'
import type { TestApp } from '../support/app.ts'
import { CAPTURE, card } from './paying.ts'
import { openSdkShop, VICTORIA_IP } from './shop.ts'

/** The method whose answer it is, and the answer. */
export type Recording = { readonly method: string; readonly answer: unknown }

type Options = { method?: 'GET' | 'POST' | 'PUT' | 'DELETE'; body?: unknown; bearer?: string }

export async function recordEveryMethod(app: TestApp, version: string): Promise<Recording[]> {
  const shop = await openSdkShop(app)
  const [open, secret] = [shop.keys.sandbox.public, shop.keys.sandbox.secret]
  const recordings: Recording[] = []
  const record = async <T>(name: string, path: string, { method = 'GET', body, bearer }: Options = {}): Promise<T> => {
    const answer = await app.call(method, `/v1/${path}`, {
      version,
      ...(bearer === undefined ? { key: open } : { headers: { authorization: `Bearer ${bearer}` } }),
      body,
    })
    expect([name, answer.status < 300, answer.text]).toEqual([name, true, answer.text])
    recordings.push({ method: name, answer: answer.body })
    return answer.body as T
  }

  await record('merchants.about', 'merchants')
  await record('categories.list', 'categories')
  await record('categories.retrieve', `categories/${shop.category.id}`)
  await record('products.list', 'products')
  await record('products.retrieve', `products/${shop.mug.id}`)
  await record('products.retrieve', `products/${shop.shirt.id}`)
  await record('products.getVariants', `products/${shop.shirt.id}/variants`)
  await record('products.getVariant', `products/${shop.shirt.id}/variants/${shop.variant.id}`)
  await record('services.localeListCountries', 'services/locale/countries')
  await record('services.localeListSubdivisions', 'services/locale/CA/subdivisions')

  const { id: cart } = await record<Cart>('cart.refresh', 'carts')
  const lines = [
    { id: shop.mug.id, quantity: 2 },
    { id: shop.shirt.id, variant_id: shop.variant.id },
    // Without picture, choice or SKU.
    { id: shop.free.id },
  ]
  for (const body of lines) await record('cart.add', `carts/${cart}`, { method: 'POST', body })
  const { line_items: items } = await record<Cart>('cart.retrieve', `carts/${cart}`)
  await record('cart.contents', `carts/${cart}/items`)
  const lineOf = ({ id }: { id: string }) => items.find(({ product_id }) => product_id === id)?.id
  const mugs = `carts/${cart}/items/${lineOf(shop.mug)}`
  await record('cart.update', mugs, { method: 'PUT', body: { quantity: 3 } })

  const token = await record<CheckoutToken>('checkout.generateToken', `checkouts/${cart}?type=cart`)
  const at = `checkouts/${token.id}`
  const place = 'country=CA&region=BC'
  await record('checkout.generateTokenFrom', 'checkouts/mug?type=permalink')
  await record('services.localeListShippingCountries', `services/locale/${token.id}/countries`)
  await record('services.localeListShippingSubdivisions', `services/locale/${token.id}/countries/CA/subdivisions`)
  await record('checkout.getLocationFromIP', `${at}/helper/location_from_ip?ip_address=${VICTORIA_IP}`)
  await record('checkout.getLive', `${at}/live`)
  await record('checkout.helperValidation', `${at}/helper/validation`)
  await record('checkout.getShippingOptions', `${at}/helper/shipping_options?${place}`)
  await record('checkout.checkShippingOption', `${at}/check/shipping?shipping_option_id=${shop.method}&${place}`)
  await record('checkout.setTaxZone', `${at}/helper/set_tax_zone?${place}&postal_zip_code=V8V1A1`)
  await record('checkout.checkQuantity', `${at}/check/${lineOf(shop.mug)}/quantity?amount=2`)
  await record('checkout.checkVariant', `${at}/check/${lineOf(shop.shirt)}/variant?variant_id=${shop.variant.id}`)
  await record('checkout.checkDiscount', `${at}/check/discount?code=HALF`)
  await record('checkout.checkGiftcard', `${at}/check/giftcard?code=THREE`)
  await record('checkout.isFree', `${at}/check/is_free`)
  const donation = await shop.token({ id: shop.donation.id })
  await record('checkout.checkPayWhatYouWant', `checkouts/${donation.id}/check/pay_what_you_want?customer_set_price=9`)
  await record('checkout.getToken', `checkouts/tokens/${token.id}`)

  const capture = {
    ...CAPTURE,
    shipping: { ...CAPTURE.shipping, county_state: 'BC', country: 'CA' },
    fulfillment: { shipping_method: shop.method },
    payment: card('4242 4242 4242 4242'),
  }
  const order = await record<Order>('checkout.capture', at, { method: 'POST', body: capture })

  // Again, with all that a shop, an order and a refusal may have: what was null or left out before is held to the types here.
  const all = { description: 'Mugs', country: 'CA', logo: shop.asset.id, logo_shape: 'square' }
  await shop.succeed(200, 'PUT', 'merchants', all, secret)
  await record('merchants.about', 'merchants')
  const paid = await record<CheckoutToken>('checkout.generateToken', 'checkouts/mug?type=permalink')
  await record('checkout.checkPayWhatYouWant', `checkouts/${donation.id}/check/pay_what_you_want?customer_set_price=1`)
  const option = `group_id=${shop.size}&option_id=${shop.small}`
  const ofShirt = await shop.token({ id: shop.shirt.id, options: { [shop.size]: shop.large } })
  const line = ofShirt.line_items[0]?.id
  await record('checkout.checkVariant', `checkouts/${ofShirt.id}/check/${line}/variant?${option}`)
  const billed = { ...capture, billing: capture.shipping }
  await record('checkout.capture', `checkouts/${paid.id}`, { method: 'POST', body: billed })
  await record('cart.remove', mugs, { method: 'DELETE' })
  await record('cart.empty', `carts/${cart}/items`, { method: 'DELETE' })
  await record('cart.delete', `carts/${cart}`, { method: 'DELETE' })

  const { email } = CAPTURE.customer
  const login = { email, base_url: 'https://shop.example/login' }
  await record('customer.login', 'customers/email-token', { method: 'POST', body: login })
  const issued = await app.call('POST', '/v1/customers/issue-token', { key: secret, body: { email } })
  const { customer_id: id, jwt } = await record<{ customer_id: string; jwt: string }>(
    'customer.getToken',
    'customers/exchange-token',
    { method: 'POST', body: issued.body },
  )
  const me = `customers/${id}`
  await record('customer.about', me, { bearer: jwt })
  await record('customer.update', me, { method: 'PUT', body: { phone: '555' }, bearer: jwt })
  await record('customer.getOrders', `${me}/orders?sortBy=created_at&sortDirection=desc`, { bearer: jwt })
  await record('customer.getOrder', `${me}/orders/${order.id}`, { bearer: jwt })
  return recordings
}
