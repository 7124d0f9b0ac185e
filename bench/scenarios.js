// The measured scenarios: requests as a storefront sends them, and checks of the responses. `steps` run in sequence and count as one
// operation. A run has its `target` (one or several ids of the list that `uses` names), the ids returned by its earlier steps, and a unique
// `n`. `isEachOnce`: each target works only once, because a second request would do something else.

import { captureBody, LINES, shippingQuery } from './shop.js'

const includes =
  (...parts) =>
  (text) =>
    parts.every((part) => text.includes(part))
const times = (part, count) => (text) => text.split(part).length === count + 1
const lines = (count) => includes(`"total_unique_items":${count},`)

/** Default page size of lists. */
const PAGE = 20

/** For the checkout page, which has its own bench (checkout-page.js). Targets are paths; responses are compressed. */
export const payPage = {
  name: 'pay page',
  steps: [({ target }) => ({ path: target, check: (text) => text.length > 1_000 })],
}

/** @param shop Result of makeShop, with the totals of the lists. */
export function scenarios(shop) {
  const [first] = shop.choices
  const further = shop.choices[LINES]
  const add = (target, choice, check) => ({ method: 'POST', path: `/v1/carts/${target}`, body: choice, check })
  const newCart = [
    () => ({ path: '/v1/carts', check: includes('"id":"cart_') }),
    ({ ids }) => add(ids[0], first, includes('"total_items":1,', '"total_unique_items":1,')),
  ]
  return [
    {
      name: 'list 20 products',
      steps: [() => ({ path: '/v1/products', check: includes(`"total":${shop.totals.products}`, `"count":${PAGE}`) })],
    },
    {
      name: 'get a product',
      uses: 'products',
      steps: [
        ({ target }) => ({ path: `/v1/products/${target}`, check: includes(`"id":"${target}"`, '"permalink":"') }),
      ],
    },
    { name: 'new cart + first item', steps: newCart },
    {
      name: 'read a cart',
      uses: 'carts',
      steps: [({ target }) => ({ path: `/v1/carts/${target}`, check: lines(LINES) })],
    },
    {
      name: 'add a new line',
      uses: 'freshCarts',
      isEachOnce: true,
      steps: [({ target }) => add(target, further, lines(LINES + 1))],
    },
    {
      name: 'add to a line',
      uses: 'growingCarts',
      steps: [({ target: [cart, product] }) => add(cart, { ...first, id: product }, lines(LINES))],
    },
    {
      name: 'token',
      uses: 'carts',
      steps: [
        ({ target }) => ({
          path: `/v1/checkouts/${target}?type=cart`,
          check: includes('"id":"chkt_', `"cart_id":"${target}"`),
        }),
      ],
    },
    {
      name: 'live',
      uses: 'tokens',
      steps: [({ target }) => ({ path: `/v1/checkouts/${target}/live`, check: times('"line_total":', LINES) })],
    },
    {
      name: 'whole purchase',
      leavesMail: true,
      steps: [
        ...newCart,
        ({ ids }) => ({ path: `/v1/checkouts/${ids[0]}?type=cart`, check: includes('"id":"chkt_') }),
        ({ ids }) => ({
          path: `/v1/checkouts/${ids[2]}/check/shipping?${shippingQuery(shop)}`,
          check: includes('"valid":true'),
        }),
        ({ ids, n }) => ({
          method: 'POST',
          path: `/v1/checkouts/${ids[2]}`,
          body: captureBody(shop, `${n}@example.com`),
          check: includes('"id":"ord_', `"${n}@example.com"`, '"status_payment":"paid"'),
        }),
      ],
    },
    {
      name: 'orders list',
      isOfMerchant: true,
      steps: [() => ({ path: '/v1/orders', check: (text) => text.split('"customer_reference":"').length > 1 })],
    },
  ]
}
