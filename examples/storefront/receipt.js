// After the purchase: the order, read again by its token, so that the page can be loaded a second time.

import { make } from './dom.js'
import { commerce } from './shop.js'
import { linesOf, rowsOf } from './summary.js'

export async function showReceipt(tokenId) {
  const {
    customer_reference: reference,
    customer,
    order,
    fulfillment,
    shipping,
  } = await commerce.checkout.receipt(tokenId)
  const [discount] = [order.discount].flat()
  const downloads = (fulfillment?.digital?.downloads ?? []).flatMap(({ packages }) => packages)
  return {
    title: 'Thank you',
    content: [
      make(
        'div',
        { className: 'receipt' },
        make('p', {}, 'Your order is ', make('strong', { id: 'reference' }, reference), '.'),
        make('p', { className: 'note' }, `We write to ${customer.email}.`),
        linesOf(order.line_items),
        rowsOf([
          ['Subtotal', order.subtotal],
          discount && [`Discount ${discount.code}`, discount.amount_saved, '−'],
          order.shipping?.id && [order.shipping.description, order.shipping.price],
          ['Tax', order.tax.amount],
          ['Total', order.total_with_tax],
        ]),
        shipping?.street ? make('h2', {}, 'It goes to') : null,
        shipping?.street ? make('address', {}, addressLines(shipping).join('\n')) : null,
        downloads.length > 0 ? make('h2', {}, 'Your downloads') : null,
        downloads.length > 0
          ? make(
              'ul',
              {},
              downloads.map(({ name, access_link: href }) => make('li', {}, make('a', { href }, name))),
            )
          : null,
        make('p', {}, make('a', { className: 'button', href: '#/' }, 'Back to the shop')),
      ),
    ],
  }
}

const addressLines = ({ name, street, street_2, town_city, county_state, postal_zip_code, country }) =>
  [name, street, street_2, [town_city, county_state, postal_zip_code].filter(Boolean).join(' '), country].filter(
    Boolean,
  )
