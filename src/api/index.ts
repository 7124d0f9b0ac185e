// The list of all resources of the API, in the order of their dependencies: each may use only those above it.

import { assets } from './assets/routes.ts'
import { attributes } from './attributes/routes.ts'
import { capture } from './capture/routes.ts'
import { carts } from './carts/routes.ts'
import { categories } from './categories/routes.ts'
import { checkouts } from './checkouts/routes.ts'
import { customers } from './customers/routes.ts'
import { developer } from './developer/routes.ts'
import { discounts } from './discounts/routes.ts'
import { events } from './events/routes.ts'
import { fulfillment } from './fulfillment/routes.ts'
import { giftCards } from './gift-cards/routes.ts'
import { keys } from './keys/routes.ts'
import { locale } from './locale/routes.ts'
import { merchants } from './merchants/routes.ts'
import { orders } from './orders/routes.ts'
import { paymentMethods } from './payment-methods/routes.ts'
import { payments } from './payments/routes.ts'
import { products } from './products/routes.ts'
import { providerMessages } from './provider-messages/slice.ts'
import { reports } from './reports/routes.ts'
import { retention } from './retention/slice.ts'
import { shipping } from './shipping/routes.ts'
import type { Slice } from './slice.ts'
import { tax } from './tax/routes.ts'
import { webhooks } from './webhooks/routes.ts'

export const apiSlices: readonly Slice[] = [
  assets,
  merchants,
  keys,
  attributes,
  categories,
  shipping,
  products,
  tax,
  discounts,
  giftCards,
  paymentMethods,
  customers,
  carts,
  orders,
  payments,
  fulfillment,
  checkouts,
  capture,
  providerMessages,
  locale,
  webhooks,
  events,
  developer,
  reports,
  retention,
]
