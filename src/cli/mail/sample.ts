// A made-up shop and order, for `cartwright mail preview`: something of everything that a receipt can show.

import { unixSeconds } from '../../lib/clock.ts'
import { DEFAULT_ACCENT, DEFAULT_BACKGROUND } from '../../lib/html/colors.ts'
import { priceOf } from '../../lib/money.ts'
import type { MailShop } from '../../mail/layout.ts'
import type { ReceiptOrder } from '../../mail/receipt-order.ts'

const price = (minor: number) => priceOf(minor, 'USD')

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

export const sampleOrder = (origin: string, now: Date): ReceiptOrder => ({
  sandbox: false,
  status: 'open',
  status_payment: 'paid',
  customer_reference: 'JNP-1042',
  created: unixSeconds(now),
  shipping: ADDRESS,
  billing: ADDRESS,
  extra_fields: [{ name: 'Gift message', value: 'Happy birthday!' }],
  adjustments: [],
  order: {
    line_items: [
      {
        product_name: 'Stoneware mug',
        quantity: 2,
        line_total: price(4_800),
        selected_options: [
          { group_name: 'Colour', option_name: 'Sage' },
          { group_name: 'Size', option_name: 'Large' },
        ],
      },
      { product_name: 'A small book of glazes', quantity: 1, line_total: price(1_200), selected_options: [] },
    ],
    subtotal: price(6_000),
    discount: { code: 'WELCOME10', amount_saved: price(600) },
    shipping: { id: 'ship_sample', description: 'Standard', price: price(700) },
    tax: { amount: price(432), included_in_price: false },
    total_with_tax: price(6_532),
    giftcard: { code: 'GIFT-7K2M-9QXR', credit: price(2_500) },
  },
  transactions: [
    {
      type: 'charge',
      status: 'complete',
      status_reason: 'complete',
      gateway_name: 'Card',
      gateway_reference: '4242',
      amount: price(4_032),
      payment_source_type: 'card',
      payment_source: { brand: 'Visa' },
    },
  ],
  fulfillment: {
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
})
