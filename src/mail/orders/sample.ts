// A sample shop and order, with a shipment, a refund and a cancellation. Previews and test mails use them to show every part of a mail.

import { unixSeconds } from '../../lib/clock.ts'
import { DEFAULT_ACCENT, DEFAULT_BACKGROUND } from '../../lib/html/colors.ts'
import { priceOf } from '../../lib/money.ts'
import type { MailShop } from '../layout.ts'
import type { CancellationSubject } from './cancellation-mail.ts'
import type { MerchantOrder } from './new-order-mail.ts'
import type { RefundSubject } from './refund-mail.ts'
import type { ShipmentSubject } from './shipment-mail.ts'

/** Currency of the sample order if no shop has set one. */
const CURRENCY = 'USD'

export const sampleShop: MailShop = {
  name: 'Juniper & Clay',
  supportEmail: 'hello@shop.example',
  logoUrl: null,
  logoShape: null,
  accent: DEFAULT_ACCENT,
  background: DEFAULT_BACKGROUND,
}

const ADDRESS = {
  name: 'Jane Doe',
  street: '123 Fake St',
  street_2: 'Apartment 4',
  town_city: 'San Francisco',
  county_state: 'US-CA',
  postal_zip_code: '94103',
  country: 'US',
}

const MUG = {
  product_name: 'Stoneware mug',
  selected_options: [
    { group_name: 'Colour', option_name: 'Sage' },
    { group_name: 'Size', option_name: 'Large' },
  ],
}

const sampleCharge = (minor: number, currency: string) => ({
  type: 'charge',
  status: 'complete',
  status_reason: 'complete',
  gateway_name: 'Card',
  gateway_reference: '4242',
  amount: priceOf(minor, currency),
  payment_source_type: 'card',
  payment_source: { brand: 'Visa' },
})

const refundTransaction = (minor: number, currency: string) => ({ ...sampleCharge(minor, currency), type: 'refund' })

export function sampleOrder(origin: string, now: Date, currency = CURRENCY): MerchantOrder {
  const price = (minor: number) => priceOf(minor, currency)
  return {
    sandbox: false,
    status: 'open',
    status_payment: 'paid',
    customer_reference: 'JNP-1042',
    created: unixSeconds(now),
    customer: { email: 'jane@example.com', firstname: 'Jane', lastname: 'Doe' },
    shipping: ADDRESS,
    billing: ADDRESS,
    extra_fields: [{ name: 'Gift message', value: 'Happy birthday!' }],
    adjustments: [],
    order: {
      line_items: [
        { ...MUG, id: 'item_mug', quantity: 2, line_total: price(4_800) },
        {
          id: 'item_book',
          product_name: 'A small book of glazes',
          quantity: 1,
          line_total: price(1_200),
          selected_options: [],
        },
      ],
      subtotal: price(6_000),
      discount: { code: 'WELCOME10', amount_saved: price(600) },
      shipping: { id: 'ship_sample', description: 'Standard', price: price(700) },
      tax: { amount: price(432), included_in_price: false },
      total_with_tax: price(6_532),
      giftcard: { code: 'GIFT-7K2M-9QXR', credit: price(2_500) },
    },
    transactions: [sampleCharge(4_032, currency)],
    fulfillment: {
      physical: { items: [{ status: 'not_fulfilled', quantity_remaining: 2 }] },
      digital: {
        downloads: [
          {
            product_name: 'A small book of glazes',
            is_expired: false,
            lifespan: { human: 'It can be downloaded at any time.' },
            packages: [
              {
                name: 'A small book of glazes',
                ext: 'PDF',
                size: '2.4 MB',
                access_link: `${origin}/fulfill/sample`,
                is_access_revoked: false,
              },
            ],
          },
        ],
      },
    },
  }
}

/** A parcel with one of the two mugs. */
export const sampleShipment = (order: MerchantOrder, now: Date): ShipmentSubject => ({
  order,
  shipment: {
    carrier: 'ups',
    carrier_name: 'UPS',
    tracking_number: '1Z 999 AA1 01 2345 6784',
    tracking_url: 'https://carrier.example/track?number=1Z999AA10123456784',
    shipped_on: unixSeconds(now),
    line_items: [{ ...MUG, fulfilled_quantity: 1 }],
  },
  hasOthers: false,
  unshippedItems: [{ ...MUG, quantity: 1 }],
})

export const sampleRefund = (order: MerchantOrder, currency = CURRENCY): RefundSubject => ({
  order,
  amount: priceOf(2_592, currency),
  isAll: false,
  transactions: [refundTransaction(2_592, currency)],
  credit: null,
  isNewCard: false,
  items: [{ line_item_id: 'item_mug', quantity: 1 }],
})

export const sampleCancellation = (order: MerchantOrder, currency = CURRENCY): CancellationSubject => ({
  order: { ...order, status: 'cancelled' },
  transactions: [refundTransaction(4_032, currency)],
  credit: priceOf(2_500, currency),
  isNewCard: false,
  isReleased: false,
  isExpired: false,
})
