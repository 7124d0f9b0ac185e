// The flag families of a checkout token and of its lines: their names, and how each is derived from what is bought.

import { Type } from 'typebox'
import {
  booleans,
  type FlagSource,
  flagSchemas,
  flagsOf,
  type ProductFlags,
  prefixed,
  withConditionals,
} from '../products/flags.ts'

const IS = ['cart_free', 'free'] as const
const HAS = ['physical_delivery', 'digital_delivery', 'available_discounts', 'pay_what_you_want'] as const
const COLLECTS = ['fullname', 'shipping_address', 'billing_address', 'extra_fields', 'extrafields'] as const
const LINE_IS = ['preorder'] as const

export const tokenFlagSchemas = {
  conditionals: booleans([...prefixed('is', IS), ...prefixed('has', HAS), ...prefixed('collects', COLLECTS)]),
  is: booleans(IS),
  has: booleans(HAS),
  collects: booleans(COLLECTS),
}

export const lineFlagSchemas = {
  conditionals: Type.Object({
    ...flagSchemas.conditionals.properties,
    ...booleans(prefixed('is', LINE_IS)).properties,
  }),
  is: Type.Object({ ...flagSchemas.is.properties, ...booleans(LINE_IS).properties }),
  has: flagSchemas.has,
  collects: flagSchemas.collects,
}

/** Of a product that was deleted: there is nothing to say of it any more. */
const NOTHING: FlagSource = {
  price: 1,
  is_active: false,
  is_tax_exempt: false,
  is_pay_what_you_want: false,
  is_inventory_managed: false,
  is_sold_out: false,
  is_physical: false,
  collects_fullname: false,
  collects_shipping_address: false,
  collects_billing_address: false,
  packages: [],
  extra_fields: [],
  assets: [],
}

/**
 * Whether live totals say that nothing is left to pay. Not while a line cannot be bought: it counts nothing, and a storefront that took
 * the rest for free would send a capture that is refused.
 */
export const isFree = (live: {
  readonly total_due: { readonly raw: number }
  readonly line_items: readonly { readonly is_valid: boolean }[]
}): boolean => live.total_due.raw === 0 && live.line_items.every(({ is_valid }) => is_valid)

/** `product` is undefined when it was deleted. Its price is that of one with what was chosen: an option may be what costs. */
export function lineFlags(product: FlagSource | undefined) {
  const { is, has, collects } = flagsOf(product ?? NOTHING)
  // Nothing here is sold before it can be delivered.
  return withConditionals({ is: { ...is, preorder: false }, has, collects })
}

/** What is collected is what any of the products collects; whatever is shipped needs an address, also where its product says no. */
export function tokenFlags(
  products: readonly ProductFlags[],
  { isFree, isShipped, hasAvailableDiscounts }: { isFree: boolean; isShipped: boolean; hasAvailableDiscounts: boolean },
) {
  const hasAny = (of: (flags: ProductFlags) => boolean) => products.some(of)
  const hasExtraFields = hasAny(({ collects }) => collects.extra_fields)
  return withConditionals({
    is: { cart_free: isFree, free: isFree },
    has: {
      physical_delivery: isShipped,
      digital_delivery: hasAny(({ has }) => has.digital_delivery),
      available_discounts: hasAvailableDiscounts,
      pay_what_you_want: hasAny(({ is }) => is.pay_what_you_want),
    },
    collects: {
      fullname: hasAny(({ collects }) => collects.fullname),
      shipping_address: isShipped || hasAny(({ collects }) => collects.shipping_address),
      billing_address: hasAny(({ collects }) => collects.billing_address),
      extra_fields: hasExtraFields,
      extrafields: hasExtraFields,
    },
  })
}
