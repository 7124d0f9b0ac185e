// The lines and sums of a purchase: beside the checkout, on the receipt and in the account. The API computes all sums.

import { linePicture, make } from './dom.js'

/** Folded on a phone, where it is above the form; open beside it on wide screens. */
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
  /** `shipping`: from shipping.js, if something is shipped. */
  const show = (live, shipping) => {
    const isOpen = isShippingOpen(live, shipping)
    // The shop still counts a method that it does not offer for the new address, so no sum is valid.
    const isOld = isOpen && Boolean(live.shipping.id)
    const isPlaced = shipping?.hasWays() === true
    const [card] = [live.giftcard].flat()
    total.textContent = isOld ? '' : live.total_due.formatted_with_symbol
    body.replaceChildren(
      linesOf(live.line_items),
      sumsOf(live, {
        shipping: token.collects.shipping_address && {
          text: 'Shipping',
          price: isOpen ? null : live.shipping.price,
        },
        isTaxOpen: isOld || (isOpen && !isPlaced),
        open: isPlaced ? 'not chosen yet' : 'needs your address',
        whole: [isOpen ? 'Total so far' : 'Total', isOld ? null : live.total_with_tax],
        last: card ? ['Left to pay', isOld ? null : live.total_due] : null,
      }),
    )
  }
  return { element, show }
}

/** True if the shopper still has to choose a shipping method. */
export const isShippingOpen = (live, shipping) => shipping !== undefined && (!live.shipping.id || !shipping.isChosen())

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

/**
 * `of`: live totals or those of an order. `whole`: the row of the total, `[text, price]`; `last`: the amount left after a gift card;
 * `open`: placeholder for an unknown price.
 */
export function sumsOf(of, { shipping, isTaxOpen = false, open = '', whole, last = null }) {
  // Since version 2022-07-21 this is a list of at most one. In older versions it is an object, or an empty list.
  const [discount] = [of.discount].flat()
  const [card] = [of.giftcard].flat()
  const rows = [
    ['Subtotal', of.subtotal],
    discount && [`Discount (${discount.code})`, discount.amount_saved, '−'],
    shipping && [shipping.text, shipping.price],
    (isTaxOpen || of.tax.amount.raw > 0) && [
      of.tax.included_in_price ? 'Tax (included)' : 'Tax',
      isTaxOpen ? null : of.tax.amount,
    ],
    whole,
    card && [`Gift card (${card.code})`, card.credit, '−'],
    last,
  ]
  return rowsOf(rows, open)
}

/** `[text, price, sign before it]`. Missing rows are skipped; unknown prices show a placeholder. */
const rowsOf = (rows, open) =>
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
          price === null ? make('dd', { className: 'note' }, open) : make('dd', {}, sign + price.formatted_with_symbol),
        ),
      ),
  )
