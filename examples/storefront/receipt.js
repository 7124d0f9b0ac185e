// An order for its buyer: after the purchase, and in the account. It is loaded by its token, so that the page can be reloaded.

import { isLoggedIn } from './account.js'
import { addressLines } from './address.js'
import { config } from './config.js'
import { buttonLink, make, nothing } from './dom.js'
import { commerce, isMissing } from './shop.js'
import { linesOf, sumsOf } from './summary.js'

export async function showReceipt(tokenId) {
  const order = await commerce.checkout.receipt(tokenId).catch((error) => {
    if (!isMissing(error)) throw error
    return null
  })
  if (order === null)
    return {
      title: 'Not found',
      content: [nothing('There is no order at this address.', buttonLink('#/', 'See all products'))],
    }
  const { customer, customer_reference: reference } = order
  const print = make('button', { type: 'button', className: 'second' }, 'Print')
  print.addEventListener('click', () => globalThis.print())
  return {
    title: customer.firstname ? `Thank you, ${customer.firstname}` : 'Thank you',
    content: [
      make(
        'div',
        { className: 'receipt' },
        make('p', { className: 'thanks' }, 'Your order is ', make('strong', { id: 'reference' }, reference), '.'),
        make('p', { className: 'mailed' }, mailedNote(customer.email)),
        await orderParts(order),
        make(
          'p',
          { className: 'buttons' },
          make('a', { className: 'button', href: '#/' }, 'Keep shopping'),
          print,
          make('a', { href: isLoggedIn() ? `#/orders/${order.id}` : '#/account' }, 'Your orders'),
        ),
      ),
    ],
  }
}

/** Without a mail server, mails are stored for the shop's operator to read. */
const mailedNote = (email) =>
  config.mailIsKept
    ? ['The receipt is kept: ', make('code', {}, 'npm run cartwright -- mail last'), ' prints it.']
    : `We send the receipt to ${email}.`

const PAYMENT = {
  paid: 'Paid',
  not_paid: 'Waiting for payment',
  partially_paid: 'Partly paid',
  authorized: 'Payment reserved',
  refunded: 'Refunded',
  partially_refunded: 'Partly refunded',
}

/** Status of an order in words: `[[text, kind]]`; the kind is good, open or over. */
export function statesOf({ status, status_payment: payment, fulfillment }) {
  const isRefunded = payment === 'refunded'
  const paid = [PAYMENT[payment] ?? 'Paid', isRefunded ? 'over' : payment === 'paid' ? 'good' : 'open']
  if (status === 'cancelled') return [['Cancelled', 'over'], ...(payment === 'not_paid' ? [] : [paid])]
  const sent = shippingState(fulfillment.physical.items)
  const isWaiting = sent?.[0] === 'Being prepared' && (isRefunded || payment === 'not_paid')
  const hasFiles = fulfillment.digital.downloads.length > 0 && payment === 'paid'
  return [paid, ...(sent && !isWaiting ? [sent] : []), ...(hasFiles ? [['Ready to download', 'good']] : [])]
}

/** Status of the shipped items only: the order's own status includes downloads. */
function shippingState(items) {
  if (items.length === 0) return null
  if (items.every(({ status }) => status === 'returned')) return ['Returned', 'over']
  const left = items.reduce((sum, { status, quantity_remaining: open }) => sum + (status === 'returned' ? 0 : open), 0)
  if (left === 0) return ['Shipped', 'good']
  return items.some(({ quantity_fulfilled: sent }) => sent > 0)
    ? ['Partly shipped', 'open']
    : ['Being prepared', 'open']
}

export const stateList = (order) =>
  make(
    'ul',
    { className: 'states', 'aria-label': 'State of the order' },
    statesOf(order).map(([text, kind]) => make('li', { className: `state ${kind}` }, text)),
  )

export const dateOf = (seconds) =>
  new Intl.DateTimeFormat('en', { dateStyle: 'long' }).format(new Date(seconds * 1_000))

/** Everything about an order, for its page. */
export async function orderParts(order) {
  const { order: bought, shipping, billing, fulfillment, extra_fields: extra } = order
  const [to, bill] = await Promise.all([shipping, billing].map((one) => (one?.street ? addressLines(one) : null)))
  return [
    stateList(order),
    howToPay(order),
    downloadsOf(order),
    shipmentsOf(fulfillment.physical.shipments),
    section('What you have bought', linesOf(await withPictures(bought.line_items)), totalsOf(order)),
    extra.some(({ value }) => value)
      ? section('Details', factsOf(extra.filter(({ value }) => value).map(({ name, value }) => [name, value])))
      : null,
    to || bill
      ? make(
          'div',
          { className: 'addresses' },
          to && section('Delivery address', make('address', {}, to.join('\n'))),
          bill &&
            section(
              'Billing address',
              make('address', {}, to?.join() === bill.join() ? 'The same as for delivery' : bill.join('\n')),
            ),
        )
      : null,
  ]
}

const pictures = new Map()

/** Adds the pictures of the chosen variants to the lines of an order, which do not contain them. */
export const withPictures = (lines) =>
  Promise.all(
    lines.map(async (line) => {
      const { product_id: product, variant } = line
      if (!variant) return line
      const asked = pictures.get(variant.id) ?? commerce.products.getVariant(product, variant.id)
      pictures.set(variant.id, asked)
      // The shop may have deleted the variant since.
      const { assets } = await asked.catch(() => ({}))
      return { ...line, variant: { ...variant, assets } }
    }),
  )

const section = (title, ...parts) => make('section', {}, make('h2', {}, title), parts)

const factsOf = (facts) =>
  make(
    'dl',
    { className: 'facts' },
    facts.map(([name, value]) => make('div', {}, make('dt', {}, name), make('dd', {}, value))),
  )

/** The amount that a gift card left to pay, and how it was paid. */
function restOf({ order, payments, status_payment: payment }) {
  const [card] = [order.giftcard].flat()
  if (!card) return null
  const isOpen = order.total_due.raw === 0 || ['not_paid', 'partially_paid', 'authorized'].includes(payment)
  if (isOpen) return ['Left to pay', order.total_due]
  return [payments.some(({ type }) => type === 'card') ? 'Paid by card' : 'Paid', order.total_due]
}

function totalsOf(of) {
  const { order, payments, refunds } = of
  const paid = payments.filter(({ type }) => type === 'card')
  return [
    sumsOf(order, {
      shipping: order.shipping?.id && { text: order.shipping.description, price: order.shipping.price },
      whole: ['Total', order.total_with_tax],
      last: restOf(of),
    }),
    paid.map(({ reference }) =>
      reference ? make('p', { className: 'note' }, `Paid with the card that ends in ${reference.slice(-4)}.`) : null,
    ),
    refunds.map(({ amount, created }) =>
      make('p', { className: 'note' }, `${amount.formatted_with_symbol} was given back on ${dateOf(created)}.`),
    ),
  ]
}

function howToPay({ status, status_payment: payment, order, transactions }) {
  if (status === 'cancelled' || payment !== 'not_paid') return null
  const isByHand = transactions.some(({ gateway }) => gateway === 'manual')
  const sentence = `${order.total_due.formatted_with_symbol} is still to be paid.`
  return make('p', { className: 'notice' }, sentence, isByHand ? ' You will hear from the shop where to send it.' : '')
}

function downloadsOf({ fulfillment, status_payment: payment }) {
  const { downloads } = fulfillment.digital
  if (downloads.length === 0) return null
  if (payment === 'not_paid' || payment === 'partially_paid' || payment === 'authorized')
    return section('Your downloads', make('p', {}, 'They can be fetched as soon as your payment has arrived.'))
  return section(
    'Your downloads',
    downloads.map(({ packages, is_expired: isExpired, lifespan }) => [
      make(
        'ul',
        { className: 'downloads' },
        packages.map((one) => {
          const isOpen = !isExpired && !one.is_access_revoked && one.remaining_downloads !== 0
          const name = isOpen ? make('a', { href: one.access_link, download: '' }, one.name) : one.name
          return make(
            'li',
            {},
            name,
            make('span', { className: 'note' }, isOpen ? `${one.ext}, ${one.size}` : 'No longer available'),
          )
        }),
      ),
      make('p', { className: 'note' }, lifespan.human),
    ]),
  )
}

function shipmentsOf(shipments) {
  if (shipments.length === 0) return null
  return section(
    'On its way',
    shipments.map(
      ({ shipped_on: sent, carrier_name: carrier, tracking_number: number, tracking_url: url, line_items: lines }) =>
        make(
          'div',
          { className: 'shipment' },
          make('p', {}, `Sent on ${dateOf(sent)}`, carrier ? ` with ${carrier}` : '', '.'),
          make(
            'p',
            { className: 'note' },
            lines.map((line) => `${line.fulfilled_quantity} × ${line.product_name}`).join(', '),
          ),
          number || url
            ? make(
                'p',
                {},
                'Tracking: ',
                url && /^https?:/.test(url)
                  ? make('a', { href: url, rel: 'noreferrer' }, number ?? 'follow the parcel')
                  : number,
              )
            : null,
        ),
    ),
  )
}
