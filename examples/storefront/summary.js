// What is bought and what it comes to, with room for a discount code; the same list for the checkout and for the receipt.

import { complain, field, make, showProblem } from './dom.js'
import { commerce, sentenceOf } from './shop.js'

export function summaryOf(token) {
  const sums = make('div', { 'aria-live': 'polite' })
  let tellTotal = () => {}
  const show = (live) => {
    // Since version 2022-07-21 a list of at most one; a storefront written before reads an object, or an empty list.
    const [discount] = [live.discount].flat()
    sums.replaceChildren(
      linesOf(live.line_items),
      rowsOf([
        ['Subtotal', live.subtotal],
        discount && [`Discount ${discount.code}`, discount.amount_saved, '−'],
        token.collects.shipping_address && ['Shipping', live.shipping.price],
        ['Tax', live.tax.amount],
        ['To pay', live.total_due],
      ]),
    )
    tellTotal(live.total_due)
  }
  const element = make(
    'aside',
    { className: 'summary', 'aria-label': 'Your order' },
    make('h2', {}, 'Your order'),
    sums,
    discountForm(token, show),
  )
  return {
    element,
    show,
    onTotal: (tell) => {
      tellTotal = tell
    },
  }
}

function discountForm(token, show) {
  const code = make('input', { name: 'code', type: 'text', required: true, autocomplete: 'off', maxLength: 100 })
  const form = make('form', { className: 'code' }, field('Discount code', code), make('button', {}, 'Apply'))
  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    showProblem(null)
    try {
      // A code that is refused is no error: `valid` tells, and `live` holds the sums in any case.
      const { valid, message, live } = await commerce.checkout.checkDiscount(token.id, { code: code.value.trim() })
      show(live)
      complain(code, valid ? null : message)
    } catch (error) {
      showProblem(sentenceOf(error))
    }
  })
  return form
}

export const linesOf = (lines) =>
  make(
    'ul',
    { className: 'bought' },
    lines.map(({ product_name: name, quantity, line_total: total, selected_options: options }) =>
      make(
        'li',
        {},
        make('span', {}, `${quantity} × ${[name, ...options.map((one) => one.option_name)].join(', ')}`),
        make('span', {}, total.formatted_with_symbol),
      ),
    ),
  )

/** `[text, price, sign before it]`; what is not there is left out. */
export const rowsOf = (rows) =>
  make(
    'dl',
    { className: 'sums' },
    rows
      .filter(Boolean)
      .map(([text, price, sign = '']) =>
        make('div', {}, make('dt', {}, text), make('dd', {}, sign + price.formatted_with_symbol)),
      ),
  )
