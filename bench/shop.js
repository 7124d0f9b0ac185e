// Creates a shop with some of everything through the API. The table rows are copied from it.

const PICTURE = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const CATEGORIES = 12
const PICTURES = 20
/** More than a page of the list. */
const PRODUCTS = 24
/** Lines of a cart, a token or an order. */
export const LINES = 3

/**
 * @param {(method: string, path: string, body?: unknown, headers?: Record<string, string>) => Promise<any>} send Uses the sandbox's secret
 * key; returns the response body and throws on an error status.
 * @returns Data for the scenarios: the ids, `choices` to put into a cart, and `templates`, the best rows to fill tables from.
 */
export async function makeShop(send) {
  const post = async (path, body) => (await send('POST', `/v1/${path}`, body)).id
  const pick = (list, n) => list[n % list.length]
  const categories = []
  for (let n = 0; n < CATEGORIES; n++) {
    // Three at the top, the others below them.
    const parent = n < 3 ? {} : { parent_id: categories[Math.floor((n - 3) / 3)] }
    categories.push(await post('categories', { slug: `category-${n}`, name: `Category ${n}`, ...parent }))
  }
  const pictures = []
  for (let n = 0; n < PICTURES; n++)
    pictures.push(await post('assets', { filename: `picture-${n}.png`, contents: PICTURE }))
  const material = await post('attributes', {
    name: 'Material',
    description: 'What it is made of',
    type: 'short_text',
  })
  const zone = await send('POST', '/v1/shipping_zones', {
    name: 'North America',
    countries: ['US', 'CA'],
    methods: [{ description: 'Parcel', price: 4.5, with_others: 0.5 }],
  })
  await send('POST', '/v1/tax_zones', { country: 'US', region: 'CA', rates: [{ type: 'state', rate: 0.0725 }] })
  await post('discounts', { code: 'SPRING', type: 'percentage', value: 10 })
  await post('giftcards', { code: 'WELCOME-GIFT', value: 50 })

  const products = []
  for (let n = 0; n < PRODUCTS; n++)
    products.push(
      await post('products', {
        name: `Product ${n}`,
        description: 'A well-made thing for every day, described in a sentence or two as shops do. '.repeat(3),
        price: 5 + n / 4,
        sku: `SKU-${n}`,
        inventory: { managed: true, available: 100_000_000 },
        assets: [{ id: pick(pictures, n) }, { id: pick(pictures, n + 7) }],
        categories: [{ id: pick(categories, n) }, { id: pick(categories, n + 5) }],
        attributes: [{ id: material, value: 'oak' }],
        variant_groups: [
          { name: 'Size', options: [{ name: 'S' }, { name: 'M', price: 1 }, { name: 'L', price: 2.5 }] },
        ],
        extra_fields: n % 5 === 4 ? [{ name: 'Engraving', type: 'text', required: false }] : [],
      }),
    )
  // A third of the products get variants and two related products, as in real shops.
  for (let n = 0; n < PRODUCTS; n += 3) {
    await send('POST', `/v1/products/${products[n]}/variants/generate`, {})
    const related = [pick(products, n + 1), pick(products, n + 2)]
    await send('PUT', `/v1/products/${products[n]}`, { related_products: related })
  }
  const choices = []
  for (const id of products.slice(0, LINES + 1)) choices.push(await choiceOf(send, id))
  const shop = { products, choices, categoryId: categories[0], methodId: zone.methods[0].id }
  const orderId = await buy(send, shop)
  const { cartId, tokenId } = await fillCart(send, shop)
  // Rows to copy: a third of these products have variants. The token is unpaid.
  const templates = { products: products.slice(0, 10), orders: [orderId], carts: [cartId], checkouts: [tokenId] }
  return { ...shop, templates }
}

/** Returns a line for one unit of a product, with the second option of each group. */
async function choiceOf(send, id) {
  const { variant_groups: groups } = await send('GET', `/v1/products/${id}`)
  return { id, quantity: 1, options: Object.fromEntries(groups.map((group) => [group.id, group.options[1].id])) }
}

/** Plays a customer who enters an invalid code, buys, and saves an address. */
async function buy(send, shop) {
  const { tokenId: token } = await fillCart(send, shop)
  await send('GET', `/v1/checkouts/${token}/check/discount?code=NONE`)
  await send('GET', `/v1/checkouts/${token}/check/shipping?${shippingQuery(shop)}`)
  const order = await send('POST', `/v1/checkouts/${token}`, captureBody(shop, 'ada@example.com'), {
    'idempotency-key': 'the-first-purchase',
  })
  await send('POST', `/v1/customers/${order.customer.id}/addresses`, { ...ADDRESS, default_shipping: true })
  return order.id
}

async function fillCart(send, { choices }) {
  const { id: cartId } = await send('GET', '/v1/carts')
  for (const choice of choices.slice(0, LINES)) await send('POST', `/v1/carts/${cartId}`, choice)
  const { id: tokenId } = await send('GET', `/v1/checkouts/${cartId}?type=cart`)
  return { cartId, tokenId }
}

const ADDRESS = {
  name: 'Ada Byron',
  street: '1 Main Street',
  town_city: 'Oakland',
  county_state: 'CA',
  postal_zip_code: '94607',
  country: 'US',
}

export const shippingQuery = ({ methodId }) => `shipping_option_id=${methodId}&country=US&region=CA`

/** The body that captures a token with a card of the test gateway. */
export const captureBody = ({ methodId }, email) => ({
  customer: { email, firstname: 'Ada', lastname: 'Byron' },
  shipping: ADDRESS,
  fulfillment: { shipping_method: methodId },
  payment: {
    gateway: 'test_gateway',
    card: { number: '4242 4242 4242 4242', expiry_month: '01', expiry_year: '2030', cvc: '123' },
  },
})
