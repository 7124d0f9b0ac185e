// What lowers the demo shop's prices and what pays them: codes, a gift card, and a way to pay beside the test gateway.

import type { Static } from 'typebox'
import type { CreateDiscount } from '../api/discounts/schema.ts'
import type { NewGiftCard } from '../api/gift-cards/schema.ts'
import type { NewGateway } from '../api/payment-methods/schema.ts'

export type DemoDiscount = Omit<Static<typeof CreateDiscount>, 'product_ids'> & {
  /** Permalinks of the products that it is for; left out: everything. */
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

export const demoGateways: readonly NewGateway[] = [
  {
    code: 'manual',
    config: { name: 'Bank transfer', details: 'The invoice names our account. We ship when the money has arrived.' },
  },
]
