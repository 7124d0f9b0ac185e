// What is measured: requests as a storefront sends them. `steps` are sent one after the other; placeholders.js says what stands in
// braces. `targets` are lists of ids, taken in turn; `isEachOnce` when the same request to the same target would be another thing
// the second time.

export const scenarios = ({ publicKey, productId, choice, methodId, carts, tokens, captures }) => {
  const one = (name, step, more = {}) => many(name, [step], more)
  const many = (name, steps, more = {}) => ({
    name,
    steps,
    headers: { 'x-authorization': publicKey },
    targets: [],
    isEachOnce: false,
    connections: 8,
    ...more,
  })
  const add = { method: 'POST', path: '/v1/carts/{target}', body: choice }
  const capture = {
    method: 'POST',
    path: '/v1/checkouts/{target}',
    body: {
      // One customer for each order, as in a shop.
      customer: { email: '{n}@example.com', firstname: 'Ada', lastname: 'Byron' },
      shipping: {
        name: 'Ada Byron',
        street: '1 Main Street',
        town_city: 'Oakland',
        county_state: 'CA',
        postal_zip_code: '94607',
        country: 'US',
      },
      fulfillment: { shipping_method: methodId },
      payment: {
        gateway: 'test_gateway',
        card: { number: '4242 4242 4242 4242', expiry_month: '01', expiry_year: '2030', cvc: '123' },
      },
    },
  }
  const purchase = [
    { path: '/v1/carts' },
    { method: 'POST', path: '/v1/carts/{0}', body: choice },
    { path: '/v1/checkouts/{0}?type=cart' },
    { path: `/v1/checkouts/{2}/check/shipping?shipping_option_id=${methodId}&country=US&region=CA` },
    { ...capture, path: '/v1/checkouts/{2}' },
  ]
  const captured = (name, connections, targets) => one(name, capture, { connections, targets, isEachOnce: true })
  return [
    one('list 20 products', { path: '/v1/products' }),
    one('get a product', { path: `/v1/products/${productId}` }),
    one('list 20 categories', { path: '/v1/categories' }),
    one('create a cart', { path: '/v1/carts' }),
    one('read a cart of 5 lines', { path: '/v1/carts/{target}' }, { targets: carts.read }),
    one('add a new line to a cart of 4', add, { targets: carts.fresh, isEachOnce: true }),
    one('add to an existing line of 5', add, { targets: carts.growing }),
    one('make a token of a cart of 5 lines', { path: '/v1/checkouts/{target}?type=cart' }, { targets: carts.read }),
    one('read live totals of 5 lines', { path: '/v1/checkouts/{target}/live' }, { targets: tokens.read }),
    many('whole purchase', purchase),
    many('whole purchase', purchase, { connections: 64 }),
    captured('capture, one hot product', 8, captures.hot8),
    captured('capture, one hot product', 64, captures.hot64),
    captured('capture, 500 products', 8, captures.spread8),
    captured('capture, 500 products', 64, captures.spread64),
  ]
}
