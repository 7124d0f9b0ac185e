// Tells a customer that a parcel was shipped: its content, carrier and tracking link, and what is still to come.

import { toOneLine } from '../../lib/text.ts'
import type { MailShop, WrittenMail } from '../layout.ts'
import {
  actionButton,
  addressColumns,
  footnotes,
  labelledRows,
  lineItemTable,
  mailIntroduction,
  writeOrderMail,
} from './parts.ts'
import {
  addressesOf,
  formatMailDay,
  type LabelledValue,
  type MailSelectedOption,
  mailLineItemOf,
  type ReceiptOrder,
  testNotices,
  testSubjectPrefix,
} from './receipt-order.ts'

type ShippedProduct = { readonly product_name: string; readonly selected_options: readonly MailSelectedOption[] }

/** The shipment in the newest version of the API. */
export type MailedShipment = {
  readonly carrier: string | null
  readonly carrier_name: string | null
  readonly tracking_number: string | null
  readonly tracking_url: string | null
  readonly shipped_on: number
  readonly line_items: readonly (ShippedProduct & { readonly fulfilled_quantity: number })[]
}

export type ShipmentSubject = {
  readonly order: Pick<ReceiptOrder, 'sandbox' | 'customer_reference' | 'created' | 'shipping'>
  readonly shipment: MailedShipment
  /** True if the order has other parcels. */
  readonly hasOthers: boolean
  /** Items that are not in any parcel yet. */
  readonly unshippedItems: readonly (ShippedProduct & { readonly quantity: number })[]
}

const WEB_ADDRESS = /^https?:\/\/[^\s/]/i

export function shipmentMail(
  shop: MailShop,
  { order, shipment, hasOthers, unshippedItems }: ShipmentSubject,
): WrittenMail {
  const name = toOneLine(shop.name)
  const reference = toOneLine(order.customer_reference)
  const parcelScope = hasOthers || unshippedItems.length > 0 ? 'Part of your order' : 'Your order'
  const url = shipment.tracking_url
  const tracking = trackingRows(shipment)
  return writeOrderMail(shop, {
    subject: `${testSubjectPrefix(order)}${parcelScope} ${reference} from ${name} is on its way`,
    preheader: ['It was handed over', ...tracking.map(({ label, value }) => `${label}: ${value}`)].join('. '),
    parts: [
      mailIntroduction(
        `${parcelScope} is on its way`,
        [`Order ${reference}. This parcel left us on ${formatMailDay(shipment.shipped_on)}.`],
        testNotices(order),
      ),
      ...(url !== null && WEB_ADDRESS.test(url) ? [actionButton(shop, url, 'Follow the parcel')] : []),
      lineItemTable(
        'In this parcel',
        shipment.line_items.map((item) => mailLineItemOf(item, item.fulfilled_quantity)),
      ),
      labelledRows('Delivery', tracking),
      addressColumns(addressesOf({ shipping: order.shipping, billing: null })),
      lineItemTable(
        'Still to come',
        unshippedItems.map((item) => mailLineItemOf(item, item.quantity)),
      ),
      footnotes(unshippedItems.length === 0 ? [] : ['You get another mail when it leaves us.']),
    ],
    why: `You get this mail because you ordered from ${name}.`,
  })
}

const trackingRows = ({ carrier, carrier_name, tracking_number }: MailedShipment): LabelledValue[] =>
  [
    { label: 'Carrier', value: toOneLine(carrier_name ?? carrier ?? '') },
    { label: 'Tracking number', value: toOneLine(tracking_number ?? '') },
  ].filter(({ value }) => value !== '')
