// Triggers for orders: they buy something with the test card and then change the order as the event requires.

import type { Trigger, TriggerShop, Triggers } from './trigger.ts'

type Order = { readonly id: string; readonly fulfillment: { readonly physical: { readonly items: readonly Item[] } } }
type Item = { readonly id: string }
type NamesByCode = Readonly<Record<string, string>>

const CARD = {
  gateway: 'test_gateway',
  card: {
    number: '4242 4242 4242 4242',
    expiry_month: '12',
    expiry_year: '2099',
    cvc: '123',
    postal_zip_code: '94107',
  },
}

const PURCHASE_BODIES = ['product', 'line', 'order']

async function buy(shop: TriggerShop, { isShipped = false } = {}): Promise<Order> {
  const product = await findOrCreateProduct(shop, isShipped)
  const cart = await shop.callApi('GET', '/v1/carts')
  await shop.send('POST', `/v1/carts/${cart.id}`, 'line', { id: product, quantity: 1 })
  const token = await shop.callApi('GET', `/v1/checkouts/${cart.id}?type=cart`)
  const order = await shop.send<Order>('POST', `/v1/checkouts/${token.id}`, 'order', {
    // The address is nobody's, so the receipt reaches no one.
    customer: { email: `trigger-${shop.mark}@example.com`, firstname: 'Ada', lastname: 'Lovelace' },
    payment: CARD,
    ...(isShipped ? await chooseShipping(shop, token.id) : {}),
  })
  shop.reportCreated('order', order.id)
  return order
}

/**
 * The product stays for the next run. Sandbox and live share the catalogue, so new products each time would fill the shop. Its price
 * prevents a purchase by mistake.
 */
async function findOrCreateProduct(shop: TriggerShop, isShipped: boolean): Promise<string> {
  const permalink = isShipped ? 'cartwright-trigger-shipped' : 'cartwright-trigger'
  const existingId = shop.isSet('product') ? null : await findProduct(shop, permalink)
  if (existingId !== null) return existingId
  const { id } = await shop.make('/v1/products', 'product', {
    name: isShipped ? 'Trigger (shipped)' : 'Trigger',
    description: 'Bought by cartwright trigger, in the sandbox. Delete it when you are done.',
    permalink: shop.isSet('product') ? `${permalink}-${shop.mark}` : permalink,
    price: 999,
    delivery: { physical: isShipped },
  })
  return id
}

async function findProduct(shop: TriggerShop, permalink: string): Promise<string | null> {
  type ProductPage = {
    readonly data: readonly { readonly id: string; readonly permalink: string; readonly active: boolean }[]
  }
  const { data } = await shop.callApi<ProductPage>(
    'GET',
    `/v1/products?query=${encodeURIComponent(permalink)}&limit=200`,
  )
  return data.find((product) => product.permalink === permalink && product.active)?.id ?? null
}

/** Ships to a country that the shop supports, by its first shipping method. If it ships nowhere, creates a zone. */
async function chooseShipping(shop: TriggerShop, token: string) {
  const { countries } = await shop.callApi<{ countries: NamesByCode }>('GET', `/v1/services/locale/${token}/countries`)
  const country = 'US' in countries ? 'US' : (Object.keys(countries)[0] ?? 'US')
  if (!(country in countries))
    await shop.make('/v1/shipping_zones', 'shipping_zone', {
      name: 'Trigger',
      countries: [country],
      methods: [{ description: 'Post', price: 5 }],
    })
  const places = `/v1/services/locale/${token}/countries/${country}/subdivisions`
  const { subdivisions } = await shop.callApi<{ subdivisions: NamesByCode }>('GET', places)
  const [region] = 'CA' in subdivisions ? ['CA'] : Object.keys(subdivisions)
  const place = new URLSearchParams({ country, ...(region === undefined ? {} : { region }) })
  const options = `/v1/checkouts/${token}/helper/shipping_options?${place}`
  const [method] = await shop.callApi<readonly { readonly id: string }[]>('GET', options)
  return {
    shipping: {
      name: 'Ada Lovelace',
      street: '1 Main Street',
      town_city: 'San Francisco',
      county_state: region ?? null,
      postal_zip_code: '94107',
      country,
    },
    fulfillment: { shipping_method: method?.id ?? null },
  }
}

/** Buys, then sends the body to the order. */
const buyThenSend = (
  method: 'POST' | 'PUT',
  path: string,
  name: string,
  body: (order: Order) => object,
  options: { readonly isShipped?: boolean } = {},
): Trigger => ({
  sends: [...PURCHASE_BODIES, ...(options.isShipped ? ['shipping_zone'] : []), name],
  async run(shop) {
    const order = await buy(shop, options)
    await shop.send(method, `/v1/orders/${order.id}${path}`, name, body(order))
  },
})

const purchase: Trigger = { sends: PURCHASE_BODIES, run: async (shop) => void (await buy(shop)) }

export const orderTriggers: Triggers = {
  'orders.create': purchase,
  'orders.paid': purchase,
  'orders.update': buyThenSend('PUT', '', 'change', () => ({ meta: { changed_by: 'cartwright trigger' } })),
  'orders.refund': buyThenSend('POST', '/refund', 'refund', () => ({ reason: 'Tried by cartwright trigger.' })),
  'orders.cancel': buyThenSend('POST', '/cancel', 'cancel', () => ({ refund: true })),
  'orders.physical.shipment': buyThenSend(
    'POST',
    '/fulfillments/physical/shipments',
    'shipment',
    ({ fulfillment }) => ({
      items: fulfillment.physical.items.map(({ id }) => ({ id, quantity: 1 })),
      carrier: 'ups',
      tracking_number: '1Z999AA10123456784',
    }),
    { isShipped: true },
  ),
  'orders.receipt.resend': {
    sends: PURCHASE_BODIES,
    run: async (shop) => void (await shop.callApi('POST', `/v1/orders/${(await buy(shop)).id}/receipt`)),
  },
  'orders.dispute': {
    why: 'orders.dispute cannot be triggered: only a payment provider can report that a shopper disputed a payment. Use a card for disputes in the test mode of your provider.',
  },
  'carts.abandoned': {
    why: 'carts.abandoned cannot be triggered: it is sent a day after the last change of a cart. Add an item to a cart in the sandbox, and it is sent tomorrow.',
  },
}
