// What is bought and what it comes to: beside the checkout, on the receipt and in the account. All sums come from the API.

import { linePicture, make } from './dom.js'

/** Folded on a phone, where it stands before the form; open beside it where there is room. */
export function summaryPart(token) {
  const wide = matchMedia('(min-width: 50rem)')
  const total = make('span', { className: 'amount' })
  const body = make('div', {})
  const element = make(
    'details',
    { className: 'summary', open: wide.matches },
    make('summary', {}, make('h2', {}, 'Your order'), total),
    body,
  )
  wide.addEventListener('change', () => {
    element.open = wide.matches
  })
  const show = (live) => {
    total.textContent = live.total_due.formatted_with_symbol
    const isOpen = token.collects.shipping_address && !live.shipping.id
    body.replaceChildren(
      linesOf(live.line_items),
      sumsOf(live, {
        shipping: token.collects.shipping_address && {
          text: 'Shipping',
          price: isOpen ? null : live.shipping.price,
        },
        isTaxOpen: isOpen,
        total: [isOpen ? 'Total so far' : 'To pay', live.total_due],
      }),
    )
  }
  return { element, show }
}

export const linesOf = (lines) =>
  make(
    'ul',
    { className: 'bought' },
    lines.map((line) =>
      make(
        'li',
        {},
        linePicture(line, 'bought-picture'),
        make(
          'span',
          { className: 'bought-name' },
          line.product_name,
          make(
            'span',
            { className: 'note' },
            [
              `Quantity ${line.quantity}`,
              ...line.selected_options.map((one) => `${one.group_name}: ${one.option_name}`),
            ].join(' · '),
          ),
        ),
        make('span', { className: 'amount' }, line.line_total.formatted_with_symbol),
      ),
    ),
  )

/** `of`: live totals or an order's. `total`: the last row, `[text, price]`. */
export function sumsOf(of, { shipping, isTaxOpen = false, total }) {
  // Since version 2022-07-21 a list of at most one; a storefront written before reads an object, or an empty list.
  const [discount] = [of.discount].flat()
  const [card] = [of.giftcard].flat()
  return rowsOf([
    ['Subtotal', of.subtotal],
    discount && [`Discount (${discount.code})`, discount.amount_saved, '−'],
    shipping && [shipping.text, shipping.price],
    (isTaxOpen || of.tax.amount.raw > 0) && [
      of.tax.included_in_price ? 'Tax (included)' : 'Tax',
      isTaxOpen ? null : of.tax.amount,
    ],
    card && [`Gift card (${card.code})`, card.credit, '−'],
    total,
  ])
}

/** `[text, price, sign before it]`; what is not there is left out, what is not known yet says so. */
const rowsOf = (rows) =>
  make(
    'dl',
    { className: 'sums' },
    rows
      .filter(Boolean)
      .map(([text, price, sign = '']) =>
        make(
          'div',
          {},
          make('dt', {}, text),
          price === null
            ? make('dd', { className: 'note' }, 'needs your address')
            : make('dd', {}, sign + price.formatted_with_symbol),
        ),
      ),
  )
