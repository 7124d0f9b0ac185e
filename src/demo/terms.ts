// Creates the checkout settings of the demo shop through the same rules as requests: shipping, taxes, discount codes, a gift card and
// payment methods. The data follows below.

import type { Static } from 'typebox'
import type { WriteContext } from '../api/assets/view.ts'
import { createDiscount } from '../api/discounts/discount.ts'
import type { CreateDiscount } from '../api/discounts/schema.ts'
import { createGiftCard } from '../api/gift-cards/gift-card.ts'
import type { NewGiftCard } from '../api/gift-cards/schema.ts'
import { NO_SEALING_KEY } from '../api/payment-methods/credentials.ts'
import { createPaymentMethod } from '../api/payment-methods/payment-method.ts'
import type { NewGateway } from '../api/payment-methods/schema.ts'
import type { NewZone } from '../api/shipping/schema.ts'
import { createZone } from '../api/shipping/zone.ts'
import type { NewTaxZone } from '../api/tax/schema.ts'
import { createTaxZone } from '../api/tax/zone.ts'
import { findDemoId, type IdsByName } from './shelves.ts'

/** Returns the ids of the zones by name. Runs before the catalogue, because products name zones. */
export async function createShipping(context: WriteContext): Promise<IdsByName> {
  const ids = new Map<string, string>()
  for (const zone of demoShippingZones) ids.set(zone.name, (await createZone(context, zone)).id)
  return ids
}

/** Creates taxes, discount codes, the gift card and gateways. `products` holds ids by permalink. */
export async function createCheckoutSettings(context: WriteContext, products: IdsByName): Promise<void> {
  for (const zone of demoTaxZones) await createTaxZone(context, zone)
  for (const { products: permalinks = [], ...discount } of demoDiscounts) {
    const product_ids = permalinks.map((permalink) => findDemoId(products, permalink))
    await createDiscount(context, { ...discount, product_ids })
  }
  // Create it as a sandbox caller. Its code is in every copy of this program, so live credit would be money for anybody.
  await createGiftCard(context, demoGiftCard)
  for (const gateway of demoGateways)
    await createPaymentMethod({ ...context, payments: { credentials: NO_SEALING_KEY } }, gateway)
}

// Shipping zones and prices: flat, per piece, by order value and by weight.

/** Names of zones, for products that are not shipped everywhere. */
export const NORTH_AMERICAN_ZONES = ['British Columbia', 'Canada', 'United States'] as const

export const demoShippingZones: readonly NewZone[] = [
  {
    name: 'British Columbia',
    countries: ['CA'],
    regions: { CA: ['BC'] },
    methods: [{ description: 'Pick-up at the workshop in Vancouver', price: 0 }],
  },
  {
    name: 'Canada',
    countries: ['CA'],
    methods: [
      { description: 'Parcel, 3 to 6 days', price: 5, on_own: 4, with_others: 1.5 },
      { description: 'Courier, next day', price: 32 },
    ],
  },
  {
    name: 'United States',
    countries: ['US'],
    methods: [
      { description: 'Ground, 3 to 5 days', price: 8.5, max_order_value: 99.99 },
      { description: 'Ground, free from $100', price: 0, min_order_value: 100 },
      { description: 'Express, up to 2 kg', price: 15, max_weight: 2_000 },
      { description: 'Express, up to 10 kg', price: 29, min_weight: 2_001, max_weight: 10_000 },
      { description: 'Freight to your door', price: 89, min_weight: 10_001 },
    ],
  },
  {
    name: 'Europe',
    // All of the European Union.
    countries: 'AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK'.split(' '),
    methods: [
      { description: 'Air parcel, up to 2 kg', price: 18, max_weight: 2_000 },
      { description: 'Air parcel, up to 10 kg', price: 36, min_weight: 2_001, max_weight: 10_000 },
      { description: 'Freight by sea', price: 140, min_weight: 10_001 },
    ],
  },
  {
    name: 'Further away',
    // Not the whole world, so that an address without shipping can be tried.
    countries:
      'AE AR AU BR CH CL CN CO EG GB GH HK ID IL IN IS JP KE KR LI LK MA MX MY NG NO NP NZ PE PH PK RS SA SG TH TR TW UA VN ZA'.split(
        ' ',
      ),
    methods: [{ description: 'International parcel', price: 20, on_own: 5, with_others: 6 }],
  },
]

// Examples of each kind of tax zone. They are not kept up to date: a real shop sets its own.

/** California does not tax downloads. */
const CALIFORNIA: NewTaxZone['rates'] = [
  { type: 'state', rate: 0.06, digital_rate: 0 },
  { type: 'county', rate: 0.0125, digital_rate: 0 },
]

export const demoTaxZones: readonly NewTaxZone[] = [
  { country: 'CA', rates: [{ type: 'GST', rate: 0.05 }] },
  {
    country: 'CA',
    region: 'BC',
    rates: [
      { type: 'GST', rate: 0.05 },
      { type: 'PST', rate: 0.07 },
    ],
  },
  { country: 'US', region: 'CA', rates: CALIFORNIA },
  {
    country: 'US',
    region: 'CA',
    postal_prefix: '900',
    rates: [...CALIFORNIA, { type: 'district', rate: 0.0225, digital_rate: 0 }],
  },
  // Germany taxes books at a lower rate, including digital ones.
  { country: 'DE', rates: [{ type: 'VAT', rate: 0.19, digital_rate: 0.07 }] },
]

// Discount codes, a gift card, and payment methods besides the test gateway.

type DemoDiscount = Omit<Static<typeof CreateDiscount>, 'product_ids'> & {
  /** Permalinks of the discounted products; absent for all. */
  readonly products?: readonly string[]
}

export const demoDiscounts: readonly DemoDiscount[] = [
  { code: 'WELCOME10', type: 'percentage', value: 10, description: 'For everybody who looks around.' },
  { code: 'TAKE5', type: 'fixed', value: 5, limit: 100, description: 'For the first hundred orders.' },
  {
    code: 'TEATIME',
    type: 'percentage',
    value: 15,
    products: ['stoneware-mug', 'round-teapot', 'whistling-kettle'],
    description: 'For what one needs at five.',
  },
  {
    code: 'CUSTOMCOMMERCE',
    type: 'percentage',
    value: 20,
    description: 'The code that demo storefronts tell shoppers.',
  },
]

export const demoGiftCard = {
  code: 'DEMO-GIFT-CARD',
  value: 25,
  note: 'To try out; it pays in the sandbox alone.',
} satisfies NewGiftCard

const demoGateways: readonly NewGateway[] = [
  {
    code: 'manual',
    config: { name: 'Bank transfer', details: 'The invoice names our account. We ship when the money has arrived.' },
  },
  // Storefronts written for any of these gateways can be tried without an account.
  ...['stripe', 'square', 'razorpay', 'paypal'].map((code) => ({ code, simulated: true })),
]
