// Tells a customer that a parcel is on its way: what is in it, who brings it, where to follow it, and what is still to come.

import { oneLine } from '../../lib/text.ts'
import type { MailShop, WrittenMail } from '../layout.ts'
import { addresses, below, call, lines, opening, rows, writeOrderMail } from './parts.ts'
import {
  addressesOf,
  dayOf,
  pieces,
  type ReceiptOrder,
  type Row,
  type SelectedOption,
  testMark,
  testNotices,
} from './receipt-order.ts'

type Thing = { readonly product_name: string; readonly selected_options: readonly SelectedOption[] }

/** The parcel, in its newest form. */
export type MailedShipment = {
  readonly carrier: string | null
  readonly carrier_name: string | null
  readonly tracking_number: string | null
  readonly tracking_url: string | null
  readonly shipped_on: number
  readonly line_items: readonly (Thing & { readonly fulfilled_quantity: number })[]
}

export type ShipmentSubject = {
  readonly order: Pick<ReceiptOrder, 'sandbox' | 'customer_reference' | 'created' | 'shipping'>
  readonly shipment: MailedShipment
  /** Whether the order has other parcels. */
  readonly hasOthers: boolean
  /** What is to be sent and is in no parcel yet. */
  readonly left: readonly (Thing & { readonly quantity: number })[]
}

const WEB_ADDRESS = /^https?:\/\/[^\s/]/i

export function shipmentMail(shop: MailShop, { order, shipment, hasOthers, left }: ShipmentSubject): WrittenMail {
  const name = oneLine(shop.name)
  const reference = oneLine(order.customer_reference)
  const what = hasOthers || left.length > 0 ? 'Part of your order' : 'Your order'
  const url = shipment.tracking_url
  const tracking = trackingOf(shipment)
  return writeOrderMail(shop, {
    subject: `${testMark(order)}${what} ${reference} from ${name} is on its way`,
    preheader: ['It was handed over', ...tracking.map(({ label, value }) => `${label}: ${value}`)].join('. '),
    parts: [
      opening(
        `${what} is on its way`,
        [`Order ${reference}. This parcel left us on ${dayOf(shipment.shipped_on)}.`],
        testNotices(order),
      ),
      ...(url !== null && WEB_ADDRESS.test(url) ? [call(shop, url, 'Follow the parcel')] : []),
      lines(
        'In this parcel',
        shipment.line_items.map((item) => pieces(item, item.fulfilled_quantity)),
      ),
      rows('Delivery', tracking),
      addresses(addressesOf({ shipping: order.shipping, billing: null })),
      lines(
        'Still to come',
        left.map((item) => pieces(item, item.quantity)),
      ),
      below(left.length === 0 ? [] : ['You get another mail when it leaves us.']),
    ],
    why: `You get this mail because you ordered from ${name}.`,
  })
}

const trackingOf = ({ carrier, carrier_name, tracking_number }: MailedShipment): Row[] =>
  [
    { label: 'Carrier', value: oneLine(carrier_name ?? carrier ?? '') },
    { label: 'Tracking number', value: oneLine(tracking_number ?? '') },
  ].filter(({ value }) => value !== '')
