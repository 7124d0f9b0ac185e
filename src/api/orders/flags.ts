// The flag families of an order: what was collected, what it has, what it is. `conditionals` repeats them with their prefixes.

import { booleans, prefixed, withConditionals } from '../products/flags.ts'
import type { OrderRow } from './row-store.ts'

const COLLECTED = [
  'fullname',
  'shipping_address',
  'billing_address',
  'extrafields',
  'extra_fields',
  'tax',
  'eu_vat_moss_evidence',
] as const
const HAS = ['physical_fulfillment', 'digital_fulfillment', 'pay_what_you_want', 'discounts'] as const
const IS = ['free', 'fulfilled'] as const

export const orderFlagSchemas = {
  conditionals: booleans([...prefixed('collected', COLLECTED), ...prefixed('has', HAS), ...prefixed('is', IS)]),
  collected: booleans(COLLECTED),
  has: booleans(HAS),
  is: booleans(IS),
}

export function orderFlags({ content, order_value, status_fulfillment, items, downloads }: OrderRow) {
  const { collected } = content
  const hasExtraFields = collected.extrafields ?? collected.extra_fields ?? false
  return withConditionals({
    collected: {
      fullname: collected.fullname ?? false,
      shipping_address: collected.shipping_address ?? false,
      billing_address: collected.billing_address ?? false,
      extrafields: hasExtraFields,
      extra_fields: hasExtraFields,
      tax: collected.tax ?? false,
      eu_vat_moss_evidence: collected.eu_vat_moss_evidence ?? false,
    },
    has: {
      physical_fulfillment: items.length > 0,
      digital_fulfillment: downloads.length > 0,
      pay_what_you_want: content.payWhatYouWant.isEnabled,
      discounts: content.discount !== null,
    },
    is: { free: order_value === 0, fulfilled: status_fulfillment === 'fulfilled' },
  })
}
