// What is measured: requests as a storefront sends them, and how its answers must look. `steps` are sent one after the other and are one
// operation together. A run knows its `target` (an id, or several, from the list that `uses` names), the ids that its earlier steps were given, and
// `n`, which no other run has. `isEachOnce`: the same request to the same target would be another thing the second time.

import { captureBody, LINES, shippingQuery } from './shop.js'

const includes =
  (...parts) =>
  (text) =>
    parts.every((part) => text.includes(part))
const times = (part, count) => (text) => text.split(part).length === count + 1
const lines = (count) => includes(`"total_unique_items":${count},`)

/** Lists are of 20 unless asked otherwise. */
const PAGE = 20

/** Of the checkout page, which has a bench of its own (checkout-page.js). Its targets are paths; what comes is compressed. */
export const payPage = {
  name: 'pay page',
  steps: [({ target }) => ({ path: target, check: (text) => text.length > 1_000 })],
}

/** @param shop What makeShop gave, and the totals of the lists. */
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
